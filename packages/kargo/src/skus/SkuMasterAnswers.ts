/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const skus1 = {
  business: "acme",
  facility: "east",
  sku_id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unit_of_measure: "CASE",
  unit_of_weight: "KG",
  alternate_sku_ids: ["04012345678901"],
  cases_per_pallet: 60,
  cases_per_layer: 12,
  layers_per_pallet: 5,
  sku_metadata: { temperature: "ambient" },
  created_at: "2026-11-20T16:42:00.000Z",
  updated_at: null
} as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  upsertSkuMaster: {
    numRecordsAdded: 2,
    numRecordsUpdated: 0,
    skus: [skus1, {
      business: "acme",
      facility: "east",
      sku_id: "SKU-200",
      description: "Rye bread, sliced",
      unit_of_measure: null,
      unit_of_weight: null,
      alternate_sku_ids: null,
      cases_per_pallet: null,
      cases_per_layer: null,
      layers_per_pallet: null,
      sku_metadata: null,
      created_at: "2026-11-20T16:42:00.000Z",
      updated_at: null
    }]
  },
  getSkuMaster: { skus: [skus1], total: 2, limit: 1, offset: 0, next_offset: 1 },
  deleteSkuMaster: { numRecordsDeleted: 1 }
} as const
