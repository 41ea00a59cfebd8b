/**
 * What is promised of documents: an acknowledged one stays, of any other all or nothing is done, and nothing twice.
 */
import type { EventOf, Lpns, Mark, ShownItem, ShownShipment } from "../history/History.ts"
import { isOk, seqsOf } from "./CheckerFacts.ts"
import type { Facts, Invariant, Request } from "./CheckerFacts.ts"

/** The lpns of a shipment, each as often as it is there, by order. */
export const lpnsIn = (shipment: ShownShipment | undefined): ReadonlyArray<string> =>
  (shipment?.orders ?? []).flatMap(({ items, orderNumber }) =>
    items.map(({ lpn }) => keyOf(orderNumber, lpn))
  )

const keyOf = (orderNumber: string, lpn: string): string => `${orderNumber} ${lpn}`

/** The lpns of a document, as {@link lpnsIn} has them. */
export const keysOf = (lpns: Lpns): ReadonlyArray<string> =>
  Object.entries(lpns).flatMap(([order, all]) => all.map((lpn) => keyOf(order, lpn)))

/** A document that sets a field of an item that several merge. */
export type Marking = Omit<Request<"add">, "asked"> & {
  readonly asked: Request<"add">["asked"] & { readonly mark: Mark }
}

/** The writes of each field, in their order: a field is written by one client, one write after another. */
export const writesOfFields = (facts: Facts): ReadonlyArray<ReadonlyArray<Marking>> => [
  ...Map.groupBy(
    facts.of("add").filter((request): request is Request<"add"> & Marking =>
      request.asked.mark !== undefined
    ),
    ({ asked: { mark: { field, lpn, order } } }) => `${order} ${lpn} ${field}`
  ).values()
]

/** What a field may say when this write was acknowledged: that, or what was begun after it and before an event. */
export const valuesSince = (
  writes: ReadonlyArray<Marking>,
  { invoked }: Marking,
  before: number
): ReadonlyArray<string> =>
  writes.filter((write) => write.invoked.seq >= invoked.seq && write.invoked.seq < before).map(({ asked }) =>
    asked.mark.value
  )

/** An item of a shipment. */
export const itemIn = (
  shipment: ShownShipment | undefined,
  order: string,
  lpn: string
): ShownItem | undefined =>
  shipment?.orders.find(({ orderNumber }) => orderNumber === order)?.items.find((item) => item.lpn === lpn)

/** The items that a document added and nobody else did, with the ids that its answer told. */
const toldItems = ({ acknowledged, asked: { own } }: Request<"add">) => {
  const told = acknowledged?.answer.shipments?.at(0)
  return Object.entries(own).flatMap(([order, lpns]) =>
    lpns.flatMap((lpn) => {
      const id = itemIn(told, order, lpn)?.id
      return id === undefined ? [] : [{ order, lpn, id }]
    })
  )
}

/** The items of a document that are stored under another id than its answer told. */
const renamed = (request: Request<"add">, stored: ShownShipment | undefined): ReadonlyArray<string> =>
  toldItems(request).flatMap(({ id, lpn, order }) => {
    const now = itemIn(stored, order, lpn)?.id
    return now === undefined || now === id ? [] : [lpn]
  })

/** What was acknowledged is there at the end (D2.1), under the ids that were told. */
export const acknowledgedIsDurable: Invariant = (facts) => [
  ...facts.of("add").filter(({ acknowledged }) => acknowledged !== undefined).flatMap((request) => {
    const stored = facts.storedAs(request, request.asked.shipment)
    const there = new Set(lpnsIn(stored?.shipment))
    const lost = keysOf(request.asked.own).filter((key) => !there.has(key))
    const others = renamed(request, stored?.shipment)
    const events = [...seqsOf(request), ...seqOf(stored)]
    return [
      ...(lost.length === 0 ? [] : [{
        text: `acknowledged items of ${request.asked.shipment} are not stored: ${lost.join(", ")}`,
        events
      }]),
      ...(others.length === 0 ? [] : [{
        text: `items of ${request.asked.shipment} have other ids than were told: ${others.join(", ")}`,
        events
      }])
    ]
  }),
  ...facts.of("arrive").filter(({ acknowledged }) => acknowledged !== undefined).flatMap((request) =>
    storedStatus(facts, request.asked.shipmentId, "SCHEDULED").map((stored) => ({
      text: `shipment ${request.asked.shipmentId} has not arrived, though its arrival was acknowledged`,
      events: [...seqsOf(request), stored.seq]
    }))
  ),
  ...facts.of("depart").filter(({ acknowledged }) => acknowledged !== undefined).flatMap((request) =>
    ["SCHEDULED", "ARRIVED"].flatMap((status) => storedStatus(facts, request.asked.shipmentId, status)).map(
      (stored) => ({
        text: `shipment ${request.asked.shipmentId} has not departed, though its departure was acknowledged`,
        events: [...seqsOf(request), stored.seq]
      })
    )
  ),
  ...facts.of("event").flatMap((request) => {
    const { acknowledged, asked, business } = request
    const id = acknowledged?.answer.messageId
    if (acknowledged === undefined) return []
    const message = facts.log.find((each) =>
      each.business === business && each.pallets[0]?.occurredAt === asked.occurredAt &&
      each.messageType === "PALLET_EVENT"
    )
    if (message !== undefined && message.id === id) return []
    return [{
      text: `event ${asked.eventId} was acknowledged as message ${id}; the log holds ${
        message?.id ?? "none of it"
      }`,
      events: [...seqsOf(request), ...seqOf(message)]
    }]
  }),
  ...facts.of("depart").filter(({ acknowledged }) => acknowledged !== undefined).flatMap((request) => {
    const { shipmentId } = request.asked
    const completions = completionsOf(facts, shipmentId)
    return completions.length > 0 ? [] : [{
      text: `the departure of ${shipmentId} was acknowledged, and the log does not tell of it`,
      events: seqsOf(request)
    }]
  })
]

