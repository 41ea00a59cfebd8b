/** What capabilities of the service add to what the pages show of the contract (D20.1). */
import { signal } from "@preact/signals"
import type { DashboardCapability, ExtendedView, HistoryEntry, MessageKind } from "./capability.ts"

/** What the dashboard has of the capabilities that the session names, in the order of its list (`main.tsx`). */
export const offered = signal<ReadonlyArray<DashboardCapability>>([])

/** Offers what the list has of these capabilities. */
export const offer = (list: ReadonlyArray<DashboardCapability>, names: ReadonlyArray<string> = []): void => {
  offered.value = list.filter(({ name }) => names.includes(name))
}

/** The fields that capabilities of the service add to a view, as GraphQL selects them. */
export const fieldsAdded = (view: ExtendedView): string =>
  offered.value.flatMap(({ fields }) => fields?.[view] ?? []).join(" ")

/** What capabilities of the service say of an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offered.value.flatMap(({ wordsOfItem }) => wordsOfItem?.(item) ?? [])

/** What capabilities of the service say beside a shipment of a board. */
export const marksOf = (shipment: object) => offered.value.flatMap(({ markOf }) => markOf?.(shipment) ?? [])

/** The fields of a query for what capabilities of the service tell of a shipment in its history. */
export const historyFields = (): string =>
  offered.value.flatMap(({ historyField }) => historyField ?? []).join(" ")

/** What capabilities of the service tell of a shipment in its history, from the answer to their fields. */
export const historyAdded = (shipment: object, answer: object): ReadonlyArray<HistoryEntry> =>
  offered.value.flatMap(({ historyOf }) => historyOf?.(shipment, answer) ?? [])

/** The numbers that capabilities of the service count of shipments, by capability, with what people call them. */
export const numbersAdded = (): ReadonlyArray<ReadonlyArray<readonly [number: string, label: string]>> =>
  offered.value.flatMap(({ numbers }) => numbers === undefined ? [] : [Object.entries(numbers)])

/** The types of messages of the capabilities of the service. */
export const messageKindsAdded = (): Readonly<Record<string, MessageKind>> =>
  Object.assign({}, ...offered.value.map(({ messages }) => messages))

/** The names of the types of what is in outboxes of the capabilities of the service. */
export const outboxesAdded = (): Readonly<Record<string, string>> =>
  Object.assign({}, ...offered.value.map(({ outbox }) => outbox))

/** The page, with its query, that a capability of the service has for a lot, if one has. */
export const pageOfLot = (name: string) =>
  offered.value.map(({ lot }) => lot?.(name)).find((page) => page !== undefined)

/** The buttons that capabilities of the service have at the list of shipments. */
export const shipmentsLinks = () => offered.value.flatMap(({ shipments }) => shipments ?? [])
