/** What may be wrong in the events of EPCIS, as readers and endpoints get them. */
import { eventIdOf as idOfService } from "@dockline/epcis/events/EventsOfMessage"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventIdOf } from "../src/checker/EpcisRules.ts"
import { epcisEventOf, epcisEvents } from "../src/history/History.ts"
import type { EventOf } from "../src/history/History.ts"
import { history, judges, passing } from "./Script.ts"
import type { Script } from "./Script.ts"

const id = (message: number, number = 0) => eventIdOf("acme", message, number)
const wrong = (message: number) => epcisEventOf(id(message), true)

/** An arrival; a pallet that is loaded, taken off and loaded again, and that was told once more in between; a departure. */
const logged = (script = history()) =>
  script.told(1, "SHIPMENT_ARRIVED")
    .log(2, passing(1))
    .log(3, passing(2))
    .log(4, passing(3, "1", "UNLOADING"))
    .log(5, passing(4))
    .completion(6, passing(4).pallets)
    .told(7, "EXCEPTION_REPORTED")

/** The events of each of these messages. */
const sources = [[id(1)], [id(2)], [id(2)], [wrong(2)], [id(5)], [id(6), id(6, 1)]]
const events = sources.flat()

/** Somebody reads pages of so many events, the last of which is the last unless that is said, having begun at an event. */
const reads = (
  script: Script,
  [...pages]: ReadonlyArray<ReadonlyArray<string>>,
  { begun = 0, isLast = true, scan = 1 } = {}
) => {
  for (const [at, events] of pages.entries()) {
    script.tell({
      type: "page",
      scan,
      business: "acme",
      begun,
      events,
      isLast: isLast && at === pages.length - 1
    })
  }
  return script
}
const inTwo = (all: ReadonlyArray<string>) => [all.slice(0, 3), all.slice(3)]
const seen = () => logged(history().reader().sees(1, 2, 3))
const after = { begun: 4 }
const dropped = (script: Script, ...ids: ReadonlyArray<number>) => {
  for (const id of ids) script.tell({ type: "dropped", business: "acme", id, age: 1 })
  return script
}

judges("events are read once", {
  "one is missing between two pages": reads(logged(), [events.slice(0, 3), events.slice(4)]),
  "one is on two pages": reads(logged(), [events.slice(0, 3), events.slice(2)]),
  "two have changed places": reads(logged(), [[events[1]!, events[0]!, ...events.slice(2)]]),
  "one has another id": reads(logged(), [[eventIdOf("globex", 1, 0), ...events.slice(1)]]),
  "one is not declared to be wrong": reads(logged(), [events.map((each) => each.replace(" wrong", ""))]),
  "more than there are": reads(logged(), [[...events, id(8)]]),
  "the first ones are missing, and were not dropped": reads(logged(), [events.slice(1)]),
  "those that were there when the reader began": reads(seen(), [events.slice(0, 2)], after),
  "those that were kept": reads(dropped(logged(), 1), [events.slice(2)])
}, {
  "in one page": reads(logged(), [events]),
  "in two pages": reads(logged(), inTwo(events)),
  "as far as they were there": reads(seen(), [events.slice(0, 3)], after),
  "as far as the reader came": reads(seen(), [events.slice(0, 1)], { ...after, isLast: false }),
  "without what was dropped": reads(dropped(logged(), 1, 2), [events.slice(2)]),
  "of a database that is gone": reads(logged(history().copied().promoted()), [[id(90)]])
})

/** Endpoints that capture events; a document comes as a message, which is answered and delivered. */
const captured = () =>
  logged(
    history().tell({
      type: "endpoint",
      endpoint: "E",
      business: "acme",
      facility: null,
      types: [epcisEvents]
    })
  )
const comes = (
  script: Script,
  id: number,
  things: ReadonlyArray<string>,
  more: Partial<EventOf<"receipt">> = {}
) => script.post(id, 204, { path: "/capture", things, ...more }).delivery(id)
const all = (script = captured(), from = 0) => {
  for (const [at, things] of sources.entries()) if (at >= from) comes(script, 11 + at, things)
  return script
}

judges("events are published once", {
  "those of the last four messages are not": [comes(comes(captured(), 11, sources[0]!), 12, sources[1]!), 4],
  "those of one come twice": comes(all(), 17, sources.at(-1)!),
  "the first is missing": all(captured(), 1),
  "one has an event too many": [comes(captured(), 11, [id(1), id(2)]), 7],
  "one comes to the path of messages": all(captured().post(11, 500, { things: sources[0]! })),
  "one has no signature": all(
    captured().post(11, 500, {
      path: "/capture",
      things: sources[0]!,
      signed: false
    })
  )
}, {
  "in the order of the log": all(),
  "again, as it was not answered": all(captured().post(11, 0, { path: "/capture", things: sources[0]! })),
  "without what was dropped": all(dropped(captured(), 1), 1),
  "by the lost database, and by the copy under ids that were given before": all(
    captured().copied()
      .post(11, 204, { path: "/capture", things: [id(90)], digest: "lost" })
      .post(12, 204, { path: "/capture", things: sources[0]!, digest: "again" })
      .promoted()
  )
})

const since = (newestId: number, document: number) =>
  history().tell({ type: "endpoint", endpoint: "E", business: "acme", facility: null, types: [epcisEvents] })
    .reader().copied().sees(5).promoted({ acme: 1 }, 5)
    .post(document, 204, { path: "/capture", things: [id(1)] })
    .tell({ type: "advanced", newestId })

judges("readers are told", {
  "that was seen beyond all that was published since": since(9, 4),
  "that was seen, and an id was given after all were moved on": since(9, 10)
}, { "that is not beyond what was published since": since(9, 6) })

judges("ids are given once", {
  "to two documents": captured().post(11, 204, { path: "/capture" }).post(11, 204, {
    path: "/capture",
    digest: "other"
  })
}, {
  "to two documents, the first of which is lost": captured().copied().post(11, 204, { path: "/capture" })
    .promoted()
    .post(11, 204, { path: "/capture", digest: "other" })
})

judges("delivered or dead", {
  "a document is never taken": captured().post(11, 500, { path: "/capture", things: sources[0]! }).delivery(
    11
  ),
  "a document waits": captured().post(11, 204, { path: "/capture", things: sources[0]! })
    .delivery(11, "PENDING"),
  "a document that never came is dead, though nothing was dropped": all().delivery(17, "DEAD"),
  "a document that never came counts as delivered": all(dropped(captured(), 7)).delivery(17)
}, {
  "all documents are": all(),
  "one never came before it was dropped": all(dropped(captured(), 7)).delivery(17, "DEAD")
})

judges("order of the shipment", {
  "a document overtakes another": captured()
    .post(12, 204, { path: "/capture", things: sources[1]! })
    .post(11, 204, { path: "/capture", things: sources[0]! })
}, { "one after the other": all() })

it("the ids of events are those of the service", async () => {
  assert.strictEqual(await Effect.runPromise(idOfService("acme", 12, 1)), eventIdOf("acme", 12, 1))
})