/** What a client wrote last into its own field is what the field says, whatever others wrote beside it (D3.1, D3.6). */
export const noLostUpdate: Invariant = (facts) =>
  writesOfFields(facts).flatMap((writes) => {
    const last = writes.findLast(({ acknowledged }) => acknowledged !== undefined)
    if (last === undefined) return []
    const { field, lpn, order } = last.asked.mark
    const stored = facts.storedAs(last, last.asked.shipment)
    const found = itemIn(stored?.shipment, order, lpn)?.marks[field]
    return found !== undefined && valuesSince(writes, last, Infinity).includes(found) ? [] : [{
      text: `${field} of ${lpn} says ${found}, not ${last.asked.mark.value}, which was acknowledged last`,
      events: [...seqsOf(last), ...seqOf(stored)]
    }]
  })

const seqOf = (event: { readonly seq: number } | undefined): ReadonlyArray<number> =>
  event === undefined ? [] : [event.seq]

const storedStatus = (facts: Facts, id: number, status: string): ReadonlyArray<EventOf<"stored">> =>
  facts.stored.filter(({ shipment }) => shipment.id === id && shipment.status === status)

const completionsOf = (facts: Facts, shipmentId: number): ReadonlyArray<EventOf<"log">> =>
  facts.log.filter((each) => each.messageType === "SHIPMENT_COMPLETE" && each.shipmentId === shipmentId)

/** Of a document all is done or nothing; of a refused one nothing (D2.1). A departure completes its orders (D6.6). */
export const allOrNothing: Invariant = (facts) => [
  ...facts.of("add").flatMap((request) => {
    const stored = facts.storedAs(request, request.asked.shipment)
    const there = new Set(lpnsIn(stored?.shipment))
    const own = keysOf(request.asked.own)
    const count = own.filter((key) => there.has(key)).length
    if (count === 0 || (count === own.length && !request.isRefused)) return []
    return [{
      text: request.isRefused
        ? `items of a refused document are stored in ${request.asked.shipment}`
        : `${count} of the ${own.length} items of a document are stored in ${request.asked.shipment}`,
      events: [...seqsOf(request), ...seqOf(stored)]
    }]
  }),
  ...facts.stored.filter(({ shipment }) =>
    shipment.orders.some(({ status }) => (status === "COMPLETED") !== (shipment.status === "DEPARTED"))
  ).map(({ seq, shipment }) => ({
    text: `the orders of shipment ${shipment.id}, which is ${shipment.status}, are ${
      shipment.orders.map(({ status }) => status).join(", ")
    }`,
    events: [seq]
  })),
  ...facts.stored.flatMap(({ seq, shipment }) => {
    const told = completionsOf(facts, shipment.id)
    return (told.length > 0) === (shipment.status === "DEPARTED") ? [] : [{
      text:
        `shipment ${shipment.id} is ${shipment.status}, and the log holds ${told.length} completions of it`,
      events: [seq, ...told.map((message) => message.seq)]
    }]
  })
]

