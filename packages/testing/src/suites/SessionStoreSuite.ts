/**
 * What holds for the sessions of browsers, whatever they are stored in (D14.4).
 */
import { sessionsPerClient, SessionStore } from "@dockline/core/access/SessionStore"
import type { StoredSession } from "@dockline/core/access/SessionStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import * as Suite from "../Suite.ts"
import { unique } from "../Unique.ts"

const hourMillis = 3_600_000

/** Long before any other session: what expires here drops nobody else's. */
const begin = Date.parse("2001-01-01T00:00:00.000Z")

const session = (clientId: string, hour: number): StoredSession => ({
  id: unique("session"),
  clientId,
  createdAt: Timestamp.fromMillis(begin + hour * hourMillis),
  expiresAt: Timestamp.fromMillis(begin + (hour + 12) * hourMillis)
})

/** The suite of `SessionStore`. */
export const sessionStoreSuite: Suite.Suite<SessionStore> = Suite.make(
  "the sessions of browsers",
  ({ test }) => {
    test("D14.4 a session is kept as it is, until it is removed", function*() {
      const store = yield* SessionStore
      const [one, other] = [session(unique("client"), 0), session(unique("client"), 1)]
      assert.strictEqual(yield* store.find(one.id), null)
      yield* store.add(one)
      yield* store.add(other)
      assert.deepStrictEqual(yield* store.find(one.id), one)
      yield* store.remove(one.id)
      yield* store.remove(one.id)
      assert.strictEqual(yield* store.find(one.id), null)
      assert.deepStrictEqual(yield* store.find(other.id), other)
    })

    test("D14.4 a new session drops those that expired before it, of whichever client", function*() {
      const store = yield* SessionStore
      const old = session(unique("client"), 0)
      const recent = session(unique("client"), 2)
      yield* store.add(old)
      yield* store.add(recent)
      yield* store.add(session(unique("client"), 13))
      assert.strictEqual(yield* store.find(old.id), null)
      assert.deepStrictEqual(yield* store.find(recent.id), recent)
    })

    test("D14.4 a sign-in is answered once, until it has ended", function*() {
      const { markAnswered } = yield* SessionStore
      const at = (hour: number) => Timestamp.fromMillis(begin + hour * hourMillis)
      const [one, other] = [1, 2].map((hour) => ({ id: unique("sign-in"), expiresAt: at(hour) }))
      assert.strictEqual(yield* markAnswered(one!, at(0)), true)
      assert.strictEqual(yield* markAnswered(one!, at(0)), false)
      assert.strictEqual(yield* markAnswered(other!, at(0)), true)
      assert.strictEqual(yield* markAnswered(one!, one!.expiresAt), false)
      // One that has ended is dropped by the next; nobody brings its cookie any more.
      yield* markAnswered({ id: unique("sign-in"), expiresAt: at(3) }, at(1.5))
      assert.strictEqual(yield* markAnswered(one!, at(1.5)), true)
      assert.strictEqual(yield* markAnswered(other!, at(1.5)), false)
    })

    test("D14.4 of many who answer one sign-in at once, one is the first", function*() {
      const { markAnswered } = yield* SessionStore
      const signIn = { id: unique("sign-in"), expiresAt: Timestamp.fromMillis(begin + hourMillis) }
      const answers = Array.from({ length: 10 }, () => markAnswered(signIn, Timestamp.fromMillis(begin)))
      const first = yield* Effect.all(answers, { concurrency: "unbounded" })
      assert.strictEqual(first.filter((isFirst) => isFirst).length, 1)
    })

    test(`D14.4 a client has at most ${sessionsPerClient} sessions: the oldest go first`, function*() {
      const store = yield* SessionStore
      const clientId = unique("client")
      const stranger = session(unique("client"), 0)
      const sessions = Array.from({ length: sessionsPerClient }, (_, n) => session(clientId, n / 1000))
      for (const each of [stranger, ...sessions]) yield* store.add(each)
      assert.deepStrictEqual(yield* store.find(sessions[0]!.id), sessions[0]!)
      yield* store.add(session(clientId, 2))
      assert.strictEqual(yield* store.find(sessions[0]!.id), null)
      assert.deepStrictEqual(yield* store.find(sessions[1]!.id), sessions[1]!)
      assert.deepStrictEqual(yield* store.find(stranger.id), stranger)
    })
  }
)
