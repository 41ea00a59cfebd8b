/**
 * Laws of shipments in motion over a storage, over random histories of documents, pallets and steps (D6).
 *
 * Each is a function of the stores, so that your own storage can be held to it.
 */
import { payloadOf } from "@dockline/core/Message"
import type { MessagePayload } from "@dockline/core/Message"
import type { RecordedEvent } from "@dockline/core/Pallet"
import type { Verdict } from "@dockline/core/Verdict"
import { checkInSteps, shipmentStatuses } from "@dockline/core/Vocabulary"
import type { MessageType, ShipmentStatus } from "@dockline/core/Vocabulary"
import type { Layer } from "effect"
import * as assert from "../Assert.ts"
import type { Law } from "../Law.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"
import { everyHistory } from "./MovementRun.ts"
import type { Happened, MovementLaw } from "./MovementRun.ts"

export type { MovementHistory, MovementLaw } from "./MovementRun.ts"

const isRepeat = ({ answer, code }: Happened): boolean =>
  code === undefined && (answer as { readonly repeated?: boolean }).repeated === true

const moves: ReadonlySet<MessageType> = new Set(["PALLET_EVENT", "SHIPMENT_COMPLETE"])

/** The messages that tell how a shipment went from one status to another. */
const steps: Readonly<Record<ShipmentStatus, ReadonlyArray<MessageType>>> = {
  SCHEDULED: [],
  ARRIVED: ["SHIPMENT_ARRIVED"],
  DEPARTED: ["SHIPMENT_COMPLETE"],
  CANCELLED: ["SHIPMENT_CANCELLED"]
}

/** D6.1, D6.6, D15.1: what happens is told once, and nothing else is. */
export const eachIsToldOnce = everyHistory(
  "D6 every recorded event makes one message, every step one too, a departure another if something is wrong, and nothing else any",
  ({ happened }) => {
    for (const each of happened) {
      const { after, before, code, discrepancies, made, motion } = each
      const isRecorded = motion._tag === "Pallet" && code === undefined && !isRepeat(each)
      const stepped = before.flatMap(({ status }, index) => {
        const now = after[index]!
        if (now.status === status) return []
        const isWrong = now.status === "DEPARTED" && discrepancies.length > 0
        return [...steps[now.status], ...(isWrong ? ["SHIPMENT_DISCREPANCIES"] : [])]
      })
      assert.deepStrictEqual(made.map(({ type }) => type), [
        ...stepped,
        ...(isRecorded ? ["PALLET_EVENT"] : [])
      ])
    }
  }
)

/** D6.6: a shipment that has departed has exactly one completion, after all its pallets; another has none. */
export const completionsComeLast = everyHistory(
  "D6.6 a shipment that has departed has exactly one completion, after all its pallets; another has none",
  ({ happened, messages }) => {
    for (const { id, status } of happened.at(-1)!.after) {
      const types = messages
        .filter(({ shipmentId, type }) => shipmentId === id && moves.has(type))
        .map(({ type }) => type)
      const pallets = types.filter((type) => type === "PALLET_EVENT")
      assert.deepStrictEqual(types, status === "DEPARTED" ? [...pallets, "SHIPMENT_COMPLETE"] : pallets)
    }
  }
)

/** D15.1: what a departure leaves wrong is told as the list shows it from then on. */
export const discrepanciesAreTold = everyHistory(
  "D15.1 the discrepancies of a departure are told as the list shows them afterwards",
  ({ happened }) => {
    for (const { discrepancies, made, motion } of happened) {
      const told = made.filter(({ type }) => type === "SHIPMENT_DISCREPANCIES")
      if (motion._tag === "Depart" && made.length > 0) {
        assert.deepStrictEqual(
          told.map(payloadOf).flatMap((payload) => payload["discrepancies"]),
          discrepancies
        )
      }
    }
  }
)

