import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PendingChoice from "../src/sign-in/PendingChoice.ts"
import * as PendingSignIn from "../src/sign-in/PendingSignIn.ts"
import * as Seal from "../src/sign-in/Seal.ts"

const provider = {
  issuer: "https://login.example",
  clientId: "dashboard",
  clientSecret: Redacted.make("given-by-the-provider")
}

const pending = {
  id: "i".repeat(43),
  identity: { subject: "ada \u0022.byron", email: "ada@acme.example" },
  next: "/dashboard/shipments?at=acme/east",
  expiresAt: 1_700_000_600_000
}

describe("D14.4 a choice under way", () => {
  it.effect("is taken as it is by every instance, until its end, and fits into a cookie", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* Seal.make(provider), yield* Seal.make(provider)]
      const cookie = PendingChoice.close(one, pending)
      assert.match(cookie, /^[\w.-]+$/)
      assert.deepStrictEqual(PendingChoice.open(other, cookie, pending.expiresAt - 1), pending)
      assert.isUndefined(PendingChoice.open(other, cookie, pending.expiresAt))
      const long = PendingChoice.close(one, { ...pending, next: `/dashboard/${"x".repeat(2000)}` })
      assert.strictEqual(PendingChoice.open(one, long, 0)?.next, "")
      const longest = PendingChoice.close(one, {
        ...pending,
        identity: { subject: "\u0022".repeat(255), email: "e".repeat(254) },
        next: "x".repeat(2000)
      })
      assert.isBelow(longest.length, 4000)
    }))

  // @threat browsers.15
  it.effect("is taken from nobody else, not changed, and not in place of a sign-in under way", () =>
    Effect.gen(function*() {
      const seal = yield* Seal.make(provider)
      const cookie = PendingChoice.close(seal, pending)
      const others = yield* Seal.make({ ...provider, clientSecret: Redacted.make("guessed") })
      assert.isUndefined(PendingChoice.open(others, cookie, 0))
      const [text = "", code] = cookie.split(".")
      const changed = JSON.stringify({ ...pending, identity: { subject: "grace", email: null } })
      for (
        const wrong of [
          undefined,
          "",
          ".",
          text,
          `${text}.`,
          `${Buffer.from(changed).toString("base64url")}.${code}`,
          `${cookie}x`,
          `${text.slice(0, -1)}.${code}`
        ]
      ) {
        assert.isUndefined(PendingChoice.open(seal, wrong, 0), wrong)
      }
      // The same text under the seal of the other purpose.
      assert.isUndefined(PendingChoice.open(seal, seal.close("sign-in", text), 0))
      const { expiresAt, next } = pending
      const signIn = PendingSignIn.close(seal, { secret: "s".repeat(43), next, expiresAt })
      const [, sealed = ""] = /^(.*)\.[^.]+$/.exec(signIn)!
      assert.isDefined(PendingSignIn.open(seal, signIn, 0))
      assert.isUndefined(PendingSignIn.open(seal, seal.close("choice", sealed), 0))
    }))
})
