/**
 * Runs a history of shipments in motion in a new business of a storage. Each event yields its answer or refusal, its messages, and the
 * shipments before and after it.
 */
import { Intake } from "@dockline/core/document/Intake"
import type { Message } from "@dockline/core/messages/Message"
import type { PalletAnswer } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { Discrepancy } from "@dockline/core/shipment/Discrepancies"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { checkInSteps } from "@dockline/core/values/Vocabulary"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import * as Generators from "../generators/Generators.ts"
import { dashboardUrl, labelsOf, now, recently } from "../generators/Given.ts"
import * as Law from "../Law.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import { aWorld, withItem } from "../worlds/MovementWorld.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"

const day = 86_400

/**
 * Seconds for times of occurrence. Most are within one minute, so that events occur before, with or after each other; some are far ahead,
 * long past, or so early that a departure at that time no longer accepts late pallets.
 */
const seconds = fc.oneof(
  { weight: 12, arbitrary: fc.nat(59) },
  { weight: 1, arbitrary: fc.constantFrom(3600, -40 * day, -5 * day, -4 * day) }
)

/** The time that a second stands for. */
export const timeOf = (second: number): Timestamp.Timestamp =>
  Timestamp.fromMillis(Date.parse(recently("17:00:00.000Z")) + second * 1000)

/** The shipments of {@link motions}, all of which exist from the start. */
export const movingNumbers = ["S1", "S2", "S3"] as const

const numbers = fc.constantFrom(...movingNumbers)
const plates = fc.constantFrom("", "L1", "L2", "L3")

/** Pallet events: mostly valid, so that pallets are loaded and unloaded; each kind of refusal occurs too. */
const crossing = fc.record({
  _tag: fc.constant("Pallet" as const),
  eventId: fc.integer({ min: 1, max: 24 }).map((n) => `E${n}`),
  facility: fc.constantFrom("east", "east", "east", "east", "east", "east", "west"),
  dockSlug: fc.constantFrom("D1", "D1", "D1", "D1", "D2", "D2", "D9"),
  direction: Generators.crossings,
  second: seconds,
  lpn: fc.constantFrom("L1", "L1", "L2", ""),
  shipmentNumber: fc.constantFrom("S1", "S1", "S1", "S2", "", "", "S9")
})

const motion = fc.oneof(
  { arbitrary: crossing, weight: 6 },
  {
    arbitrary: fc.record({ _tag: fc.constant("Document" as const), number: numbers, lpn: plates }),
    weight: 2
  },
  {
    arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), number: numbers, second: seconds }),
    weight: 1
  },
  {
    arbitrary: fc.record({
      _tag: fc.constant("Depart" as const),
      number: numbers,
      second: fc.option(seconds, { nil: undefined })
    }),
    weight: 1
  },
  {
    arbitrary: fc.record({
      _tag: fc.constant("CheckIn" as const),
      number: numbers,
      step: fc.constantFrom(...checkInSteps),
      dockSlug: fc.constantFrom("", "D1", "D1", "D2", "D9"),
      second: seconds
    }),
    weight: 1
  },
  { arbitrary: fc.record({ _tag: fc.constant("Cancel" as const), number: numbers }), weight: 1 },
  { arbitrary: fc.record({ _tag: fc.constant("Link" as const), number: numbers, other: numbers }), weight: 1 }
)

/** One event of shipments in motion: a pallet, a document or a step. */
export type Motion = typeof motion extends fc.Arbitrary<infer A> ? A : never

/**
 * Histories of the shipments {@link movingNumbers}. Many are long, because short ones rarely unload a pallet again before its shipment
 * departs.
 */
export const motions: fc.Arbitrary<ReadonlyArray<Motion>> = fc.array(motion, {
  minLength: 1,
  maxLength: 40,
  size: "medium"
})

type Rows = Effect.Success<ReturnType<Shipments["Service"]["list"]>>["items"]

