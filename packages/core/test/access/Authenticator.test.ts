/**
 * Authentication by plain functions of an embedding service.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Principal } from "../../src/access/Access.ts"
import { Authenticator } from "../../src/access/Authenticator.ts"
import type { OwnAuthentication } from "../../src/access/Authenticator.ts"
import { Unauthenticated } from "../../src/values/Errors.ts"

const ann: Principal = { clientId: "ann", grants: [] }

const hour = 3_600_000

const withAuthenticator = <A, E>(
  authentication: Parameters<typeof Authenticator.layerPromise>[0],
  use: (authenticator: (typeof Authenticator)["Service"]) => Effect.Effect<A, E>
) => Effect.provide(Effect.flatMap(Authenticator, use), Authenticator.layerPromise(authentication))

const tagOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("authentication by a function", () => {
  it.effect("asks it with the header, as it was sent", () => {
    const headers: Array<string | undefined> = []
    const own = async (header: string | undefined) => {
      headers.push(header)
      return header === undefined ? null : undefined
    }
    return withAuthenticator(own, (authenticator) =>
      Effect.gen(function*() {
        for (const header of [undefined, "ApiKey 1"]) {
          assert.strictEqual(yield* tagOf(authenticator.authenticate(header)), "Unauthenticated")
        }
        assert.deepStrictEqual(headers, [undefined, "ApiKey 1"])
      }))
  })

  it.effect("tells what is wrong with a token, where the function does", () => {
    const own = async (header: string | undefined) => {
      if (header === "old") throw new Unauthenticated({ reason: "expired" })
      return header === "over" ? { principal: ann, expiresAt: 0 } : null
    }
    const cases = [[undefined, undefined], ["old", "expired"], ["over", "expired"], [
      "other",
      "invalid"
    ]] as const
    return withAuthenticator(own, (authenticator) =>
      Effect.gen(function*() {
        for (const [header, reason] of cases) {
          const error = yield* Effect.flip(authenticator.authenticate(header))
          assert.deepStrictEqual([error._tag, "reason" in error ? error.reason : undefined], [
            "Unauthenticated",
            reason
          ])
        }
      }))
  })

  it.effect("gives a principal a session of an hour, in which it is remembered", () =>
    withAuthenticator(async () => ann, (authenticator) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* tagOf(authenticator.current("ann")), "Unauthenticated")
        const session = yield* authenticator.authenticate(undefined)
        assert.deepStrictEqual(session, { principal: ann, expiresAt: hour })
        assert.deepStrictEqual(yield* authenticator.current("ann"), ann)
        yield* TestClock.adjust(hour - 1)
        assert.deepStrictEqual(yield* authenticator.current("ann"), ann)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* tagOf(authenticator.current("ann")), "Unauthenticated")
        yield* authenticator.authenticate(undefined)
        assert.deepStrictEqual(yield* authenticator.current("ann"), ann)
      })))

  it.effect("takes a session as it is, but for one that is over", () =>
    withAuthenticator(
      async () => ({ principal: ann, expiresAt: 1000 }),
      (authenticator) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* authenticator.authenticate(undefined)).expiresAt, 1000)
          yield* TestClock.adjust(1000)
          assert.strictEqual(yield* tagOf(authenticator.authenticate(undefined)), "Unauthenticated")
        })
    ))

  it.effect("asks what a client may do now where there is a function for it", () => {
    const calls: Array<string> = []
    const own: OwnAuthentication = {
      authenticate: async () => ann,
      current: async (clientId) => {
        calls.push(clientId)
        return clientId === "ann" ? ann : null
      }
    }
    return withAuthenticator(own, (authenticator) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* authenticator.current("ann"), ann)
        assert.strictEqual(yield* tagOf(authenticator.current("bob")), "Unauthenticated")
        assert.deepStrictEqual(calls, ["ann", "bob"])
      }))
  })

  it.effect("is unavailable while it cannot tell", () => {
    const away = () => Promise.reject(new Error("away"))
    return withAuthenticator(
      { authenticate: away, current: away },
      (authenticator) =>
        Effect.gen(function*() {
          assert.strictEqual(yield* tagOf(authenticator.authenticate("x")), "IssuerUnavailable")
          assert.strictEqual(yield* tagOf(authenticator.current("ann")), "StorageUnavailable")
        })
    )
  })
})
