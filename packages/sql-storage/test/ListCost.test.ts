/** What lists cost on PostgreSQL: what they show, whatever else there is of this tenant and of others. */
import { DayStore } from "@dockline/core/day/Days"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { discrepanciesOf } from "@dockline/core/shipment/Discrepancies"
import { searchDepth } from "@dockline/core/shipment/ShipmentItem"
import type { ItemFilter } from "@dockline/core/shipment/ShipmentItem"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { TraceStore } from "@dockline/core/trace/TraceCapability"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { sqlCapabilities } from "@dockline/server/Capabilities"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { over } from "../../../test/support/Tests.ts"
import { cases, limit } from "./ListCases.ts"
import type { Case } from "./ListCases.ts"
import { fill, largest, largestShipment, settle } from "./ListTenants.ts"
import { amongManyBusinesses, most as mostRows, read } from "./Reading.ts"

const size = { shipments: 5000, tenants: 100, endpoints: 50 }

/** Rows and index entries, of all tables, for each entry of a page: its items and what it refers to among them. */
const rowsOf: Readonly<Record<keyof Effect.Success<typeof cases>, number>> = {
  shipments: 30,
  trace: 30,
  exceptions: 6,
  documents: 12,
  skus: 2,
  edi: 6,
  directory: 4,
  clients: 6,
  audit: 4,
  endpoints: 12,
  deliveries: 4,
  log: 3
}

const rowLimit = (kind: keyof typeof rowsOf, { streams }: Case): number =>
  40 + rowsOf[kind] * (limit + 1) + 12 * streams

/** Tells how many rows and index entries effects read, one after another, each since the one before it. */
const reader = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Of tables and indexes; the views that show the same take longer than a page.
  const count = sql<{ readonly read: number }>`select sum(pg_stat_get_xact_tuples_returned(oid))::int as read
    from pg_class where relnamespace = 'dockline'::regnamespace`
  let before = (yield* count)[0]!.read
  return Effect.fnUntraced(function*(effect: Effect.Effect<unknown, unknown>) {
    yield* effect
    const after = (yield* count)[0]!.read
    const rows = after - before
    before = after
    return rows
  })
})

/** Asks for every page once, so that it is planned for what is there. */
const plan = Effect.flatMap(cases, (kinds) =>
  Effect.forEach(
    Object.values(kinds).flatMap((lists) => Object.values(lists).flat() as ReadonlyArray<Case>),
    ({ page }) => page,
    { discard: true }
  ))

/** The pages that cost more than they may, on one connection. */
const tooDear = Effect.gen(function*() {
  const faults: Array<string> = []
  const kinds = Object.entries(yield* cases)
  const read = yield* reader
  for (const [kind, lists] of kinds) {
    for (const [list, pages] of Object.entries(lists)) {
      for (const page of pages as ReadonlyArray<Case>) {
        const rows = yield* read(page.page)
        const most = rowLimit(kind as keyof typeof rowsOf, page)
        if (rows > most) faults.push(`${kind}.${list}: ${page.name}: ${rows} rows, ${most} at most`)
      }
    }
  }
  return faults
})

