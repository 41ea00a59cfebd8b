/**
 * Executes the sets of a file over the services of core: submits a document, cancels a shipment.
 *
 * Guarantee: a set is executed as a whole or rejected, by the rules of documents, in the name of its partner: it changes nothing that
 * belongs to another partner (D23.2). If the storage fails or a permission is missing, the whole file fails instead, and may be sent again.
 * The entities that a set loads are in memory only while the set is executed, so that the memory for a file does not grow with its sets.
 */
import { readScopes } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { AnswerMemory, OpenAnswerMemory } from "@dockline/core/access/RequestLimits"
import { hasOthers } from "@dockline/core/document/Decision"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import { Strategies } from "@dockline/core/document/Strategy"
import * as Slices from "@dockline/core/input/Slices"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { Order, Shipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { ShipmentView } from "@dockline/core/shipment/View"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  ShipmentConflict,
  ShipmentNotFound,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import { Data, Effect } from "effect"
import type { EdiPartner } from "../domain/EdiPartner.ts"
import type { Cancellation, DocumentMeaning, Replacement, Source } from "../sets/SetContent.ts"
import type { ReadSet } from "../sets/SetReader.ts"
import { elementCodes, faultOf, maxSetFaults, segmentCodes } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { SetOutcome, SetWork } from "./SetResult.ts"

/** The refusals that do not concern a single set. They end the file, which has to be sent again, or by another client. */
const ending = [Overloaded, StorageUnavailable, Forbidden, BusinessNotFound, FacilityNotFound]

export type Ending = InstanceType<(typeof ending)[number]>

const isEnding = (refusal: unknown): refusal is Ending => ending.some((each) => refusal instanceof each)

const rejection: SetOutcome = { _tag: "Rejected" }

/** The most sets of a file that are executed at once. Documents that wait at the same time share a transaction. */
export const setsAtOnce = 32

/**
 * Divides the sets of a group into runs. The sets of a run may be executed at once, because none depends on another. Documents with the
 * same number of a shipment or of an order depend on each other. The replacement of an earlier notice depends on all sets, because it reads
 * which orders the shipment still has; a set that is no document depends on all sets too.
 */
export const runsOf = (sets: ReadonlyArray<ReadSet>): ReadonlyArray<ReadonlyArray<ReadSet>> => {
  const runs: Array<Array<ReadSet>> = []
  let numbersOfRun: Set<string> | undefined
  for (const set of sets) {
    const numbers = numbersOf(set)
    const numbersBefore = numbersOfRun
    if (numbersBefore !== undefined && numbers?.every((number) => !numbersBefore.has(number)) === true) {
      runs.at(-1)?.push(set)
    } else {
      runs.push([set])
      numbersOfRun = numbers && new Set()
    }
    for (const number of numbers ?? []) numbersOfRun?.add(number)
  }
  return runs
}

/**
 * The numbers of the shipment and of the orders in a document, in one spelling. Empty for a rejected set; `undefined` for a set that
 * depends on all others.
 */
const numbersOf = ({ meaning }: ReadSet): ReadonlyArray<string> | undefined => {
  if (meaning === undefined) return []
  if (meaning._tag !== "Document" || meaning.replaces !== undefined) return undefined
  const { orders = [], shipmentNumber = "" } = meaning.document
  return [shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)]
    .map((number) => number.normalize("NFKC").trim().toLowerCase())
}

