/** What documents, pallets, steps and reads of a shipment read on PostgreSQL: what they concern, whatever else the business has. */
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { businessId } from "../src/rows/BusinessId.ts"
import { verdict } from "./ListTenants.ts"
import { aBusiness, servicesWith, times } from "./Movements.ts"

/** The most rows and index entries of all tables that one operation may read. */
const most = 120

/** How many other shipments the business has. */
const others = 3000

/**
 * Shipments of the facility of one that is there, each with an order of two items, a pallet and its event; and one more, whose
 * order has as many items as they have together.
 */
const fill = Effect.fnUntraced(function*(like: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction,
      expected_arrival_at, scheduled_at, trailer_number, carrier, additional_fields, created_at)
    select s.business_id, s.facility_id, 'X' || n, '=X' || n, 'SCHEDULED', 'OUTBOUND', now(), now(), '', '', '[]', now()
    from dockline.shipment s, generate_series(1, ${count}::int) as n where s.id = ${like}::bigint`
  yield* sql`insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status,
      direction, order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity,
      carrier, seal_number, supplier, client, destination, created_at)
    select business_id, facility_id, id, number, number_key, 'CREATED', 'OUTBOUND', '', '', '', '', '', 0, '', '', '', '',
      '', now() from dockline.shipment where number like 'X%'`
  yield* sql`insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity,
      quantity_unit, purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width,
      dimension_unit, is_dangerous_good, lot, case_serials, facility_id, lpn_shipment_id)
    select business_id, id, 'key ' || n, '', number || n, 'S', 1, '', '', '', '', 0, '', 0, 0, 0, '', false, '', '[]',
      facility_id, shipment_id
    from dockline.customer_order,
      generate_series(1, case number when ${`X${count}`} then 2 * ${count}::int else 2 end) as n where number like 'X%'`
  yield* sql`insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
      first_seen_at, last_direction, last_seen_at, last_dock_id, recorded_at, place)
    select business_id, nextval('dockline.pallet_id'), facility_id, id, number, number_key, 'LOADING', now(), 'LOADING', now(), 0,
      now(), -id
    from dockline.shipment
    where number like 'X%'`
  yield* sql`insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id,
      pallet_id, message_id, direction, occurred_at, dock_id, orders, labels, verdict)
    select p.business_id, s.facility_id, p.lpn_key, '', s.id, p.id, s.id, 'LOADING', now(), d.id, '[]', '[]', ${verdict}::json
    from dockline.pallet p join dockline.shipment s on s.business_id = p.business_id and s.id = p.shipment_id
    join dockline.dock d on d.facility_id = s.facility_id and d.slug = 'D1' where s.number like 'X%'`
})

/** How many rows and index entries an effect reads, those that foreign keys need included. */
const read = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const count = sql<{ readonly read: number }>`select
      ((select sum(seq_tup_read) from pg_stat_xact_user_tables where schemaname = 'dockline')
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where schemaname = 'dockline'))::int as read`
  const [before] = yield* count
  yield* effect
  return (yield* count)[0]!.read - before!.read
})

const now = "2026-11-20T17:00:00Z"

/** Reserves the number of an interchange that names shipments, records it, and looks whether an endpoint gets it. */
const interchange = Effect.fnUntraced(function*(business: string, key: string, control: string) {
  const sql = yield* SqlClient.SqlClient
  const id = businessId(business)
  const [row] = yield* sql<{ readonly found: ReadonlyArray<readonly [tag: string, id: number]> }>`select
    dockline.edi_reserve(${id}::bigint, ${
    JSON.stringify([{
      key,
      control,
      fingerprint: "",
      now
    }])
  }::text::json, 30000) as found`
  const [[, reservation]] = row!.found as readonly [readonly [string, number]]
  yield* sql`select dockline.edi_begin(${id}::bigint, ${
    JSON.stringify([{ key, control, reservation, groups: [], shipments: [], now }])
  }::text::json)`
  const file = {
    key,
    direction: "IN",
    control,
    outcome: "ACCEPTED",
    at: now,
    kinds: [],
    setCount: 0,
    rejectedCount: 0,
    groups: [],
    fingerprint: "",
    sets: [],
    faults: []
  }
  const [written] = yield* sql<
    { readonly ids: ReadonlyArray<number> }
  >`select dockline.edi_write(${id}::bigint, ${
    JSON.stringify({
      partners: [{ key, cursorId: 1, nextInterchange: 2, nextGroup: 2 }],
      released: [reservation],
      words: [{ key, order: `A${control}`, words: "{}", at: now }],
      usual: [{ key, order: `B${control}` }],
      files: [file]
    })
  }::text::json, array['text'], array['answer']) as ids`
  yield* sql`select dockline.edi_post(${id}::bigint, ${written!.ids}::bigint[])`
})

/** Looks whether a partner is told of shipments. */
const departure = Effect.fnUntraced(function*(business: string, key: string, shipment: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select dockline.edi_begin(${businessId(business)}::bigint, ${
    JSON.stringify([{ key, groups: [], shipments: [shipment, shipment - 1], now }])
  }::text::json)`
})

const services = servicesWith([ediSql])

type Services = Layer.Success<typeof services>

