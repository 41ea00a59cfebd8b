/**
 * What the tables of a contestant must hold after a run: every order once, on a shipment of its own, with exactly
 * the items of its last answer.
 */
import { Effect } from "effect"
import { attempt, BenchError } from "../BenchError.ts"
import type { BenchDatabase } from "../Cluster.ts"
import { lotOf, orderNumberOf } from "./Documents.ts"
import type { Variant } from "./Documents.ts"

interface OrderState {
  readonly number: string
  readonly shipmentNumber: string
  readonly items: number
  readonly keys: number
  readonly lots: ReadonlyArray<string>
}

/** What a contestant has answered. */
export interface Answered {
  readonly connections: number
  readonly ordersPerConnection: number
  readonly items: number
  /** The variant of each order. */
  readonly variants: ReadonlyArray<ReadonlyArray<Variant>>
  readonly firstDocuments: number
}

/** Compares the tables with what was answered. */
export const verify = Effect.fnUntraced(function*(
  { name, sql }: BenchDatabase,
  { connections, firstDocuments, items, ordersPerConnection, variants }: Answered
) {
  const rows = yield* attempt(
    name,
    () =>
      sql<Array<OrderState>>`select o.number, s.number as "shipmentNumber", count(i.id)::int as items,
        count(distinct (i.lpn, i.sku))::int as keys, array_agg(distinct i.lot) as lots
      from dockline.customer_order o
      join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
      left join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id
      where o.number like 'B-%'
      group by o.business_id, o.id, s.business_id, s.id`
  )
  const [counts] = yield* attempt(
    name,
    () =>
      sql<[{ shipments: number; first: number }]>`select
        count(*) filter (where number like 'B-%')::int as shipments, count(*) filter (where number like 'F-%')::int as first
      from dockline.shipment`
  )
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  const expected = connections * ordersPerConnection
  const faults: Array<string> = []
  if (rows.length !== expected || byNumber.size !== expected || counts.shipments !== expected) {
    faults.push(
      `${rows.length} orders on ${counts.shipments} shipments instead of ${expected} on ${expected}`
    )
  }
  if (counts.first !== firstDocuments) {
    faults.push(`${counts.first} new shipments instead of ${firstDocuments}`)
  }
  for (let connection = 0; connection < connections; connection++) {
    for (let order = 0; order < ordersPerConnection; order++) {
      const number = orderNumberOf(connection, order)
      const variant = variants[connection]![order]!
      const row = byNumber.get(number)
      const isRight = row !== undefined && row.shipmentNumber === number && row.items === items &&
        row.keys === items && row.lots.length === 1 && row.lots[0] === lotOf(variant)
      if (!isRight) faults.push(`order ${number} is ${JSON.stringify(row)}`)
    }
  }
  if (faults.length > 0) {
    const more = faults.length > 5 ? `\n… and ${faults.length - 5} more` : ""
    return yield* new BenchError({
      message: `${name} does not hold what was answered:\n${faults.slice(0, 5).join("\n")}${more}`
    })
  }
})
