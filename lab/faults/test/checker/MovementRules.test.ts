/** Each way in which messages, docks, exceptions and cancelled shipments may not be what was promised. */
import type { Asked, DockFacts, EventOf } from "../../src/history/History.ts"
import { adding, eventAt, item, judges, passing, Script, shipment } from "./Script.ts"

const history = () => new Script()

const once = () => history().done(eventAt(1))

judges(
  "nothing is invented",
  [
    "each message was caused by an event or a departure",
    once().lost(eventAt(2)).done({ operation: "depart", shipmentId: 1 }).log(1).log(2).completion(3)
  ],
  ["nothing caused a message of a pallet", history().log(1), 1],
  ["nothing caused a completion", history().completion(1), 1],
  ["something that was refused caused one", history().denied(eventAt(1), "SHIPMENT_DEPARTED").log(1), 1],
  ["a message is in the log of another business", once().log(1, { business: "globex" }), 1],
  ["a message is of another facility", once().log(1, { facility: "west" }), 1],
  ["a message is of another shipment", once().log(1, { shipmentId: 2 }), 1],
  [
    "each of the others was caused by what it tells",
    once().done({ operation: "arrive", shipmentId: 1 }).done({ operation: "depart", shipmentId: 1 })
      .done({ operation: "cancel", shipmentId: 2 })
      .done({ operation: "report", shipmentId: 1, description: "X1" })
      .done({ operation: "resolve", shipmentId: 1, exceptionId: 7 })
      .told(1, "SHIPMENT_ARRIVED").log(2, passing(1)).completion(3).told(4, "SHIPMENT_DISCREPANCIES")
      .told(5, "SHIPMENT_CANCELLED", { shipmentId: 2 })
      .told(6, "EXCEPTION_REPORTED", { exception: { id: 7, description: "X1" } })
      .told(7, "EXCEPTION_RESOLVED", { exception: { id: 7, description: "X1" } })
  ],
  ["an arrival was caused by the first pallet", once().told(1, "SHIPMENT_ARRIVED").log(2, passing(1))],
  ["nothing caused an arrival", history().told(1, "SHIPMENT_ARRIVED"), 1],
  ["nothing caused a cancellation", history().told(1, "SHIPMENT_CANCELLED"), 1],
  [
    "nothing caused a report",
    history().told(1, "EXCEPTION_REPORTED", { exception: { id: 7, description: "X1" } }),
    1
  ],
  ["a message is of a type that nobody knows", history().told(1, "SHIPMENT_LOST"), 1],
  ["a message tells of another direction", history().done(eventAt(1, { direction: "UNLOADING" })).log(1), 1]
)

judges(
  "ids in real-time order",
  ["what was acknowledged before has the smaller id", once().done(eventAt(2)).log(1).log(2)],
  ["what was acknowledged before has the larger id", once().done(eventAt(2)).log(3, passing(1)).log(2), 1],
  [
    "what happened at the same time has any",
    history().during(eventAt(2), {}, (all) => all.done(eventAt(1))).log(1).log(2)
  ],
  [
    "what happened at another business has any",
    history().done(eventAt(2)).done(eventAt(1), {}, { business: "globex" }).log(1, { business: "globex" })
      .log(2)
  ],
  [
    "a departure counts by its completion",
    history().done({ operation: "depart", shipmentId: 1 }).done(eventAt(1, { shipmentId: 2 }))
      .log(1, { shipmentId: 2 }).completion(2),
    1
  ]
)

judges(
  "sentAt grows",
  [
    "it stays as it is, and is of each business",
    history().log(1, { sentAt: 5 }).log(2, { sentAt: 5 }).log(3, { business: "globex", sentAt: 1 })
  ],
  ["it goes back", history().log(1, { sentAt: 5 }).log(2, { sentAt: 4 }), 1]
)

const remaining = (palletId: string, direction: string) => ({ palletId, direction, orders: [] })
const [a, b, c] = [remaining("a", "LOADING"), remaining("b", "UNLOADING"), remaining("c", "LOADING")]
const truck = () =>
  history().log(1, passing(1, "a")).log(2, passing(2, "b")).log(3, passing(3, "b", "UNLOADING"))
    .log(4, passing(4, "c"))

