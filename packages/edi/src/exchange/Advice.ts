/**
 * The sets that tell partners about a departed shipment: a ship notice and shipping advices of an outbound shipment, receiving advices of
 * an inbound one (D18.2).
 *
 * Guarantee: quantities are those of the pallets that passed the door (`sets/AdviceSets`). A set is compared with the last set about the
 * same subject, without the marks of a replacement. A set with the same content is not sent again, unless `only` names it; a set with other
 * content is sent as a replacement, and listed in `corrections` (D23.8). A set that X12 cannot hold delays no other set. If a shipment also
 * has orders of another partner, a partner that is told only about its own orders is told only about pallets that these orders expect
 * (D23.2).
 */
import type * as Slices from "@dockline/core/input/Slices"
import type { LocatedShipment, Shipment } from "@dockline/core/shipment/Shipment"
import { Result } from "effect"
import type { AdviceKind, EdiTerms } from "../domain/EdiPartner.ts"
import type { AdviceHistory, EdiWords } from "../domain/EdiStore.ts"
import {
  isCancellation,
  ordersOn,
  passedOrders,
  replacing,
  unexpectedOn,
  withoutCorrection,
  writeCancellation,
  writeEmptyReceipts,
  writeReceiptAdvices,
  writeShipNotice,
  writeShippingAdvices
} from "../sets/AdviceSets.ts"
import type { AdviceSet, Departure } from "../sets/AdviceSets.ts"
import { localTime } from "../sets/Times.ts"
import { wordsIn } from "../sets/Words.ts"
import { withoutEnd } from "../x12/Fault.ts"
import { readSteps } from "../x12/X12Reader.ts"
import { segmentFaults, writeSteps } from "../x12/X12Writer.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import { groupControl, interchangeFor, setControl } from "./SetResult.ts"
import type { Sending } from "./SetResult.ts"

/** A set of the text, with its control numbers. */
export interface WrittenSet extends AdviceSubject {
  /** The control number of the set (ST02), and the kind and the control number of its group (GS01, GS06). */
  readonly control: string
  readonly group: string
  readonly groupControl: string
}

/** A set that cannot be written. `faults` names each wrong value, or the missing segment. */
export interface UnwrittenSet extends AdviceSubject {
  readonly faults: ReadonlyArray<WriteFault>
}

/** The advice to a partner about a shipment. */
export interface Advice {
  /** The text of the interchange; `""` if there is nothing to send. */
  readonly text: string
  /** The sets of the text, in their order. */
  readonly sets: ReadonlyArray<WrittenSet>
  /**
   * The LPNs of pallets that passed although no order expects them; `""` for a pallet without a label. No set mentions them. The list is
   * empty if the shipment has orders of another partner that are left out.
   */
  readonly unexpected: ReadonlyArray<string>
  /** The sets of the text that replace a set that the partner has. */
  readonly corrections: ReadonlyArray<AdviceSubject>
  /** The sets missing from the text: X12 cannot hold them, they would have no content, or the partner no longer gets them. */
  readonly unwritten: ReadonlyArray<UnwrittenSet>
  /** Notes for the record: default values in the sets, facts that the sets omit, and texts that not every partner can read (D23.3). */
  readonly notes: ReadonlyArray<string>
}

/** The facts that an advice needs besides the shipment. */
export interface AdviceOptions {
  /** The time zone of the facility (D13.7). */
  readonly timeZone: string
  readonly sending: Sending
  /**
   * The earlier files about the shipment. Unless `only` is given, a set is left out if the last set about its subject has the same content,
   * or if it could not be written before and still cannot.
   */
  readonly before?: AdviceHistory | undefined
  /** The partner's codes for the goods of its orders. */
  readonly words?: ReadonlyArray<EdiWords> | undefined
  /** The sets to be sent again (D23.6); all sets when absent. */
  readonly only?: ReadonlyArray<AdviceSubject> | undefined
  /** The owner about whose orders the partner is told (D23.2); all orders when absent. */
  readonly owner?: string | undefined
}

