/** The SKU master of facilities in PostgreSQL (D17.4). */
import * as SqlCapability from "../schema/SqlCapability.ts"
import { functionsOf, statementsOf } from "../schema/SqlText.ts"
import * as SqlSkuStore from "./SqlSkuStore.ts"

/** The SKU master of facilities in PostgreSQL. */
export const skusSql = SqlCapability.make("skus", {
  stores: SqlSkuStore.layer,
  migrations: { "1_master": statementsOf(new URL("../../sql/skus/1_master.sql", import.meta.url)) },
  functions: functionsOf(new URL("../../sql/skus/skus.sql", import.meta.url)),
  cluster: { tables: ["sku"] }
})