/** Reads of one shipment that cost more rows than they may, whatever else there is. */
const dearOfShipments = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const store = yield* ShipmentStore
  const days = yield* DayStore
  const intake = yield* IntakeStore
  const [ids] = yield* sql<
    {
      readonly large: number
      readonly usual: number
      readonly order: number
      readonly deepItem: number
      readonly document: number
      readonly facility: string
      readonly business: string
      readonly pallet: number
      readonly message: number
    }
  >`select
    (select id from dockline.facility where slug = 'main')::text as facility,
    (select business_id from dockline.facility where slug = 'main')::text as business,
    (select max(id) from dockline.document_record)::int as document,
    (select o.id from dockline.customer_order o join dockline.shipment s on s.id = o.shipment_id
      where s.number = 'LARGEST' limit 1)::int as order,
    (select max(i.id) - 50 from dockline.order_item i join dockline.customer_order o on o.id = i.order_id
      join dockline.shipment s on s.id = o.shipment_id where s.number = 'LARGEST')::int as "deepItem",
    (select id from dockline.shipment where number = 'LARGEST')::int as large,
    s.id::int as usual, e.pallet_id::int as pallet, e.message_id::int as message
    from dockline.shipment s join dockline.facility f on f.id = s.facility_id
    join dockline.pallet_event e on e.business_id = s.business_id and e.shipment_id = s.id
    where f.slug = 'main' and s.number = 'S-2' limit 1`
  const { business, deepItem, document, facility, large, message, order, pallet, usual } = ids!
  const page = 40 + rowsOf.shipments * (limit + 1)
  const faults: Array<string> = []
  const scopes = [{ business: "large", facilities: "*" as const }]
  const search = (text: string) =>
    store.search(scopes, { business: undefined, facility: undefined, text }, limit)
  // D6.2: what very many items have, what only those of departed shipments have, and what none has.
  const expecting = ["N/A", "GONE", "nowhere"].map((lpn) =>
    [
      `the shipment that expects ${lpn}`,
      sql`select dockline.shipment_by_lpn(${business}::bigint, ${facility}::bigint, ${lpn})`,
      5
    ] as const
  )
  const day = (from: Timestamp.Timestamp, to: Timestamp.Timestamp) =>
    days.list(scopes, { business: "large", facility: "main", from, to }, 10_001)
  const board = store.dockBoard(
    { business: "large", facility: "main" },
    { dueFrom: Timestamp.of("2026-06-25T00:00:00.000Z"), today: Timestamp.of("2026-06-20T00:00:00.000Z") }
  )
  const items = (id: number, filter: Partial<ItemFilter> = {}, after = 0) =>
    store.itemsOf(id, { orderId: undefined, find: undefined, unseen: false, ...filter }, { limit, after }, [])
  const read = yield* reader
  const loadSkus = (ids: ReadonlyArray<string>) =>
    sql`select dockline.sku_load(${business}::bigint, 'main', ${ids}::text[])`
  yield* loadSkus([])
  const countOfSkus = yield* read(loadSkus([]))
  for (
    const [name, effect, most] of [
      ["SKUs to change", loadSkus(["SKU", "K-S-2"]), 40 + countOfSkus],
      [
        "descriptions of SKUs",
        sql`select dockline.sku_descriptions(${business}::bigint, ${usual}::bigint, array['SKU', 'K-S-2'])`,
        40
      ],
      [
        "pallet events for alerts",
        sql`select dockline.alert_pallets(${business}::bigint, json_build_array(json_build_object(
          'messageId', ${message}::bigint, 'shipmentId', ${usual}::bigint, 'palletId', ${pallet}::bigint)))`,
        40
      ],
      [
        "facts for EPCIS",
        sql`select dockline.epcis_facts(${business}::bigint, json_build_array(json_build_object(
          'shipmentId', ${usual}::bigint, 'palletId', ${pallet}::bigint, 'upTo', ${message}::bigint)),
          array[(select min(id) from dockline.dock)], array['main'], json_build_array(json_build_object(
          'shipmentId', ${usual}::bigint, 'messageId', ${message}::bigint)))`,
        40
      ],
      [
        "EDI files that answers name",
        sql`select dockline.edi_sent(${business}::bigint, 1, 'PRODUCTION', '{}', array['000000001'])`,
        40
      ],
      [
        "shipments on a board",
        sql`select dockline.board_shipments(${business}::bigint, array[${usual}]::bigint[])`,
        40
      ],
      ["a search of a number", search("S-2"), page],
      ["a search of an ending", search("S-4999"), page],
      ["a search that finds nothing", search("nothing-here"), 40],
      // Of 5,000 shipments in 180 days, each with a pallet, an order and an exception, and their entries of indexes.
      ...expecting,
      ["a document", intake.findRecord(document, []), 40],
      [
        "a day",
        day(Timestamp.of("2026-03-01T00:00:00.000Z"), Timestamp.of("2026-03-02T00:00:00.000Z")),
        40 + 28 * 12
      ],
      // A thousand docks, the pallets of the largest shipment, which is there, and what comes next and left.
      ["the board of a thousand docks", board, 40 + 2 * 1000 + largest + 28 * 100],
      [
        "a day without shipments",
        day(Timestamp.of("2025-03-01T00:00:00.000Z"), Timestamp.of("2025-03-02T00:00:00.000Z")),
        40
      ],
      // What is exact fills the page: orders, pallets and items, and of a trailer its shipments.
      ["a search of what very many have", search("N/A"), page],
      ["a search of a trailer that very many have", search("T-1"), page],
      // Items and pallets, each with its entry of an index, at a facility; and what is shown of them.
      ["a search of what very many have in another case", search("n/a"), 5 * 2 * searchDepth + page],
      ["pallets of a usual shipment", store.palletsOf(usual, { limit, after: 0 }, []), page],
      ["pallets of the largest one", store.palletsOf(large, { limit, after: 0 }, []), page],
      ["a deep page", store.palletsOf(large, { limit, after: 1_000_000_000 + largest - limit }, []), page],
      ["a pallet of the largest one", store.palletsOf(large, { limit: 1, after: 1_000_005_000 }, []), page],
      ["items of a usual shipment", items(usual), page],
      ["items of the largest one", items(large), page],
      ["a deep page of items", items(large, {}, deepItem), page],
      ["items of an order", items(large, { orderId: order }), page],
      ["items that were not seen", items(usual, { unseen: true }), page],
      // An item, its pallet or none by two keys, each with its entry of an index.
      ["items of the largest one that were not seen", items(large, { unseen: true }), 40 + 2 * 4 * largest],
      // Each item with its entry of an index, once to see that none has it.
      ["a text that no item holds", items(large, { find: "nothing-here" }), 40 + 2 * largest],
      ["discrepancies of a usual shipment", store.track(usual, []), page],
      // An item, a pallet, and who else expects it, each with its entry of an index.
      ["discrepancies of the largest one", store.track(large, []), 40 + 4 * 2 * largest],
      ["progress of a usual shipment", store.find(usual, []), page],
      ["progress of the largest one", store.find(large, []), 40 + 1.5 * 2 * largest]
    ] as const
  ) {
    const rows = yield* read(effect)
    if (rows > most) faults.push(`${name}: ${rows} rows, ${most} at most`)
  }
  return faults
})