/** How many rounds there are before the planner is told of them: autovacuum analyzes a table once it has had 50 rows. */
const beginnings = [["for empty tables", 0], ["for a few rows", 30]] as const

for (const [when, rounds] of beginnings) {
  over(services)(`the cost of writes on PostgreSQL, planned ${when}`, (test) => {
    test("is that of what they concern", function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ShipmentStore
      const acme = yield* aBusiness
      const { key } = yield* (yield* EdiStore).create({
        business: acme.slug,
        slug: "supplier",
        facility: "east",
        name: "Supplier",
        theirs: { qualifier: "ZZ", id: "THEIRS", group: "THEIRS" },
        ours: { qualifier: "ZZ", id: "OURS", group: "OURS" },
        release: "004010",
        usage: "P",
        takes: ["856"],
        tells: ["944"],
        tellsOf: "OWN",
        nextInterchange: 1,
        nextGroup: 1,
        now
      })
      /** One of each operation, with what it reads; numbers end with the name of the round. */
      const operations = Effect.fnUntraced(function*(round: string) {
        const id = { first: 0, second: 0, largest: 0 }
        const page = { limit: 1, after: 0 }
        const items = { orderId: undefined, find: undefined, unseen: false }
        const steps: ReadonlyArray<
          readonly [name: string, effect: Effect.Effect<unknown, unknown, Services>]
        > = [
          [
            "create",
            Effect.map(acme.submit(`A${round}`, `OA${round}`, "1", "2"), (shipment) => {
              id.first = shipment.id
            })
          ],
          [
            "create another",
            Effect.map(acme.submit(`B${round}`, `OB${round}`, "3"), (shipment) => {
              id.second = shipment.id
            })
          ],
          ["overwrite", acme.submit(`A${round}`, `OA${round}`, "2", "4")],
          ["append", acme.append(`A${round}`, `OA${round}`, "5", "6", "7")],
          ["merge", acme.merge(`A${round}`, `OA${round}`, "4", "5", "6", "7")],
          ["remap", acme.submit(`B${round}`, `OA${round}`, "2")],
          ["arrive", Effect.suspend(() => acme.arrive(id.second))],
          ["pallet by lpn", acme.record({ eventId: `1${round}`, lpn: "3" })],
          ["pallet by number", acme.record({ eventId: `2${round}`, shipmentNumber: `B${round}` })],
          ["pallet at a dock", acme.record({ eventId: `3${round}` })],
          ["pallet once more", acme.record({ eventId: `1${round}`, lpn: "3" })],
          ["pallets", Effect.suspend(() => store.palletsOf(id.second, page, []))],
          ["items", Effect.suspend(() => store.itemsOf(id.second, items, page, []))],
          [
            "unseen items",
            Effect.suspend(() => store.itemsOf(id.second, { ...items, unseen: true }, page, []))
          ],
          ["discrepancies", Effect.suspend(() => store.track(id.second, []))],
          ["depart", Effect.suspend(() => acme.depart(id.second))],
          ["edi interchange", interchange(acme.slug, key, round)],
          ["edi departure", Effect.suspend(() => departure(acme.slug, key, id.second))],
          ["read", Effect.suspend(() => acme.shipment(id.first))]
        ]
        const costs: Record<string, number> = {}
        for (const [name, effect] of steps) costs[name] = yield* read(effect)
        return { costs, id: id.first }
      })
      /** A pallet of an order of very many items, and a page of the pallets that it is on. */
      const ofLargest = Effect.fnUntraced(function*(round: string) {
        const [row] = yield* sql<
          { readonly id: number }
        >`select id::int from dockline.shipment where number = ${`X${others}`}`
        const record = acme.record({
          eventId: `4${round}`,
          shipmentNumber: `X${others}`,
          lpn: `X${others}7`
        })
        return {
          "pallet of the largest order": yield* read(record),
          "pallets of the largest order": yield* read(
            store.palletsOf(row!.id, { limit: 5, after: 0 }, [])
          )
        }
      })
      const all = Effect.fnUntraced(function*(round: string) {
        const { costs } = yield* operations(round)
        return { ...costs, ...yield* ofLargest(round) }
      })
      const tooMuch = (costs: Record<string, number>) =>
        Object.entries(costs).filter(([, rows]) => rows > most)
      // In one transaction, so that nobody else can tell the planner meanwhile what there is.
      const unknown = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        if (rounds > 0) {
          for (const n of times(rounds)) yield* operations(`0-${n}`)
          yield* sql`analyze`
          yield* sql`discard plans`
        }
        const { id } = yield* operations("1")
        yield* fill(id, others)
        const costs = yield* all("2")
        // As a session plans that begins when there are many rows which were never counted.
        yield* sql`discard plans`
        return { costs, uncounted: yield* all("4") }
      }))
      yield* sql.unsafe("vacuum (analyze)")
      const known = yield* sql.withTransaction(all("3"))
      assert.deepStrictEqual({
        unknown: tooMuch(unknown.costs),
        uncounted: tooMuch(unknown.uncounted),
        known: tooMuch(known)
      }, {
        unknown: [],
        uncounted: [],
        known: []
      })
    }, 120_000)
  })
}
