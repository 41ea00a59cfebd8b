/** Credentials that are remembered: how they are written, for how long, and how many. */
import type { Session } from "@dockline/core/access/Authenticator"
import type { Share } from "@dockline/core/access/Share"
import { StorageUnavailable, Unauthenticated } from "@dockline/core/values/Errors"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Identities } from "../../src/limits/Identities.ts"

type Outcome = Effect.Effect<Session, Unauthenticated | StorageUnavailable>

let asked: number
let outcome: Outcome

const sessionOf = (clientId: string, expiresAt = Date.now() + 3_600_000): Outcome =>
  Effect.succeed({ principal: { clientId, grants: [] }, expiresAt })

const identities = (): Identities => {
  const made = new Identities(() =>
    Effect.suspend(() => {
      asked++
      return outcome
    })
  )
  return made
}

const share = (client: string): Share => ({ client, business: "business:" })

beforeEach(() => {
  vi.useFakeTimers()
  asked = 0
  outcome = sessionOf("acme")
})

afterEach(() => void vi.useRealTimers())

describe("credentials", () => {
  it("are known once they are found to be good, in all spellings of a bearer token, and asked for once", () => {
    const known = identities()
    assert.isUndefined(known.known("Bearer abc"))
    assert.deepStrictEqual(Effect.runSync(known.find("Bearer abc")), share("client:acme"))
    for (const spelling of ["Bearer abc", "bEARER abc", "BEARER   abc ", "bearer abc"]) {
      assert.deepStrictEqual(known.known(spelling), share("client:acme"))
      assert.deepStrictEqual(Effect.runSync(known.find(spelling)), share("client:acme"))
    }
    for (const other of ["abc", "Bearer abcd", "Basic abc", "Bearer abc d"]) {
      assert.isUndefined(known.known(other))
    }
    assert.strictEqual(asked, 1)
  })

  it("of a person are those of the person", () => {
    outcome = sessionOf("person:ps_1")
    const known = identities()
    assert.deepStrictEqual(Effect.runSync(known.find("Dockline-Session abc")), share("person:ps_1"))
    assert.deepStrictEqual(known.known("Dockline-Session abc"), share("person:ps_1"))
  })

  it("are nobody's where they are not good, or nobody can tell", () => {
    const known = identities()
    const outcomes: ReadonlyArray<Outcome> = [
      Effect.fail(new Unauthenticated({})),
      Effect.fail(new StorageUnavailable({ cause: new Error("away") })),
      Effect.die("broken")
    ]
    for (const each of outcomes) {
      outcome = each
      assert.isUndefined(Effect.runSync(known.find("Bearer abc")))
      assert.isUndefined(known.known("Bearer abc"))
    }
  })

  it("are known until they expire, and no longer", () => {
    outcome = sessionOf("acme", Date.now() + 1000)
    const known = identities()
    Effect.runSync(known.find("Bearer abc"))
    vi.advanceTimersByTime(999)
    assert.deepStrictEqual(known.known("Bearer abc"), share("client:acme"))
    vi.advanceTimersByTime(1)
    assert.isUndefined(known.known("Bearer abc"))
  })

  // @threat load.10
  it("are checked every five seconds while they are used, and forgotten when they are not good any more", () => {
    const known = identities()
    Effect.runSync(known.find("Bearer abc"))
    vi.advanceTimersByTime(4999)
    known.known("Bearer abc")
    assert.strictEqual(asked, 1)
    vi.advanceTimersByTime(1)
    known.known("Bearer abc")
    assert.strictEqual(asked, 2)
    outcome = Effect.fail(new StorageUnavailable({ cause: new Error("away") }))
    vi.advanceTimersByTime(5000)
    known.known("Bearer abc")
    assert.strictEqual(asked, 3)
    assert.deepStrictEqual(known.known("Bearer abc"), share("client:acme"))
    outcome = Effect.fail(new Unauthenticated({ reason: "invalid" }))
    vi.advanceTimersByTime(5000)
    known.known("Bearer abc")
    assert.isUndefined(known.known("Bearer abc"))
  })

  it("are forgotten on demand, however they are written", () => {
    const known = identities()
    Effect.runSync(known.find("Bearer abc"))
    known.forget("BEARER  abc")
    assert.isUndefined(known.known("Bearer abc"))
  })

  it("are 10,000 at most: those that were checked first go", () => {
    const known = identities()
    for (let at = 0; at <= 10_000; at++) Effect.runSync(known.find(`Bearer ${at}`))
    assert.isUndefined(known.known("Bearer 0"))
    assert.deepStrictEqual(known.known("Bearer 1"), share("client:acme"))
  })
})
