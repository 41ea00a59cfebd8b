/**
 * The SKU master of facilities as a capability (D17.4): its operations, and what it says of the items of a shipment.
 */
import { Effect } from "effect"
import { readScopes } from "../access/Access.ts"
import * as Capability from "../capability/Capability.ts"
import * as Extension from "../capability/Extension.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import recorded from "./answers.json" with { type: "json" }
import * as MemorySkus from "./internal/MemorySkus.ts"
import { requests } from "./internal/SkuRequests.ts"
import { deleteSkus, listSkus, setSkus } from "./SkuOperations.ts"
import { Skus } from "./Skus.ts"
import { SkuStore } from "./SkuStore.ts"

/** What the master of the facility says of the items of a shipment. */
const ofItems = Extension.make<"items">()({
  fields: {
    skuDescription: shownText(
      "What the SKU master says of its SKU where it has no description of its own, or empty"
    ),
    casesPerPallet: shownWhole("How many cases a pallet of its SKU holds by the SKU master, or 0")
  },
  example: recorded.views.items,
  load: Effect.map(SkuStore, ({ wordsFor }) => (input, items, principal) => {
    const ids = Array.from(new Set(items.map(({ sku }) => sku))).filter((id) => id !== "")
    return Effect.map(
      ids.length === 0 ? Effect.succeed([]) : wordsFor(Number(input.id), ids, readScopes(principal)),
      (words) => {
        const byId = new Map(words.map((each) => [each.id, each]))
        return items.map(({ description, sku }) => ({
          skuDescription: description === "" ? byId.get(sku)?.description ?? "" : "",
          casesPerPallet: byId.get(sku)?.casesPerPallet ?? 0
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
  requests,
  answers: recorded.answers
})
