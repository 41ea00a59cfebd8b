/** The SKU master of facilities in PostgreSQL (D17.4). */
import * as SqlCapability from "../schema/SqlCapability.ts"
import * as functions from "./SkuFunctions.ts"
import { migrations } from "./SkuTables.ts"
import * as SqlSkuStore from "./SqlSkuStore.ts"

/** The SKU master of facilities in PostgreSQL. */
export const skusSql = SqlCapability.make("skus", {
  stores: SqlSkuStore.layer,
  migrations,
  functions,
  cluster: { tables: ["sku"] }
})
