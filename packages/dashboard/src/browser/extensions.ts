/** The additions of the service's capabilities to the pages of the contract (D20.1). */
import { signal } from "@preact/signals"
import type { DashboardCapability, ExtendedView, HistoryEntry, MessageKind } from "./capability.ts"

/** The dashboard's parts for the capabilities that the session names, in the order of the list in `main.tsx`. */
export const offered = signal<ReadonlyArray<DashboardCapability>>([])

/** Offers the parts in the list whose capabilities have these names. */
export const offer = (list: ReadonlyArray<DashboardCapability>, names: ReadonlyArray<string> = []): void => {
  offered.value = list.filter(({ name }) => names.includes(name))
}

/** The fields that the service's capabilities add to a view, in the syntax of GraphQL. */
export const fieldsAdded = (view: ExtendedView): string =>
  offered.value.flatMap(({ fields }) => fields?.[view] ?? []).join(" ")

/** The remarks of the service's capabilities on an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offered.value.flatMap(({ wordsOfItem }) => wordsOfItem?.(item) ?? [])

/** The marks of the service's capabilities beside a shipment of a board. */
export const marksOf = (shipment: object) => offered.value.flatMap(({ markOf }) => markOf?.(shipment) ?? [])

/** The fields of a query that the service's capabilities need for the history of a shipment. */
export const historyFields = (): string =>
  offered.value.flatMap(({ historyField }) => historyField ?? []).join(" ")

/** The entries of the service's capabilities in the history of a shipment, from the answer to their fields. */
export const historyAdded = (shipment: object, answer: object): ReadonlyArray<HistoryEntry> =>
  offered.value.flatMap(({ historyOf }) => historyOf?.(shipment, answer) ?? [])

/** The counts that the service's capabilities add to shipments, with their labels: one list for each capability. */
export const numbersAdded = (): ReadonlyArray<ReadonlyArray<readonly [number: string, label: string]>> =>
  offered.value.flatMap(({ numbers }) => numbers === undefined ? [] : [Object.entries(numbers)])

/** The types of messages of the service's capabilities. */
export const messageKindsAdded = (): Readonly<Record<string, MessageKind>> =>
  Object.assign({}, ...offered.value.map(({ messages }) => messages))

/** The names of the types of outbox entries of the service's capabilities. */
export const outboxesAdded = (): Readonly<Record<string, string>> =>
  Object.assign({}, ...offered.value.map(({ outbox }) => outbox))

/** The page for a lot, with its query; `undefined` if no capability of the service has such a page. */
export const pageOfLot = (name: string) =>
  offered.value.map(({ lot }) => lot?.(name)).find((page) => page !== undefined)

/** The buttons that the service's capabilities add to the list of shipments. */
export const shipmentsLinks = () => offered.value.flatMap(({ shipments }) => shipments ?? [])
