/**
 * What partners are told of a shipment that departed: a ship notice and shipping advices of an outbound shipment, receiving advices of
 * an inbound one (D18.2).
 *
 * Guarantee: quantities are those of the pallets that passed the door. A set that says the same as the one that was told before is not
 * told again. One that differs replaces it, and is named (D23.8). What X12 cannot hold keeps no other set back. A partner that is told of
 * its own orders is told of no pallet but those that they expect where the shipment has orders of another partner (D23.2).
 */
import type * as Slices from "@dockline/core/input/Slices"
import type { LocatedShipment, Shipment } from "@dockline/core/shipment/Shipment"
import { Result } from "effect"
import type { EdiTerms, ToldSet } from "../domain/EdiPartner.ts"
import type { EdiToldBefore, EdiWords } from "../domain/EdiStore.ts"
import { replacing } from "../sets/Corrections.ts"
import { ordersOn, passedOrders, unexpectedOn } from "../sets/Passed.ts"
import { writeCancellation, writeShipNotice } from "../sets/ShipNoticeWriter.ts"
import { localTime } from "../sets/Times.ts"
import { strangeCharacters } from "../sets/Told.ts"
import type { DraftedSet, Told } from "../sets/Told.ts"
import { writeEmptyReceipts, writeReceiptAdvices, writeShippingAdvices } from "../sets/WarehouseAdvices.ts"
import { wordsIn } from "../sets/Words.ts"
import { segmentFaults, writeSteps } from "../x12/X12Writer.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import { contentOf, earlierOf, keyOf, toldOf } from "./Earlier.ts"
import type { ToldOf } from "./Earlier.ts"
import { groupControl, interchangeFor, setControl } from "./Taken.ts"
import type { Sending } from "./Taken.ts"

/** A set of the text: where it stands there. */
export interface WrittenSet extends ToldOf {
  /** Its control number (ST02), and the kind and the control number of its group (GS01, GS06). */
  readonly control: string
  readonly group: string
  readonly groupControl: string
}

/** A set that cannot be written: `faults` names each value, or the segment of which there is none. */
export interface UnwrittenSet extends ToldOf {
  readonly faults: ReadonlyArray<WriteFault>
}

/** What a partner is told of a shipment. */
export interface Telling {
  /** The text of the interchange; `""` if nothing is told. */
  readonly text: string
  /** The sets of the text, in their order. */
  readonly sets: ReadonlyArray<WrittenSet>
  /**
   * The LPNs of pallets that passed and that no order expects, so that no set tells of them; `""` for one without a label. None on a
   * shipment with orders of another partner that are not told.
   */
  readonly unexpected: ReadonlyArray<string>
  /** The sets of the text that differ from what was told before. */
  readonly changed: ReadonlyArray<ToldOf>
  /** The sets that are left out of the text, as X12 cannot hold them, or as there is nothing that they could tell. */
  readonly unwritten: ReadonlyArray<UnwrittenSet>
  /** What the record is to say of the sets: what they tell by default, or do not tell, or not every partner can read (D23.3). */
  readonly notes: ReadonlyArray<string>
}

/** What is known beside the shipment. */
export interface TellingOptions {
  /** The time zone of the facility (D13.7). */
  readonly timeZone: string
  readonly sending: Sending
  /** What told of the shipment before. Unless `only` is given, what says the same again is not told, and nor is what cannot be written again. */
  readonly before?: EdiToldBefore | undefined
  /** The words in which the partner has said the goods of its orders. */
  readonly words?: ReadonlyArray<EdiWords> | undefined
  /** The sets that are told anew (D23.6); all unless given. */
  readonly only?: ReadonlyArray<ToldOf> | undefined
  /** Whose orders are told (D23.2); those of all unless given. */
  readonly owner?: string | undefined
}

/** The group of each kind of set (GS01). */
const groupIds = { "856": "SH", "945": "SW", "944": "RE" } as const