/** Makes the function that executes sets. A refusal that the sender can correct rejects the set. */
export const setProcessor = Effect.gen(function*() {
  const intake = yield* Intake
  const store = yield* ShipmentStore
  const shipments = yield* Shipments
  // A line that names no pallet becomes an item without an LPN (D23.3).
  const rules = { vocabulary: yield* Vocabulary, strategies: yield* Strategies, isLpnOptional: true }
  const read = DocumentInput.stepReader(rules)

  const submit = Effect.fnUntraced(
    function*(meaning: DocumentMeaning, { key: owner }: EdiPartner, principal: Principal) {
      const { document, replaces } = meaning
      const reading = Effect.flatMap(
        Effect.suspend(() => Slices.runInTurn(read(document, true))),
        Effect.fromResult
      )
      const { shipment } = yield* intake.receiveAlongside(
        Effect.map(reading, (document) => ({ document, also: { owner } })),
        principal
      )
      const { id, shipmentNumber } = shipment
      const outcome: SetOutcome = { _tag: "Document", shipmentId: String(id), shipmentNumber }
      const match = replaces === undefined ? null : yield* store.find(Number(id), readScopes(principal))
      const own = match?.shipment.orders.filter((order) => order.owner === owner) ?? []
      const faults = replaces === undefined
        ? []
        : [...unnamedFaults(replaces, document, own), ...totalFaults(meaning, own)]
      return { outcome, faults: [...faults, ...headFaults(meaning, shipment)] } satisfies SetWork
    }
  )

  const cancel = Effect.fnUntraced(
    function*(
      { direction, order, shipmentNumber, source }: Cancellation,
      { business, facility, key: owner }: EdiPartner,
      principal: Principal
    ) {
      const { items: [shipment] } = yield* shipments.list({ business, facility, shipmentNumber }, principal)
      if (shipment === undefined) return yield* new ShipmentNotFound({ id: shipmentNumber })
      const shipmentId = String(shipment.id)
      yield* shipments.cancelUnless(shipmentId, principal, ({ shipment }) => {
        const fault = (order && orderFault(order, shipment.orders, owner)) ??
          foreignFault(source, shipment, owner)
        if (fault !== undefined) return new SetRefusal({ fault })
        // An inbound notice cancels no outbound load: the same rule applies to documents.
        return shipment.direction === direction
          ? undefined
          : new ShipmentConflict({ shipmentNumber, reason: "DIRECTION" })
      })
      const outcome: SetOutcome = { _tag: "Cancelled", shipmentId, shipmentNumber }
      return { outcome, faults: [] } satisfies SetWork
    }
  )

  return Effect.fnUntraced(
    function*({ faults, meaning }: ReadSet, partner: EdiPartner, principal: Principal) {
      if (meaning === undefined) return { faults, outcome: rejection } satisfies SetWork
      if (meaning._tag === "Acknowledged") return { faults, outcome: meaning } satisfies SetWork
      const sourceAt = meaning._tag === "Document" ? meaning.sourceAt : () => meaning.source
      const work: Effect.Effect<SetWork, CatalogueError | SetRefusal> = meaning._tag === "Document"
        ? submit(meaning, partner, principal)
        : cancel(meaning, partner, principal)
      const { memory, release } = (yield* OpenAnswerMemory)(principal)
      const workInMemory = Effect.ensuring(
        Effect.provideService(work, AnswerMemory, memory),
        Effect.sync(release)
      )
      const done = yield* Effect.catch(workInMemory, (refusal): Effect.Effect<SetWork, Ending> => {
        if (isEnding(refusal)) return Effect.fail(refusal)
        const faultsOfRefusal = refusal instanceof SetRefusal
          ? [refusal.fault]
          : refusalFaults(refusal, sourceAt)
        return Effect.succeed({ faults: faultsOfRefusal, outcome: rejection })
      })
      return { ...done, faults: [...faults, ...done.faults] } satisfies SetWork
    }
  )
})

/** Notes the partner's orders that a set replaces without naming any of their items. Their items stay expected. */
const unnamedFaults = (
  { isWhole, remedy, source: { element, segment } }: Replacement,
  document: DocumentMeaning["document"],
  orders: ReadonlyArray<Order>
): ReadonlyArray<Fault> => {
  const withItems = new Map(
    document.orders?.map(({ items, orderNumber }) => [orderNumber, items !== undefined])
  )
  const leftovers = orders.filter(({ items, number }) =>
    items.length > 0 && withItems.get(number) !== true && (isWhole || withItems.has(number))
  )
  return leftovers.length === 0 ? [] : [faultOf(segment, {
    element,
    code: elementCodes.code,
    detail: `the shipment still expects ${
      leftovers.length === 1 ? "the order" : `${leftovers.length} orders, the first of them`
    } ${leftovers[0]?.number}, of which the set has no item`,
    remedy,
    isNoted: true
  })]
}

/** Notes the orders whose lines all have the quantity 0: their expected total stays, because 0 in a document changes nothing (D3.7). */
const totalFaults = (
  { document, sourceAt }: DocumentMeaning,
  orders: ReadonlyArray<Order>
): ReadonlyArray<Fault> => {
  const totals = new Map(orders.map(({ expectedQuantity, number }) => [number, expectedQuantity]))
  return (document.orders ?? []).flatMap(({ expectedQuantity, items = [], orderNumber }, index) => {
    const total = totals.get(orderNumber) ?? 0
    const isOfNothing = items.length > 0 && items.every(({ quantity = 0 }) => quantity === 0)
    if (!isOfNothing || expectedQuantity !== undefined || total === 0) return []
    const { element, segment } = sourceAt(`orders[${index}].items[0].quantity`)
    return [faultOf(segment, {
      element,
      code: elementCodes.code,
      detail:
        `the order ${orderNumber} still expects ${total} in all, as a document cannot say that it expects nothing`,
      remedy: "Cancel it, or send what is expected of it.",
      isNoted: true
    })]
  })
}