/** The group of each kind of set (GS01). */
const groupIds = { "856": "SH", "945": "SW", "944": "RE" } as const

/** Writes the sets that tell a partner about a departed shipment, in steps. */
export function* writeAdvice(
  { location, shipment }: LocatedShipment,
  partner: EdiTerms,
  { before, only, owner, sending, timeZone, words = [] }: AdviceOptions
): Slices.Steps<Advice> {
  const nothing: Advice = { text: "", sets: [], unexpected: [], corrections: [], unwritten: [], notes: [] }
  if (shipment.departedAt === null) return nothing
  // If several partners share a load, an unexpected pallet may belong to any of them.
  const unexpected = owner !== undefined && isShared(shipment, owner) ? [] : unexpectedOn(shipment)
  const departure: Departure = {
    shipment: owner === undefined ? shipment : ofOwner(shipment, owner),
    unexpected,
    words: new Map(words.map(({ orderNumber, words }) => [orderNumber, wordsIn(words)])),
    facility: location.facility,
    at: localTime(shipment.departedAt, timeZone)
  }
  const earlier = before && (yield* historyOf(before))
  const isKept = (set: AdviceSet) => earlier?.isKept(keyOf(set)) === true
  const isCorrection = earlier !== undefined && only === undefined
  const isAsked = (set: AdviceSubject) => only === undefined || only.some((each) => isSame(each, set))
  const voids = earlier === undefined ? [] : voidSets(departure, partner).filter(isKept)
  const sets = [...setsOf(departure, partner), ...voids].filter((set) =>
    isAsked(subjectOf(set)) && !(isCorrection && earlier.contentOf(keyOf(set)) === contentOf(set))
  )
  const empty = isCorrection ? [] : withoutAdvice(departure, partner, sets.map(subjectOf), only)
  const corrections = sets.filter(isKept).map(subjectOf)
  const notes = [...(isCorrection ? correctionNotes(corrections) : []), ...notesOf(departure, sets)]
  if (sets.length === 0) return { ...nothing, unexpected, notes, unwritten: empty }
  const replacements = sets.map((set) => isKept(set) ? replacing(set) : set)
  const { text, unwritten, sets: fittingSets } = yield* writeWhatFits(replacements, partner, sending)
  return {
    text,
    sets: placesIn(fittingSets, sending),
    unexpected,
    corrections: fittingSets.map(subjectOf).filter((set) => corrections.some((each) => isSame(each, set))),
    unwritten: [
      ...(isCorrection ? unwritten.filter((set) => !earlier.isUnwritten(set)) : unwritten),
      ...empty
    ],
    notes
  }
}

const correctionNotes = (corrections: ReadonlyArray<AdviceSubject>): ReadonlyArray<string> => {
  const names = corrections.slice(0, mostNotes).map(({ id, number }) => `${id} ${number}`).join(", ")
  const more = corrections.length > mostNotes ? ` and ${corrections.length - mostNotes} more` : ""
  return corrections.length === 0
    ? []
    : [`Pallets came late: these sets replace what was told before: ${names}${more}.`]
}

/** Whether a shipment has an order of another partner. */
const isShared = ({ orders }: Shipment, name: string): boolean =>
  orders.some(({ owner }) => owner !== undefined && owner !== name)

/** A shipment with only the orders of an owner. */
const ofOwner = (shipment: Shipment, name: string): Shipment => ({
  ...shipment,
  orders: shipment.orders.filter(({ owner }) => owner === name)
})

const setsOf = (departure: Departure, { tells }: EdiTerms): ReadonlyArray<AdviceSet> => {
  const isOutbound = departure.shipment.direction === "OUTBOUND"
  const writers = {
    "856": () => isOutbound ? [writeShipNotice(departure)].filter(({ length }) => length > 0) : [],
    "945": () => isOutbound ? writeShippingAdvices(departure) : [],
    "944": () => departure.shipment.direction === "INBOUND" ? writeReceiptAdvices(departure) : []
  }
  return Array.from(new Set(tells)).flatMap((id) => writers[id]().map((segments) => ({ id, segments })))
}

