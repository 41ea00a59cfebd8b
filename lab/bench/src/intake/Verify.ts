/**
 * Checks the tables of a contestant after a run: every order must be there once, on its own shipment, with exactly the items of its last
 * answer.
 */
import { Effect } from "effect"
import { attempt, BenchError } from "../BenchError.ts"
import type { BenchDatabase } from "../Cluster.ts"
import { lotOf, orderNumberOf } from "./Documents.ts"
import type { Variants } from "./load.ts"

/** Compares the tables with the answers. */
export const verify = Effect.fnUntraced(
  function*({ name, sql }: BenchDatabase, variants: Variants, items: number) {
    const rows = yield* attempt(
      name,
      () =>
        sql<Array<{ number: string; state: string }>>`
        select s.number, concat_ws(' ', o.number, count(i.id), count(distinct (i.lpn, i.sku)),
          array_agg(distinct i.lot)) as state
        from dockline.shipment s
        left join dockline.customer_order o on o.business_id = s.business_id and o.shipment_id = s.id
        left join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id
        where s.number like 'B-%'
        group by o.business_id, o.id, s.business_id, s.id order by s.number`
    )
    const expected = variants.flatMap((own, connection) =>
      own.map((variant, order) => {
        const number = orderNumberOf(connection, order)
        return `${number} ${number} ${items} ${items} {${lotOf(variant)}}`
      })
    )
    const found = new Set(rows.map(({ number, state }) => `${number} ${state}`))
    const missing = expected.filter((line) => !found.has(line))
    if (missing.length === 0 && rows.length === expected.length) return
    return yield* new BenchError({
      message: `${name} does not hold what was answered: ${rows.length} orders, not ${
        missing.slice(0, 5).join("; ")
      }`
    })
  }
)
