/**
 * The business of a row that a request names by its id only. On one PostgreSQL the statement finds it by itself; in a cluster it is
 * found first, as the statement has to go to the node of the business.
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

/** Finds the owners of rows by a function from ids of rows to those of businesses (`businessOf`). */
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

/** What stands for the business of a row in a cluster ({@link Nodes}); not inside a transaction, which is on some other node. */
export const anchorOutside = (
  sql: SqlClient.SqlClient,
  nodes: Nodes,
  id: number
): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.flatMap(isPart(sql), (isPart) => isPart ? Effect.undefined : nodes.anchorOf(id))

export const ownersOfShipments = ownersBy("shipment_business")

/** The turn of changes of a shipment: those of one turn run one after another. */
export const turnOfShipment = (id: number): string => JSON.stringify(["shipment", id])

export const ownersOfEndpoints = ownersBy("webhook_business")
