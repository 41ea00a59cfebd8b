/**
 * The guarantees for documents: the items of an acknowledged document stay, any other document is done completely or not at all, nothing is
 * done twice, and the record has the outcome of each.
 */
import type { AskedOf, EventOf, Lpns, Mark, ShownItem, ShownShipment } from "../history/History.ts"
import { correlationOf } from "../history/History.ts"
import { found, isOk, mayBeLost } from "./Facts.ts"
import type { Call, Facts, Finding, Request } from "./Facts.ts"

/** The keys of the items of a shipment, order number and lpn, each as often as it occurs. */
export const lpnsIn = (shipment: ShownShipment | undefined): ReadonlyArray<string> =>
  (shipment?.orders ?? []).flatMap(({ items, orderNumber }) =>
    items.map(({ lpn }) => `${orderNumber} ${lpn}`)
  )

/** The keys of the items of a document, in the form of {@link lpnsIn}. */
export const keysOf = (lpns: Lpns): ReadonlyArray<string> =>
  Object.entries(lpns).flatMap(([order, all]) => all.map((lpn) => `${order} ${lpn}`))

/** A document that writes a field of an item that several clients share. */
export type FieldWrite = Request<"add"> & { readonly asked: { readonly mark: Mark } }

/** The writes of each field, in their order. Only one client writes a field, and it sends one write after another. */
export const writesOfFields = (facts: Facts): ReadonlyArray<ReadonlyArray<FieldWrite>> => {
  const writes = facts.of("add").filter((request): request is FieldWrite => request.asked.mark !== undefined)
  return [...Map.groupBy(writes, ({ asked: { mark } }) => `${mark.order} ${mark.lpn} ${mark.field}`).values()]
}

/** Whether a value is that of a write, or of a later write that began before an event. */
export const isValueSince = (
  value: string | undefined,
  writes: ReadonlyArray<FieldWrite>,
  { invoked }: FieldWrite,
  before: number
): boolean =>
  writes.some((write) =>
    write.invoked.seq >= invoked.seq && write.invoked.seq < before && write.asked.mark.value === value
  )

export const itemIn = (
  shipment: ShownShipment | undefined,
  order: string,
  lpn: string
): ShownItem | undefined =>
  shipment?.orders.find(({ orderNumber }) => orderNumber === order)?.items.find((item) => item.lpn === lpn)

/** The items that only this document added, with the ids in its answer. */
const itemsInAnswer = ({ acknowledged, asked: { own } }: Request<"add">) =>
  Object.entries(own).flatMap(([order, lpns]) =>
    lpns.flatMap((lpn) => {
      const id = itemIn(acknowledged?.answer.shipments?.at(0), order, lpn)?.id
      return id === undefined ? [] : [{ order, lpn, id }]
    })
  )

const completionsOf = (facts: Facts, shipmentId: number): ReadonlyArray<EventOf<"log">> =>
  facts.log.filter((each) => each.messageType === "SHIPMENT_COMPLETE" && each.shipmentId === shipmentId)

/** Acknowledged entities exist at the end (D2.1), with the ids of the answers. */
export const acknowledgedIsDurable = function*(facts: Facts): Finding {
  for (const request of facts.acknowledged("add")) {
    const { own, shipment } = request.asked
    const stored = facts.storedAs(request)
    const storedKeys = new Set(lpnsIn(stored?.shipment))
    const lost = keysOf(own).filter((key) => !storedKeys.has(key)).join(", ")
    if (lost !== "") yield found(`acknowledged items of ${shipment} are not stored: ${lost}`, request, stored)
    const lpnsWithOtherIds = itemsInAnswer(request).filter(({ id, lpn, order }) =>
      (itemIn(stored?.shipment, order, lpn)?.id ?? id) !== id
    ).map(({ lpn }) => lpn).join(", ")
    if (lpnsWithOtherIds !== "") {
      yield found(`items of ${shipment} have other ids than were told: ${lpnsWithOtherIds}`, request, stored)
    }
  }
  for (const request of [...facts.acknowledged("arrive"), ...facts.acknowledged("depart")]) {
    const { operation, shipmentId } = request.asked
    const stored = facts.storedUnder(shipmentId)
    const before = operation === "arrive" ? ["SCHEDULED"] : ["SCHEDULED", "ARRIVED"]
    if (stored !== undefined && before.includes(stored.shipment.status)) {
      const text = `is ${stored.shipment.status}, though ${operation} was acknowledged`
      yield found(`shipment ${shipmentId} ${text}`, request, stored)
    }
    if (operation === "depart" && completionsOf(facts, shipmentId).length === 0) {
      yield found(`the departure of ${shipmentId} was acknowledged, and the log does not tell of it`, request)
    }
  }
  for (const request of facts.acknowledged("event")) {
    const { acknowledged: { answer: { messageId } }, asked: { eventId, occurredAt }, business } = request
    const message = facts.log.find((each) =>
      each.business === business && each.pallets[0]?.occurredAt === occurredAt &&
      each.messageType === "PALLET_EVENT"
    )
    if (message !== undefined && message.id === messageId) continue
    const held = message?.id ?? "none of it"
    const text = `event ${eventId} was acknowledged as message ${messageId}; the log holds ${held}`
    yield found(text, request, message)
  }
}

