/** Each way in which documents, and the record of them, may not be what was promised. */
import type { Asked } from "../../src/history/History.ts"
import { adding, eventAt, item, judges, reading, Script, shipment } from "./Script.ts"

const history = () => new Script()

const stored = (...lpns: ReadonlyArray<string>) => shipment("S1", lpns.map((lpn) => item(lpn)))
const shows = (...lpns: ReadonlyArray<string>) => ({ shipments: [stored(...lpns)] })

const added = () => history().done(adding(["L1", "L2"]))
const told = () => history().done(adding(["L1", "L2"]), shows("L1", "L2"))
const moved = (operation: "arrive" | "depart", status: string) => {
  const script = history().done({ operation, shipmentId: 1 }).stored(shipment("S1", [], { status }))
  return operation === "depart" ? script.completion(1) : script
}
const event = (messageId = 7) => history().done(eventAt(7), { messageId })

judges(
  "acknowledged is durable",
  ["what is stored was acknowledged", added().stored(stored("L1", "L2"))],
  ["an item is lost", added().stored(stored("L1")), 1],
  ["the whole shipment is lost", added(), 1],
  ["an item is stored under the id that was told", told().stored(stored("L1", "L2"))],
  [
    "an item is stored under another id",
    told().stored(shipment("S1", [item("L1"), { ...item("L2"), id: "7" }])),
    1
  ],
  ["an item is stored at another facility", added().stored(stored("L1", "L2"), "acme", "west"), 1],
  [
    "what was acknowledged only when it was repeated is lost",
    history().lost(adding(["L1"]), { request: "a" }).done(adding(["L1"]), {}, { request: "a" }),
    1
  ],
  ["what is unknown is lost", history().lost(adding(["L1"]))],
  ["an arrival is lost", moved("arrive", "SCHEDULED"), 1],
  ["an arrival is there", moved("arrive", "ARRIVED")],
  ["a departure is lost", moved("depart", "ARRIVED"), 1],
  ["a departure is there", moved("depart", "DEPARTED")],
  ["the message of a departure is lost", history().done({ operation: "depart", shipmentId: 1 }), 1],
  ["the message of an event is there", event().log(7)],
  ["the message of an event is lost", event(), 1],
  ["the log holds another message than was said", event().log(8), 1],
  ["the log of another business holds it", event().log(7, { business: "globex" }), 1],
  ["another message was said than the log holds", event(6).log(7), 1]
)

const unknown = () => history().lost(adding(["L1", "L2"]))
const departed = (status: string) =>
  shipment("S1", [], { status: "DEPARTED", orders: [{ orderNumber: "O1", items: [], status }] })

judges(
  "all or nothing",
  ["all of an unknown document", unknown().stored(stored("L1", "L2"))],
  ["nothing of an unknown document", unknown().stored(stored())],
  ["no shipment of an unknown document", unknown()],
  ["half of an unknown document", unknown().stored(stored("L2")), 1],
  ["some of a refused document", history().denied(adding(["L1"]), "CONFLICT").stored(stored("L1")), 1],
  [
    "one that was refused and may have been done before",
    history().lost(adding(["L1"]), { request: "a" })
      .denied(adding(["L1"]), "NOT_SENT", 0, { request: "a" }).stored(stored("L1"))
  ],
  ["a departure with its orders and message", history().completion(1).stored(departed("COMPLETED"))],
  ["a departure without its message", history().stored(departed("COMPLETED")), 1],
  ["a departure without its orders", history().completion(1).stored(departed("CREATED")), 1],
  ["a message without its departure", history().completion(1).stored(stored()), 1]
)

const both: Asked = { operation: "add", shipment: "S1", own: { O1: ["L1"], O2: ["L2"] } }
const showing = (first: ReadonlyArray<string>, second: ReadonlyArray<string>) => ({
  shipments: [
    shipment("S1", [], {
      orders: [["O1", first] as const, ["O2", second] as const].map(([orderNumber, lpns]) => ({
        orderNumber,
        status: "CREATED",
        items: lpns.map((lpn) => item(lpn))
      }))
    })
  ]
})
const beside = (answer: ReturnType<typeof showing>, asked: Asked = reading()) =>
  history().during(both, showing(["L1"], ["L2"]), (script) => script.done(asked, answer))

