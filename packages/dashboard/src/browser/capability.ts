/** What a capability has on the dashboard (D20.1). */
import type { ComponentType } from "preact"
import type { Place } from "./session.ts"

export interface NavPage {
  readonly target: string
  readonly label: string
  /** The letter that leads there after `g`. */
  readonly key: string
}

/** A page of a capability: a list of a facility. */
export interface CapabilityPage extends NavPage {
  readonly List: ComponentType<{ readonly place: Place }>
}

/** The pages of a capability, by its name. */
export interface CapabilityPages {
  readonly name: string
  readonly pages: ReadonlyArray<CapabilityPage>
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
