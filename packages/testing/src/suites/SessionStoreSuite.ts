/**
 * What holds for the sessions of browsers, whatever they are stored in (D14.4).
 */
import { answeredMillis, sessionsPerClient, SessionStore } from "@dockline/core/access/BrowserSessions"
import type { SessionDraft } from "@dockline/core/access/BrowserSessions"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import * as Suite from "../Suite.ts"
import { unique } from "../Unique.ts"

const hourMillis = 3_600_000

/** Does something some hours after a moment long before any other session: what expires here drops nobody else's. */
const at = (hour: number) => Timestamp.asOf(Date.parse("2001-01-01T00:00:00.000Z") + hour * hourMillis)

const session = (clientId: string): SessionDraft => ({
  id: unique("session"),
  clientId,
  millis: 12 * hourMillis
})

/** The suite of `SessionStore`. */
export const sessionStoreSuite: Suite.Suite<SessionStore> = Suite.make(
  "the sessions of browsers",
  ({ test }) => {
    test("D14.4 a session lasts as long as it is to, until it is removed", function*() {
      const store = yield* SessionStore
      const [one, other] = [session(unique("client")), session(unique("client"))]
      const find = ({ id }: SessionDraft, hour: number) => at(hour)(store.find(id))
      assert.strictEqual(yield* find(one, 0), null)
      yield* at(0)(store.add(one))
      yield* at(1)(store.add(other))
      assert.deepStrictEqual(yield* find(one, 2), { clientId: one.clientId, leftMillis: 10 * hourMillis })
      assert.deepStrictEqual(yield* find(one, 11.5), { clientId: one.clientId, leftMillis: hourMillis / 2 })
      assert.strictEqual(yield* find(one, 12), null)
      yield* store.remove(one.id)
      yield* store.remove(one.id)
      assert.strictEqual(yield* find(one, 2), null)
      assert.deepStrictEqual(yield* find(other, 2), { clientId: other.clientId, leftMillis: 11 * hourMillis })
    })

    test("D14.4 a new session drops those that expired before it, of whichever client", function*() {
      const store = yield* SessionStore
      const [old, recent] = [session(unique("client")), session(unique("client"))]
      yield* at(0)(store.add(old))
      yield* at(2)(store.add(recent))
      yield* at(13)(store.add(session(unique("client"))))
      assert.strictEqual(yield* at(3)(store.find(old.id)), null)
      assert.isTrue((yield* at(3)(store.find(recent.id))) !== null)
    })

    test("D14.4 a sign-in is answered once", function*() {
      const { markAnswered } = yield* SessionStore
      const [one, other] = [unique("sign-in"), unique("sign-in")]
      const lastUse = answeredMillis / hourMillis
      assert.strictEqual(yield* at(0)(markAnswered(one)), true)
      assert.strictEqual(yield* at(0)(markAnswered(one)), false)
      assert.strictEqual(yield* at(1)(markAnswered(other)), true)
      assert.strictEqual(yield* at(lastUse - 1)(markAnswered(one)), false)
      // What was answered so long ago is dropped by the next; nobody brings its cookie any more.
      yield* at(lastUse + 0.5)(markAnswered(unique("sign-in")))
      assert.strictEqual(yield* at(lastUse + 0.5)(markAnswered(one)), true)
      assert.strictEqual(yield* at(lastUse + 0.5)(markAnswered(other)), false)
    })

    test("D14.4 of many who answer one sign-in at once, one is the first", function*() {
      const { markAnswered } = yield* SessionStore
      const id = unique("sign-in")
      const answers = Array.from({ length: 10 }, () => at(0)(markAnswered(id)))
      const first = yield* Effect.all(answers, { concurrency: "unbounded" })
      assert.strictEqual(first.filter((isFirst) => isFirst).length, 1)
    })

    test(`D14.4 a client has at most ${sessionsPerClient} sessions: the oldest go first`, function*() {
      const store = yield* SessionStore
      const clientId = unique("client")
      const stranger = session(unique("client"))
      const sessions = Array.from({ length: sessionsPerClient }, () => session(clientId))
      const isThere = ({ id }: SessionDraft) =>
        Effect.map(at(2)(store.find(id)), (session) => session !== null)
      for (const [n, each] of [stranger, ...sessions].entries()) yield* at(n / 1000)(store.add(each))
      assert.isTrue(yield* isThere(sessions[0]!))
      yield* at(2)(store.add(session(clientId)))
      assert.isFalse(yield* isThere(sessions[0]!))
      assert.isTrue(yield* isThere(sessions[1]!))
      assert.isTrue(yield* isThere(stranger))
    })
  }
)
