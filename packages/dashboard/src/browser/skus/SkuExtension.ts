/** What the SKU master says of items (D17.4). */
import type { AddedOf } from "@dockline/core/capability/Capability"
import type { skus as capability } from "@dockline/core/skus/SkuCapability"
import type { DashboardCapability } from "../capability.ts"

type Words = Partial<AddedOf<[typeof capability]>["items"]>

/** What an item is where it does not say so itself, and how many cases of it a pallet holds. */
export const skus: DashboardCapability = {
  name: "skus",
  fields: { item: "skuDescription casesPerPallet" },
  wordsOfItem: ({ casesPerPallet = 0, skuDescription = "" }: Words) => [
    ...(skuDescription === "" ? [] : [skuDescription]),
    ...(casesPerPallet === 0 ? [] : [`${casesPerPallet} cases a pallet`])
  ]
}