/** Large shipments of one business, at a facility each: what they hold, and how many of them have discrepancies. */
const heavy = [
  { business: "heavy", facility: "items", shipments: 5, orders: 1, items: 9999, discrepant: 1 },
  { business: "heavy", facility: "orders", shipments: 12, orders: 2000, items: 0, discrepant: 3 }
]

type Heavy = (typeof heavy)[number]

const fillHeavy = (
  { business, discrepant, facility, items, orders, shipments }: Heavy
): ReadonlyArray<string> => [
  `insert into dockline.business (slug, name) values ('${business}', '') on conflict do nothing`,
  `insert into dockline.facility (business_id, slug, name)
    select id, '${facility}', '' from dockline.business where slug = '${business}'`,
  `insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, trailer_number, carrier, additional_fields, created_at, missing_pallets, discrepant)
    select f.business_id, f.id, n, '=' || n, 'SCHEDULED', 'INBOUND', now(), now(), '', '', '[]', now(),
      (n > ${shipments - discrepant})::int, n > ${shipments - discrepant}
    from dockline.facility f, generate_series(1, ${shipments}) as n where f.slug = '${facility}' order by n`,
  `insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction, order_type,
      purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number,
      supplier, client, destination, created_at, row_count)
    select s.business_id, s.facility_id, s.id, n, '=' || n, 'CREATED', 'INBOUND', '', '', '', '', '', 0, '', '', '', '', '', now(),
      ${1 + items}
    from dockline.shipment s join dockline.facility f on f.id = s.facility_id, generate_series(1, ${orders}) as n
    where f.slug = '${facility}' order by s.id, n`,
  `insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit, purchase_order,
      description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit, is_dangerous_good, lot,
      case_serials, facility_id, lpn_shipment_id)
    select o.business_id, o.id, n, '', '', 'SKU', 1, 'EA', '', '', '', 0, '', 0, 0, 0, '', false, '', '[]', o.facility_id,
      o.shipment_id
    from dockline.customer_order o join dockline.facility f on f.id = o.facility_id, generate_series(1, ${items}) as n
    where f.slug = '${facility}'`
]

/** What the pages of large shipments hold, and the rows that they read if these are more than they may be. */
const heavyPages = Effect.gen(function*() {
  const read = yield* reader
  const store = yield* ShipmentStore
  const faults: Array<unknown> = []
  for (const { business, facility, items, orders } of heavy) {
    for (const discrepancies of [true, false]) {
      for (const order of ["ID", "LATEST"] as const) {
        const filter = { business, facility, shipmentNumber: undefined, status: undefined, discrepancies }
        const scopes = [{ business, facilities: "*" as const }]
        let numbers = 0
        const page = order === "ID"
          ? store.listShipments(scopes, filter, { limit: 100, after: 0 })
          : store.listShipmentsByTime(
            scopes,
            { ...filter, carrier: undefined, from: undefined, to: undefined },
            { order, limit: 100, after: undefined }
          )
        const rows = yield* read(Effect.map(page, (page) => void (numbers = page.items.length)))
        // Of those which are shown each order and item with its entry of an index; one order more ends the page.
        const most = 600 + 12 * 100 + numbers * (40 + 8 * orders + 3 * orders * items) + 4 * orders
        faults.push([
          facility,
          discrepancies,
          numbers,
          rows > most ? `${rows} rows, ${most} at most` : "cheap"
        ])
      }
    }
  }
  return faults
})

