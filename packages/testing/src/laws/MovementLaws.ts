/**
 * Laws of shipments in motion over a storage, over random histories of documents, pallets and steps (D6).
 *
 * Each law is a function of the stores, so that it can check your own storage.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { MessagePayload } from "@dockline/core/messages/Message"
import type { RecordedEvent } from "@dockline/core/movement/Pallet"
import type { Verdict } from "@dockline/core/shipment/Verdict"
import { checkInSteps, shipmentStatuses } from "@dockline/core/values/Vocabulary"
import type { MessageType, ShipmentStatus } from "@dockline/core/values/Vocabulary"
import { Struct } from "effect"
import type { Layer } from "effect"
import * as assert from "../Assert.ts"
import type { Law } from "../Law.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"
import { everyHistory } from "./MovementRun.ts"
import type { Event, MovementLaw } from "./MovementRun.ts"

export type { MovementHistory, MovementLaw } from "./MovementRun.ts"

const isRepeat = ({ answer, code }: Event): boolean =>
  code === undefined && (answer as { readonly repeated?: boolean }).repeated === true

/** Whether an event is a pallet that was recorded after the departure of its shipment. */
const isLate = ({ answer, code, motion }: Event): boolean =>
  motion._tag === "Pallet" && code === undefined && (answer as RecordedEvent).answer.verdict.late === true

const moves: ReadonlySet<MessageType> = new Set(["PALLET_EVENT", "SHIPMENT_COMPLETE"])

/** The messages that report the change of a shipment to a status. */
const steps: Readonly<Record<ShipmentStatus, ReadonlyArray<MessageType>>> = {
  SCHEDULED: [],
  ARRIVED: ["SHIPMENT_ARRIVED"],
  DEPARTED: ["SHIPMENT_COMPLETE"],
  CANCELLED: ["SHIPMENT_CANCELLED"]
}

/** D6.1, D6.6, D15.1: each event has exactly the expected messages. */
export const eachIsToldOnce = everyHistory(
  "D6 every recorded event makes one message, every step one too, what a departure leaves wrong another, and nothing else any",
  ({ events }) => {
    for (const each of events) {
      const { after, before, code, discrepancies, newMessages, motion } = each
      const isRecorded = motion._tag === "Pallet" && code === undefined && !isRepeat(each)
      const transitions = before.flatMap(({ status }, index) => {
        const now = after[index]!
        if (now.status === status) return []
        const isWrong = now.status === "DEPARTED" && discrepancies.length > 0
        return [...steps[now.status], ...(isWrong ? ["SHIPMENT_DISCREPANCIES"] : [])]
      })
      // `discrepanciesAreTold` covers whether a late pallet changes the discrepancies.
      const isToldAnew = isRecorded && isLate(each) && newMessages.at(-1)?.type === "SHIPMENT_DISCREPANCIES"
      assert.deepStrictEqual(newMessages.map(({ type }) => type), [
        ...transitions,
        ...(isRecorded ? ["PALLET_EVENT"] : []),
        ...(isToldAnew ? ["SHIPMENT_DISCREPANCIES"] : [])
      ])
    }
  }
)

/** D6.6, D21.4: a departed shipment has exactly one completion, after all its pallets except late ones. Any other shipment has none. */
export const completionsComeLast = everyHistory(
  "D6.6 a shipment that has departed has exactly one completion, after all its pallets but the late; another has none",
  ({ events, messages }) => {
    for (const { id, status } of events.at(-1)!.after) {
      const moveMessages = messages.filter(({ shipmentId, type }) => shipmentId === id && moves.has(type))
      const isLate = (message: typeof moveMessages[number]) => payloadOf(message)["late"] === true
      const [pallets, late] = [moveMessages, moveMessages].map((all, after) =>
        all.filter((message) => message.type === "PALLET_EVENT" && isLate(message) === (after === 1))
      )
      const completion = moveMessages.filter(({ type }) => type === "SHIPMENT_COMPLETE")
      assert.strictEqual(completion.length, status === "DEPARTED" ? 1 : 0)
      assert.deepStrictEqual(moveMessages, [...pallets!, ...completion, ...late!])
    }
  }
)