/** The sets that replace earlier sets about goods that did not pass after all: a cancellation of a ship notice, and empty receipts. */
const voidSets = (departure: Departure, { tells }: EdiTerms): ReadonlyArray<AdviceSet> => {
  const orders = passedOrders(departure.shipment, departure.unexpected)
  const writers = {
    "856": () => orders.length === 0 ? [writeCancellation(departure)] : [],
    "945": () => [],
    "944": () => writeEmptyReceipts(departure)
  }
  return Array.from(new Set(tells)).flatMap((id) =>
    directions[id] === departure.shipment.direction ? writers[id]().map((segments) => ({ id, segments })) : []
  )
}

const isSame = (one: AdviceSubject, other: AdviceSubject): boolean =>
  one.id === other.id && one.number === other.number

const lacking = (id: AdviceKind, number: string, place: string, why: string): UnwrittenSet => ({
  id,
  number,
  faults: [{ place, value: number, detail: `cannot be written, as ${why}` }]
})

/** The sets that are left out because they have no content, or because the partner no longer gets them. */
const withoutAdvice = (
  departure: Departure,
  partner: EdiTerms,
  sets: ReadonlyArray<AdviceSubject>,
  only: ReadonlyArray<AdviceSubject> | undefined
): ReadonlyArray<UnwrittenSet> => {
  const isAsked = (set: AdviceSubject) => only === undefined || only.some((each) => isSame(each, set))
  const empties = emptySets(departure, partner).filter((set) =>
    isAsked(set) && !sets.some((each) => isSame(each, set))
  )
  return [...empties, ...staleSubjects(only ?? [], [...sets, ...empties])]
}

/**
 * The sets to be sent again that neither have content nor are empty: the partner no longer gets their kind, or the order has left the
 * shipment.
 */
const staleSubjects = (
  only: ReadonlyArray<AdviceSubject>,
  others: ReadonlyArray<AdviceSubject>
): ReadonlyArray<UnwrittenSet> =>
  only.filter((each) => !others.some((other) => isSame(each, other))).map(({ id, number }) =>
    lacking(id, number, "ST", "the partner is no longer told it of the shipment")
  )

/** The sets that a partner does not get because they would have no content, each with the missing segment. */
const emptySets = (departure: Departure, { tells }: EdiTerms): ReadonlyArray<UnwrittenSet> => {
  const { shipment, unexpected } = departure
  const { direction, number } = shipment
  const orders = ordersOn(shipment)
  const passedNumbers = new Set(passedOrders(shipment, unexpected).map(({ order }) => order.number))
  const nothing = "nothing that was expected has passed the door"
  const empty = {
    "856": () => passedNumbers.size > 0 || orders.length === 0 ? [] : [lacking("856", number, "HL", nothing)],
    "945": () =>
      orders.filter(({ loose, pallets }) => loose.length + pallets.length === 0)
        .map(({ order }) => lacking("945", order.number, "LX", "the order has no line with a quantity")),
    "944": () =>
      orders.filter(({ order }) => !passedNumbers.has(order.number))
        .map(({ order }) => lacking("944", order.number, "W07", nothing))
  }
  return Array.from(new Set(tells)).flatMap((id) => directions[id] === direction ? empty[id]() : [])
}

const directions: Readonly<Record<AdviceKind, string>> = {
  "856": "OUTBOUND",
  "945": "OUTBOUND",
  "944": "INBOUND"
}

/** The most values, and the most LPNs, that notes list one by one. */
const mostNotes = 20