over(Sql.layerWith(sqlCapabilities).pipe(Layer.provideMerge(TestDatabase.layer)))(
  "the cost of lists on PostgreSQL",
  (test) => {
    test("is that of what they show, also where they were planned for empty tables", function*() {
      const sql = yield* SqlClient.SqlClient
      // In one transaction, so that nobody else can tell the planner meanwhile what there is.
      const unknown = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        yield* plan
        for (const statement of fill(size)) yield* sql.unsafe(statement)
        return yield* tooDear
      }))
      yield* sql.unsafe(settle)
      const control = yield* sql.withTransaction(tooDear)
      const amongMany = yield* amongManyBusinesses(tooDear)
      assert.deepStrictEqual({ unknown, known: control, amongMany }, {
        unknown: [],
        known: [],
        amongMany: []
      })
    }, 300_000)

    test("of shipments with an LPN is one look-up for each shipment", function*() {
      const sql = yield* SqlClient.SqlClient
      // A look-up reads the index twice: for open shipments, and for others.
      const count = sql<{ readonly scans: number }>`
        select pg_stat_get_xact_numscans('dockline.order_item_lpn'::regclass)::int as scans`
      const scans = yield* sql.withTransaction(Effect.gen(function*() {
        const [before] = yield* count
        const [row] = yield* sql<
          { readonly ids: ReadonlyArray<number> }
        >`select to_json(dockline.shipments_with_lpn(
          array(select id from dockline.facility where slug = 'main'), 'N/A', 0, ${limit}::int)) as ids`
        assert.lengthOf(row!.ids, limit)
        return (yield* count)[0]!.scans - before!.scans
      }))
      assert.strictEqual(scans, 2 * limit)
    }, 120_000)

    test(
      "of a trace is one look-up for the pallet of an item, of an LPN that very many have too",
      function*() {
        const sql = yield* SqlClient.SqlClient
        const { trace } = yield* TraceStore
        const rows = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`update dockline.order_item i set sku = 'TRACED', lpn = 'N/A', lpn_key = null
          from (select t.business_id, t.order_id, t.id from dockline.order_item t
            join dockline.facility f on f.id = t.facility_id
            join dockline.customer_order o on o.business_id = t.business_id and o.id = t.order_id
            where f.slug = 'main' and not exists (select from dockline.pallet p
              where p.business_id = t.business_id and p.lpn_key = '=N/A' and p.shipment_id = o.shipment_id)
            order by t.id limit 1) as k
          where i.business_id = k.business_id and i.order_id = k.order_id and i.id = k.id`
          return yield* read(Effect.map(
            trace(
              [{ business: "large", facilities: "*" }],
              { key: "sku", text: "TRACED", business: undefined, facility: undefined },
              { limit: 10, after: 0 }
            ),
            (page) => assert.lengthOf(page?.items ?? [], 1)
          ))
        }))
        assert.isAtMost(rows, mostRows)
      },
      120_000
    )

    test("of one shipment is that of what they show: of the largest one too, and beside it", function*() {
      const sql = yield* SqlClient.SqlClient
      const unknown = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        for (const statement of largestShipment) yield* sql.unsafe(statement)
        return yield* dearOfShipments
      }))
      yield* sql.unsafe(settle)
      const control = yield* sql.withTransaction(dearOfShipments)
      const amongMany = yield* amongManyBusinesses(dearOfShipments)
      assert.deepStrictEqual({ unknown, known: control, amongMany }, {
        unknown: [],
        known: [],
        amongMany: []
      })
      const store = yield* ShipmentStore
      const [{ id } = { id: 0 }] = yield* sql<
        { readonly id: number }
      >`select id::int from dockline.shipment where number = 'LARGEST'`
      // What was read is what is there: half is short, half is on the wrong truck.
      const { tracking } = (yield* store.track(id, []))!
      const kinds = discrepanciesOf(tracking).map(({ kind }) => kind)
      assert.deepStrictEqual(
        ["SHORT", "WRONG_SHIPMENT", "OVER"].map((kind) => kinds.filter((each) => each === kind).length),
        [largest / 2, largest / 2, 0]
      )
    }, 120_000)

    // @threat load.1
    test(
      "of large shipments is that of what they show, and no page holds more than its budget",
      function*() {
        const sql = yield* SqlClient.SqlClient
        const unknown = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`set local plan_cache_mode = force_generic_plan`
          for (const statement of heavy.flatMap(fillHeavy)) yield* sql.unsafe(statement)
          return yield* heavyPages
        }))
        yield* sql.unsafe(settle)
        const control = yield* sql.withTransaction(heavyPages)
        const amongMany = yield* amongManyBusinesses(heavyPages)
        const pages = [
          ["items", true, 1],
          ["items", false, 1],
          ["orders", true, 3],
          ["orders", false, 4]
        ].flatMap((page) => [[...page, "cheap"], [...page, "cheap"]])
        assert.deepStrictEqual({ unknown, known: control, amongMany }, {
          unknown: pages,
          known: pages,
          amongMany: pages
        })
      },
      120_000
    )
  }
)