judges(
  "completions tell the truth",
  ["a completion names those that remain", truck().completion(5, [c, a])],
  [
    "it goes by the order of occurrence",
    history().log(1, passing(2, "a", "UNLOADING")).log(2, passing(1, "a")).log(3, passing(3, "a"))
      .completion(4, [a])
  ],
  ["it names one that was unloaded", truck().completion(5, [a, b, c]), 1],
  ["it misses one", truck().completion(5, [a]), 1],
  [
    "pallets pass after it",
    truck().completion(5, [a, c]).log(6, passing(6, "d")).log(7, passing(7, "d", "UNLOADING")),
    2
  ]
)

const first = (messageIds: ReadonlyArray<number>) => ({
  lpn: "L1",
  isLoaded: true,
  isExpected: true,
  messageIds
})
const second = { lpn: "L2", isLoaded: false, isExpected: true, messageIds: [11, 13] }
const fourth = { lpn: "L4", isLoaded: true, isExpected: false, messageIds: [15] }

/** L1 was loaded, unloaded and loaded again, L2 loaded and unloaded; L3 has not come, and L4 is not expected. */
const dock = (more: Partial<DockFacts> = {}): Script => {
  const script = history()
  const lpns = ["L1", "L2", "L1", "L2", "L1", "L4"]
  for (const [at, lpn] of lpns.entries()) {
    const direction = at === 2 || at === 3 ? "UNLOADING" : "LOADING"
    const id = 10 + at
    script.done(eventAt(id, { lpn, direction }), { messageId: id }).log(id, passing(id, lpn, direction))
  }
  return script.stored(shipment("S1", ["L1", "L2", "L3", ""].map((lpn) => item(lpn)))).tell({
    type: "dock",
    shipmentId: 1,
    verdicts: [],
    expected: 3,
    passed: 2,
    missing: 2,
    unexpected: 1,
    pallets: [first([10, 12, 14]), second, fourth],
    discrepancies: ["OVER L4", "SHORT L2", "SHORT L3"],
    ...more
  })
}
const none = {
  verdicts: [],
  expected: 0,
  passed: 0,
  missing: 0,
  unexpected: 0,
  pallets: [],
  discrepancies: []
}

