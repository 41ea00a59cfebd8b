/** The additions of the SKU master to items (D17.4). */
import type { AddedOf } from "@dockline/core/capability/Capability"
import type { skus as capability } from "@dockline/core/skus/SkuCapability"
import type { DashboardCapability } from "../capability.ts"

type Words = Partial<AddedOf<[typeof capability]>["items"]>

/** Adds a description to items that have none, and the number of cases on a pallet. */
export const skus: DashboardCapability = {
  name: "skus",
  fields: { item: "skuDescription casesPerPallet" },
  wordsOfItem: ({ casesPerPallet = 0, skuDescription = "" }: Words) => [
    ...(skuDescription === "" ? [] : [skuDescription]),
    ...(casesPerPallet === 0 ? [] : [`${casesPerPallet} cases a pallet`])
  ]
}
