/** D14.4: how long a session of a browser lasts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../../src/access/Authenticator.ts"
import { BrowserSessions, sessionSeconds } from "../../src/access/BrowserSessions.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { Unauthenticated } from "../../src/values/Errors.ts"

/** Knows every client, and no token. */
const everyClient = Layer.succeed(Authenticator, {
  authenticate: () => Effect.fail(new Unauthenticated({})),
  current: (clientId) => Effect.succeed({ clientId, grants: [] })
})

const layer = BrowserSessions.layer.pipe(Layer.provide([Memory.layer, everyClient]))

describe("a session of a browser", () => {
  it.effect("D14.4 is over at the instant of its end, and not a millisecond before", () =>
    Effect.gen(function*() {
      const { begin, find } = yield* BrowserSessions
      const secret = yield* begin("acme-client")
      const session = yield* find(secret)
      yield* TestClock.adjust(sessionSeconds * 1000 - 1)
      assert.strictEqual((yield* find(secret)).principal.clientId, "acme-client")
      assert.strictEqual(yield* session.holds!, true)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(find(secret)))._tag, "Unauthenticated")
      assert.strictEqual(yield* session.holds!, false)
    }).pipe(Effect.provide(layer)))
})