/**
 * D15.1, D21.4: the message about a departure has the discrepancies that the list then shows. Another message follows when a late pallet
 * changes them.
 */
export const discrepanciesAreTold = everyHistory(
  "D15.1 the discrepancies of a departure are told as the list shows them afterwards, and anew when a late pallet changes them",
  ({ events }) => {
    const last = new Map<number, unknown>()
    for (const each of events) {
      const { discrepancies, newMessages, motion } = each
      if (!isLate(each) && motion._tag !== "Depart") continue
      for (const message of newMessages.filter(({ type }) => type === "SHIPMENT_DISCREPANCIES")) {
        const discrepancies = payloadOf(message)["discrepancies"]
        assert.notStrictEqual(
          JSON.stringify(discrepancies),
          JSON.stringify(last.get(message.shipmentId) ?? [])
        )
        last.set(message.shipmentId, discrepancies)
      }
      const [move] = newMessages
      if (move !== undefined) assert.deepStrictEqual(last.get(move.shipmentId) ?? [], discrepancies)
    }
  }
)

/** D6.1, D6.5: a refusal changes no shipment, and neither does a repetition. */
export const refusalsAndRepeatsChangeNothing = everyHistory(
  "D6 a refusal changes no shipment, and a repeat neither",
  ({ events }) => {
    for (const each of events) {
      if (each.code !== undefined || isRepeat(each)) assert.deepStrictEqual(each.after, each.before)
    }
  }
)

/** D6.1: an event id always has the same answer. */
export const eventsHaveOneAnswer = everyHistory(
  "D6.1 an event id has one answer for ever",
  ({ events }) => {
    const answers = new Map<string, unknown>()
    for (const { answer, code, motion } of events) {
      if (motion._tag !== "Pallet" || code !== undefined) continue
      const result = answer as { readonly answer: unknown; readonly repeated: boolean }
      const key = `${motion.facility} ${motion.eventId}`
      assert.strictEqual(result.repeated, answers.has(key))
      assert.deepStrictEqual(result.answer, answers.get(key) ?? result.answer)
      answers.set(key, result.answer)
    }
  }
)

