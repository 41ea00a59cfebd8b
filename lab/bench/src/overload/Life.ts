/**
 * The life of a shipment as requests: made by a document, changed by others, loaded pallet by pallet, looked at in
 * between, departed. Many shipments go through it at once, each with one request at a time.
 *
 * Guarantee: every step may be repeated with the same bytes, so one that was refused or had no answer is sent again.
 */
import type { Random } from "../../../Random.ts"

/** What a request is. */
export const kinds = ["document", "pallet", "step", "shipment", "messages"] as const

/** What a request is. */
export type Kind = (typeof kinds)[number]

/** A step of the life. */
export type Step =
  | { readonly kind: "document"; readonly strategy: "OVERWRITE" | "MERGE"; readonly variant: 0 | 1 }
  | { readonly kind: "pallet"; readonly index: number }
  | { readonly kind: "shipment" | "messages" | "step" }

const overwrite = (variant: 0 | 1): Step => ({ kind: "document", strategy: "OVERWRITE", variant })
const merge = (variant: 0 | 1): Step => ({ kind: "document", strategy: "MERGE", variant })
const pallet = (index: number): Step => ({ kind: "pallet", index })
const shipment: Step = { kind: "shipment" }
const messages: Step = { kind: "messages" }

/**
 * 20 requests: 8 documents, 6 pallets, 3 reads of the shipment, 2 of messages, the departure. The first document makes
 * the shipment, and its answer tells the id that others name.
 */
export const life: ReadonlyArray<Step> = [
  overwrite(0),
  shipment,
  merge(1),
  overwrite(1),
  merge(0),
  messages,
  overwrite(0),
  pallet(0),
  merge(1),
  pallet(1),
  shipment,
  pallet(2),
  overwrite(1),
  pallet(3),
  merge(0),
  messages,
  pallet(4),
  shipment,
  pallet(5),
  { kind: "step" }
]

/** A shipment on its way. */
export interface Slot {
  number: number
  at: number
  /** The shipment's id; 0 until its first document is answered. */
  id: number
}

/**
 * The shipments that have no request in flight, by the step that comes next.
 *
 * Steps are drawn evenly, so that the mix is the same all the time, however the shipments began and whichever requests
 * the service answers first.
 */
export class Slots {
  readonly #idle: ReadonlyArray<Array<Slot>> = life.map(() => [])
  readonly #random: Random
  #made = 0

  constructor(count: number, random: Random) {
    this.#random = random
    for (let made = 0; made < count; made++) this.#idle[0]!.push(this.#fresh())
  }

  /** How many shipments there have been. */
  get made(): number {
    return this.#made
  }

  /** The next shipment to send a request for; one more when all have one in flight, for the load waits for nobody. */
  take(): Slot {
    const drawn = this.#random.int(0, life.length - 1)
    for (let tried = 0; tried < life.length; tried++) {
      // The one before it: so those that begin together soon stand at every step.
      const slot = this.#idle[(drawn - tried + life.length) % life.length]!.shift()
      if (slot !== undefined) return slot
    }
    return this.#fresh()
  }

  /** The step has been done; after the last one a new shipment takes the place. */
  done(slot: Slot): void {
    slot.at += 1
    const next = slot.at === life.length ? this.#fresh() : slot
    this.#idle[next.at]!.push(next)
  }

  /** The step is not known to be done: it comes again. */
  again(slot: Slot): void {
    this.#idle[slot.at]!.push(slot)
  }

  #fresh(): Slot {
    this.#made += 1
    return { number: this.#made, at: 0, id: 0 }
  }
}
