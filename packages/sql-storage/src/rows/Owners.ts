/**
 * The business of a row that a request names by its id only. On one PostgreSQL the statement finds it by itself; in a cluster it is
 * found first, as the statement has to go to the node of the business.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import { Nodes } from "../connections/Nodes.ts"

/** The owner of a row. */
export interface Owner {
  /** Its id, in a cluster. */
  readonly business: string | undefined
  /** The id in a statement; null if there is no such row. */
  readonly id: Statement.Fragment
}

/** Finds the owners of rows by a function from ids of rows to those of businesses. */
const ownersBy = (find: "shipment_business" | "webhook_business") =>
  Effect.map(
    Effect.all([SqlClient.SqlClient, Nodes]),
    ([sql, nodes]) => (id: number): Effect.Effect<Owner, SqlError.SqlError> =>
      Effect.gen(function*() {
        const expression = sql`${sql.literal(`dockline.${find}`)}(${id}::bigint)`
        if (!(yield* nodes.isCluster)) return { business: undefined, id: expression }
        const [row] = yield* sql<{ readonly found: string | null }>`select ${expression}::text as found`
        const { found } = row!
        return { business: found ?? undefined, id: sql`${found}::bigint` }
      })
  )

/** The owners of shipments. */
export const ownersOfShipments = ownersBy("shipment_business")

/** The owners of webhook endpoints. */
export const ownersOfEndpoints = ownersBy("webhook_business")
