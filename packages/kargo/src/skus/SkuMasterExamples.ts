/**
 * The examples of the SKU master in the form of Kargo's service.
 */
import type { SkuMaster } from "./SkuMasterApi.ts"

const facts = {
  sku_id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unit_of_measure: "CASE",
  unit_of_weight: "KG",
  alternate_sku_ids: ["04012345678901"],
  cases_per_pallet: 60,
  cases_per_layer: 12,
  layers_per_pallet: 5,
  sku_metadata: { temperature: "ambient" }
}

const skuMaster: SkuMaster = {
  business: "acme",
  facility: "east",
  ...facts,
  created_at: "2026-11-19T09:12:44.103Z",
  updated_at: "2026-11-20T16:42:00.000Z"
}

/** A request that adds a SKU, and changes another in its description alone. */
export const upsert = {
  business: "acme",
  facility: "east",
  skus: [facts, { sku_id: "SKU-200", description: "Rye bread, sliced" }]
}

/** The answers of each operation. */
export const answers = {
  upsertSkuMaster: { numRecordsAdded: 1, numRecordsUpdated: 0, skus: [skuMaster] },
  getSkuMaster: { skus: [skuMaster], total: 25, limit: 1, offset: 0, next_offset: 1 },
  deleteSkuMaster: { numRecordsDeleted: 1 }
}