/** A field has the value of the last acknowledged write of its client, or of a later one, whatever others write beside it (D3.1, D3.6). */
export const noLostUpdate = function*(facts: Facts): Finding {
  for (const writes of writesOfFields(facts)) {
    const last = writes.findLast(({ acknowledged }) => acknowledged !== undefined)
    if (last === undefined) continue
    const { field, lpn, order, value } = last.asked.mark
    const stored = facts.storedAs(last)
    const present = itemIn(stored?.shipment, order, lpn)?.[field]
    if (isValueSince(present, writes, last, Infinity)) continue
    yield found(`${field} of ${lpn} says ${present}, not ${value}, which was acknowledged last`, last, stored)
  }
}

/** A document is done completely or not at all; a refused one has no effect (D2.1). A departure completes all orders (D6.6). */
export const allOrNothing = function*(facts: Facts): Finding {
  for (const request of facts.of("add")) {
    const stored = facts.storedAs(request)
    const storedKeys = new Set(lpnsIn(stored?.shipment))
    const own = keysOf(request.asked.own)
    const count = own.filter((key) => storedKeys.has(key)).length
    if (count === 0 || (count === own.length && !request.isRefused)) continue
    const what = request.isRefused ? "a refused document" : `a document of ${own.length} items`
    yield found(`${count} items of ${what} are stored in ${request.asked.shipment}`, request, stored)
  }
  for (const stored of facts.stored) {
    const { id, orders, status } = stored.shipment
    const isGone = status === "DEPARTED"
    if (orders.some((order) => (order.status === "COMPLETED") !== isGone)) {
      const statuses = orders.map((order) => order.status).join(", ")
      yield found(`the orders of shipment ${id}, which is ${status}, are ${statuses}`, stored)
    }
    const completions = completionsOf(facts, id)
    if ((completions.length > 0) === isGone) continue
    yield found(
      `shipment ${id} is ${status}, and the log holds ${completions.length} completions of it`,
      stored,
      completions
    )
  }
}

/** The groups of entries that share a key. */
const groupsSharing = <A>(all: ReadonlyArray<A>, key: (each: A) => string): ReadonlyArray<ReadonlyArray<A>> =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1)

/** The duplicates within one shipment. */
const duplicatesIn = (shipment: ShownShipment): ReadonlyArray<string> =>
  [
    ...groupsSharing(shipment.orders.map(({ orderNumber }) => `order ${orderNumber}`), (name) => name),
    ...groupsSharing(lpnsIn(shipment).map((key) => `item ${key}`), (name) => name)
  ].map(([name]) => `${name} twice in shipment ${shipment.id}`)

