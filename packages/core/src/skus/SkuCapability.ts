/**
 * The SKU master of facilities as a capability (D17.4): its operations, and what it says of the items of a shipment.
 */
import { Effect } from "effect"
import { readScopes } from "../access/Access.ts"
import { example } from "../access/Operation.ts"
import * as Capability from "../capability/Capability.ts"
import * as Extension from "../capability/Extension.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import * as MemorySkus from "./internal/MemorySkus.ts"
import type { SkuView } from "./Sku.ts"
import { deleteSkus, listSkus, setSkus } from "./SkuOperations.ts"
import { Skus } from "./Skus.ts"
import { SkuStore } from "./SkuStore.ts"

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

const sku: SkuView = {
  ...oatDrink,
  business: "acme",
  facility: "east",
  createdAt: "2026-11-19T09:12:44.103Z",
  updatedAt: ""
}

/** What the master of the facility says of the items of a shipment. */
const ofItems = Extension.make<"items">()({
  fields: {
    skuDescription: shownText(
      "What the SKU master says of its SKU where it has no description of its own, or empty"
    ),
    casesPerPallet: shownWhole("How many cases a pallet of its SKU holds by the SKU master, or 0")
  },
  example: { skuDescription: "", casesPerPallet: 60 },
  load: Effect.map(SkuStore, ({ wordsFor }) => (input, items, principal) => {
    const ids = Array.from(new Set(items.map(({ sku }) => sku))).filter((id) => id !== "")
    return Effect.map(
      ids.length === 0 ? Effect.succeed([]) : wordsFor(Number(input.id), ids, readScopes(principal)),
      (words) => {
        const known = new Map(words.map((each) => [each.id, each]))
        return items.map(({ description, sku }) => ({
          skuDescription: description === "" ? known.get(sku)?.description ?? "" : "",
          casesPerPallet: known.get(sku)?.casesPerPallet ?? 0
        }))
      }
    )
  })
})

/** The SKU master of facilities. */
export const skus = Capability.make("skus", {
  title: "SKUs",
  description: "What is known of stock-keeping units at a facility, whatever order they are on",
  operations: {
    /** The SKU master of a facility, in the order of the SKUs (D17.4). */
    skus: listSkus,
    /** Adds SKUs to the master of a facility, and changes others in what is given: `{ business, facility, skus: [{ id, … }] }` (D17.4). */
    setSkus,
    /** Takes SKUs out of the master of a facility: `{ business, facility, ids }` (D17.4). */
    deleteSkus
  },
  services: Skus.layer,
  handlers: Effect.map(Skus, (skus) => ({
    skus: skus.list,
    setSkus: ({ body }, principal, keep) => skus.set(body, principal, keep),
    deleteSkus: ({ body }, principal, keep) => skus.delete(body, principal, keep)
  })),
  memory: MemorySkus.memory,
  extensions: { items: ofItems },
  requests: {
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
  },
  answers: {
    skus: sku,
    setSkus: { added: 1, updated: 0, skus: [sku] },
    deleteSkus: { deleted: 2 }
  }
})
