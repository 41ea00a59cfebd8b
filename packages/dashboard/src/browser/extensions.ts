/** What capabilities add to what the pages show of the contract (D20.1): a line for each that has something. */
import type { CapabilityLinks, ExtendedView, MessageKind, PageExtension } from "./capability.ts"
import { extension as exceptions } from "./exceptions/ExceptionExtension.ts"
import { isOffered } from "./offered.ts"
import { extension as skus } from "./skus/SkuExtension.ts"
import { links as trace } from "./trace/Links.ts"

const extensions: ReadonlyArray<PageExtension> = [
  skus,
  exceptions
]

const links: ReadonlyArray<CapabilityLinks> = [
  trace
]

const offered = () => extensions.filter(({ name }) => isOffered(name))

const offeredLinks = () => links.filter(({ name }) => isOffered(name))

/** The fields that capabilities of the service add to a view, as GraphQL selects them. */
export const fieldsAdded = (view: ExtendedView): string =>
  offered().flatMap(({ fields }) => fields[view] ?? []).join(" ")

/** What capabilities of the service say of an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offered().flatMap(({ wordsOfItem }) => wordsOfItem?.(item) ?? [])

/** The numbers that capabilities of the service count of shipments, by capability, with what people call them. */
export const numbersAdded = (): ReadonlyArray<ReadonlyArray<readonly [number: string, label: string]>> =>
  offered().flatMap(({ numbers }) => numbers === undefined ? [] : [Object.entries(numbers)])

/** The types of messages of the capabilities of the service. */
export const messageKindsAdded = (): Readonly<Record<string, MessageKind>> =>
  Object.assign({}, ...offered().map(({ messages }) => messages))

/** The page, with its query, that a capability of the service has for a lot, if one has. */
export const pageOfLot = (lot: string) =>
  offeredLinks().map((each) => each.lot?.(lot)).find((page) => page !== undefined)

/** The buttons that capabilities of the service have at the list of shipments. */
export const shipmentsLinks = () => offeredLinks().flatMap(({ shipments }) => shipments ?? [])
