import { auditing, AuditLog, auditRetentionMillis } from "@dockline/core/access/AuditLog"
import type { AuditRecord } from "@dockline/core/access/AuditLog"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as Sql from "@dockline/sql-storage/Sql"
import { aClient, unique } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { auditLogSuite } from "@dockline/testing/suites/AuditLogSuite"
import { create } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness } from "@dockline/testing/worlds/OperatorWorld"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { describe, inject } from "vitest"
import { ahead, day } from "../../../../test/support/database/InstanceClock.ts"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { atOnce, holding, lockWaiters, times } from "../Movements.ts"

Suite.register(runner, auditLogSuite, Sql.layer, TestDatabase.layer)

const record = (fields: Partial<AuditRecord> = {}): AuditRecord => ({
  action: "BUSINESS_CHANGED",
  business: "*",
  subject: unique("businesses/x"),
  details: {},
  at: Timestamp.fromMillis(Date.now()),
  clientId: "operator",
  address: "",
  ...fields
})

const entriesOf = (subject: string) =>
  AuditLog.use(({ list }) =>
    Effect.map(
      list(
        "*",
        { clientId: undefined, subject, from: undefined, to: undefined },
        { limit: 10, after: undefined }
      ),
      ({ items }) => items
    )
  )

/** Changes that operators make by statements which others may make fail, by the table of one of them. */
const changes: Readonly<
  Record<
    string,
    (business: string) => Effect.Effect<unknown, unknown, Directory | MessageLog | WebhookEndpointStore>
  >
> = {
  message_log: () => MessageLog.use(({ advance }) => advance(0)),
  webhook_endpoint: (business: string) => create(business)
}

over(Sql.layer.pipe(Layer.provideMerge(TestDatabase.layer)))("SqlAuditLog", (test) => {
  for (const seconds of [-day, day]) {
    // @threat reports.6
    test(`an entry has the time of the database, where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const audit = yield* auditing
      const draft = record()
      const operator = aClient("operator", "*", "*")
      yield* ahead(seconds)(audit(operator, Effect.void, () => draft))
      const [entry] = yield* entriesOf(draft.subject)
      assert.isBelow(Math.abs(Date.parse(entry!.at) - Date.now()), 3_600_000)
    })
  }

  test("a change whose entry cannot be written is rolled back", function*() {
    const log = yield* AuditLog
    const directory = yield* Directory
    const business = yield* aBusiness
    const before = yield* directory.lookup(business, "")
    const rename = directory.rename({ slug: business, name: "Lost" })
    const refusal = yield* Effect.exit(log.record(rename, () => record({ action: null as never })))
    assert.strictEqual(refusal._tag, "Failure")
    assert.deepStrictEqual(yield* directory.lookup(business, ""), before)
  })

  test("the entry of a change that fails, or of a transaction that is rolled back, is not there", function*() {
    const log = yield* AuditLog
    const sql = yield* SqlClient.SqlClient
    const entry = record()
    assert.strictEqual(yield* Effect.flip(log.record(Effect.fail("no" as const), () => entry)), "no")
    yield* Effect.exit(sql.withTransaction(
      Effect.andThen(log.record(Effect.void, () => entry), Effect.fail("later"))
    ))
    assert.deepStrictEqual(yield* entriesOf(entry.subject), [])
    yield* log.record(Effect.void, () => entry)
    assert.lengthOf(yield* entriesOf(entry.subject), 1)
  })

  test("changes of one operator that wait for each other hold one connection, so that others are made", function*() {
    const [audit, directory, sql] = [yield* auditing, yield* Directory, yield* SqlClient.SqlClient]
    const business = yield* aBusiness
    const as = (clientId: string) => ({ clientId, grants: [] })
    const draft = record({ subject: `businesses/${business}` })
    const row = yield* holding(sql`select from dockline.business where slug = ${business} for update`)
    // More than there are connections.
    const changes = times(20).map((n) =>
      audit(as("busy"), directory.rename({ slug: business, name: `Name ${n}` }), () => draft)
    )
    const waiting = yield* Effect.forkChild(Effect.all(changes, atOnce))
    yield* lockWaiters(1)
    yield* audit(as("other"), Effect.void, () => draft)
    assert.lengthOf(yield* entriesOf(draft.subject), 1)
    yield* row.commit
    yield* Fiber.join(waiting)
    const others = yield* sql`select from dockline.audit_entry where subject = ${draft.subject}`
    assert.lengthOf(others, 21)
  })

  // A deadlock is the failure of one statement, which a trigger tells here once; distributed tables have no triggers.
  describe.runIf(inject("workerUrls").length === 0)("where triggers are", () => {
    for (const [table, change] of Object.entries(changes)) {
      test(`a change of ${table} that meets a deadlock is made again, and recorded once`, function*() {
        const log = yield* AuditLog
        const sql = yield* SqlClient.SqlClient
        const business = yield* aBusiness
        yield* sql`create sequence dockline.meeting`
        yield* sql`create function dockline.meet() returns trigger language plpgsql as $$ begin
            if nextval('dockline.meeting') = 1 then raise exception 'met' using errcode = '40P01'; end if;
            return new;
          end $$`
        yield* sql`create trigger meet before insert on ${
          sql(`dockline.${table}`)
        } for each row execute function dockline.meet()`
        const entry = record()
        yield* Effect.ensuring(
          log.record(change(business), () => entry),
          Effect.orDie(Effect.andThen(
            sql`drop function dockline.meet cascade`,
            sql`drop sequence dockline.meeting`
          ))
        )
        assert.lengthOf(yield* entriesOf(entry.subject), 1)
      })
    }
  })

  test("entries of more than a year ago go away in batches, and others stay", function*() {
    const log = yield* AuditLog
    const sql = yield* SqlClient.SqlClient
    const subject = unique("businesses/old")
    const at = (age: number) => Timestamp.fromMillis(Date.now() - auditRetentionMillis + age)
    yield* log.record(Effect.void, () => record({ subject, at: at(60_000) }))
    yield* sql`insert into dockline.audit_entry (at, client_id, address, action, business, subject, details)
        select ${
      at(-1)
    }::timestamptz, 'c', '', 'DOCK_CREATED', 'acme', ${subject}, '{}' from generate_series(1, 2500)`
    // Another instance drops what has expired from its start on.
    const count = Effect.map(
      sql<
        { readonly count: number }
      >`select count(*)::int as count from dockline.audit_entry where subject = ${subject}`,
      ([row]) => row!.count
    )
    assert.strictEqual(yield* count, 2501)
    yield* Effect.scoped(Effect.andThen(
      Layer.build(Layer.fresh(Sql.layer)),
      Effect.repeat(count, { until: (count) => count <= 1, schedule: Schedule.spaced("50 millis") }).pipe(
        Effect.timeout("60 seconds")
      )
    ))
    assert.lengthOf(yield* entriesOf(subject), 1)
  })
})
