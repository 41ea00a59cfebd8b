/**
 * Seeing the events of a server before its listeners do: what counts, holds back or refuses requests must come first,
 * whoever listens and however late they come.
 */
import type { Server } from "node:http"

/** Looks at an event; `true` when it is dealt with, and no listener is to learn of it. */
export type Interceptor = (event: string | symbol, args: ReadonlyArray<unknown>, pass: () => void) => boolean

/** Shows every event of the server to the interceptor first; `pass` gives it on to whoever comes next. */
export const intercept = (server: Server, interceptor: Interceptor): void => {
  const { emit } = server
  server.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>): boolean => {
    const pass = (): boolean => Reflect.apply(emit, server, [event, ...args])
    return interceptor(event, args, pass) || pass()
  }
}
