/** The part of a capability on the dashboard (D20.1), and the additions of the service's capabilities to the pages of the contract. */
import { signal } from "@preact/signals"
import type { ComponentChildren, ComponentType, VNode } from "preact"
import type { Place } from "./session.ts"
import type { BadgeText } from "./ui/words.ts"

export interface NavPage {
  readonly target: string
  readonly label: string
  /** The letter that opens the page after `g`. */
  readonly key: string
}

/** A list of a facility. */
export type PlaceList = ComponentType<{ readonly place: Place }>

/** A page of a capability: a list of a facility, and the pages of its entries. */
export interface CapabilityPage extends NavPage {
  readonly List: PlaceList
  /** The page of an entry; its address is the target of the list with the id of the entry. If absent, entries have no page. */
  readonly EntityPage?: ComponentType<{ readonly id: string }>
  /** Whether readers who return to the list find its filters as they left them. */
  readonly keepsFilters?: boolean
  /** Its tab, if it has one: the icon, and the page whose tab comes before it. */
  readonly tab?: { readonly Icon: ComponentType; readonly after: string }
}

/** The texts for a type of messages on pages. */
export interface MessageKind {
  readonly name: string
  /** The name of the type in the address of a list of messages, and the label of the button that filters the list by the type. */
  readonly filter: readonly [name: string, label: string]
  readonly badge: (message: Payload) => BadgeText
  readonly summary: (message: Payload) => string
  /** The text of a notification about a message that needs attention; `undefined` for other messages. */
  readonly noticeOf?: (message: Payload) => string | undefined
}

type Payload = Readonly<Record<string, unknown>>

/** The views of the contract to which capabilities add. */
export type ExtendedView = "item" | "shipment" | "board" | "boardShipment" | "day" | "dayShipment"

/** A pallet that was seen, or an expected pallet that was not seen and has the id `""`. */
export interface PalletChoice {
  readonly id: string
  readonly lpn: string
}

/** A draft of a report, begun at a discrepancy. */
export interface ReportDraft {
  readonly kind: "SHORT" | "OVER"
  readonly pallet: PalletChoice
  readonly description: string
}

/** An event of a shipment, with its time and the person who caused it. */
export interface HistoryEntry {
  readonly at: string
  readonly what: ComponentChildren
  readonly details?: ComponentChildren
  /** The person or client who caused it, if known. */
  readonly by?: string
}

/** The properties of a part of a shipment's page. */
export interface ShipmentPartProps {
  /** The shipment, with the fields of the capability. */
  readonly shipment: { readonly id: number }
  /** The pallets that were seen, and the LPNs that are expected. */
  readonly choices: ReadonlyArray<PalletChoice>
  readonly mayReport: boolean
  /** A draft of a report that was begun elsewhere on the page. */
  readonly draft: ReportDraft | undefined
  readonly setDraft: (draft: ReportDraft | undefined) => void
  readonly reload: () => void
}

/** What a capability adds to the dashboard: pages of its own, and additions to the pages of the contract. Absent fields add nothing. */
export interface DashboardCapability {
  readonly name: string
  readonly pages?: ReadonlyArray<CapabilityPage>
  /** Further lists, by their addresses; its pages link to them. */
  readonly lists?: Readonly<Record<string, PlaceList>>
  /** The page for the lot of an item, with its query. */
  readonly lot?: (lot: string) => readonly [target: string, query: Readonly<Record<string, string>>]
  /** A button of the list of shipments. */
  readonly shipments?: { readonly label: string; readonly target: string }
  /** The fields that it adds to views, in the syntax of GraphQL. They may be absent from entries of some lists. */
  readonly fields?: Readonly<Partial<Record<ExtendedView, string>>>
  /** Its remarks on an item, each in a few words. */
  readonly wordsOfItem?: (item: object) => ReadonlyArray<string>
  /** The counts that it adds to shipments, with their labels. Totals show the first count, and the other counts beside it. */
  readonly numbers?: Readonly<Record<string, string>>
  /** The types of its messages. */
  readonly messages?: Readonly<Record<string, MessageKind>>
  /** The names of the types of its outbox entries, for webhook endpoints. */
  readonly outbox?: Readonly<Record<string, string>>
  /** Its mark beside a shipment of a board; `null` for none. */
  readonly markOf?: (shipment: object) => VNode | null
  /** Its note at the head of a board about things that need attention; `null` for none. */
  readonly attentionOf?: (board: object, place: Place) => VNode | null
  /** A field of a query, from which it makes history entries of a shipment; may use `$business`, `$facility` and `$shipmentId`. */
  readonly historyField?: string
  /** Makes its entries in the history of a shipment from the shipment and the answer to a query with `historyField`. */
  readonly historyOf?: (shipment: object, answer: object) => ReadonlyArray<HistoryEntry>
  /** A part of the page of a shipment, which accepts drafts of reports from other parts. */
  readonly ShipmentPart?: ComponentType<ShipmentPartProps>
}

/** The dashboard's parts for the capabilities that the session names, in the order of `capabilities.ts`. */
export const offeredParts = signal<ReadonlyArray<DashboardCapability>>([])

/** Offers the parts in the list whose capabilities have these names. */
export const offer = (list: ReadonlyArray<DashboardCapability>, names: ReadonlyArray<string> = []): void => {
  offeredParts.value = list.filter(({ name }) => names.includes(name))
}

/** The fields that the service's capabilities add to a view, in the syntax of GraphQL. */
export const fieldsAdded = (view: ExtendedView): string =>
  offeredParts.value.flatMap(({ fields }) => fields?.[view] ?? []).join(" ")

/** The remarks of the service's capabilities on an item. */
export const wordsOfItem = (item: object): ReadonlyArray<string> =>
  offeredParts.value.flatMap(({ wordsOfItem }) => wordsOfItem?.(item) ?? [])

/** The marks of the service's capabilities beside a shipment of a board. */
export const marksOf = (shipment: object) =>
  offeredParts.value.flatMap(({ markOf }) => markOf?.(shipment) ?? [])

/** The fields of a query that the service's capabilities need for the history of a shipment. */
export const historyFields = (): string =>
  offeredParts.value.flatMap(({ historyField }) => historyField ?? []).join(" ")

/** The entries of the service's capabilities in the history of a shipment, from the answer to their fields. */
export const historyAdded = (shipment: object, answer: object): ReadonlyArray<HistoryEntry> =>
  offeredParts.value.flatMap(({ historyOf }) => historyOf?.(shipment, answer) ?? [])

/** The counts that the service's capabilities add to shipments, with their labels: one list for each capability. */
export const numbersAdded = (): ReadonlyArray<ReadonlyArray<readonly [number: string, label: string]>> =>
  offeredParts.value.flatMap(({ numbers }) => numbers === undefined ? [] : [Object.entries(numbers)])

/** The types of messages of the service's capabilities. */
export const messageKindsAdded = (): Readonly<Record<string, MessageKind>> =>
  Object.assign({}, ...offeredParts.value.map(({ messages }) => messages))

/** The names of the types of outbox entries of the service's capabilities. */
export const outboxesAdded = (): Readonly<Record<string, string>> =>
  Object.assign({}, ...offeredParts.value.map(({ outbox }) => outbox))

/** The page for a lot, with its query; `undefined` if no capability of the service has such a page. */
export const pageOfLot = (name: string) =>
  offeredParts.value.map(({ lot }) => lot?.(name)).find((page) => page !== undefined)

/** The buttons that the service's capabilities add to the list of shipments. */
export const shipmentsLinks = () => offeredParts.value.flatMap(({ shipments }) => shipments ?? [])
