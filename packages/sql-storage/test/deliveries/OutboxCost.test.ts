/** The cost of outboxes on PostgreSQL: nothing for consumers of messages alone, and a page at a time for endpoints that get entries. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import {
  allPartitions,
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  open,
  settle,
  take
} from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, everythingOf, read } from "@dockline/testing/worlds/MessageLogWorld"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { over } from "../../../../test/support/Tests.ts"
import { services } from "../Movements.ts"
import { writer } from "./Outbox.ts"

/** The scans of the tables of outboxes that an effect starts, and the rows and index entries that it reads in them and in `message`. */
const reads = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const counters = sql<{ readonly scans: number; readonly rows: number }>`select
      (select sum(seq_scan + coalesce(idx_scan, 0)) from pg_stat_xact_user_tables
        where relname in ('outbox', 'outbox_entry'))::int as scans,
      (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables
        where relname in ('outbox', 'outbox_entry', 'message'))::int
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where relname in ('outbox', 'outbox_entry', 'message'))::int as rows`
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [before] = yield* counters
    yield* effect
    const [after] = yield* counters
    return { scans: after!.scans - before!.scans, rows: after!.rows - before!.rows }
  }))
})

/** The length of the parts into which PostgreSQL divides a long text (`TOAST_MAX_CHUNK_SIZE`). */
const partLength = 1996

/** The number of parts of long texts of entries that an effect reads. */
const textParts = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const counter = sql<{ readonly parts: number }>`select coalesce(sum(t.idx_tup_fetch), 0)::int as parts
    from pg_stat_xact_all_tables t join pg_class c on c.reltoastrelid = t.relid
    where c.oid = 'dockline.outbox_entry'::regclass`
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [before] = yield* counter
    yield* effect
    const [after] = yield* counter
    return after!.parts - before!.parts
  }))
})

const letter = "LETTER"

const post = (business: string, shipmentId = 1, text = "Dear") =>
  OutboxWriter.use((outbox) =>
    outbox.append({
      business,
      facility: "east",
      type: letter,
      shipmentId,
      path: "/api/letters",
      mediaType: "text/x-letter",
      text
    })
  )

/** Copies each entry of a business `count` times. */
const fill = Effect.fnUntraced(function*(business: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.outbox_entry (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select e.business_id, nextval('dockline.message_id'), e.facility_id, e.facility, e.type, n, e.sent_at, e.size, e.payload
    from dockline.outbox_entry e join dockline.business b on b.id = e.business_id, generate_series(1, ${count}::int) as n
    where b.slug = ${business}`
  yield* sql`update dockline.outbox o set last_id = (select max(e.id) from dockline.outbox_entry e where e.business_id = o.business_id)`
  yield* sql`update dockline.message_log l set last_id = o.last_id, last_sent_at = now() from dockline.outbox o
    where o.business_id = l.business_id`
})

over(Layer.provideMerge(writer, services))("the cost of outboxes", (test) => {
  test("is nothing for readers of the log, and for endpoints that get messages alone", function*() {
    const [log, store] = [yield* MessageLog, yield* DeliveryStore]
    const business = yield* aBusiness
    yield* create(business, { messageTypes: [letter] })
    const { id } = yield* create(business)
    const { id: some } = yield* create(business, { messageTypes: ["PALLET_EVENT"], facility: "east" })
    yield* post(business)
    yield* appendOf(business, [1, 2])
    yield* post(business)
    const { lease } = yield* open(id)
    const { lease: ofSome } = yield* open(some)
    const { fresh, readTo } = yield* take(lease, 0)
    const works: Readonly<Record<string, Effect.Effect<unknown, unknown, MessageLog | DeliveryStore>>> = {
      "reads of all types": read(everythingOf(business)),
      "reads of some at a facility": read(
        everythingOf(business, { facility: "east", types: messageTypes.slice(0, 2) })
      ),
      "the newest id": log.lastId(business),
      "appending": appendOf(business, [3]),
      "what is ready": store.ready(allPartitions, at(0)),
      "taking all": take(lease, 0),
      "taking some": take(ofSome, 0),
      "settling": settle(lease, readTo, { results: [failureOf(fresh[0]!, 0, 5), deliveryOf(fresh[1]!)] }),
      "taking what is due": take(lease, readTo, 5),
      "replaying": store.replayRange(id, { fromId: 1, toId: readTo }, at(9))
    }
    for (const [name, work] of Object.entries(works)) {
      assert.strictEqual((yield* reads(Effect.orDie(work))).scans, 0, name)
    }
  })

  test("is that of a page for endpoints that get entries, however many there are", function*() {
    const business = yield* aBusiness
    const { id } = yield* create(business, { messageTypes: [...messageTypes, letter] })
    const { id: alone } = yield* create(business, { messageTypes: [letter], facility: "east" })
    const { id: elsewhere } = yield* create(business, { messageTypes: [letter], facility: "west" })
    const { id: other } = yield* create(business, { messageTypes: ["PARCEL"] })
    yield* post(business)
    const leases = yield* Effect.forEach([id, alone], (each) => Effect.map(open(each), ({ lease }) => lease))
    const limits = { limit: 20 }
    for (const lease of leases) for (let n = 0; n < 8; n++) yield* take(lease, 0, 0, limits)
    yield* fill(business, 20_000)
    for (const lease of leases) {
      assert.isBelow((yield* reads(take(lease, 0, 0, limits))).rows, 200)
    }
    assert.strictEqual((yield* find(id)).backlog, 1000)
    assert.isBelow((yield* reads(find(id))).rows, 5000)
    assert.isBelow((yield* reads(find(elsewhere))).rows, 100)
    assert.isBelow((yield* reads(find(other))).rows, 100)
  })

  test("does not include the texts of entries that do not fit into a take", function*() {
    const business = yield* aBusiness
    const { id } = yield* create(business, { messageTypes: [letter] })
    // Random text, which PostgreSQL cannot compress.
    const text = randomBytes(30_000).toString("base64")
    for (let n = 0; n < 30; n++) yield* post(business, n, text)
    const { lease } = yield* open(id)
    const limits = { textLimit: 2 * text.length }
    const partsOfThree = 3 * text.length / partLength
    const { fresh, readTo } = yield* take(lease, 0, 0, { textLimit: 30 * text.length })
    assert.lengthOf(fresh, 30)
    const [partsOfTwo, partsOfAll] = [
      yield* textParts(take(lease, 0, 0, limits)),
      yield* textParts(take(lease, 0, 0, { textLimit: 30 * text.length }))
    ]
    assert.isAbove(partsOfAll, 9 * partsOfThree)
    assert.isBelow(partsOfTwo, partsOfThree)
    yield* settle(lease, readTo, { results: fresh.map((each) => failureOf(each, 0, 5)) })
    assert.isBelow(yield* textParts(take(lease, readTo, 5, limits)), partsOfThree)
  })
})