/** Writes what a partner is told of a shipment that departed, in steps. */
export function* tell(
  { location, shipment }: LocatedShipment,
  partner: EdiTerms,
  { before, only, owner, sending, timeZone, words = [] }: TellingOptions
): Slices.Steps<Telling> {
  const nothing: Telling = { text: "", sets: [], unexpected: [], changed: [], unwritten: [], notes: [] }
  if (shipment.departedAt === null) return nothing
  // On a load that partners share nobody knows whose a pallet is that no order expects.
  const unexpected = owner !== undefined && isShared(shipment, owner) ? [] : unexpectedOn(shipment)
  const told: Told = {
    shipment: owner === undefined ? shipment : ofOwner(shipment, owner),
    unexpected,
    words: new Map(words.map(({ orderNumber, words }) => [orderNumber, wordsIn(words)])),
    facility: location.facility,
    at: localTime(shipment.departedAt, timeZone)
  }
  const earlier = before && (yield* earlierOf(before))
  const isKept = (set: DraftedSet) => earlier?.isKept(keyOf(set)) === true
  const isCorrection = earlier !== undefined && only === undefined
  const isAsked = (set: ToldOf) => only === undefined || only.some((each) => isSame(each, set))
  const voids = earlier === undefined ? [] : voidSets(told, partner).filter(isKept)
  const sets = [...setsOf(told, partner), ...voids].filter((set) =>
    isAsked(toldOf(set)) && !(isCorrection && earlier.contentOf(keyOf(set)) === contentOf(set))
  )
  const empty = isCorrection ? [] : notToldOf(told, partner, sets.map(toldOf), only)
  const corrected = sets.filter(isKept).map(toldOf)
  const notes = [...(isCorrection ? correctionNotes(corrected) : []), ...notesOf(told, sets)]
  if (sets.length === 0) return { ...nothing, unexpected, notes, unwritten: empty }
  const replaced = sets.map((set) => isKept(set) ? replacing(set) : set)
  const { text, unwritten, written } = yield* writeWhatFits(replaced, partner, sending)
  return {
    text,
    sets: placesIn(written, sending),
    unexpected,
    changed: written.map(toldOf).filter((set) => corrected.some((each) => isSame(each, set))),
    unwritten: [
      ...(isCorrection ? unwritten.filter((set) => !earlier.isUnwritten(set)) : unwritten),
      ...empty
    ],
    notes
  }
}

const correctionNotes = (corrected: ReadonlyArray<ToldOf>): ReadonlyArray<string> => {
  const named = corrected.slice(0, mostNotes).map(({ id, number }) => `${id} ${number}`).join(", ")
  const more = corrected.length > mostNotes ? ` and ${corrected.length - mostNotes} more` : ""
  return corrected.length === 0
    ? []
    : [`Pallets came late: these sets replace what was told before: ${named}${more}.`]
}

/** Whether a shipment has an order of another partner. */
const isShared = ({ orders }: Shipment, name: string): boolean =>
  orders.some(({ owner }) => owner !== undefined && owner !== name)

/** A shipment with the orders of an owner alone. */
const ofOwner = (shipment: Shipment, name: string): Shipment => ({
  ...shipment,
  orders: shipment.orders.filter(({ owner }) => owner === name)
})

const setsOf = (told: Told, { tells }: EdiTerms): ReadonlyArray<DraftedSet> => {
  const isOutbound = told.shipment.direction === "OUTBOUND"
  const written = {
    "856": () => isOutbound ? [writeShipNotice(told)].filter(({ length }) => length > 0) : [],
    "945": () => isOutbound ? writeShippingAdvices(told) : [],
    "944": () => told.shipment.direction === "INBOUND" ? writeReceiptAdvices(told) : []
  }
  return Array.from(new Set(tells)).flatMap((id) => written[id]().map((segments) => ({ id, segments })))
}

/** What replaces sets that told of goods of which nothing has passed after all: a cancellation, and receipts of nothing. */
const voidSets = (told: Told, { tells }: EdiTerms): ReadonlyArray<DraftedSet> => {
  const passed = passedOrders(told.shipment, told.unexpected)
  const written = {
    "856": () => passed.length === 0 ? [writeCancellation(told)] : [],
    "945": () => [],
    "944": () => writeEmptyReceipts(told)
  }
  return Array.from(new Set(tells)).flatMap((id) =>
    directions[id] === told.shipment.direction ? written[id]().map((segments) => ({ id, segments })) : []
  )
}

const isSame = (one: ToldOf, other: ToldOf): boolean => one.id === other.id && one.number === other.number

const lacking = (id: ToldSet, number: string, place: string, why: string): UnwrittenSet => ({
  id,
  number,
  faults: [{ place, value: number, detail: `cannot be written, as ${why}` }]
})

/** What is not told beside some sets, as there is nothing to tell, or no longer. */
const notToldOf = (
  told: Told,
  partner: EdiTerms,
  sets: ReadonlyArray<ToldOf>,
  only: ReadonlyArray<ToldOf> | undefined
): ReadonlyArray<UnwrittenSet> => {
  const isAsked = (set: ToldOf) => only === undefined || only.some((each) => isSame(each, set))
  const emptied = emptySets(told, partner).filter((set) =>
    isAsked(set) && !sets.some((each) => isSame(each, set))
  )
  return [...emptied, ...goneOf(only ?? [], [...sets, ...emptied])]
}

