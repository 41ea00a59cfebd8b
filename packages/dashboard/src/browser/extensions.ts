/** What capabilities add to what the pages show of the contract (D20.1): a line for each that has something. */
import type { ItemWords } from "./capability.ts"
import { isOffered } from "./offered.ts"
import { itemWords as skus } from "./skus/ItemWords.ts"

const ofItems: ReadonlyArray<ItemWords> = [skus]

const offered = () => ofItems.filter(({ name }) => isOffered(name))

/** The fields that capabilities of the service add to an item, as GraphQL selects them. */
export const itemFieldsAdded = (): string => offered().map(({ fields }) => fields).join(" ")

/** What capabilities of the service say of an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offered().flatMap(({ wordsOf }) => wordsOf(item))
