/** What may be wrong at docks, with steps, exceptions and cancelled shipments. */
import type { Asked, DockFacts, EventOf } from "../src/history/History.ts"
import { adding, eventAt, history, judges, passing, shipment } from "./Script.ts"
import type { Script } from "./Script.ts"

const remaining = (palletId: string, direction: string) => ({ palletId, direction, orders: [] })
const [a, b, c] = [remaining("a", "LOADING"), remaining("b", "UNLOADING"), remaining("c", "LOADING")]
const truck = () =>
  history().log(1, passing(1, "a")).log(2, passing(2, "b")).log(3, passing(3, "b", "UNLOADING"))
    .log(4, passing(4, "c"))

judges("completions tell the truth", {
  "it names one that was unloaded": truck().completion(5, [a, b, c]),
  "it misses one": truck().completion(5, [a]),
  "it names one that came after it": truck().completion(5, [a, c, remaining("d", "LOADING")]).log(
    6,
    passing(6, "d")
  )
}, {
  "pallets come after it": truck().completion(5, [a, c]).log(6, passing(6, "d")),
  "it names those that remain": truck().completion(5, [c, a]),
  "it goes by the order of occurrence": history().log(1, passing(2, "a", "UNLOADING")).log(2, passing(1, "a"))
    .log(3, passing(3, "a")).completion(4, [a])
})

type Seen = DockFacts["pallets"]
const L1 = (...messageIds: ReadonlyArray<number>): Seen => [
  { lpn: "L1", isLoaded: true, isExpected: true, messageIds }
]
const rest: Seen = [
  { lpn: "L2", isLoaded: false, isExpected: true, messageIds: [11, 13] },
  { lpn: "L4", isLoaded: true, isExpected: false, messageIds: [15] }
]
const none = {
  verdicts: [],
  expected: 0,
  passed: 0,
  missing: 0,
  unexpected: 0,
  pallets: [],
  discrepancies: []
}
const shown = (script: Script, more: Partial<EventOf<"dock">>) =>
  script.tell({ type: "dock", shipmentId: 1, ...none, ...more })

/** L1 was loaded, unloaded and loaded again, L2 loaded and unloaded; L3 has not come, and L4 is not expected. */
const dock = (more: Partial<DockFacts> = {}) => {
  const script = history()
  for (const [at, lpn] of ["L1", "L2", "L1", "L2", "L1", "L4"].entries()) {
    const direction = at === 2 || at === 3 ? "UNLOADING" : "LOADING"
    const id = 10 + at
    script.done(eventAt(id, { lpn, direction }), { messageId: id }).log(id, passing(id, lpn, direction))
  }
  return shown(script.stored(shipment({}, ["L1", "L2", "L3", ""])), {
    expected: 3,
    passed: 2,
    missing: 2,
    unexpected: 1,
    pallets: [...L1(10, 12, 14), ...rest],
    discrepancies: ["OVER L4", "SHORT L2", "SHORT L3"],
    ...more
  })
}

/** Two forms of one SSCC: that of the document, and one of a scanner. */
const [inDocument, scanned] = ["(00)300000000000000017", "]C1\u001d00300000000000000017"]

/** A pallet whose SSCC the document says in one form is loaded twice, scanned in two forms. */
const scannedTwice = (more: Partial<DockFacts> = {}) =>
  shown(
    history().done(eventAt(10, { lpn: scanned }), { messageId: 10 }).log(10)
      .done(eventAt(11, { lpn: inDocument }), { messageId: 11 }).log(11, passing(11))
      .stored(shipment({}, [inDocument])),
    {
      expected: 1,
      passed: 1,
      pallets: [{ lpn: scanned, isLoaded: true, isExpected: true, messageIds: [10, 11] }],
      ...more
    }
  )

judges("docks tell the truth", {
  "a form of an SSCC is another pallet": scannedTwice({ unexpected: 1 }),
  "an SSCC is not shown as it was sent": scannedTwice({
    pallets: [{ lpn: inDocument, isLoaded: true, isExpected: true, messageIds: [10, 11] }]
  }),
  "an SSCC is short in another form": scannedTwice({ discrepancies: [`SHORT ${inDocument}`] }),
  "a pallet is counted twice": dock({ passed: 3 }),
  "one that has passed is missing": dock({ missing: 3 }),
  "items without lpn are expected": dock({ expected: 4 }),
  "nobody is unexpected": dock({ unexpected: 0 }),
  "a pallet is not there": dock({ pallets: [] }),
  "what was taken off is there": dock({ discrepancies: ["OVER L4", "SHORT L3"] }),
  "an event has not come to its pallet": dock({ pallets: [...L1(10, 14), ...rest] }),
  "an event came twice": dock({ pallets: [...L1(10, 12, 12, 14), ...rest] }),
  "events are in another order": dock({ pallets: [...L1(12, 10, 14), ...rest] }),
  "a shipment is shown that is not stored": shown(history(), { shipmentId: 9 })
}, {
  "everything is counted once": dock(),
  "an SSCC is scanned in two forms": scannedTwice(),
  "what is unknown counts when it is in the log, and what was refused does not": shown(
    history().lost(eventAt(10, { lpn: "L1" })).log(10).denied(eventAt(11, { lpn: "L9" }), "SHIPMENT_DEPARTED")
      .stored(shipment({}, ["L1"])),
    { expected: 1, passed: 1, pallets: L1(10) }
  )
})

const report: Asked = { operation: "report", shipmentId: 1, description: "X1" }
const resolve: Asked = { operation: "resolve", shipmentId: 1, exceptionId: 7 }
const open = { id: 7, description: "X1", isResolved: false }
const resolved = { ...open, isResolved: true }
const listing = (script: Script, ...listed: EventOf<"exceptions">["listed"]) =>
  script.tell({ type: "exceptions", shipmentId: 1, listed })