/** The sets that are to be told anew and of which there is nothing to tell any longer. */
const goneOf = (
  only: ReadonlyArray<ToldOf>,
  known: ReadonlyArray<ToldOf>
): ReadonlyArray<UnwrittenSet> =>
  only.filter((each) => !known.some((other) => isSame(each, other))).map(({ id, number }) =>
    lacking(id, number, "ST", "the partner is no longer told it of the shipment")
  )

/** The sets that a partner is not told, as there is nothing that they could tell: each with what it lacks. */
const emptySets = (told: Told, { tells }: EdiTerms): ReadonlyArray<UnwrittenSet> => {
  const { shipment, unexpected } = told
  const { direction, number } = shipment
  const orders = ordersOn(shipment)
  const passed = new Set(passedOrders(shipment, unexpected).map(({ order }) => order.number))
  const nothing = "nothing that was expected has passed the door"
  const empty = {
    "856": () => passed.size > 0 || orders.length === 0 ? [] : [lacking("856", number, "HL", nothing)],
    "945": () =>
      orders.filter(({ loose, pallets }) => loose.length + pallets.length === 0)
        .map(({ order }) => lacking("945", order.number, "LX", "the order has no line with a quantity")),
    "944": () =>
      orders.filter(({ order }) => !passed.has(order.number))
        .map(({ order }) => lacking("944", order.number, "W07", nothing))
  }
  return Array.from(new Set(tells)).flatMap((id) => directions[id] === direction ? empty[id]() : [])
}

const directions: Readonly<Record<ToldSet, string>> = {
  "856": "OUTBOUND",
  "945": "OUTBOUND",
  "944": "INBOUND"
}

/** The most values, and the most LPNs, that are noted one by one. */
const mostNotes = 20

const notesOf = (
  { shipment, unexpected }: Told,
  sets: ReadonlyArray<DraftedSet>
): ReadonlyArray<string> => {
  const loose = ordersOn(shipment).filter(({ loose }) => loose.length > 0)
  const named = unexpected.slice(0, mostNotes).map((lpn) => lpn === "" ? "one without a label" : lpn).join(
    ", "
  )
  const more = unexpected.length > mostNotes ? ` and ${unexpected.length - mostNotes} more` : ""
  return [
    ...(unexpected.length === 0 ? [] : [
      `Pallets passed that no order expects, so that no set names their goods: ${named}${more}.`
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

interface Fitting extends Pick<Telling, "text" | "unwritten"> {
  readonly written: ReadonlyArray<DraftedSet>
}

/** Writes the sets that X12 can hold: none where it cannot hold their envelope. */
function* writeWhatFits(
  sets: ReadonlyArray<DraftedSet>,
  partner: EdiTerms,
  sending: Sending
): Slices.Steps<Fitting> {
  const whole = yield* writeSteps(interchangeFor(partner, groupsOf(sets), sending))
  if (Result.isSuccess(whole)) return { text: whole.success, written: sets, unwritten: [] }
  const written: Array<DraftedSet> = []
  const unwritten: Array<UnwrittenSet> = []
  for (const set of sets) {
    const faults = yield* segmentFaults(set.segments, partner.release)
    if (faults.length === 0) written.push(set)
    else unwritten.push({ ...toldOf(set), faults })
  }
  if (written.length === 0) return { text: "", written, unwritten }
  const rest = yield* writeSteps(interchangeFor(partner, groupsOf(written), sending))
  if (Result.isSuccess(rest)) return { text: rest.success, written, unwritten }
  const without = written.map((set) => ({ ...toldOf(set), faults: rest.failure }))
  return { text: "", written: [], unwritten: [...unwritten, ...without] }
}

const groupsOf = (sets: ReadonlyArray<DraftedSet>) =>
  Array.from(
    Map.groupBy(sets, ({ id }) => id),
    ([id, ofKind]) => ({ functionalId: groupIds[id], sets: ofKind })
  )

/** Where sets stand in the interchange that is written of them. */
const placesIn = (sets: ReadonlyArray<DraftedSet>, { group }: Sending): ReadonlyArray<WrittenSet> =>
  groupsOf(sets).flatMap(({ functionalId, sets }, index) =>
    sets.map((set, place) => ({
      ...toldOf(set),
      control: setControl(place),
      group: functionalId,
      groupControl: groupControl(group, index)
    }))
  )
