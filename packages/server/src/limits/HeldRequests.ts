/**
 * Holds requests that arrive after the port is open and before the service listens; else they would never be answered.
 */
import type { Server } from "node:http"
import type { Guard } from "./Guard.ts"

export const heldRequests = (server: Server): Guard => {
  const holds: Array<() => void> = []
  const release = (event: string | symbol): void => {
    if (event !== "request") return
    server.off("newListener", release)
    // The listener is in place once this turn is over.
    queueMicrotask(() => holds.forEach((pass) => pass()))
  }
  server.on("newListener", release)
  return {
    request: (_request, _response, pass) => {
      if (server.listenerCount("request") > 0) pass()
      else holds.push(pass)
    }
  }
}