const notesOf = (
  { shipment, unexpected }: Departure,
  sets: ReadonlyArray<AdviceSet>
): ReadonlyArray<string> => {
  const loose = ordersOn(shipment).filter(({ loose }) => loose.length > 0)
  const names = unexpected.slice(0, mostNotes).map((lpn) => lpn === "" ? "one without a label" : lpn).join(
    ", "
  )
  const more = unexpected.length > mostNotes ? ` and ${unexpected.length - mostNotes} more` : ""
  return [
    ...(unexpected.length === 0 ? [] : [
      `Pallets passed that no order expects, so that no set names their goods: ${names}${more}.`
    ]),
    ...(loose.length === 0 || sets.length === 0 ? [] : [
      `Lines without plates are told as ${
        unexpected.length === 0
          ? "not moved, as no pallet passed that is known to hold them"
          : "moved in full, as nothing says better what was on the pallets"
      }: orders ${loose.slice(0, mostNotes).map(({ order }) => order.number).join(", ")}.`
    ]),
    ...sets.flatMap(strangeCharacters).slice(0, mostNotes)
  ]
}

interface Fitting extends Pick<Advice, "text" | "unwritten"> {
  readonly sets: ReadonlyArray<AdviceSet>
}

/** Writes the sets that X12 can hold. Writes nothing if X12 cannot hold the envelope. */
function* writeWhatFits(
  sets: ReadonlyArray<AdviceSet>,
  partner: EdiTerms,
  sending: Sending
): Slices.Steps<Fitting> {
  const whole = yield* writeSteps(interchangeFor(partner, groupsOf(sets), sending))
  if (Result.isSuccess(whole)) return { text: whole.success, sets, unwritten: [] }
  const fitting: Array<AdviceSet> = []
  const unwritten: Array<UnwrittenSet> = []
  for (const set of sets) {
    const faults = yield* segmentFaults(set.segments, partner.release)
    if (faults.length === 0) fitting.push(set)
    else unwritten.push({ ...subjectOf(set), faults })
  }
  if (fitting.length === 0) return { text: "", sets: fitting, unwritten }
  const rest = yield* writeSteps(interchangeFor(partner, groupsOf(fitting), sending))
  if (Result.isSuccess(rest)) return { text: rest.success, sets: fitting, unwritten }
  const without = fitting.map((set) => ({ ...subjectOf(set), faults: rest.failure }))
  return { text: "", sets: [], unwritten: [...unwritten, ...without] }
}

const groupsOf = (sets: ReadonlyArray<AdviceSet>) =>
  Array.from(
    Map.groupBy(sets, ({ id }) => id),
    ([id, ofKind]) => ({ functionalId: groupIds[id], sets: ofKind })
  )

/** The control numbers that sets get in the interchange that is written from them. */
const placesIn = (sets: ReadonlyArray<AdviceSet>, { group }: Sending): ReadonlyArray<WrittenSet> =>
  groupsOf(sets).flatMap(({ functionalId, sets }, index) =>
    sets.map((set, place) => ({
      ...subjectOf(set),
      control: setControl(place),
      group: functionalId,
      groupControl: groupControl(group, index)
    }))
  )

/** A character that X12 does not have: not a space, a visible ASCII character, or one of the letters of other languages in the set. */
const outside = /[^ -~ÀÁÂÄàáâäÈÉÊèéêëÌÍÎìíîïÒÓÔÖòóôöÙÚÛÜùúûüÇçÑñ¿¡]/u

/** Notes about the elements of a set with characters that X12 does not have, and that not every partner can read. */
const strangeCharacters = ({ id, segments }: AdviceSet): ReadonlyArray<string> =>
  segments.flatMap((each) =>
    each.elements.flatMap((element, index) => {
      const character = outside.exec(String(element))?.[0]
      const place = `${each.id}${String(index + 1).padStart(2, "0")}`
      return character === undefined ? [] : [
        `${place} of the ${id} has the character ${character}, which X12 does not have: not every partner can read it.`
      ]
    })
  )

