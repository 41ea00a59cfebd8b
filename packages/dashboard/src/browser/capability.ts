/** The part of a capability on the dashboard (D20.1). */
import type { ComponentChildren, ComponentType, VNode } from "preact"
import type { Place } from "./session.ts"
import type { Toned } from "./ui/tables.ts"

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
  /** The page of an entry, at the target of the list followed by its id; none when absent. */
  readonly Thing?: ComponentType<{ readonly id: string }>
  /** Whether readers who return to the list find its filters as they left them. */
  readonly keepsFilters?: boolean
  /** Its tab, if it has one: the icon, and the page whose tab comes before it. */
  readonly tab?: { readonly Icon: ComponentType; readonly after: string }
}

/** The texts for a type of messages on pages. */
export interface MessageKind {
  readonly name: string
  /** Its name in the address of the list of its messages, and the label of the button for that list. */
  readonly filter: readonly [name: string, label: string]
  readonly badge: (message: Payload) => Toned
  readonly summary: (message: Payload) => string
  /** The text of a notification about it, if it needs attention. */
  readonly noticeOf?: (message: Payload) => string | undefined
}

type Payload = Readonly<Record<string, unknown>>

/** The views of the contract to which capabilities add. */
export type ExtendedView = "item" | "shipment" | "board" | "boardShipment" | "day" | "dayShipment"

/** A pallet: one that was seen, or an expected one that nobody has seen, whose id is `""`. */
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
  readonly shown: { readonly id: number }
  /** The pallets that were seen, and the LPNs that are expected. */
  readonly choices: ReadonlyArray<PalletChoice>
  readonly mayReport: boolean
  /** A draft of a report that was begun elsewhere on the page. */
  readonly draft: ReportDraft | undefined
  readonly setDraft: (draft: ReportDraft | undefined) => void
  readonly reload: () => void
}

/** The part of a capability on the dashboard: its pages, and its additions to the pages of the contract; absent fields add nothing. */
export interface DashboardCapability {
  readonly name: string
  readonly pages?: ReadonlyArray<CapabilityPage>
  /** Lists to which its pages lead, by their addresses. */
  readonly lists?: Readonly<Record<string, PlaceList>>
  /** The page for the lot of an item, with its query. */
  readonly lot?: (lot: string) => readonly [target: string, query: Readonly<Record<string, string>>]
  /** A button of the list of shipments. */
  readonly shipments?: { readonly label: string; readonly target: string }
  /** The fields that it adds to views, in the syntax of GraphQL. They may be absent from entries of some lists. */
  readonly fields?: Readonly<Partial<Record<ExtendedView, string>>>
  /** Its remarks on an item, each in a few words. */
  readonly wordsOfItem?: (item: object) => ReadonlyArray<string>
  /** The numbers that it counts of shipments, with their labels: totals show the first one, and the others beside it. */
  readonly numbers?: Readonly<Record<string, string>>
  /** The types of its messages. */
  readonly messages?: Readonly<Record<string, MessageKind>>
  /** The names of the types of its outbox entries, for webhook endpoints. */
  readonly outbox?: Readonly<Record<string, string>>
  /** Its mark beside a shipment of a board; `null` for none. */
  readonly markOf?: (shipment: object) => VNode | null
  /** Its note at the head of a board about things that need attention; `null` for none. */
  readonly attentionOf?: (board: object, place: Place) => VNode | null
  /** The field of a query that its history of a shipment needs, with the variables `$business`, `$facility` and `$shipmentId`. */
  readonly historyField?: string
  /** Its entries in the history of a shipment, from the fields of the shipment and the answer to its field of a query. */
  readonly historyOf?: (shipment: object, answer: object) => ReadonlyArray<HistoryEntry>
  /** A part of the page of a shipment, which accepts drafts of reports from other parts. */
  readonly ShipmentPart?: ComponentType<ShipmentPartProps>
}
