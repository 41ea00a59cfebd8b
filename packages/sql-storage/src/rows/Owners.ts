/**
 * The business of a row that a request names only by its id. On one PostgreSQL the statement finds it itself; in a cluster it is found
 * first, because the statement must go to the node of the business.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { isPart } from "../connections/Loan.ts"
import { Nodes } from "../connections/Nodes.ts"
import { operations } from "../connections/StoreOperations.ts"
import { bigintText } from "./RowFields.ts"

/** The owner of a row. */
export interface Owner {
  /** Its id, in a cluster. */
  readonly business: string | undefined
  /** The id in a statement; null if there is no such row. */
  readonly id: Statement.Fragment
}

/** Finds the owners of rows by an SQL function from ids of rows to ids of businesses. */
export const ownersBy = (find: `${string}_business`) =>
  Effect.map(
    Effect.all([operations, Nodes]),
    ([{ call, loan, sql }, nodes]) => (id: number): Effect.Effect<Owner, SqlError.SqlError> =>
      Effect.gen(function*() {
        const expression = sql`${sql.literal(`dockline.${find}`)}(${id}::bigint)`
        if (!(yield* nodes.isCluster)) return { business: undefined, id: expression }
        const anchor = yield* anchorOutside(sql, nodes, id)
        const look = call(Schema.NullOr(bigintText))`${expression}::text`
        const owner = yield* anchor === undefined ? look : loan({ lane: "reads", business: anchor })(look)
        return { business: owner ?? undefined, id: sql`${owner}::bigint` }
      })
  )

/** The number in place of a row's business in a cluster ({@link Nodes}); `undefined` inside a transaction, whose node is already fixed. */
export const anchorOutside = (
  sql: SqlClient.SqlClient,
  nodes: Nodes,
  id: number
): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.flatMap(isPart(sql), (isPart) => isPart ? Effect.undefined : nodes.anchorOf(id))

export const ownersOfShipments = ownersBy("shipment_business")

/** The turn of changes of a shipment: changes with the same turn run one after another. */
export const turnOfShipment = (id: number): string => JSON.stringify(["shipment", id])

export const ownersOfEndpoints = ownersBy("webhook_business")
