import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PendingSignIn from "../src/sign-in/PendingSignIn.ts"
import * as Seal from "../src/sign-in/Seal.ts"

const provider = {
  issuer: "https://login.example",
  clientId: "dashboard",
  clientSecret: Redacted.make("given-by-the-provider")
}

const pending = {
  secret: "s".repeat(43),
  next: "/dashboard/shipments?at=acme/east",
  expiresAt: 1_700_000_600_000
}

describe("D14.4 a sign-in under way", () => {
  it.effect("is taken as it is by every instance, until its end", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* Seal.make(provider), yield* Seal.make(provider)]
      const cookie = PendingSignIn.close(one, pending)
      assert.match(cookie, /^[\w.-]+$/)
      assert.deepStrictEqual(PendingSignIn.open(other, cookie, pending.expiresAt - 1), pending)
      assert.isUndefined(PendingSignIn.open(other, cookie, pending.expiresAt))
      const long = PendingSignIn.close(one, { ...pending, next: `/dashboard/${"x".repeat(2000)}` })
      assert.strictEqual(PendingSignIn.open(one, long, 0)?.next, "")
    }))

  // @threat browsers.18
  it.effect("is taken from nobody else, and not changed", () =>
    Effect.gen(function*() {
      const seal = yield* Seal.make(provider)
      const cookie = PendingSignIn.close(seal, pending)
      for (
        const given of [
          { ...provider, clientSecret: Redacted.make("guessed") },
          { ...provider, clientId: "another" },
          { ...provider, issuer: "https://other.example" }
        ]
      ) {
        assert.isUndefined(PendingSignIn.open(yield* Seal.make(given), cookie, 0))
      }
      for (let at = 0; at < cookie.length; at++) {
        const changed = cookie.slice(0, at) + (cookie[at] === "0" ? "1" : "0") + cookie.slice(at + 1)
        const opened = PendingSignIn.open(seal, changed, 0)
        // The last letter of a code has bits that mean nothing.
        if (at < cookie.length - 1) assert.isUndefined(opened, changed)
        else if (opened !== undefined) assert.deepStrictEqual(opened, pending)
      }
      for (
        const wrong of [undefined, "", ".", "...", `${pending.secret}.`, cookie.slice(0, -1), `${cookie}x`]
      ) {
        assert.isUndefined(PendingSignIn.open(seal, wrong, 0))
      }
    }))
})