/** Each request is done once, however often it is repeated, and however many come at once (D3.1, D5.2, D6.1). */
export const noDoubling = function*(facts: Facts): Finding {
  yield* storedTwice(facts)
  yield* idsThatGoBack(facts)
  for (const call of facts.calls.filter(isOk)) {
    const shipments = call.outcome.answer.shipments ?? []
    for (const text of shipments.flatMap(duplicatesIn)) yield found(`an answer shows ${text}`, call)
    if (call.invoke.asked.operation === "read" && shipments.length > 1) {
      yield found(`an answer shows ${shipments.length} shipments where there is to be one`, call)
    }
  }
  const subjectOf = ({ business, exception, messageType, pallets, shipmentId }: EventOf<"log">) =>
    messageType === "PALLET_EVENT"
      ? `${business} ${pallets[0]?.occurredAt}`
      : `${messageType} ${exception?.id ?? shipmentId}`
  // Discrepancies are reported again when a late pallet changes them.
  const uniqueMessages = facts.log.filter(({ messageType }) => messageType !== "SHIPMENT_DISCREPANCIES")
  for (const all of groupsSharing(uniqueMessages, subjectOf)) {
    yield found(`one pallet event or departure has the messages ${all.map(({ id }) => id).join(", ")}`, all)
  }
  for (const request of facts.requests) {
    const { asked: { operation }, calls, once } = request
    if (!once || !["add", "overwrite", "event"].includes(operation)) continue
    const answers = calls.filter(isOk).map(({ outcome: { answer } }) =>
      operation === "event" ? `${answer.messageId} ${answer.verdict}` : answer.digest
    )
    if (new Set(answers).size < 2) continue
    yield found(`a repeat of one request was answered in another way: ${operation}`, request)
  }
}

const storedTwice = function*({ stored }: Facts): Finding {
  for (const each of stored) for (const text of duplicatesIn(each.shipment)) yield found(text, each)
  const placed = stored.map((each) => ({ ...each, place: `${each.business} ${each.facility}` }))
  for (const all of groupsSharing(placed, ({ place, shipment }) => `${place} ${shipment.shipmentNumber}`)) {
    yield found(`shipment ${all[0]!.shipment.shipmentNumber} is stored ${all.length} times`, all)
  }
  const orders = placed.flatMap((each) => each.shipment.orders.map((order) => ({ ...each, order })))
  for (const all of groupsSharing(orders, ({ order, place }) => `${place} ${order.orderNumber}`)) {
    yield found(`order ${all[0]!.order.orderNumber} is stored ${all.length} times`, all)
  }
  const items = orders.flatMap((each) => each.order.items.map(({ id }) => ({ ...each, id })))
  for (const all of groupsSharing(items, ({ business, id }) => `${business} ${id}`)) {
    yield found(`${all.length} items of ${all[0]!.business} have the id ${all[0]!.id}`, all)
  }
}

/** Ids grow within a business: a document that is sent after an answer gives its items higher ids than those in the answer. */
const idsThatGoBack = function*(facts: Facts): Finding {
  const adds = facts.acknowledged("add").map((request) => ({ request, items: itemsInAnswer(request) }))
  for (const { items, request } of adds) {
    const before = adds.filter((other) =>
      other.request.business === request.business && other.request.acknowledged.seq < request.invoked.seq
    )
    const highest = Math.max(...before.flatMap((other) => other.items.map(({ id }) => Number(id))))
    for (const { id, lpn } of items) {
      if (Number(id) <= highest) {
        yield found(`item ${lpn} got the id ${id}, after ${highest} was told`, request)
      }
    }
  }
}

type Recorded = EventOf<"recorded">

const isTaken = ({ outcome }: Recorded): boolean => outcome !== "REFUSED"

/** The refusals that a decision makes; they are recorded at the first try under a key. */
const decisionRefusals = new Set(["SHIPMENT_CANCELLED", "SHIPMENT_DEPARTED"])

/**
 * The record has one entry for each decided document, with its outcome, and no other entries (D13.6). The correlation id of an entry is
 * that of a try.
 */
export const recordTellsTheTruth = function*(facts: Facts): Finding {
  const entries = facts.events("recorded")
  yield* requestsNotAsRecorded(facts, entries)
  yield* entriesWithoutRequest(facts, entries)
  if (entries.length === 0 && facts.calls.some(isOk)) {
    yield found("the record of documents was not collected")
  }
}

const documentsOf = (facts: Facts) => [...facts.of("add"), ...facts.of("overwrite"), ...facts.of("notice")]