/** One event, with its result. */
export interface Event {
  readonly motion: Motion
  readonly answer: unknown
  /** The code of the refusal; `undefined` if the event was accepted. */
  readonly code: string | undefined
  /** The messages that the event added. */
  readonly newMessages: ReadonlyArray<Message>
  readonly before: Rows
  readonly after: Rows
  /** After an accepted pallet event or an attempted departure: the discrepancies of its shipment. */
  readonly discrepancies: ReadonlyArray<Discrepancy>
}

/** A history of movements, as a law has run it. */
export interface MovementHistory {
  readonly events: ReadonlyArray<Event>
  readonly messages: ReadonlyArray<Message>
}

const run = Effect.fnUntraced(function*(history: ReadonlyArray<Motion>) {
  const world = yield* aWorld([{ name: "LPN", label: "lpn", list: false }])
  const shipments = yield* Shipments
  const { business, client } = world
  const ids = new Map<string, number>()
  for (const each of movingNumbers) {
    ids.set(each, yield* world.submit(each, [withItem(`Order ${each}`, "L1")]))
  }
  const idOf = (number: string) => String(ids.get(number))
  const list = Effect.map(shipments.list({ business }, client), ({ items }) => items)

  const take = (motion: Motion): Effect.Effect<unknown, { readonly code: string }> => {
    switch (motion._tag) {
      case "Pallet": {
        const { lpn, second, _tag, ...event } = motion
        return world.record({ ...event, occurredAt: timeOf(second), labels: labelsOf(["lpn", lpn]) })
      }
      case "Document":
        return world.submit(motion.number, [
          withItem(`Order ${motion.number}`, motion.lpn || "L4", motion.number)
        ])
      case "Arrive":
        return shipments.arrive(idOf(motion.number), { occurredAt: timeOf(motion.second) }, client)
      case "Depart":
        return shipments.depart(
          idOf(motion.number),
          { occurredAt: motion.second === undefined ? undefined : timeOf(motion.second) },
          client
        )
      case "Cancel":
        return shipments.cancel(idOf(motion.number), client)
      case "CheckIn": {
        const { dockSlug, second, step } = motion
        return shipments.checkIn(idOf(motion.number), { step, dockSlug, occurredAt: timeOf(second) }, client)
      }
      case "Link":
        return shipments.link(idOf(motion.number), idOf(motion.other), client)
    }
  }

  const events: Array<Event> = []
  for (const [index, motion] of history.entries()) {
    const allMessages = yield* world.messages
    const before = yield* list
    const result = yield* at(Date.parse(now) + (index + 1) * 1000)(Effect.result(take(motion)))
    const messages = yield* world.messages
    assert.deepStrictEqual(messages.slice(0, allMessages.length), allMessages)
    const { answer } = (Result.isSuccess(result) ? result.success : {}) as { readonly answer?: PalletAnswer }
    const id = answer?.serviceShipmentId ?? (motion._tag === "Depart" ? idOf(motion.number) : undefined)
    const discrepancies = id === undefined ? undefined : yield* shipments.discrepancies(id, {}, client)
    events.push({
      motion,
      answer: Result.isSuccess(result) ? result.success : undefined,
      code: Result.isFailure(result) ? result.failure.code : undefined,
      newMessages: messages.slice(allMessages.length),
      before,
      after: yield* list,
      discrepancies: discrepancies?.items ?? []
    })
  }
  return { events, messages: yield* world.messages }
})

/**
 * A law of shipments in motion. It builds the stores again for each history, so pass a layer of built stores if building them is costly.
 * Each history has a business of its own.
 */
export type MovementLaw = <E>(stores: Layer.Layer<MovementStores, E>) => Law.Law

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl })
)

/** Makes a law that checks every history with `holds`. */
export const everyHistory =
  (name: string, holds: (history: MovementHistory) => void): MovementLaw => (stores) =>
    Law.effect(
      name,
      motions,
      (history) =>
        Effect.map(run(history), holds).pipe(
          Effect.provide(Layer.provideMerge(services, stores), { local: true })
        ),
      60
    )
