/**
 * The life of a shipment as requests: created by a document, changed by others, loaded pallet by pallet, read in between, departed. Many
 * shipments go through it at once, each with one request at a time.
 *
 * Guarantee: every step may be repeated with the same bytes, so a refused or unanswered one is sent again.
 */
import type { Random } from "../../../Random.ts"

/** The kinds of requests. */
export const kinds = ["document", "pallet", "step", "shipment", "messages"] as const

/** The kind of a request. */
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
 * 20 requests: 8 documents, 6 pallets, 3 reads of the shipment, 2 of messages, the departure. The first document creates the shipment, and
 * its answer has the id that the others use.
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
 * The shipments without a request in flight, by their next step.
 *
 * Steps are drawn evenly, so that the mix is constant, however the shipments began and whichever requests the service answers first.
 */
export class Slots {
  readonly #idle: ReadonlyArray<Array<Slot>> = life.map(() => [])
  readonly #random: Random
  #made = 0

  constructor(count: number, random: Random) {
    this.#random = random
    for (let made = 0; made < count; made++) this.#idle[0]!.push(this.#fresh())
  }

  /** The number of shipments so far. */
  get made(): number {
    return this.#made
  }

  /** The next shipment to send a request for; a new one if all have one in flight, because the load never waits. */
  take(): Slot {
    const drawn = this.#random.int(0, life.length - 1)
    for (let tried = 0; tried < life.length; tried++) {
      // Else the previous step: so shipments that begin together are soon spread over all steps.
      const slot = this.#idle[(drawn - tried + life.length) % life.length]!.shift()
      if (slot !== undefined) return slot
    }
    return this.#fresh()
  }

  /** Notes that a step is done; after the last one, a new shipment takes its place. */
  done(slot: Slot): void {
    slot.at += 1
    const next = slot.at === life.length ? this.#fresh() : slot
    this.#idle[next.at]!.push(next)
  }

  /** Notes that a step may not be done, so that it comes again. */
  again(slot: Slot): void {
    this.#idle[slot.at]!.push(slot)
  }

  #fresh(): Slot {
    this.#made += 1
    return { number: this.#made, at: 0, id: 0 }
  }
}