const requestsNotAsRecorded = function*(facts: Facts, all: ReadonlyArray<Recorded>): Finding {
  const byId = Map.groupBy(all, ({ correlationId }) => correlationId)
  const entriesOf = ({ invoke }: Call) => byId.get(correlationOf(invoke.call)) ?? []
  for (const request of documentsOf(facts)) {
    const { asked: { operation, shipment }, calls } = request
    const entries = calls.flatMap(entriesOf)
    if (operation === "notice") {
      // A notice is sent again until its answer comes, and each repeat may be recorded as a document: so only one entry is required.
      if (request.acknowledged === undefined || entries.some(isTaken)) continue
      yield found(`a notice of ${shipment} was acknowledged, and no document of it is recorded`, request)
      continue
    }
    const text = wrongAboutDocument(facts, request as Request<"add" | "overwrite">, entries)
    if (text !== undefined) yield found(`a document for ${shipment} ${text}`, request, entries)
    for (const call of calls) {
      const text = wrongAboutTry(call, entriesOf(call))
      if (text !== undefined) {
        yield found(`a try of a document for ${shipment} ${text}`, call, entriesOf(call))
      }
    }
  }
}

const entriesWithoutRequest = function*(facts: Facts, entries: ReadonlyArray<Recorded>): Finding {
  const tries = new Map(
    documentsOf(facts).flatMap(({ asked: { shipment }, calls }) =>
      calls.map(({ invoke }) => [correlationOf(invoke.call), { invoke, shipment }] as const)
    )
  )
  for (const entry of entries) {
    const { business, client, correlationId, facility, shipmentNumber } = entry
    const { invoke, shipment } = tries.get(correlationId) ?? {}
    const isSameDocument = invoke?.business === business && invoke.facility === facility &&
      invoke.client === client && shipment === shipmentNumber
    if (isSameDocument) continue
    const what = `a document of ${client} for ${shipmentNumber}`
    yield found(`the record tells of ${what} that was not sent (${correlationId})`, invoke, entry)
  }
}

const wrongAboutDocument = (
  facts: Facts,
  request: Request<"add" | "overwrite">,
  entries: ReadonlyArray<Recorded>
): string | undefined => {
  const { acknowledged, asked, calls, once } = request
  const taken = entries.filter(isTaken)
  if (once && taken.length > 1) return `is recorded as taken ${taken.length} times`
  if (acknowledged !== undefined && taken.length === 0) return "was acknowledged, and is not recorded"
  const refusals = calls.filter((call) => !mayBeLost(call, facts.gap))
    .flatMap(({ outcome }) => outcome?.type === "refused" ? [outcome.code] : [])
  if (refusals.some((code) => decisionRefusals.has(code)) && entries.length === taken.length) {
    return `was refused with ${refusals.join(", ")}, and is not recorded`
  }
  if (asked.operation !== "add") return undefined
  const storedKeys = new Set(lpnsIn(facts.storedAs(request as Request<"add">)?.shipment))
  const isDone = keysOf((asked as AskedOf<"add">).own).some((key) => storedKeys.has(key))
  if (isDone && taken.length === 0) return "is stored, and not recorded as taken"
  return !isDone && taken.length > 0 ? "is not stored, and recorded as taken" : undefined
}

/** How the record is wrong about one try that the service has answered, or may have executed. */
const wrongAboutTry = ({ outcome }: Call, entries: ReadonlyArray<Recorded>): string | undefined => {
  if (entries.length > 1) return `is recorded ${entries.length} times`
  const [only] = entries
  if (outcome?.type === "ok" && outcome.answer.replayed !== true) {
    const { counts } = outcome.answer
    return only === undefined || !isTaken(only)
      ? `was acknowledged, and is recorded as ${only?.outcome ?? "nothing"}`
      : counts === undefined || String(counts) === String(only.counts)
      ? undefined
      : `was answered with the counts ${counts}, and is recorded with ${only.counts}`
  }
  if (only === undefined) return undefined
  if (outcome?.type === "ok") return "was answered with what is kept under its key, and is recorded"
  return outcome?.type === "refused" && (isTaken(only) || only.code !== outcome.code)
    ? `was refused with ${outcome.code}, and is recorded as ${only.outcome} ${only.code}`
    : undefined
}
