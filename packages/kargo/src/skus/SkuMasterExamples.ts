/**
 * The example requests of the SKU master in the form of Kargo's service.
 */
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

/** A request that adds a SKU, and changes another in its description alone. */
export const upsert = {
  business: "acme",
  facility: "east",
  skus: [facts, { sku_id: "SKU-200", description: "Rye bread, sliced" }]
}
