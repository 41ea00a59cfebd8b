/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const skus1 = {
  description: "Oat drink, 12 x 1 l",
  unitOfMeasure: "CASE",
  unitOfWeight: "KG",
  casesPerPallet: 60,
  casesPerLayer: 12,
  layersPerPallet: 5,
  alternateIds: ["04012345678901"],
  metadata: "{\"temperature\":\"ambient\"}",
  id: "SKU-100",
  createdAt: "2026-11-20T09:12:00.000Z",
  updatedAt: "",
  business: "acme",
  facility: "east"
} as const

const skus2 = {
  description: "Rye bread, sliced",
  unitOfMeasure: "",
  unitOfWeight: "",
  casesPerPallet: 0,
  casesPerLayer: 0,
  layersPerPallet: 0,
  alternateIds: [],
  metadata: "",
  id: "SKU-200",
  createdAt: "2026-11-20T09:12:00.000Z",
  updatedAt: "",
  business: "acme",
  facility: "east"
} as const

const skus3 = [skus1, skus2] as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  setSkus: { added: 2, updated: 0, skus: skus3 },
  skus: skus3,
  deleteSkus: { deleted: 2 }
} as const

/** What was recorded of `items`. */
export const items = [{ skuDescription: "", casesPerPallet: 60 }, {
  skuDescription: "Rye bread, sliced",
  casesPerPallet: 0
}] as const
