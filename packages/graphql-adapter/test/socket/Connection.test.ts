/** How a socket is closed, whatever the reason says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import { defaultLiveConfig } from "../../src/GraphqlConfig.ts"
import { Connection } from "../../src/socket/Connection.ts"
import { closeOf, RawSocket } from "../LiveSetup.ts"

/** A socket that is closed as it is opened. */
const closedWith = Effect.fnUntraced(function*(code: number, reason: string) {
  const server = createServer()
  new WebSocketServer({ server, handleProtocols: () => "graphql-transport-ws" })
    .on("connection", (socket, request) => {
      new Connection(socket, request.socket, { correlationId: "test", path: "/" }, defaultLiveConfig).close(
        code,
        reason
      )
    })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  return new RawSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

describe("closing a socket", () => {
  it.live("a reason is cut where a closing frame has no more room, between characters", () =>
    Effect.gen(function*() {
      const reasons = [
        ["short", "short"],
        ["a".repeat(124), "a".repeat(123)],
        ["漢".repeat(64), "漢".repeat(41)],
        [`a${"漢".repeat(64)}`, `a${"漢".repeat(40)}`],
        [`a${"🚚".repeat(64)}`, `a${"🚚".repeat(30)}`]
      ] as const
      for (const [reason, text] of reasons) {
        const socket = yield* closedWith(4400, reason)
        assert.deepStrictEqual(yield* Effect.promise(() => socket.closed), { code: 4400, reason: text })
      }
    }))

  it.live("one that cannot be told is cut", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* closeOf(yield* closedWith(5, "no code of the protocol")), 1006)
    }))
})
