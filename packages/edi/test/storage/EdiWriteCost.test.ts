/** The rows that interchanges and departures read on PostgreSQL: only those that they concern, however many the business has. */
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { businessId } from "../../../sql-storage/src/rows/BusinessRows.ts"
import { aBusiness, servicesWith, times } from "../../../sql-storage/test/Movements.ts"
import { amongManyBusinesses, beginnings, fill, most, read } from "../../../sql-storage/test/Reading.ts"
import { partnerAt } from "./Partner.ts"

const now = "2026-11-20T17:00:00Z"

/** Reserves the number of an interchange that names shipments, records it, and checks whether an endpoint gets it. */
const interchange = Effect.fnUntraced(function*(business: string, key: string, control: string) {
  const sql = yield* SqlClient.SqlClient
  const id = businessId(business)
  const [row] = yield* sql<
    { readonly reservations: ReadonlyArray<readonly [tag: string, id: number]> }
  >`select
    dockline.edi_reserve(${id}::bigint, ${
    JSON.stringify([{
      key,
      control,
      fingerprint: "",
      now
    }])
  }::text::json, 30000) as reservations`
  const [[, reservation]] = row!.reservations as readonly [readonly [string, number]]
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
  const [result] = yield* sql<
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
  yield* sql`select dockline.edi_post(${id}::bigint, ${result!.ids}::bigint[])`
})

/** Checks whether a partner has to be told about shipments. */
const departure = Effect.fnUntraced(function*(business: string, key: string, shipment: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select dockline.edi_begin(${businessId(business)}::bigint, ${
    JSON.stringify([{ key, groups: [], shipments: [shipment, shipment - 1], now }])
  }::text::json)`
})

/** The number of other shipments of the business, each with a file. */
const others = 3000

/** A file for each shipment of the business. */
const fillFiles = Effect.fnUntraced(function*(business: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at, kinds,
      set_count, rejected_count, last_group, groups, faults, text_size, text, answer, place)
    select s.business_id, nextval('dockline.edi_file_id'), s.facility_id, p.slug, p.epoch, p.usage, 'OUT', s.id::text, 'ACCEPTED', now(),
      '{945}', 1, 0, null, '[]', '[]', 5, 'ISA*9', '', -s.id
    from dockline.shipment s join dockline.edi_partner p on p.business_id = s.business_id
    where s.business_id = ${businessId(business)}::bigint`
})

for (const [when, rounds] of beginnings) {
  over(servicesWith([ediSql]))(`the cost of EDI on PostgreSQL, planned ${when}`, (test) => {
    test("is that of what it concerns", function*() {
      const sql = yield* SqlClient.SqlClient
      const acme = yield* aBusiness
      const { key } = yield* (yield* EdiStore).create(partnerAt(acme.slug))
      const operations = Effect.fnUntraced(function*(round: string) {
        const { id } = yield* acme.submit(`A${round}`, `OA${round}`, "1")
        const costs = {
          interchange: yield* read(interchange(acme.slug, key, round)),
          departure: yield* read(departure(acme.slug, key, id))
        }
        return { costs, id }
      })
      const tooMuch = ({ costs }: { readonly costs: Readonly<Record<string, number>> }) =>
        Object.entries(costs).filter(([, rows]) => rows > most)
      // In one transaction, so that no other session can update the planner's statistics meanwhile.
      const unknown = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        if (rounds > 0) {
          for (const n of times(rounds)) yield* operations(`0-${n}`)
          yield* sql`analyze`
          yield* sql`discard plans`
        }
        const { id } = yield* operations("1")
        yield* fill(id, others)
        yield* fillFiles(acme.slug)
        const withEarlyPlans = yield* operations("2")
        // Plans as a new session does when there are many rows without statistics.
        yield* sql`discard plans`
        return [withEarlyPlans, yield* operations("4")]
      }))
      yield* sql.unsafe("vacuum (analyze)")
      const afterAnalyze = yield* sql.withTransaction(operations("3"))
      const amongMany = yield* amongManyBusinesses(operations("5"))
      assert.deepStrictEqual([...unknown, afterAnalyze, amongMany].map(tooMuch), [[], [], [], []])
    }, 120_000)
  })
}