const reported = (exceptionId = 7) => history().done(report, { exceptionId }, { request: "r" })

judges("exceptions are listed once", {
  "one is lost": listing(reported()),
  "one cannot be listed": reported(),
  "one is there twice": listing(history().lost(report), open, { ...open, id: 8 }),
  "one has two ids": listing(reported().done(report, { exceptionId: 8 }, { request: "r" }), open),
  "one was refused": listing(history().denied(report, "NOT_FOUND"), open),
  "nobody reported one": listing(history(), open),
  "nobody resolved one": listing(reported(), resolved),
  "one is open again": listing(reported().done(resolve), open)
}, {
  "its outcome is unknown and it is listed": listing(history().lost(report), open),
  "its outcome is unknown and it is not listed": listing(history().lost(report)),
  "the outcome of its resolution is unknown": listing(reported().lost(resolve), resolved)
})

const about = { exception: { id: 7, description: "X1" } }
const placed = () => history().stored(shipment())
const toldOf = (script: Script, id = 1) => script.told(id, "EXCEPTION_REPORTED", about)
const toldSolved = (script: Script, id = 2) => script.told(id, "EXCEPTION_RESOLVED", about)

judges("exceptions are told once", {
  "one is not told": listing(placed(), open),
  "one is told twice": listing(toldOf(toldOf(placed())), open),
  "its resolution is not told": listing(toldOf(placed()), resolved),
  "its resolution is told before": listing(toldOf(toldSolved(placed(), 1), 2), resolved),
  "one is told and not listed": listing(toldOf(placed()))
}, { "one is resolved": listing(toldSolved(toldOf(placed())), resolved) })

const gone = () => history().stored(shipment({ status: "DEPARTED" }))
const left = (script: Script, ...discrepancies: ReadonlyArray<string>) => shown(script, { discrepancies })
const whole = (script = gone()) => script.told(1, "SHIPMENT_ARRIVED").log(2).completion(3)
const lacks = (script: Script, id = 4) =>
  script.told(id, "SHIPMENT_DISCREPANCIES", { discrepancies: ["SHORT L1"] })

judges("steps are told once", {
  "an arrival is not told": gone().log(2).completion(3),
  "an arrival is told twice": whole(gone().told(0, "SHIPMENT_ARRIVED")),
  "an arrival is told after a pallet": gone().log(1).told(2, "SHIPMENT_ARRIVED").completion(3),
  "a departure is not told": gone().told(1, "SHIPMENT_ARRIVED"),
  "a cancellation is not told": history().stored(shipment({ status: "CANCELLED" })),
  "one is told of a shipment that is not cancelled": placed().told(1, "SHIPMENT_CANCELLED"),
  "discrepancies are not told": left(whole(), "SHORT L1"),
  "other discrepancies are told": left(lacks(whole()), "OVER L1"),
  "discrepancies are told before a departure": lacks(
    history().stored(shipment({ status: "ARRIVED" })).told(1, "SHIPMENT_ARRIVED")
  ),
  "discrepancies are told twice": left(lacks(lacks(whole()), 5), "SHORT L1"),
  "discrepancies are told again after a late pallet that changes nothing": left(
    lacks(lacks(whole()).log(5, { late: true }), 6),
    "SHORT L1"
  ),
  "a late pallet changes discrepancies, and that is not told": left(lacks(whole()).log(5, { late: true })),
  "something is told in between": left(lacks(whole().log(4, { shipmentId: 2 }), 5), "SHORT L1")
}, {
  "nothing is wrong at departure": left(whole()),
  "a late pallet changes discrepancies": left(
    lacks(whole()).log(5, { late: true }).told(6, "SHIPMENT_DISCREPANCIES", { discrepancies: [] })
  ),
  "another business has messages between": left(
    lacks(whole().log(4, { business: "globex", shipmentId: 2 }), 5),
    "SHORT L1"
  )
})

const judged = (verdict: string, script = history()) => script.done(eventAt(1), { messageId: 1, verdict })

judges("verdicts stay", {
  "it is shown in another way": shown(judged("EXPECTED"), { verdicts: [[1, "REPEATED"]] }),
  "an announced pallet is unexpected": judged("UNEXPECTED", history().done(adding(["L"]))),
  "an announced SSCC is unexpected in another form": history().done(adding([inDocument])).done(
    eventAt(1, { lpn: scanned }),
    { messageId: 1, verdict: "UNEXPECTED" }
  ),
  "an announced pallet is of another shipment": judged("WRONG_SHIPMENT", history().done(adding(["L"])))
}, {
  "it is shown as it was told": shown(judged("UNEXPECTED"), { verdicts: [[1, "UNEXPECTED"]] }),
  "it is announced meanwhile": history().during(
    eventAt(1),
    { messageId: 1, verdict: "UNEXPECTED" },
    (all) => all.done(adding(["L"]))
  )
})

const cancel: Asked = { operation: "cancel", shipmentId: 1 }
const cancelled = shipment({
  status: "CANCELLED",
  orders: [{ orderNumber: "O1", status: "CANCELLED", items: [] }]
})

judges("cancelled is final", {
  "it is not stored": history().done(cancel).stored(shipment()),
  "it was refused": history().denied(cancel, "INVALID_TRANSITION").stored(cancelled),
  "the shipment arrived": history().done(cancel).done({ operation: "arrive", shipmentId: 1 }).stored(
    cancelled
  ),
  "its orders go on": history().done(cancel).stored(shipment({ status: "CANCELLED" }, [])),
  "it takes a document": history().done(cancel).done(adding([])).stored(cancelled),
  "nobody asked for it": history().stored(cancelled)
}, { "its outcome is unknown": history().lost(cancel).stored(cancelled) })
