/** Credentials that are remembered: how they are written, for how long, and how many. */
import type { Session } from "@dockline/core/access/Authenticator"
import type { Share } from "@dockline/core/access/RequestLimits"
import { StorageUnavailable, Unauthenticated } from "@dockline/core/values/Errors"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Identities } from "../../src/limits/Admission.ts"

type Outcome = Effect.Effect<Session, Unauthenticated | StorageUnavailable>

let lookups: number
let outcome: Outcome

const sessionOf = (clientId: string, expiresAt = Date.now() + 3_600_000): Outcome =>
  Effect.succeed({ principal: { clientId, grants: [] }, expiresAt })

const identities = (): Identities => {
  const newIdentities = new Identities(() =>
    Effect.suspend(() => {
      lookups++
      return outcome
    })
  )
  return newIdentities
}

const share = (client: string): Share => ({ client, business: "business:" })

beforeEach(() => {
  vi.useFakeTimers()
  lookups = 0
  outcome = sessionOf("acme")
})

afterEach(() => void vi.useRealTimers())

describe("credentials", () => {
  it("are known once they are found to be good, in all spellings of a bearer token, and asked for once", () => {
    const ids = identities()
    assert.isUndefined(ids.shareOf("Bearer abc"))
    assert.deepStrictEqual(Effect.runSync(ids.find("Bearer abc")), share("client:acme"))
    for (const spelling of ["Bearer abc", "bEARER abc", "BEARER   abc ", "bearer abc"]) {
      assert.deepStrictEqual(ids.shareOf(spelling), share("client:acme"))
      assert.deepStrictEqual(Effect.runSync(ids.find(spelling)), share("client:acme"))
    }
    for (const other of ["abc", "Bearer abcd", "Basic abc", "Bearer abc d"]) {
      assert.isUndefined(ids.shareOf(other))
    }
    assert.strictEqual(lookups, 1)
  })

  it("of a person are those of the person", () => {
    outcome = sessionOf("person:ps_1")
    const ids = identities()
    assert.deepStrictEqual(Effect.runSync(ids.find("Dockline-Session abc")), share("person:ps_1"))
    assert.deepStrictEqual(ids.shareOf("Dockline-Session abc"), share("person:ps_1"))
  })

  it("are nobody's where they are not good, or nobody can tell", () => {
    const ids = identities()
    const outcomes: ReadonlyArray<Outcome> = [
      Effect.fail(new Unauthenticated({})),
      Effect.fail(new StorageUnavailable({ cause: new Error("away") })),
      Effect.die("broken")
    ]
    for (const each of outcomes) {
      outcome = each
      assert.isUndefined(Effect.runSync(ids.find("Bearer abc")))
      assert.isUndefined(ids.shareOf("Bearer abc"))
    }
  })

  it("are known until they expire, and no longer", () => {
    outcome = sessionOf("acme", Date.now() + 1000)
    const ids = identities()
    Effect.runSync(ids.find("Bearer abc"))
    vi.advanceTimersByTime(999)
    assert.deepStrictEqual(ids.shareOf("Bearer abc"), share("client:acme"))
    vi.advanceTimersByTime(1)
    assert.isUndefined(ids.shareOf("Bearer abc"))
  })

  // @threat load.10
  it("are checked every five seconds while they are used, and forgotten when they are not good any more", () => {
    const ids = identities()
    Effect.runSync(ids.find("Bearer abc"))
    vi.advanceTimersByTime(4999)
    ids.shareOf("Bearer abc")
    assert.strictEqual(lookups, 1)
    vi.advanceTimersByTime(1)
    ids.shareOf("Bearer abc")
    assert.strictEqual(lookups, 2)
    outcome = Effect.fail(new StorageUnavailable({ cause: new Error("away") }))
    vi.advanceTimersByTime(5000)
    ids.shareOf("Bearer abc")
    assert.strictEqual(lookups, 3)
    assert.deepStrictEqual(ids.shareOf("Bearer abc"), share("client:acme"))
    outcome = Effect.fail(new Unauthenticated({ reason: "invalid" }))
    vi.advanceTimersByTime(5000)
    ids.shareOf("Bearer abc")
    assert.isUndefined(ids.shareOf("Bearer abc"))
  })

  it("are forgotten on demand, however they are written", () => {
    const ids = identities()
    Effect.runSync(ids.find("Bearer abc"))
    ids.forget("BEARER  abc")
    assert.isUndefined(ids.shareOf("Bearer abc"))
  })

  it("are 10,000 at most: those that were checked first go", () => {
    const ids = identities()
    for (let at = 0; at <= 10_000; at++) Effect.runSync(ids.find(`Bearer ${at}`))
    assert.isUndefined(ids.shareOf("Bearer 0"))
    assert.deepStrictEqual(ids.shareOf("Bearer 1"), share("client:acme"))
  })
})
