/** What a capability has on the dashboard (D20.1). */
import type { ComponentType } from "preact"
import type { Place } from "./session.ts"

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

/** The pages of a capability, by its name. */
export interface CapabilityPages {
  readonly name: string
  readonly pages: ReadonlyArray<CapabilityPage>
  /** Lists that its pages lead to, by their addresses; none unless given. */
  readonly lists?: Readonly<Record<string, PlaceList>>
}

/** Where a capability leads to from what the pages show of the contract; it leads nowhere where it does not say so. */
export interface CapabilityLinks {
  /** The name of the capability. */
  readonly name: string
  /** The page for the lot of an item, with its query. */
  readonly lot?: (lot: string) => readonly [target: string, query: Readonly<Record<string, string>>]
  /** A button of the list of shipments. */
  readonly shipments?: { readonly label: string; readonly target: string }
}

/** What a capability has on the page of a business, which operators see. */
export interface BusinessPart {
  /** The name of the capability. */
  readonly name: string
  readonly Part: ComponentType<{ readonly business: string }>
}

/** What a capability says of items of shipments, in the fields that it adds to them. It knows no page. */
export interface ItemWords {
  /** The name of the capability. */
  readonly name: string
  /** The fields, as GraphQL selects them. */
  readonly fields: string
  /** What it says of an item, each in a few words; {@link fields} may be absent, as some lists do not have them. */
  readonly wordsOf: (item: object) => ReadonlyArray<string>
}