/** A set, with the number of its order, or of its shipment for a ship notice. */
export interface AdviceSubject {
  readonly id: AdviceKind
  readonly number: string
}

/** The earlier advices about a shipment. */
export interface History {
  /** The content of the last set with this key; `undefined` without any. */
  readonly contentOf: (key: string) => string | undefined
  /**
   * Whether the partner may have a set with this key: the last set that it did not reject is no cancellation. If older files are missing
   * from the history, a key without any set also counts.
   */
  readonly isKept: (key: string) => boolean
  /** Whether a set about this subject could not be written. */
  readonly isUnwritten: (set: AdviceSubject) => boolean
}

/** The numbers of the elements in the first segment of a set that identify its subject: BSN02; W0602 and W0604; W1704 and W1705. */
const places: Readonly<Record<AdviceKind, ReadonlyArray<number>>> = {
  "856": [2],
  "945": [2, 4],
  "944": [4, 5]
}

/** Whether a kind of set tells about a departed shipment. */
export const isAdviceKind = (id: string): id is AdviceKind => Object.hasOwn(places, id)

/** The numbers that identify the subject of a set: of the shipment for a ship notice, of the order and the shipment for an advice. */
const numbersOf = ({ id, segments: [first] }: AdviceSet): ReadonlyArray<string> =>
  places[id].map((place) => String(first?.elements[place - 1] ?? ""))

/** The subject of a set: its kind, and the number of the shipment or order. */
export const subjectOf = (set: AdviceSet): AdviceSubject => ({ id: set.id, number: numbersOf(set)[0] ?? "" })

/** Two sets with the same key are about the same shipment or order. */
export const keyOf = (set: AdviceSet): string => JSON.stringify([set.id, ...numbersOf(set)])

/**
 * The content of a set, for comparisons. It leaves out the first segment of a ship notice (number, purpose and time) and the marks of a
 * replacement.
 */
export const contentOf = (set: AdviceSet): string => {
  const { id, segments } = withoutCorrection(set)
  return (id === "856" ? segments.slice(1) : segments)
    .map(({ elements, id }) => withoutEnd([id, ...elements].join("*"), "*")).join("~")
}

/** Reads the earlier sets in steps. An unreadable text counts as empty. */
export function* historyOf({ files, isWhole }: AdviceHistory): Slices.Steps<History> {
  const contents = new Map<string, string>()
  const keptKeys = new Map<string, boolean>()
  const unwritten = new Set<string>()
  for (const { sets, text } of files) {
    const outcomes = new Map(sets.map(({ kind, number, outcome }) => [`${kind} ${number}`, outcome]))
    for (const [name, outcome] of outcomes) if (outcome === "UNWRITTEN") unwritten.add(name)
    for (const set of yield* setsIn(text)) {
      const key = keyOf(set)
      if (!contents.has(key)) contents.set(key, contentOf(set))
      if (keptKeys.has(key) || outcomes.get(nameOf(subjectOf(set))) === "REJECTED") continue
      keptKeys.set(key, !isCancellation(set))
    }
  }
  return {
    contentOf: (key) => contents.get(key),
    isKept: (key) => keptKeys.get(key) ?? (!isWhole && !contents.has(key)),
    isUnwritten: (set) => unwritten.has(nameOf(set))
  }
}

/** The name of a set, by which the record identifies it. */
const nameOf = ({ id, number }: AdviceSubject): string => `${id} ${number}`

/** The sets of a text that are about shipments. */
function* setsIn(text: string): Slices.Steps<ReadonlyArray<AdviceSet>> {
  if (text === "") return []
  const reading = yield* readSteps(text)
  if (Result.isFailure(reading)) return []
  return reading.success.flatMap(({ groups }) => groups).flatMap(({ sets }) => sets)
    .flatMap(({ id, segments }) => isAdviceKind(id) ? [{ id, segments }] : []).toReversed()
}
