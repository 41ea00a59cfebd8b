/**
 * What holds for the keys that tokens are signed with, whatever they are stored in (D10.2).
 *
 * The keys belong to the whole service: the suite replaces those that are there, so run it against a storage whose
 * tokens nobody needs any more.
 */
import type { SigningKey } from "@dockline/core/access/SigningKeyStore"
import { SigningKeyStore } from "@dockline/core/access/SigningKeyStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Redacted } from "effect"
import * as assert from "../Assert.ts"
import * as Suite from "../Suite.ts"
import { unique } from "../Unique.ts"

const key = (id: string, createdAt: Timestamp.Timestamp): SigningKey => ({
  id,
  privateJwk: Redacted.make(`{"kid":"${id}","text":"\\"\\\\ \u{1F69A}"}`),
  createdAt
})

/** What there is to tell of a key, its secret too. */
const partsOf = ({ id, privateJwk, createdAt }: SigningKey) => [id, Redacted.value(privateJwk), createdAt]

/** Four days that come after every key that is there, and ids that nobody has. */
const aTime = Effect.gen(function*() {
  const store = yield* SigningKeyStore
  const newest = (yield* store.list)[0]?.createdAt ?? (yield* Timestamp.now)
  const day = (n: number) => Timestamp.fromMillis(Date.parse(newest) + n * 86_400_000 + n)
  const own = unique("key")
  const idOf = (name: string) => `${own}-${name}`
  const keyOf = (name: string, createdAt: Timestamp.Timestamp) => key(idOf(name), createdAt)
  /** Rotates, and checks that what is kept is what is listed; returns its names. */
  const rotate = Effect.fnUntraced(function*(
    key: SigningKey,
    unlessSince: Timestamp.Timestamp,
    dropBefore: Timestamp.Timestamp
  ) {
    const keys = yield* store.rotate(key, unlessSince, dropBefore)
    assert.deepStrictEqual((yield* store.list).map(partsOf), keys.map(partsOf))
    return keys.map(({ id }) => id.slice(own.length + 1))
  })
  return { days: [day(1), day(2), day(3), day(4)] as const, keyOf, rotate }
})

/** The suite of `SigningKeyStore`. */
export const signingKeyStoreSuite: Suite.Suite<SigningKeyStore> = Suite.make(
  "the keys that tokens are signed with",
  ({ describe, test }) => {
    describe("D10.2 rotation", () => {
      test("a key is kept as it is, and older ones are dropped when they are to be", function*() {
        const { days: [day1], keyOf, rotate } = yield* aTime
        const store = yield* SigningKeyStore
        const first = keyOf("a", day1)
        assert.deepStrictEqual(yield* rotate(first, day1, day1), ["a"])
        assert.deepStrictEqual((yield* store.list).map(partsOf), [partsOf(first)])
      })

      test("instances that start at once end with one key, the same for all", function*() {
        const { days: [day1, day2], keyOf, rotate } = yield* aTime
        const store = yield* SigningKeyStore
        const names = Array.from({ length: 10 }, (_, n) => `instance ${n}`)
        const results = yield* Effect.all(
          names.map((name) => store.rotate(keyOf(name, day2), day1, day1)),
          { concurrency: "unbounded" }
        )
        for (const keys of results) assert.deepStrictEqual(keys.map(partsOf), results[0]!.map(partsOf))
        assert.strictEqual(results[0]!.length, 1)
        const [name] = yield* rotate(keyOf("late", day2), day1, day1)
        assert.include(names, name)
      })

      test("a key is added when none was created after the given time, newest first", function*() {
        const { days: [day1, day2, day3], keyOf, rotate } = yield* aTime
        yield* rotate(keyOf("a", day1), day1, day1)
        assert.deepStrictEqual(yield* rotate(keyOf("b", day2), day1, day1), ["b", "a"])
        assert.deepStrictEqual(yield* rotate(keyOf("c", day3), day1, day1), ["b", "a"])
        assert.deepStrictEqual(yield* rotate(keyOf("c", day3), day2, day1), ["c", "b", "a"])
      })

      test("keys created before the given time are dropped, never the newest", function*() {
        const { days: [day1, day2, day3, day4], keyOf, rotate } = yield* aTime
        yield* rotate(keyOf("a", day1), day1, day1)
        yield* rotate(keyOf("b", day2), day1, day1)
        yield* rotate(keyOf("c", day3), day2, day1)
        assert.deepStrictEqual(yield* rotate(keyOf("d", day4), day2, day2), ["c", "b"])
        assert.deepStrictEqual(yield* rotate(keyOf("d", day4), day2, day4), ["c"])
      })
    })
  }
)