judges(
  "docks tell the truth",
  ["everything is counted once", dock()],
  ["a pallet is counted twice", dock({ passed: 3 }), /shows passed as 3, and it is 2/],
  ["one that has passed is missing", dock({ missing: 3 }), /shows missing as 3, and it is 2/],
  ["items without lpn are expected", dock({ expected: 4 }), /shows expected as 4, and it is 3/],
  ["a pallet is not there", dock({ pallets: [] }), /shows pallets as \[\], and it is \[/],
  ["what was taken off is there", dock({ discrepancies: ["OVER L4", "SHORT L3"] }), /shows discrepancies as/],
  ["an event has not come to its pallet", dock({ pallets: [first([10, 14]), second, fourth] }), 1],
  ["an event came twice", dock({ pallets: [first([10, 12, 12, 14]), second, fourth] }), 1],
  ["events are in another order", dock({ pallets: [first([12, 10, 14]), second, fourth] }), 1],
  [
    "what is unknown counts when it is in the log, and what was refused does not",
    history().lost(eventAt(10, { lpn: "L1" })).log(10).denied(eventAt(11, { lpn: "L9" }), "SHIPMENT_DEPARTED")
      .stored(shipment("S1", [item("L1")]))
      .tell({ type: "dock", shipmentId: 1, ...none, expected: 1, passed: 1, pallets: [first([10])] })
  ],
  ["a shipment is shown that is not stored", history().tell({ type: "dock", shipmentId: 9, ...none }), 1]
)

const report: Asked = { operation: "report", shipmentId: 1, description: "X1" }
const resolve: Asked = { operation: "resolve", shipmentId: 1, exceptionId: 7 }
const open = { id: 7, description: "X1", isResolved: false }
const resolved = { ...open, isResolved: true }
const listing = (script: Script, ...listed: EventOf<"exceptions">["listed"]) =>
  script.tell({ type: "exceptions", shipmentId: 1, listed })
const reported = () => history().done(report, { exceptionId: 7 })

judges(
  "exceptions are listed once",
  ["one was acknowledged, and resolved", listing(reported().done(resolve), resolved)],
  ["its outcome is unknown and it is listed", listing(history().lost(report), open)],
  ["its outcome is unknown and it is not listed", listing(history().lost(report))],
  ["the outcome of its resolution is unknown", listing(reported().lost(resolve), resolved)],
  ["one is lost", listing(reported()), /was acknowledged as 7, and is listed as none/],
  ["one cannot be listed", reported(), /was acknowledged as 7, and is listed as none/],
  ["one is there twice", listing(history().lost(report), open, { ...open, id: 8 }), /is listed 2 times/],
  [
    "one has two ids",
    listing(
      history().done(report, { exceptionId: 7 }, { request: "r" }).done(report, { exceptionId: 8 }, {
        request: "r"
      }),
      open
    ),
    /was acknowledged as 7, 8, and is listed as 7/
  ],
  ["one was refused", listing(history().denied(report, "NOT_FOUND"), open), /was refused, and is listed/],
  ["nobody reported one", listing(history(), open), /nobody has reported it/],
  ["nobody resolved one", listing(reported(), resolved), /nobody has resolved it/],
  ["one is open again", listing(reported().done(resolve), open), /is open, though its resolution/]
)

const about = { exception: { id: 7, description: "X1" } }
const toldOf = (script: Script) => script.told(1, "EXCEPTION_REPORTED", about)

judges(
  "exceptions are told once",
  ["one is open", listing(toldOf(reported().stored(shipment("S1", []))), open)],
  [
    "one is resolved",
    listing(toldOf(reported().stored(shipment("S1", []))).told(2, "EXCEPTION_RESOLVED", about), resolved)
  ],
  ["one is not told", listing(reported().stored(shipment("S1", [])), open), /is told by none/],
  ["one is told twice", listing(toldOf(toldOf(history().stored(shipment("S1", [])))), open), 1],
  ["its resolution is not told", listing(toldOf(history().stored(shipment("S1", []))), resolved), 1],
  [
    "its resolution is told before",
    listing(
      history().stored(shipment("S1", [])).told(1, "EXCEPTION_RESOLVED", about).told(
        2,
        "EXCEPTION_REPORTED",
        about
      ),
      resolved
    ),
    1
  ],
  ["one is told and not listed", listing(toldOf(history().stored(shipment("S1", [])))), /which is not listed/]
)

const departed = () => history().stored(shipment("S1", [], { status: "DEPARTED" }))
const left = (...discrepancies: ReadonlyArray<string>) => ({
  type: "dock" as const,
  shipmentId: 1,
  ...none,
  discrepancies
})
const short = { discrepancies: ["SHORT L1"] }
const whole = (script: Script) => script.told(1, "SHIPMENT_ARRIVED").log(2).completion(3)

judges(
  "steps are told once",
  ["nothing has happened", history().stored(shipment("S1", []))],
  [
    "everything is told in order",
    whole(departed()).told(4, "SHIPMENT_DISCREPANCIES", short).tell(left("SHORT L1"))
  ],
  ["nothing is wrong at departure", whole(departed()).tell(left())],
  [
    "another business has messages between",
    whole(departed()).log(4, { business: "globex", shipmentId: 2 })
      .told(5, "SHIPMENT_DISCREPANCIES", short).tell(left("SHORT L1"))
  ],
  ["an arrival is not told", departed().log(2).completion(3), /0 of SHIPMENT_ARRIVED/],
  ["an arrival is told twice", whole(departed().told(0, "SHIPMENT_ARRIVED")), /2 of SHIPMENT_ARRIVED/],
  [
    "an arrival is told after a pallet",
    departed().log(1).told(2, "SHIPMENT_ARRIVED").completion(3),
    /before its arrival/
  ],
  ["a departure is not told", departed().told(1, "SHIPMENT_ARRIVED"), /0 of SHIPMENT_COMPLETE/],
  [
    "a cancellation is not told",
    history().stored(shipment("S1", [], { status: "CANCELLED" })),
    /0 of SHIPMENT_CANCELLED/
  ],
  [
    "one is told of a shipment that is not cancelled",
    history().stored(shipment("S1", [])).told(1, "SHIPMENT_CANCELLED"),
    1
  ],
  [
    "discrepancies are not told",
    whole(departed()).tell(left("SHORT L1")),
    /are told as none, and are SHORT L1/
  ],
  [
    "other discrepancies are told",
    whole(departed()).told(4, "SHIPMENT_DISCREPANCIES", short).tell(left("OVER L1")),
    1
  ],
  [
    "discrepancies are told before a departure",
    history().stored(shipment("S1", [], { status: "ARRIVED" }))
      .told(1, "SHIPMENT_ARRIVED").told(2, "SHIPMENT_DISCREPANCIES", short),
    1
  ],
  [
    "discrepancies are told twice",
    whole(departed()).told(4, "SHIPMENT_DISCREPANCIES", short)
      .told(5, "SHIPMENT_DISCREPANCIES", short).tell(left("SHORT L1")),
    /are told twice/
  ],
  [
    "something is told in between",
    whole(departed()).log(4, { shipmentId: 2 })
      .told(5, "SHIPMENT_DISCREPANCIES", short).tell(left("SHORT L1")),
    /not told right after/
  ]
)

const judged = (verdict: string) => history().done(eventAt(1), { messageId: 1, verdict })
const shownAs = (script: Script, kind: string) => script.tell({ ...left(), verdicts: [[1, kind]] })

judges(
  "verdicts stay",
  ["it is shown as it was told", shownAs(judged("UNEXPECTED"), "UNEXPECTED")],
  ["it is shown in another way", shownAs(judged("EXPECTED"), "REPEATED"), 1],
  [
    "an announced pallet is expected",
    history().done(adding(["L"])).done(eventAt(1), { messageId: 1, verdict: "EXPECTED" })
  ],
  [
    "an announced pallet is unexpected",
    history().done(adding(["L"])).done(eventAt(1), { messageId: 1, verdict: "UNEXPECTED" }),
    1
  ],
  [
    "it is announced meanwhile",
    history().during(eventAt(1), { messageId: 1, verdict: "UNEXPECTED" }, (all) => all.done(adding(["L"])))
  ]
)

const cancel: Asked = { operation: "cancel", shipmentId: 1 }
const cancelled = shipment("S1", [], {
  status: "CANCELLED",
  orders: [{ orderNumber: "O1", status: "CANCELLED", items: [] }]
})
const denied = () => history().denied(cancel, "INVALID_TRANSITION")

judges(
  "cancelled is final",
  ["it was acknowledged", history().done(cancel).stored(cancelled)],
  ["it was refused, and is not cancelled", denied().stored(shipment("S1", [], { status: "ARRIVED" }))],
  ["its outcome is unknown", history().lost(cancel).stored(cancelled)],
  ["it is not stored", history().done(cancel).stored(shipment("S1", [])), /is stored as SCHEDULED/],
  ["it was refused", denied().stored(cancelled), /though that was refused/],
  [
    "the shipment arrived",
    history().done(cancel).done({ operation: "arrive", shipmentId: 1 }).stored(cancelled),
    /though its arrival was acknowledged/
  ],
  [
    "its orders go on",
    history().done(cancel).stored(shipment("S1", [], { status: "CANCELLED" })),
    /and its orders are not/
  ],
  ["it takes a document", history().done(cancel).done(adding([])).stored(cancelled), /took a document later/],
  ["nobody asked for it", history().stored(cancelled), /nobody has asked for it/]
)
