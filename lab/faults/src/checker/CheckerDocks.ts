/**
 * What is promised of the dock's knowledge: progress, pallets and discrepancies are those of the events that were
 * acknowledged, each counted once (D13.1, D13.2, D13.4).
 */
import type { DockFacts, EventOf, ShownShipment } from "../history/History.ts"
import { eventsOf } from "../history/History.ts"
import { seqsOf } from "./CheckerFacts.ts"
import type { Facts, Invariant, Request } from "./CheckerFacts.ts"

/** An event of a pallet and its message. */
interface Crossing {
  readonly request: Request<"event">
  readonly message: EventOf<"log">
}

/** The events of each shipment that are done, in order of occurrence. */
const crossingsOf = (facts: Facts): ReadonlyMap<number, ReadonlyArray<Crossing>> => {
  const requests = new Map(
    facts.of("event").map((request) => [`${request.business} ${request.asked.occurredAt}`, request])
  )
  const crossings = facts.log.flatMap((message): ReadonlyArray<Crossing> => {
    const request = requests.get(`${message.business} ${message.pallets[0]?.occurredAt}`)
    return message.messageType !== "PALLET_EVENT" || request === undefined ? [] : [{ request, message }]
  }).toSorted((left, right) => left.request.asked.occurredAt < right.request.asked.occurredAt ? -1 : 1)
  return Map.groupBy(crossings, ({ message }) => message.shipmentId)
}

const lpnsOf = ({ orders }: ShownShipment): ReadonlySet<string> =>
  new Set(orders.flatMap(({ items }) => items.map(({ lpn }) => lpn)).filter((lpn) => lpn !== ""))

/** All shipments of the workload are outbound, and stand at the dock that pallets pass. */
const knownOf = (expected: ReadonlySet<string>, crossings: ReadonlyArray<Crossing>): DockFacts => {
  const pallets = Array.from(
    Map.groupBy(crossings, ({ request }) => request.asked.lpn),
    ([lpn, all]) => ({
      lpn,
      directions: all.map(({ request }) => request.asked.direction),
      messageIds: all.map(({ message }) => message.id)
    })
  ).toSorted((left, right) => left.lpn < right.lpn ? -1 : 1)
  // Loading and unloading alternate when repeats are left out: what is loaded first and last is on the truck.
  const passed = new Set(
    pallets.filter(({ directions }) => directions[0] === "LOADING" && directions.at(-1) === "LOADING")
      .map(({ lpn }) => lpn)
  )
  const short = [...expected].filter((lpn) => !passed.has(lpn))
  const over = [...passed].filter((lpn) => !expected.has(lpn))
  return {
    expected: expected.size,
    passed: passed.size,
    missing: short.length,
    unexpected: over.length,
    pallets: pallets.map(({ directions, lpn, messageIds }) => ({
      lpn,
      isLoaded: directions.at(-1) === "LOADING",
      isExpected: expected.has(lpn),
      messageIds
    })),
    discrepancies: [...short.map((lpn) => `SHORT ${lpn}`), ...over.map((lpn) => `OVER ${lpn}`)].toSorted()
  }
}

/** What REST shows of the pallets of a shipment is what passed. */
export const docksTellTheTruth: Invariant = (facts) => {
  const crossings = crossingsOf(facts)
  return eventsOf(facts.history, "dock").flatMap((told) => {
    const { seq, shipmentId } = told
    const stored = facts.stored.find(({ shipment }) => shipment.id === shipmentId)
    if (stored === undefined) {
      return [{ text: `shipment ${shipmentId} is shown, and not stored`, events: [seq] }]
    }
    const passed = crossings.get(shipmentId) ?? []
    const known = knownOf(lpnsOf(stored.shipment), passed)
    return (Object.keys(known) as ReadonlyArray<keyof DockFacts>).flatMap((name) => {
      const [actual, due] = [JSON.stringify(told[name]), JSON.stringify(known[name])]
      return actual === due ? [] : [{
        text: `shipment ${shipmentId} shows ${name} as ${actual}, and it is ${due}`,
        events: [
          ...passed.flatMap(({ message, request }) => [...seqsOf(request), message.seq]),
          stored.seq,
          seq
        ]
      }]
    })
  })
}
