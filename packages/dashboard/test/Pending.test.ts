import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Pending from "../src/sign-in/Pending.ts"

const provider = {
  issuer: "https://login.example",
  clientId: "dashboard",
  clientSecret: Redacted.make("given-by-the-provider")
}

const common = { next: "/dashboard/shipments?at=acme/east", expiresAt: 1_700_000_600_000 }

const signIn = { secret: "s".repeat(43), ...common }

const choice = {
  id: "i".repeat(43),
  identity: { subject: "ada \u0022.byron", email: "ada@acme.example" },
  ...common
}

const kinds = [
  { of: Pending.signIn, value: signIn, longest: signIn, other: "choice" },
  {
    of: Pending.choice,
    value: choice,
    longest: { ...choice, identity: { subject: "\u0022".repeat(255), email: "e".repeat(254) } },
    other: "sign-in"
  }
] as unknown as ReadonlyArray<{
  readonly of: typeof Pending.signIn
  readonly value: typeof signIn
  readonly longest: typeof signIn
  readonly other: Pending.Purpose
}>

describe("D14.4 a sign-in or a choice under way", () => {
  it.effect("is taken as it is by every instance, until its end, and fits into a cookie", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* Pending.sealOf(provider), yield* Pending.sealOf(provider)]
      for (const { longest, of, value } of kinds) {
        const cookie = of.close(one, value)
        assert.match(cookie, /^[\w.-]+$/)
        assert.deepStrictEqual(of.open(other, cookie, value.expiresAt - 1), value)
        assert.isUndefined(of.open(other, cookie, value.expiresAt))
        const long = of.close(one, { ...value, next: `/dashboard/${"x".repeat(2000)}` })
        assert.strictEqual(of.open(one, long, 0)?.next, "")
        assert.isBelow(of.close(one, { ...longest, next: "x".repeat(2000) }).length, 4000)
      }
    }))

  // @threat browsers.15 browsers.18
  it.effect("is taken from nobody else, not changed, and not in place of the other", () =>
    Effect.gen(function*() {
      const seal = yield* Pending.sealOf(provider)
      const strangers = yield* Effect.all([
        Pending.sealOf({ ...provider, clientSecret: Redacted.make("guessed") }),
        Pending.sealOf({ ...provider, clientId: "another" }),
        Pending.sealOf({ ...provider, issuer: "https://other.example" })
      ])
      for (const { of, other, value } of kinds) {
        const cookie = of.close(seal, value)
        for (const stranger of strangers) assert.isUndefined(of.open(stranger, cookie, 0))
        for (let at = 0; at < cookie.length; at++) {
          const changedCookie = cookie.slice(0, at) + (cookie[at] === "0" ? "1" : "0") + cookie.slice(at + 1)
          const content = of.open(seal, changedCookie, 0)
          // The last letter of a code has unused bits.
          if (at < cookie.length - 1) assert.isUndefined(content, changedCookie)
          else if (content !== undefined) assert.deepStrictEqual(content, value)
        }
        const [text = "", code = ""] = cookie.split(".")
        for (
          const wrong of [
            undefined,
            "",
            ".",
            "...",
            text,
            `${text}.`,
            cookie.slice(0, -1),
            `${cookie}x`,
            `.${code}`
          ]
        ) {
          assert.isUndefined(of.open(seal, wrong, 0), wrong)
        }
        // The same text under the seal of the other purpose.
        assert.isUndefined(of.open(seal, seal.close(other, text), 0))
      }
    }))
})