/** The refusal of a cancellation that would also cancel other orders or orders of another partner, or whose order is not on the load. */
class SetRefusal extends Data.TaggedError("SetRefusal")<{ readonly fault: Fault }> {}

/**
 * The reason why an order is not cancelled; `undefined` if it is. A load can only be cancelled as a whole, so it must contain this order
 * and no other.
 */
const orderFault = (
  { number, source: { element, segment } }: NonNullable<Cancellation["order"]>,
  orders: ReadonlyArray<Order>,
  owner: string
): Fault | undefined => {
  const match = orders.find((order) => order.number === number)
  if (match !== undefined && (match.owner ?? owner) !== owner) {
    return foreign({ element, segment }, `the order ${number} belongs to another partner`)
  }
  const isThere = match !== undefined
  if (isThere && orders.length === 1) return undefined
  return faultOf(segment, {
    element,
    code: elementCodes.code,
    detail: isThere
      ? "the load has other orders; a document cannot cancel one of them"
      : "the order is not on the load",
    remedy: isThere ? "Send the others on another load (N9*LO) first." : "Send its load (N9*LO)."
  })
}

const foreign = ({ element, segment }: Source, detail: string): Fault =>
  faultOf(segment, {
    element,
    code: elementCodes.code,
    detail,
    remedy: "Send the number of one that your files have made."
  })

/**
 * The reason why a shipment is not cancelled: it belongs to another partner, or has an order of another partner (D23.2). Otherwise
 * `undefined`.
 */
const foreignFault = (source: Source, shipment: Shipment, owner: string): Fault | undefined => {
  if (!hasOthers(shipment, owner)) return undefined
  const isShared = shipment.orders.some((order) => order.owner === owner)
  const detail = isShared ? "also has orders of another partner" : "belongs to another partner"
  return foreign(source, `the shipment ${shipment.number} ${detail}`)
}

/**
 * Notes the fields in which a set differs from a shipment that another partner has created. These fields of the shipment stay unchanged
 * (D23.2).
 */
const headFaults = (
  { document, sourceAt }: DocumentMeaning,
  shipment: Pick<ShipmentView, "additionalFields" | "carrier" | "expectedArrivalAt" | "trailerNumber">
): ReadonlyArray<Fault> => {
  const { additionalFields = [], carrier = "", expectedArrivalAt = "", trailerNumber = "" } = document
  const fields = new Map(shipment.additionalFields.map(({ name, value }) => [name, value]))
  const values: ReadonlyArray<
    readonly [path: string, name: string, given: string, kept: string | undefined]
  > = [
    ["carrier", "carrier", carrier, shipment.carrier],
    ["trailerNumber", "trailerNumber", trailerNumber, shipment.trailerNumber],
    [
      "expectedArrivalAt",
      "expectedArrivalAt",
      expectedArrivalAt === shipment.expectedArrivalAt
        ? expectedArrivalAt
        : Timestamp.parse(expectedArrivalAt) ?? "",
      shipment.expectedArrivalAt
    ],
    ...additionalFields.map(({ name, value = "" }, index) =>
      [`additionalFields[${index}]`, name, value, fields.get(name)] as const
    )
  ]
  return values.slice(0, maxSetFaults).flatMap(([path, field, value, present]) => {
    if (value === "" || value === present) return []
    const { element, segment } = sourceAt(path)
    return [faultOf(segment, {
      element,
      code: element === 0 ? segmentCodes.elements : elementCodes.code,
      detail: `the load was made by another partner, whose ${field} stays`,
      remedy: "Agree on it with the facility; the orders are taken.",
      isNoted: true
    })]
  })
}

/** The faults of a set whose document or cancellation is refused. The fault of a field names the segment of its value. */
const refusalFaults = (
  { errors = [], message }: CatalogueError,
  sourceAt: (path: string) => Source
): ReadonlyArray<Fault> => {
  const causes = errors.length > 0 ? errors : [{ path: "", detail: message }]
  return causes.slice(0, 100).map(({ detail, path }) => {
    const { element, segment } = sourceAt(path)
    return faultOf(segment, {
      element,
      code: element === 0 ? segmentCodes.elements : elementCodes.code,
      detail: path === "" ? detail.replace(/\.$/, "") : `${path} ${detail}`,
      remedy: "Fix it, and send the set again."
    })
  })
}
