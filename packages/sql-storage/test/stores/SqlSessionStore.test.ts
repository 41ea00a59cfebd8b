/** Sessions and sign-ins last by one clock, that of the database, whatever the clocks of instances show (D14.4). */
import { SessionStore } from "@dockline/core/access/BrowserSessions"
import { unique } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import { over } from "../../../../test/support/Tests.ts"
import { services } from "../Movements.ts"

const hour = 3_600_000

const aSession = () => ({ id: unique("session"), principalId: unique("client"), millis: 12 * hour })

over(services)("sessions on PostgreSQL", (test) => {
  for (const seconds of [-8 * day, 8 * day]) {
    const wrong = ahead(seconds)

    // @threat reports.6
    test(`last as long as they are to, where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const store = yield* SessionStore
      const [one, other] = [aSession(), aSession()]
      yield* store.add(one)
      yield* wrong(store.add(other))
      for (const instance of [wrong, ahead(0), ahead(8 * day)]) {
        for (const { principalId, id } of [one, other]) {
          const session = (yield* instance(store.find(id)))!
          assert.strictEqual(session.principalId, principalId)
          assert.isAbove(session.leftMillis, 11 * hour)
          assert.isAtMost(session.leftMillis, 12 * hour)
        }
      }
    })

    // @threat reports.6
    test(`have ended for an instance, too, whose clock is ${seconds} seconds ahead`, function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* SessionStore
      const session = aSession()
      yield* store.add(session)
      yield* sql`update dockline.browser_session set expires_at = clock_timestamp() where id = ${session.id}`
      assert.isNull(yield* wrong(store.find(session.id)))
    })

    // @threat reports.6
    test(`are begun once by a sign-in, where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const { markAnswered } = yield* SessionStore
      const [one, other] = [unique("sign-in"), unique("sign-in")]
      assert.isTrue(yield* markAnswered(one))
      assert.isTrue(yield* wrong(markAnswered(other)))
      // Others who sign in drop what is known no longer.
      for (const instance of [wrong, ahead(0), ahead(8 * day)]) {
        yield* instance(markAnswered(unique("sign-in")))
        assert.isFalse(yield* instance(markAnswered(one)))
        assert.isFalse(yield* instance(markAnswered(other)))
      }
    })
  }
})