judges(
  "all or nothing",
  ["a read shows nothing of a document beside it", beside(showing([], []))],
  ["a read shows all of a document beside it", beside(showing(["L1"], ["L2"]))],
  ["a read shows the first half of a document", beside(showing(["L1"], [])), 1],
  ["a read shows the second half of a document", beside(showing([], ["L2"])), 1],
  ["a read of one order shows its part", beside(shows("L1"), reading("S1", "O1"))],
  ["the answer to a document shows half of it", history().done(both, showing(["L1"], [])), 1],
  ["the answer to a document shows nothing of it", history().done(both, showing([], [])), 1],
  ["the answer to another document shows nothing of it", beside(showing(["L3"], []), adding(["L3"]))],
  ["the answer to another document shows half of it", beside(showing(["L3", "L1"], []), adding(["L3"])), 1]
)

const withIds = (first: string, second: string) => {
  const [one, two] = [{ ...item("L1"), id: first }, { ...item("L2"), id: second }]
  return history().done(adding(["L1"]), { shipments: [shipment("S1", [one])] })
    .done(adding(["L2"]), { shipments: [shipment("S1", [two])] }).stored(shipment("S1", [one, two]))
}
const again = shipment("S1", [], { id: 2, orders: [] })
const order = { orderNumber: "O1", status: "CREATED", items: [] }
const pallets = [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: "x" }]
const repeat = (asked: Asked, first: object, second: object) =>
  history().done(asked, first, { request: "a" }).done(asked, second, { request: "a" })

judges(
  "no doubling",
  [
    "items of two facilities and two messages",
    history().stored(stored("L1", "L2")).stored(shipment("S1", [{ ...item("L1"), id: "3" }]), "acme", "west")
      .log(1).log(2)
  ],
  ["ids grow", withIds("7", "8")],
  ["the id of an item is below one that was told before", withIds("8", "7"), 1],
  ["two items have one id", withIds("7", "7"), 2],
  ["an item is there twice", history().stored(shipment("S1", [item("L1"), { ...item("L1"), id: "3" }])), 1],
  // Within its shipment, and at its facility.
  ["an order is there twice", history().stored(shipment("S1", [], { orders: [order, order] })), 2],
  ["an order is in two shipments", history().stored(stored()).stored(shipment("S2", [], { id: 2 })), 1],
  ["a shipment is there twice", history().stored(stored()).stored(again), 1],
  ["a read shows an item once", history().done(reading(), shows("L1"))],
  ["a read shows an item twice", history().done(reading(), shows("L1", "L1")), 1],
  ["a read shows two shipments", history().done(reading(), { shipments: [stored("L1"), again] }), 1],
  ["an event has two messages", history().log(1, { pallets }).log(2, { pallets }), 1],
  ["a departure has two messages", history().completion(1).completion(2), 1],
  ["two departures have a message each", history().completion(1).completion(2, [], { shipmentId: 2 })],
  ["a repeat of a document has the same answer", repeat(adding(["L1"]), { digest: "x" }, { digest: "x" })],
  ["a repeat of a document has another answer", repeat(adding(["L1"]), { digest: "x" }, { digest: "y" }), 1],
  [
    "a repeat of an event has the same message",
    repeat(eventAt(1), { messageId: 1, digest: "x" }, { messageId: 1, digest: "y" })
  ],
  ["a repeat of an event has another message", repeat(eventAt(1), { messageId: 1 }, { messageId: 2 }), 1]
)

const marking = (field: "description" | "upc", value: string): Asked => ({
  operation: "add",
  shipment: "S1",
  own: {},
  mark: { order: "O1", lpn: "L", field, value }
})
const says = (marks: object) => shipment("S1", [item("L", "", marks)])
const written = () =>
  history().done(marking("upc", "a")).done(marking("description", "b")).done(marking("upc", "c"))

judges(
  "no lost update",
  ["each field says what was written last", written().stored(says({ upc: "c", description: "b" }))],
  ["a field says what was written before", written().stored(says({ upc: "a", description: "b" })), 1],
  ["a field says nothing", written().stored(says({ upc: "c" })), 1],
  ["the item is not there", written(), 2],
  [
    "a field says what is unknown and came after",
    written().lost(marking("upc", "d")).stored(says({ upc: "d", description: "b" }))
  ]
)

