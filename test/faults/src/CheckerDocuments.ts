/**
 * What is promised of documents: an acknowledged one stays, of any other all or nothing is done, and nothing twice.
 */
import { isOk, seqsOf } from "./CheckerFacts.ts"
import type { Call, Facts, Invariant, Request } from "./CheckerFacts.ts"
import type { EventOf, Lpns, ShownShipment } from "./History.ts"

/** The lpns of a shipment, each as often as it is there, by order. */
const lpnsIn = (shipment: ShownShipment | undefined): ReadonlyArray<string> =>
  (shipment?.orders ?? []).flatMap(({ items, orderNumber }) =>
    items.map(({ lpn }) => keyOf(orderNumber, lpn))
  )

const keyOf = (orderNumber: string, lpn: string): string => `${orderNumber} ${lpn}`

const keysOf = (lpns: Lpns): ReadonlyArray<string> =>
  Object.entries(lpns).flatMap(([order, all]) => all.map((lpn) => keyOf(order, lpn)))

/** What was acknowledged is there at the end (D2.1). */
export const acknowledgedIsDurable: Invariant = (facts) => [
  ...facts.of("add").filter(({ acknowledged }) => acknowledged !== undefined).flatMap((request) => {
    const stored = facts.storedAs(request, request.asked.shipment)
    const there = new Set(lpnsIn(stored?.shipment))
    const lost = keysOf(request.asked.own).filter((key) => !there.has(key))
    return lost.length === 0 ? [] : [{
      text: `acknowledged items of ${request.asked.shipment} are not stored: ${lost.join(", ")}`,
      events: [...seqsOf(request), ...seqOf(stored)]
    }]
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
  [
    ...Map.groupBy(
      facts.of("add").flatMap((request) => {
        const { acknowledged, asked, business, facility, invoked } = request
        const { mark, shipment } = asked
        return mark === undefined
          ? []
          : [{ acknowledged, business, facility, invoked, mark, request, shipment }]
      }),
      ({ mark: { field, lpn, order } }) => `${order} ${lpn} ${field}`
    ).values()
  ].flatMap((writes) => {
    const last = writes.findLast(({ acknowledged }) => acknowledged !== undefined)
    if (last === undefined) return []
    const stored = facts.storedAs(last, last.shipment)
    const { field, lpn, order } = last.mark
    const found = stored?.shipment.orders.find(({ orderNumber }) => orderNumber === order)?.items.find((
      item
    ) => item.lpn === lpn)?.marks[field]
    // What was begun after it, and may be done or not.
    const later = writes.filter(({ invoked }) => invoked.seq > last.invoked.seq).map(({ mark }) => mark.value)
    return found !== undefined && [last.mark.value, ...later].includes(found) ? [] : [{
      text: `${field} of ${lpn} says ${found}, not ${last.mark.value}, which was acknowledged last`,
      events: [...seqsOf(last.request), ...seqOf(stored)]
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
    once && (asked.operation === "add" || asked.operation === "overwrite")
  )
    .flatMap((request) => {
      const answers = request.calls.filter(isOk)
      const digests = new Set(answers.map(({ outcome }) => outcome.answer.digest))
      return digests.size <= 1 ? [] : [{
        text: `a repeat with the same key was answered in another way: ${request.asked.operation}`,
        events: seqsOf(request)
      }]
    })

/**
 * A read shows what was acknowledged before it began and what an earlier read has shown, and nothing that was asked
 * for only after it ended, or refused (read committed, one snapshot a read).
 */
export const readsAreCurrent: Invariant = (facts) => {
  const shown = Map.groupBy(
    facts.calls.filter(isOk).filter(({ invoke }) => invoke.asked.operation === "read"),
    ({ invoke: { asked, business, facility } }) =>
      asked.operation === "read" ? `${business} ${facility} ${asked.shipment}` : ""
  )
  const steps = [...facts.of("arrive"), ...facts.of("depart")]
  const adds = Map.groupBy(
    facts.of("add"),
    ({ asked, business, facility }) => `${business} ${facility} ${asked.shipment}`
  )
  return [...shown].flatMap(([key, reads]) => [
    ...readsOf(reads, adds.get(key) ?? []),
    ...reads.flatMap((read) => statusesOf(read, steps))
  ])
}

const statuses = ["SCHEDULED", "ARRIVED", "DEPARTED"]

/** What a read says of a shipment that was moved before it began. */
const statusesOf = (read: Read, steps: ReadonlyArray<Request<"arrive"> | Request<"depart">>) =>
  (read.outcome.answer.shipments ?? []).filter(({ status }) => status !== "").flatMap(({ id, status }) =>
    steps.filter(({ acknowledged, asked }) =>
      asked.shipmentId === id && (acknowledged?.seq ?? Infinity) < read.invoke.seq &&
      statuses.indexOf(status) < (asked.operation === "arrive" ? 1 : 2)
    ).map((step) => ({
      text: `a read of shipment ${id} shows it ${status} after its ${step.asked.operation} was acknowledged`,
      events: [...seqsOf(step), read.invoke.seq, read.outcome.seq]
    }))
  )

type Read = Call & { readonly outcome: EventOf<"ok"> }

const readsOf = (reads: ReadonlyArray<Read>, adds: ReadonlyArray<Request<"add">>) => {
  /** When each item was first shown to somebody. */
  const firstShown = new Map<string, number>()
  return reads.toSorted((left, right) => left.outcome.seq - right.outcome.seq).flatMap((read) => {
    const shown = new Set((read.outcome.answer.shipments ?? []).flatMap(lpnsIn))
    const { asked } = read.invoke
    const order = asked.operation === "read" ? asked.order : undefined
    const found = adds.flatMap((add) =>
      keysOf(add.asked.own).filter((key) => order === undefined || key.startsWith(`${order} `)).flatMap(
        (key) => {
          const text = wrongAbout(read, add, shown.has(key), firstShown.get(key) ?? Infinity)
          if (shown.has(key) && !firstShown.has(key)) firstShown.set(key, read.outcome.seq)
          return text === undefined ? [] : [{
            text: `a read of ${add.asked.shipment} ${text}: ${key}`,
            events: [...seqsOf(add), read.invoke.seq, read.outcome.seq]
          }]
        }
      )
    )
    return found
  })
}

const wrongAbout = (
  read: Read,
  add: Request<"add">,
  isShown: boolean,
  firstShown: number
): string | undefined => {
  if (isShown && add.isRefused) return "shows an item of a refused document"
  if (isShown && add.invoked.seq > read.outcome.seq) return "shows an item before anybody has sent it"
  if (!isShown && (add.acknowledged?.seq ?? Infinity) < read.invoke.seq) {
    return "does not show an acknowledged item"
  }
  if (!isShown && firstShown < read.invoke.seq) return "does not show an item that an earlier one has shown"
  return undefined
}
