/** What capabilities add to what the pages show of the contract (D20.1): a line for each that has something. */
import type { CapabilityLinks, ItemWords } from "./capability.ts"
import { isOffered } from "./offered.ts"
import { itemWords as skus } from "./skus/ItemWords.ts"
import { links as trace } from "./trace/Links.ts"

const ofItems: ReadonlyArray<ItemWords> = [
  skus
]

const links: ReadonlyArray<CapabilityLinks> = [
  trace
]

const offered = () => ofItems.filter(({ name }) => isOffered(name))

const offeredLinks = () => links.filter(({ name }) => isOffered(name))

/** The fields that capabilities of the service add to an item, as GraphQL selects them. */
export const itemFieldsAdded = (): string => offered().map(({ fields }) => fields).join(" ")

/** What capabilities of the service say of an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offered().flatMap(({ wordsOf }) => wordsOf(item))

/** The page, with its query, that a capability of the service has for a lot, if one has. */
export const pageOfLot = (lot: string) =>
  offeredLinks().map((each) => each.lot?.(lot)).find((page) => page !== undefined)

/** The buttons that capabilities of the service have at the list of shipments. */
export const shipmentsLinks = () => offeredLinks().flatMap(({ shipments }) => shipments ?? [])