const refusal = { outcome: "REFUSED", code: "SHIPMENT_CANCELLED", counts: [0, 0, 0] } as const
const counts = [1, 1, 0] as const
const taken = () => history().done(adding(["L1"]), { counts }).stored(stored("L1"))
const refused = () => history().denied(adding(["L1"]), "SHIPMENT_CANCELLED")
const open = () => history().lost(adding(["L1"]))
/** A document whose first try has no answer and whose second is answered from its key. */
const repeated = () =>
  history().lost(adding(["L1"]), { request: "r" })
    .done(adding(["L1"]), { counts, replayed: true }, { request: "r" }).stored(stored("L1"))

judges(
  "the record tells the truth",
  ["an acknowledged document is recorded", taken().recorded(1, "S1")],
  ["a refused document is recorded", refused().recorded(1, "S1", refusal)],
  ["the first of two tries is recorded", repeated().recorded(1, "S1")],
  ["what was done without an answer is recorded", open().stored(stored("L1")).recorded(1, "S1")],
  [
    "what was not done is not recorded",
    history().done(adding(["L2"], "S2")).stored(shipment("S2", [item("L2")])).recorded(1, "S2")
      .lost(adding(["L1"]))
  ],
  ["an acknowledged document is missing", taken(), /was acknowledged, and is not recorded/],
  ["a refused document is missing", refused(), /was refused with SHIPMENT_CANCELLED, and is not recorded/],
  ["what was done is missing", open().stored(stored("L1")), /is stored, and not recorded as taken/],
  ["what was rolled back is there", open().recorded(1, "S1"), /is not stored, and recorded as taken/],
  ["a document is there twice", taken().recorded(1, "S1").recorded(1, "S1"), /is recorded 2 times/],
  ["a key is there twice", repeated().recorded(1, "S1").recorded(2, "S1"), /is recorded as taken 2 times/],
  ["a refusal is told", taken().recorded(1, "S1", refusal), /was acknowledged, and is recorded as REFUSED/],
  [
    "other counts are told",
    taken().recorded(1, "S1", { counts: [1, 0, 0] }),
    /answered with the counts 1,1,0, and is recorded with 1,0,0/
  ],
  ["what was never sent is there", taken().recorded(1, "S1").recorded(9, "S1"), /was not sent \(call-9\)/],
  [
    "a document of another client is told",
    taken().recorded(1, "S1", { client: "globex-client" }),
    /of globex-client for S1 that was not sent/
  ],
  ["another number is told", taken().recorded(1, "S2"), /for S2 that was not sent/]
)

// What was acknowledged by a database that is gone is exempt where the copy may lack it, and nothing else is.

judges(
  "acknowledged is durable",
  [
    "a promotion loses a document that came after the copy",
    history().copied().done(adding(["L1"])).promoted()
  ],
  ["a promotion loses an event", history().copied().done(eventAt(1), { messageId: 1 }).promoted()],
  [
    "a promotion loses what came with the copy",
    history().during(adding(["L1"]), {}, (all) => all.copied()).promoted()
  ],
  ["a promotion loses what came before the copy", history().done(adding(["L1"])).copied().promoted(), 1],
  ["what comes after a promotion is lost", history().copied().promoted().done(adding(["L1"])), 1],
  ["a copy loses something and is not promoted", history().copied().done(adding(["L1"])), 1]
)

const halves = () => history().copied().done(adding(["L1", "L2"])).promoted()

judges(
  "all or nothing",
  ["a promotion keeps a document", halves().stored(stored("L1", "L2"))],
  ["a promotion keeps half of a document", halves().stored(stored("L1")), 1]
)

const decided = (script: Script) => script.denied(adding(["L1"]), "SHIPMENT_CANCELLED")

judges(
  "the record tells the truth",
  ["a promotion loses the record of a refusal", decided(history().copied()).promoted()],
  ["it loses one from before the copy", decided(history()).copied().promoted(), /and is not recorded/],
  ["it loses one from after it", decided(history().copied().promoted()), /and is not recorded/]
)