/** D6.1, D6.5: a refusal changes no shipment, and a repeat neither. */
export const refusalsAndRepeatsChangeNothing = everyHistory(
  "D6 a refusal changes no shipment, and a repeat neither",
  ({ happened }) => {
    for (const each of happened) {
      if (each.code !== undefined || isRepeat(each)) assert.deepStrictEqual(each.after, each.before)
    }
  }
)

/** D6.1: an event id has one answer for ever. */
export const eventsHaveOneAnswer = everyHistory(
  "D6.1 an event id has one answer for ever",
  ({ happened }) => {
    const answers = new Map<string, unknown>()
    for (const { answer, code, motion } of happened) {
      if (motion._tag !== "Pallet" || code !== undefined) continue
      const given = answer as { readonly answer: unknown; readonly repeated: boolean }
      const key = `${motion.facility} ${motion.eventId}`
      assert.strictEqual(given.repeated, answers.has(key))
      assert.deepStrictEqual(given.answer, answers.get(key) ?? given.answer)
      answers.set(key, given.answer)
    }
  }
)

/** D1.2, D6.6, D13.9: status goes forward only; departure completes the orders of a shipment and makes it final. */
export const statusGoesForward = everyHistory(
  "D1.2 status goes forward only; a departed or cancelled shipment never changes, and its orders are completed or cancelled",
  ({ happened }) => {
    for (const { after, before } of happened) {
      for (const [index, earlier] of before.entries()) {
        const later = after[index]!
        assert.isAtLeast(shipmentStatuses.indexOf(later.status), shipmentStatuses.indexOf(earlier.status))
        const isFinal = earlier.status === "DEPARTED" || earlier.status === "CANCELLED"
        if (isFinal) assert.deepStrictEqual(later, earlier)
        if (later.status === "CANCELLED") assert.include(["SCHEDULED", "CANCELLED"], earlier.status)
        const expected = later.status === "DEPARTED"
          ? "COMPLETED"
          : later.status === "CANCELLED"
          ? "CANCELLED"
          : "CREATED"
        for (const { status } of later.orders) assert.strictEqual(status, expected)
      }
    }
  }
)

/** The times of the steps of a check-in that were noted. */
const notedOf = ({ statusEvents }: Happened["after"][number]): ReadonlyMap<string, string> =>
  new Map(
    statusEvents.filter(({ status }) => (checkInSteps as ReadonlyArray<string>).includes(status))
      .map(({ completedAt, status }) => [status, completedAt])
  )

/** D17.3: a check-in goes forward only, and stands beside the status. */
export const checkInsGoForward = everyHistory(
  "D17.3 a step that was noted stays, with its time unless another door is assigned; none is noted after a later one, or moves the shipment on",
  ({ happened }) => {
    for (const { after, before, motion } of happened) {
      for (const [index, earlier] of before.entries()) {
        const later = after[index]!
        const [was, is] = [notedOf(earlier), notedOf(later)]
        const isOtherDoor = motion._tag === "CheckIn" && later.dockSlug !== earlier.dockSlug
        for (const [step, at] of was) {
          if (!(isOtherDoor && step === "DOOR_ASSIGNED")) assert.strictEqual(is.get(step), at, step)
        }
        if (motion._tag !== "CheckIn") {
          assert.strictEqual(is.size, was.size)
          continue
        }
        assert.strictEqual(later.status, earlier.status)
        const last = checkInSteps.findLastIndex((step) => was.has(step))
        const added = checkInSteps.findIndex((step) => is.has(step) && !was.has(step))
        if (added !== -1) assert.isAbove(added, last)
      }
    }
  }
)

const instant = (payload: MessagePayload): number => Date.parse(String(payload["occurredAt"]))

