/** What a capability has on the dashboard (D20.1). */
import type { ComponentType } from "preact"
import { session } from "./session.ts"
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

/** Whether the service has a capability. */
export const isOffered = (name: string): boolean => session.value?.capabilities.includes(name) === true