/** Ids grow within a business: an item is never below one that was told before its document was sent. */
const goingBack: Invariant = (facts) => {
  const adds = facts.of("add")
  const told = adds.flatMap((request) => {
    const { acknowledged, business } = request
    return acknowledged === undefined
      ? []
      : [{ business, seq: acknowledged.seq, ids: toldItems(request).map(({ id }) => Number(id)) }]
  })
  return adds.flatMap((request) => {
    const before = told.filter(({ business, seq }) =>
      business === request.business && seq < request.invoked.seq
    )
    const highest = Math.max(...before.flatMap(({ ids }) => ids))
    return toldItems(request).filter(({ id }) => Number(id) <= highest).map(({ id, lpn }) => ({
      text: `item ${lpn} got the id ${id}, after ${highest} was told`,
      events: seqsOf(request)
    }))
  })
}

/** What is asked for once is done once, however often it is repeated and by however many at once (D3.1, D5.2, D6.1). */
export const noDoubling: Invariant = (facts) => [
  ...facts.stored.flatMap(({ seq, shipment }) => doubled(shipment).map((text) => ({ text, events: [seq] }))),
  ...repeated(
    facts.stored,
    ({ business, facility, shipment }) => `${business} ${facility} ${shipment.shipmentNumber}`
  )
    .map((all) => ({
      text: `shipment ${all[0]!.shipment.shipmentNumber} is stored ${all.length} times`,
      events: all.map(({ seq }) => seq)
    })),
  ...repeated(
    facts.stored.flatMap((stored) =>
      stored.shipment.orders.map(({ orderNumber }) => ({ ...stored, orderNumber }))
    ),
    ({ business, facility, orderNumber }) => `${business} ${facility} ${orderNumber}`
  ).map((all) => ({
    text: `order ${all[0]!.orderNumber} is stored ${all.length} times`,
    events: all.map(({ seq }) => seq)
  })),
  ...repeated(
    facts.stored.flatMap((stored) =>
      stored.shipment.orders.flatMap(({ items }) => items.map(({ id }) => ({ ...stored, id })))
    ),
    ({ business, id }) => `${business} ${id}`
  ).map((all) => ({
    text: `${all.length} items of ${all[0]!.business} have the id ${all[0]!.id}`,
    events: all.map(({ seq }) => seq)
  })),
  ...goingBack(facts),
  ...facts.calls.filter(isOk).flatMap((call) => {
    const shipments = call.outcome.answer.shipments ?? []
    const texts = shipments.flatMap(doubled)
    const isTwice = call.invoke.asked.operation === "read" && shipments.length > 1
    if (isTwice) texts.push(`${shipments.length} are shown where there is to be one`)
    return texts.map((text) => ({
      text: `an answer shows: ${text}`,
      events: [call.invoke.seq, call.outcome.seq]
    }))
  }),
  ...repeated(
    facts.log.filter(({ messageType }) => messageType === "PALLET_EVENT"),
    ({ business, pallets }) => `${business} ${pallets[0]?.occurredAt}`
  ).map((all) => ({
    text: `one pallet event has the messages ${all.map(({ id }) => id).join(", ")}`,
    events: all.map(({ seq }) => seq)
  })),
  ...repeated(
    facts.log.filter(({ messageType }) => messageType === "SHIPMENT_COMPLETE"),
    ({ shipmentId }) => String(shipmentId)
  ).map((all) => ({
    text: `shipment ${all[0]!.shipmentId} is completed by the messages ${all.map(({ id }) => id).join(", ")}`,
    events: all.map(({ seq }) => seq)
  })),
  ...differingRepeats(facts)
]

/** What is there twice within one shipment. */
const doubled = (shipment: ShownShipment): Array<string> => [
  ...repeated(shipment.orders, ({ orderNumber }) => orderNumber).map(([order]) =>
    `order ${order!.orderNumber} twice in shipment ${shipment.id}`
  ),
  ...repeated(lpnsIn(shipment), (key) => key).map(([key]) => `item ${key} twice in shipment ${shipment.id}`)
]

/** Those that share a key with others. */
const repeated = <A>(all: ReadonlyArray<A>, key: (each: A) => string): ReadonlyArray<ReadonlyArray<A>> =>
  [...Map.groupBy(all, key).values()].filter(({ length }) => length > 1)

/** Tries of one request that the service knows for one are answered alike. */
const differingRepeats = (facts: Facts) =>
  facts.requests.filter(({ asked, once }) =>
    once && (asked.operation === "add" || asked.operation === "overwrite" || asked.operation === "event")
  )
    .flatMap((request) => {
      const { operation } = request.asked
      const answers = request.calls.filter(isOk).map(({ outcome: { answer } }) =>
        operation === "event" ? answer.messageId : answer.digest
      )
      return new Set(answers).size <= 1 ? [] : [{
        text: `a repeat of one request was answered in another way: ${operation}`,
        events: seqsOf(request)
      }]
    })
