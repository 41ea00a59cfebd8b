/** What documents, pallets, steps and reads of a shipment read on PostgreSQL: what they concern, whatever else the business has. */
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, services, times } from "./Movements.ts"
import { amongManyBusinesses, beginnings, fill, most, read } from "./Reading.ts"

/** How many other shipments the business has. */
const others = 3000

type Services = Layer.Success<typeof services>

for (const [when, rounds] of beginnings) {
  over(services)(`the cost of writes on PostgreSQL, planned ${when}`, (test) => {
    test("is that of what they concern", function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ShipmentStore
      const acme = yield* aBusiness
      /** Loads a document as a batch does, with the numbers that other shipments use. */
      const attempt = (business: string, shipment: string, order: string) =>
        sql`select dockline.intake_load(${business}::bigint, p_facilities => array['east'], p_docks => array['D1'],
          p_directions => array['OUTBOUND'], p_shipment_keys => array[${`=${shipment}`}], p_items => array[1],
          p_documents => array[1], p_order_keys => array[${`=${order}`}], p_needing => array[1], p_wait => false) as body`
      /** One of each operation, with what it reads; numbers end with the name of the round. */
      const operations = Effect.fnUntraced(function*(round: string) {
        const id = { first: 0, second: 0, third: 0 }
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
            Effect.map(acme.submit(`B${round}`, `OB${round}`, "3", `D${round}`), (shipment) => {
              id.second = shipment.id
            })
          ],
          [
            "create a third",
            Effect.map(acme.submit(`C${round}`, `OC${round}`, `E${round}`), (shipment) => {
              id.third = shipment.id
            })
          ],
          ["overwrite", acme.submit(`A${round}`, `OA${round}`, "2", "4")],
          ["append", acme.append(`A${round}`, `OA${round}`, "5", "6", "7")],
          ["merge", acme.merge(`A${round}`, `OA${round}`, "4", "5", "6", "7")],
          ["correct", acme.correct(`A${round}`, `OA${round}`, "4", "5", "6", "7")],
          ["remap", acme.submit(`B${round}`, `OA${round}`, "2")],
          ["load without waiting", attempt(acme.id, `A${round}`, `OB${round}`)],
          ["arrive", Effect.suspend(() => acme.arrive(id.second))],
          ["pallet by lpn", acme.record({ eventId: `1${round}`, lpn: "3" })],
          ["pallet by number", acme.record({ eventId: `2${round}`, shipmentNumber: `B${round}` })],
          [
            "pallet of another",
            acme.record({ eventId: `6${round}`, shipmentNumber: `B${round}`, lpn: `E${round}` })
          ],
          ["pallet at a dock", acme.record({ eventId: `3${round}` })],
          ["pallet once more", acme.record({ eventId: `1${round}`, lpn: "3" })],
          ["pallets", Effect.suspend(() => store.palletsOf(id.second, page, []))],
          ["items", Effect.suspend(() => store.itemsOf(id.second, items, page, []))],
          [
            "unseen items",
            Effect.suspend(() => store.itemsOf(id.second, { ...items, unseen: true }, page, []))
          ],
          ["discrepancies", Effect.suspend(() => store.track(id.second, []))],
          ["link", Effect.suspend(() => acme.link(id.first, id.second))],
          ["depart", Effect.suspend(() => acme.depart(id.second))],
          ["cancel", Effect.suspend(() => acme.cancel(id.third))],
          ["pallet of what departed", acme.record({ eventId: `5${round}`, lpn: `D${round}` })],
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
      const control = yield* sql.withTransaction(all("3"))
      const amongMany = yield* amongManyBusinesses(all("5"))
      assert.deepStrictEqual({
        unknown: tooMuch(unknown.costs),
        uncounted: tooMuch(unknown.uncounted),
        known: tooMuch(control),
        amongMany: tooMuch(amongMany)
      }, {
        unknown: [],
        uncounted: [],
        known: [],
        amongMany: []
      })
    }, 120_000)
  })
}
