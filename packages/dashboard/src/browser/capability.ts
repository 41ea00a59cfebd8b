/** What a capability has on the dashboard (D20.1). */
import type { ComponentType } from "preact"
import type { Place } from "./session.ts"

export interface NavPage {
  readonly target: string
  readonly label: string
  /** The letter that leads there after `g`. */
  readonly key: string
}

/** A page of a capability: a list of a facility, and of each thing that it lists. */
export interface CapabilityPage extends NavPage {
  readonly List: ComponentType<{ readonly place: Place }>
  /** The page of a thing, at the target of the list with the id of the thing; none unless given. */
  readonly Thing?: ComponentType<{ readonly id: string }>
  /** Whether readers who come back to the list find its filters as they left them. */
  readonly keepsFilters?: boolean
}

/** The pages of a capability, by its name. */
export interface CapabilityPages {
  readonly name: string
  readonly pages: ReadonlyArray<CapabilityPage>
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
