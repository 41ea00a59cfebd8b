/** What a sender of the webhook benchmark does: it stores messages and delivers them, as its parent process asks. */
import { timed } from "../graphql/Workload.ts"
import type { Appended } from "../graphql/Workload.ts"
import { serve, setting } from "../Serve.ts"

/** What a sender is told. Messages are numbered within a run. */
export type SenderCommand =
  /** Answered once it has its endpoints. */
  | { readonly ready: true }
  /** Stores messages as a backlog. */
  | { readonly fill: number; readonly from: number }
  /** Starts to deliver what is stored and what will be. */
  | { readonly go: true }
  /** Stores one message, in a transaction of its own; answered with what {@link timed} says. */
  | { readonly one: number }

/** What a contestant can do. */
interface Able {
  readonly fill: (from: number, count: number) => Promise<void>
  readonly go: () => Promise<void>
  /** Returns the message's id once it is committed. */
  readonly one: (n: number) => Promise<number>
}

/** Does what the parent process says. */
export const listen = (sender: Able): void =>
  serve(async (command: SenderCommand): Promise<Appended | void> => {
    if ("fill" in command) return sender.fill(command.from, command.fill)
    if ("go" in command) return sender.go()
    if ("ready" in command) return
    return timed(() => sender.one(command.one))
  })

/** The base URLs of the endpoints. */
export const endpoints = (): ReadonlyArray<string> =>
  JSON.parse(setting("ENDPOINTS")) as ReadonlyArray<string>
