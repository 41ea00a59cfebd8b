/** The example requests of the SKU master. */
import { example } from "../../access/Operation.ts"

const oatDrink = {
  id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unitOfMeasure: "CASE",
  unitOfWeight: "KG",
  casesPerPallet: 60,
  casesPerLayer: 12,
  layersPerPallet: 5,
  alternateIds: ["04012345678901"],
  metadata: "{\"temperature\":\"ambient\"}"
}

export const requests = {
  setSkus: {
    set: example("Two SKUs, of which one is changed in its description alone", {
      business: "acme",
      facility: "east",
      skus: [
        oatDrink,
        { id: "SKU-200", description: "Rye bread, sliced" }
      ]
    })
  },
  deleteSkus: {
    delete: example("Two SKUs", { business: "acme", facility: "east", ids: ["SKU-100", "SKU-200"] })
  }
}
