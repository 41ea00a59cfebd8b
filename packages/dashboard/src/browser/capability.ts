/** What a capability has on the dashboard (D20.1). */
import type { ComponentChildren, ComponentType, VNode } from "preact"
import type { Place } from "./session.ts"
import type { Toned } from "./ui/tables.ts"

export interface NavPage {
  readonly target: string
  readonly label: string
  /** The letter that leads there after `g`. */
  readonly key: string
}

/** A list of a facility. */
export type PlaceList = ComponentType<{ readonly place: Place }>

/** A page of a capability: a list of a facility, and of each thing that it lists. */
export interface CapabilityPage extends NavPage {
  readonly List: PlaceList
  /** The page of a thing, at the target of the list with the id of the thing; none unless given. */
  readonly Thing?: ComponentType<{ readonly id: string }>
  /** Whether readers who come back to the list find its filters as they left them. */
  readonly keepsFilters?: boolean
  /** Its tab, if it has one: the icon, and the page whose tab stands before. */
  readonly tab?: { readonly Icon: ComponentType; readonly after: string }
}

/** What pages show of a type of messages. */
export interface MessageKind {
  readonly name: string
  /** Its name in the address of the list of its messages, and the words of the button that leads there. */
  readonly filter: readonly [name: string, label: string]
  readonly badge: (message: Payload) => Toned
  readonly summary: (message: Payload) => string
  /** What a notification says of it, where it needs attention. */
  readonly noticeOf?: (message: Payload) => string | undefined
}

type Payload = Readonly<Record<string, unknown>>

/** What pages show of the contract, to which capabilities add. */
export type ExtendedView = "item" | "shipment" | "board" | "boardShipment" | "day" | "dayShipment"

/** A pallet: one that was seen, or one that is expected and that nobody has seen, whose id is `""`. */
export interface PalletChoice {
  readonly id: string
  readonly lpn: string
}

/** A report of what is wrong, begun at a discrepancy. */
export interface ReportDraft {
  readonly kind: "SHORT" | "OVER"
  readonly pallet: PalletChoice
  readonly description: string
}

/** What has happened to a shipment, when, and by whom. */
export interface HistoryEntry {
  readonly at: string
  readonly what: ComponentChildren
  readonly details?: ComponentChildren
  /** Who did it, where that is known. */
  readonly by?: string
}

/** What the part of a shipment's page is about. */
export interface ShipmentPartProps {
  /** The shipment, with the fields of the capability. */
  readonly shown: { readonly id: number }
  /** The pallets that were seen, and the LPNs that are expected. */
  readonly choices: ReadonlyArray<PalletChoice>
  readonly mayReport: boolean
  /** A report that was begun elsewhere on the page. */
  readonly draft: ReportDraft | undefined
  readonly setDraft: (draft: ReportDraft | undefined) => void
  readonly reload: () => void
}

/** What a capability has on the dashboard: pages, and what it adds to the pages of the contract; nothing of what it does not name. */
export interface DashboardCapability {
  readonly name: string
  readonly pages?: ReadonlyArray<CapabilityPage>
  /** Lists that its pages lead to, by their addresses. */
  readonly lists?: Readonly<Record<string, PlaceList>>
  /** The page for the lot of an item, with its query. */
  readonly lot?: (lot: string) => readonly [target: string, query: Readonly<Record<string, string>>]
  /** A button of the list of shipments. */
  readonly shipments?: { readonly label: string; readonly target: string }
  /** The fields that it adds to views, as GraphQL selects them. They may be absent, as some lists lack them. */
  readonly fields?: Readonly<Partial<Record<ExtendedView, string>>>
  /** What it says of an item, each in a few words. */
  readonly wordsOfItem?: (item: object) => ReadonlyArray<string>
  /** The numbers that it counts of shipments, as people call them: the first is in totals, and the others are beside it. */
  readonly numbers?: Readonly<Record<string, string>>
  /** The types of its messages. */
  readonly messages?: Readonly<Record<string, MessageKind>>
  /** The names of the types of what it has in an outbox, for webhook endpoints. */
  readonly outbox?: Readonly<Record<string, string>>
  /** What it says beside a shipment of a board; `null` for nothing. */
  readonly markOf?: (shipment: object) => VNode | null
  /** What needs attention at the head of a board; `null` for nothing. */
  readonly attentionOf?: (board: object, place: Place) => VNode | null
  /** The field of a query for what its history of a shipment needs, with the variables `$business`, `$facility` and `$shipmentId`. */
  readonly historyField?: string
  /** What it tells of a shipment in its history, from the fields of the shipment and the answer to its field of a query. */
  readonly historyOf?: (shipment: object, answer: object) => ReadonlyArray<HistoryEntry>
  /** A part of the page of a shipment, which takes reports that are begun there. */
  readonly ShipmentPart?: ComponentType<ShipmentPartProps>
}