/** The last event of each pallet that is on the truck, in the order of their ids: repeats and pairs fall away. */
const left = (told: ReadonlyArray<MessagePayload>) =>
  Array.from(Map.groupBy(told, (payload) => Number(payload["servicePalletId"])))
    .sort(([one], [other]) => one - other)
    .flatMap(([, events]) => {
      const turns = events.filter((event, index) => event["direction"] !== events[index - 1]?.["direction"])
      const { occurredAt: _, ...last } = events.at(-1)!
      return turns.length % 2 === 1 ? [last] : []
    })

/** D6.6: a completion lists the pallets that loading and unloading leave. */
export const completionsListWhatIsLeft = everyHistory(
  "D6.6 a completion lists the pallets that loading and unloading leave, each as its last message told",
  ({ messages }) => {
    for (const completion of messages.filter(({ type }) => type === "SHIPMENT_COMPLETE")) {
      const told = messages
        .filter(({ type, shipmentId }) => type === "PALLET_EVENT" && shipmentId === completion.shipmentId)
        .map(payloadOf)
        .toSorted((one, other) => instant(one) - instant(other))
      assert.deepStrictEqual(payloadOf(completion)["pallets"], left(told))
    }
  }
)

/** The kinds of what may be wrong with a pallet, by the verdict on it. */
const wrongOf: Readonly<Record<Verdict["kind"], ReadonlyArray<string>>> = {
  EXPECTED: [],
  REPEATED: [],
  WRONG_DOCK: ["WRONG_DOCK"],
  UNEXPECTED: ["OVER"],
  WRONG_SHIPMENT: ["WRONG_SHIPMENT"],
  WRONG_DIRECTION: []
}

/** D15.2: what a tower is told of a pallet is what the discrepancies say of it then. */
export const verdictsAgree = everyHistory(
  "D15.2 the verdict on a pallet agrees with the discrepancies that follow, and with the count of what has passed",
  ({ happened }) => {
    for (const each of happened) {
      const { after, before, code, discrepancies, motion } = each
      if (motion._tag !== "Pallet" || code !== undefined || isRepeat(each)) continue
      const { answer: { servicePalletId, serviceShipmentId, verdict } } = each.answer as RecordedEvent
      const wrong = discrepancies.filter(({ palletId }) => palletId === servicePalletId)
      const isElsewhere = verdict.kind === "UNEXPECTED" || verdict.kind === "WRONG_SHIPMENT" ||
        verdict.kind === "WRONG_DIRECTION"
      // A pallet that should not be there, or has gone back, may be at another dock as well.
      const kinds = wrong.map(({ kind }) => kind).filter((kind) => !isElsewhere || kind !== "WRONG_DOCK")
      assert.deepStrictEqual(kinds, wrongOf[verdict.kind])
      const other = wrong.find(({ kind }) => kind === "WRONG_SHIPMENT")
      assert.strictEqual(verdict.shipmentId, other?.expectedOnId ?? Number(serviceShipmentId))
      const shipment = after.find(({ id }) => id === verdict.shipmentId)!
      assert.strictEqual(verdict.shipmentNumber, shipment.shipmentNumber)
      assert.strictEqual(verdict.dockSlug, shipment.dockSlug)
      const passed = (list: Happened["after"]): number =>
        list.find(({ id }) => String(id) === serviceShipmentId)!.progress.passedPallets
      const isRight = verdict.kind === "EXPECTED" || verdict.kind === "REPEATED"
      if (isRight) assert.strictEqual(passed(after) - passed(before), Number(verdict.kind === "EXPECTED"))
    }
  }
)

const all: ReadonlyArray<MovementLaw> = [
  eachIsToldOnce,
  completionsComeLast,
  refusalsAndRepeatsChangeNothing,
  eventsHaveOneAnswer,
  statusGoesForward,
  checkInsGoForward,
  completionsListWhatIsLeft,
  verdictsAgree,
  discrepanciesAreTold
]

/** What shipments in motion promise, over these stores. */
export const everyLaw = <E>(stores: Layer.Layer<MovementStores, E>): ReadonlyArray<Law> =>
  all.map((law) => law(stores))