/** D1.2, D6.6, D13.9: a status never goes back. A departure completes the orders of a shipment and makes the shipment final. */
export const statusGoesForward = everyHistory(
  "D1.2 status goes forward only; a departed or cancelled shipment never changes but by late pallets, and its orders are completed or cancelled",
  ({ events }) => {
    for (const each of events) {
      const { after, before } = each
      for (const [index, earlier] of before.entries()) {
        const later = after[index]!
        assert.isAtLeast(shipmentStatuses.indexOf(later.status), shipmentStatuses.indexOf(earlier.status))
        const isFinal = earlier.status === "DEPARTED" || earlier.status === "CANCELLED"
        const change = isFinal && isLate(each)
          ? Struct.pick(earlier, ["progress", "statusEvents", "version"])
          : {}
        if (isFinal) assert.deepStrictEqual({ ...later, ...change }, earlier)
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

/** The times of the reported steps of a check-in. */
const notedOf = ({ statusEvents }: Event["after"][number]): ReadonlyMap<string, string> =>
  new Map(
    statusEvents.filter(({ status }) => (checkInSteps as ReadonlyArray<string>).includes(status))
      .map(({ completedAt, status }) => [status, completedAt])
  )

/** D17.3: a check-in never goes back, and does not change the status. */
export const checkInsGoForward = everyHistory(
  "D17.3 a step that was noted stays, with its time unless another door is assigned or a pallet passed before the truck was there; none is noted after a later one, or moves the shipment on",
  ({ events }) => {
    for (const { after, before, motion } of events) {
      for (const [index, earlier] of before.entries()) {
        const later = after[index]!
        const [was, is] = [notedOf(earlier), notedOf(later)]
        const isOtherDoor = motion._tag === "CheckIn" && later.dockSlug !== earlier.dockSlug
        const arrivedAt = later.statusEvents.find(({ status }) => status === "ARRIVED")?.completedAt ?? ""
        for (const [step, at] of was) {
          // A truck is at the facility at the latest when its pallets pass (D21.3).
          const isPassed = step === "AT_FACILITY" && arrivedAt !== "" && arrivedAt < at
          if (isOtherDoor && step === "DOOR_ASSIGNED") continue
          assert.strictEqual(is.get(step), isPassed ? arrivedAt : at, step)
        }
        if (motion._tag !== "CheckIn") {
          assert.strictEqual(is.size, was.size)
          continue
        }
        assert.strictEqual(later.status, earlier.status)
        const last = checkInSteps.findLastIndex((step) => was.has(step))
        const addedAt = checkInSteps.findIndex((step) => is.has(step) && !was.has(step))
        if (addedAt !== -1) assert.isAbove(addedAt, last)
      }
    }
  }
)

const instant = (payload: MessagePayload): number => Date.parse(String(payload["occurredAt"]))

/**
 * The last event of each pallet that remains, in the order of the ids of pallets. Two events in opposite directions cancel out; repetitions
 * do not count.
 */
const departures = (payloads: ReadonlyArray<MessagePayload>) =>
  Array.from(Map.groupBy(payloads, (payload) => Number(payload["servicePalletId"])))
    .sort(([one], [other]) => one - other)
    .flatMap(([, events]) => {
      const turns = events.filter((event, index) => event["direction"] !== events[index - 1]?.["direction"])
      const { occurredAt: _, ...last } = events.at(-1)!
      return turns.length % 2 === 1 ? [last] : []
    })

/** D6.6: a completion lists the pallets that remain after loading and unloading. */
export const completionsListWhatIsLeft = everyHistory(
  "D6.6 a completion lists the pallets that loading and unloading leave, each as its last message told",
  ({ messages }) => {
    for (const completion of messages.filter(({ type }) => type === "SHIPMENT_COMPLETE")) {
      const payloads = messages
        .filter(({ id, type, shipmentId }) =>
          type === "PALLET_EVENT" && shipmentId === completion.shipmentId && id < completion.id
        )
        .map(payloadOf)
        .toSorted((one, other) => instant(one) - instant(other))
      assert.deepStrictEqual(payloadOf(completion)["pallets"], departures(payloads))
    }
  }
)

/** The kinds of discrepancies of a pallet, by its verdict. */
const wrongOf: Readonly<Record<Verdict["kind"], ReadonlyArray<string>>> = {
  EXPECTED: [],
  REPEATED: [],
  WRONG_DOCK: ["WRONG_DOCK"],
  UNEXPECTED: ["OVER"],
  WRONG_SHIPMENT: ["WRONG_SHIPMENT"],
  WRONG_DIRECTION: []
}

/** D15.2: a tower's verdict on a pallet agrees with the discrepancies at that time. */
export const verdictsAgree = everyHistory(
  "D15.2 the verdict on a pallet agrees with the discrepancies that follow, and with the count of what has passed",
  ({ events }) => {
    for (const each of events) {
      const { after, before, code, discrepancies, motion } = each
      if (motion._tag !== "Pallet" || code !== undefined || isRepeat(each)) continue
      const { answer: { servicePalletId, serviceShipmentId, verdict } } = each.answer as RecordedEvent
      const wrong = discrepancies.filter(({ palletId }) => palletId === servicePalletId)
      const isElsewhere = verdict.kind === "UNEXPECTED" || verdict.kind === "WRONG_SHIPMENT" ||
        verdict.kind === "WRONG_DIRECTION"
      // Such a pallet may also be at the wrong dock.
      const kinds = wrong.map(({ kind }) => kind).filter((kind) => !isElsewhere || kind !== "WRONG_DOCK")
      assert.deepStrictEqual(kinds, wrongOf[verdict.kind])
      const other = wrong.find(({ kind }) => kind === "WRONG_SHIPMENT")
      assert.strictEqual(verdict.shipmentId, other?.expectedOnId ?? Number(serviceShipmentId))
      const shipment = after.find(({ id }) => id === verdict.shipmentId)!
      assert.strictEqual(verdict.shipmentNumber, shipment.shipmentNumber)
      assert.strictEqual(verdict.dockSlug, shipment.dockSlug)
      const passCount = (list: Event["after"]): number =>
        list.find(({ id }) => String(id) === serviceShipmentId)!.progress.passedPallets
      const isRight = verdict.kind === "EXPECTED" || verdict.kind === "REPEATED"
      if (isRight) {
        assert.strictEqual(passCount(after) - passCount(before), Number(verdict.kind === "EXPECTED"))
      }
    }
  }
)

/** D21.3: the times of the steps of a shipment are in the order of the steps, whatever times are reported. */
export const timesKeepTheirOrder = everyHistory(
  "D21.3 status events never go back in time; a shipment arrives after it came to the facility and before its pallets pass, and departs after them",
  ({ events, messages }) => {
    for (const { after } of events) {
      for (const { statusEvents } of after) {
        const timesOf = (...names: ReadonlyArray<string>) =>
          names.flatMap((name) =>
            statusEvents.flatMap(({ completedAt, status }) =>
              status === name && completedAt !== "" ? [completedAt] : []
            )
          )
        const times = statusEvents.flatMap(({ completedAt }) => completedAt === "" ? [] : [completedAt])
        for (
          const list of [
            times,
            timesOf("SCHEDULED", "AT_FACILITY", "ARRIVED", "DEPARTED"),
            timesOf("DOOR_ASSIGNED", "DEPARTED"),
            timesOf("SCHEDULED", ...checkInSteps)
          ]
        ) {
          assert.deepStrictEqual(list, list.toSorted())
        }
      }
    }
    for (const { id, statusEvents } of events.at(-1)!.after) {
      const timeOf = (step: string) =>
        Date.parse(statusEvents.find(({ status }) => status === step)?.completedAt ?? "")
      for (const message of messages) {
        if (message.shipmentId !== id || message.type !== "PALLET_EVENT") continue
        const payload = payloadOf(message)
        assert.isAtLeast(instant(payload), timeOf("ARRIVED"))
        const hasDeparted = !Number.isNaN(timeOf("DEPARTED"))
        if (hasDeparted && payload["late"] !== true) assert.isAtMost(instant(payload), timeOf("DEPARTED"))
      }
    }
  }
)

/** D21.2, D21.4: a time that is far in the future or long past is refused, and a late pallet passed before the departure. */
export const timesAreBelieved = everyHistory(
  "D21 no message tells a time far ahead of its own or long past, and late is what passed before the departure of its shipment",
  ({ events, messages }) => {
    const departures = new Map(events.at(-1)!.after.map(({ id, statusEvents }) => [
      id,
      Date.parse(statusEvents.find(({ status }) => status === "DEPARTED")?.completedAt ?? "")
    ]))
    for (const message of messages.filter(({ type }) => type === "PALLET_EVENT")) {
      const payload = payloadOf(message)
      const ahead = instant(payload) - Date.parse(message.sentAt)
      assert.isAtMost(ahead, 300_000)
      assert.isAtLeast(ahead, -30 * 86_400_000)
      if (payload["late"] === true) {
        assert.isAtMost(instant(payload) - departures.get(message.shipmentId)!, 300_000)
        assert.isAtMost(Date.parse(message.sentAt) - departures.get(message.shipmentId)!, 72 * 3_600_000)
      }
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
  discrepanciesAreTold,
  timesKeepTheirOrder,
  timesAreBelieved
]

/** The guarantees of shipments in motion, over these stores. */
export const everyLaw = <E>(stores: Layer.Layer<MovementStores, E>): ReadonlyArray<Law> =>
  all.map((law) => law(stores))
