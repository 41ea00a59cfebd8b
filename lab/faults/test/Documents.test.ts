/** Documents that are lost, torn, doubled or told wrong; reads that are stale; registers whose versions no order explains. */
import type { Asked } from "../src/history/History.ts"
import { adding, eventAt, history, item, judges, reading, Script, shipment, shows, stored } from "./Script.ts"

const added = () => history().done(adding(["L1", "L2"]))
const told = () => history().done(adding(["L1", "L2"]), shows("L1", "L2"))
const moved = (operation: "arrive" | "depart", status: string) =>
  history().done({ operation, shipmentId: 1 }).completion(1).stored(shipment({ status }))
const event = (messageId = 7) => history().done(eventAt(7), { messageId })
const again = { request: "a" }

judges("acknowledged is durable", {
  "an item is lost": added().stored(stored("L1")),
  "the whole shipment is lost": added(),
  "an item is stored under another id than was told": told().stored(
    shipment({}, ["L1", item("L2", { id: "7" })])
  ),
  "an item is stored at another facility": added().stored(stored("L1", "L2"), { facility: "west" }),
  "what was acknowledged only when it was repeated is lost": history().lost(adding(["L1"]), again)
    .done(adding(["L1"]), {}, again),
  "an arrival is lost": moved("arrive", "SCHEDULED"),
  "a departure is lost": moved("depart", "ARRIVED"),
  "the message of a departure is lost": history().done({ operation: "depart", shipmentId: 1 }),
  "the message of an event is lost": event(),
  "the log holds another message than was said": event().log(8),
  "the log of another business holds it": event().log(7, { business: "globex" }),
  "another message was said than the log holds": event(6).log(7),
  "a promotion loses what came before the copy": history().done(adding(["L1"])).copied().promoted(),
  "what comes after a promotion is lost": history().copied().promoted().done(adding(["L1"])),
  "a copy loses something and is not promoted": history().copied().done(adding(["L1"]))
}, {
  "what is unknown is lost": history().lost(adding(["L1"])),
  "a promotion loses what came after the copy": history().copied().done(adding(["L1"]))
    .done(eventAt(1), { messageId: 1 }).promoted(),
  "a promotion loses what came with the copy": history().during(adding(["L1"]), {}, (all) => all.copied())
    .promoted()
})

const unknown = () => history().lost(adding(["L1", "L2"]))
const departed = (status: string) =>
  shipment({ status: "DEPARTED", orders: [{ orderNumber: "O1", items: [], status }] })
const both = adding({ O1: ["L1"], O2: ["L2"] })
const showing = (...orders: ReadonlyArray<ReadonlyArray<string>>) => ({
  shipments: [shipment({}, ...orders)]
})
const beside = (answer: ReturnType<typeof showing>, asked = reading()) =>
  history().during(both, showing(["L1"], ["L2"]), (script) => script.done(asked, answer))
const half = (script: Script) => script.done(adding(["L1", "L2"])).promoted().stored(stored("L1"))

judges("all or nothing", {
  "half of an unknown document": unknown().stored(stored("L2")),
  "some of a refused document": history().denied(adding(["L1"]), "CONFLICT").stored(stored("L1")),
  "a departure without its message": history().stored(departed("COMPLETED")),
  "a departure without its orders": history().completion(1).stored(departed("CREATED")),
  "a message without its departure": history().completion(1).stored(stored("L1")),
  "a read shows the first half of a document": beside(showing(["L1"], [])),
  "a read shows the second half of a document": beside(showing([], ["L2"])),
  "the answer to a document shows half of it": history().done(both, showing(["L1"], [])),
  "the answer to a document shows nothing of it": history().done(both, showing([], [])),
  "the answer to another document shows half of it": beside(showing(["L3", "L1"], []), adding(["L3"])),
  "a promotion keeps half of a document": half(history().copied())
}, {
  "nothing of an unknown document": unknown().stored(stored()),
  "one that was refused and may have been done before": history().lost(adding(["L1"]), again)
    .denied(adding(["L1"]), "NOT_SENT", 0, again).stored(stored("L1")),
  "a read shows nothing of a document beside it": beside(showing([], [])),
  "a read of one order shows its part": beside(showing(["L1"]), reading("S1", "O1"))
})

const withIds = (first: string, second: string) => {
  const [one, two] = [item("L1", { id: first }), item("L2", { id: second })]
  return history().done(adding(["L1"]), { shipments: [shipment({}, [one])] })
    .done(adding(["L2"]), { shipments: [shipment({}, [two])] }).stored(shipment({}, [one, two]))
}
const twice = shipment({ id: 2 })
const order = { orderNumber: "O1", status: "CREATED", items: [] }
const pallets = [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: "x" }]
const repeat = (asked: Asked, first: object, second: object) =>
  history().done(asked, first, again).done(asked, second, again)

judges("no doubling", {
  "the id of an item is below one that was told before": withIds("8", "7"),
  "two items have one id": [withIds("7", "7"), 2],
  "an item is there twice": history().stored(shipment({}, ["L1", item("L1", { id: "3" })])),
  // Within its shipment, and at its facility.
  "an order is there twice": [history().stored(shipment({ orders: [order, order] })), 2],
  "an order is in two shipments": history().stored(stored()).stored(
    shipment({ id: 2, shipmentNumber: "S2" }, [])
  ),
  "a shipment is there twice": history().stored(stored()).stored(twice),
  "a read shows an item twice": history().done(reading(), shows("L1", "L1")),
  "a read shows two shipments": history().done(reading(), { shipments: [stored("L1"), twice] }),
  "an event has two messages": history().log(1, { pallets }).log(2, { pallets }),
  "a departure has two messages": history().completion(1).completion(2),
  "a repeat of a document has another answer": repeat(adding(["L1"]), { digest: "x" }, { digest: "y" }),
  "a repeat of an event has another message": repeat(eventAt(1), { messageId: 1 }, { messageId: 2 })
}, {
  "ids grow": withIds("7", "8"),
  "a repeat of an event has the same message": repeat(
    eventAt(1),
    { messageId: 1, digest: "x" },
    { messageId: 1, digest: "y" }
  )
})

const marking = (field: "description" | "upc", value: string): Asked => {
  const mark = { order: "O1", lpn: "L", field, value }
  return { operation: "add", shipment: "S1", own: {}, mark }
}
const says = (marks: object) => shipment({}, [item("L", marks)])
const written = () =>
  history().done(marking("upc", "a")).done(marking("description", "b")).done(marking("upc", "c"))

judges("no lost update", {
  "a field says what was written before": written().stored(says({ upc: "a", description: "b" })),
  "a field says nothing": written().stored(says({ upc: "c" })),
  "the item is not there": [written(), 2]
}, {
  "a field says what is unknown and came after": written().lost(marking("upc", "d"))
    .stored(says({ upc: "d", description: "b" }))
})

const refusal = { outcome: "REFUSED", code: "SHIPMENT_CANCELLED", counts: [0, 0, 0] } as const
const counts = [1, 1, 0] as const
const taken = () => history().done(adding(["L1"]), { counts }).stored(stored("L1"))
const refused = (script = history()) => script.denied(adding(["L1"]), "SHIPMENT_CANCELLED")
const open = () => history().lost(adding(["L1"]))
/** A document whose first try has no answer and whose second is answered from its key. */
const repeated = () =>
  history().lost(adding(["L1"]), again).done(adding(["L1"]), { counts, replayed: true }, again)
    .stored(stored("L1"))
const other = (script: Script) =>
  script.done(adding(["X"], "S2")).stored(shipment({ shipmentNumber: "S2" }, ["X"]))

judges("the record tells the truth", {
  // Of the document, of its try, and of the record as a whole.
  "an acknowledged document is missing": [taken(), 3],
  "a refused document is missing": other(refused()).recorded(2, { shipmentNumber: "S2" }),
  "what was done is missing": open().stored(stored("L1")),
  "what was rolled back is there": open().recorded(1),
  "a document is there twice": [taken().recorded(1).recorded(1), 2],
  "a key is there twice": [repeated().recorded(1).recorded(2), 2],
  "a refusal is told": [taken().recorded(1, refusal), 2],
  "other counts are told": taken().recorded(1, { counts: [1, 0, 0] }),
  "what was never sent is there": taken().recorded(1).recorded(9),
  "a document of another client is told": taken().recorded(1, { client: "globex-client" }),
  "another number is told": taken().recorded(1, { shipmentNumber: "S2" }),
  "a promotion loses a refusal from before the copy": refused().copied().promoted(),
  "a promotion loses a refusal from after it": refused(history().copied().promoted())
}, {
  "a refused document is recorded": refused().recorded(1, refusal),
  "the first of two tries is recorded": repeated().recorded(1),
  "a promotion loses the record of a refusal": refused(history().copied()).promoted()
})

const marked = () => history().done(marking("upc", "a")).done(marking("upc", "b"))
const saying = (upc: string) => ({ shipments: [says({ upc })] })
const after = (status: string, operation: "arrive" | "depart") =>
  history().done({ operation, shipmentId: 1 }).done(reading(), { shipments: [shipment({ status })] })

judges("reads are current", {
  "an acknowledged item is not shown": history().done(adding(["L1"])).done(reading(), shows()),
  "a shipment is not shown": history().done(adding(["L1"])).done(reading(), { shipments: [] }),
  "an item that was shown is gone, without having been acknowledged": history().lost(adding(["L1"]))
    .done(reading(), shows("L1")).done(reading(), shows()),
  "an item of a refused document": history().denied(adding(["L1"]), "CONFLICT").done(reading(), shows("L1")),
  "an item that is not sent yet": history().done(reading(), shows("L1")).done(adding(["L1"])),
  "a promotion keeps what was there before": history().done(adding(["L1"])).copied().promoted()
    .done(reading(), shows()),
  "a shipment has not departed": after("ARRIVED", "depart"),
  "a shipment has not arrived": after("SCHEDULED", "arrive"),
  "a field says what was written before": marked().done(reading(), saying("a")),
  "a field says nothing": marked().done(reading(), saying("")),
  "its item is not there": marked().done(reading(), shows()),
  "its order says what was written before": marked().done(reading("S1", "O1"), saying("a")),
  "a field says what is written afterwards": marked().done(reading(), saying("c")).done(marking("upc", "c"))
}, {
  "a read that began before does not show it": history().during(
    reading(),
    shows(),
    (all) => all.done(adding(["L1"]))
  ),
  "an order alone shows its own items only": history().done(both).done(reading("S1", "O1"), shows("L1")),
  "another order does not show a field": marked().done(reading("S1", "O2"), shows()),
  "a field says what is written beside it": marked().lost(marking("upc", "c")).done(reading(), saying("c")),
  "a promotion loses a read of what is lost": history().copied().done(reading(), shows("L1")).promoted()
})

const register = { operation: "overwrite", shipment: "S1", orders: ["O1", "O2"], items: 2 } as const
const writing = (version: string): Asked => ({ ...register, version })
const versions = (lot: string, second = lot) =>
  shipment({}, [item("a", { lot }), item("b", { lot })], [
    item("c", { lot: second }),
    item("d", { lot: second })
  ])

/** The history of a register. */
class Register extends Script {
  /** Writes, and is acknowledged. */
  write(version: string, request = version, once = true): this {
    return this.done(writing(version), { shipments: [versions(version)] }, { request, once })
  }

  read(...all: ReadonlyArray<string>): this {
    for (const version of all) this.done(reading(), { shipments: [versions(version)] })
    return this
  }
}

const begun = () => new Register()
const two = () => begun().write("v1").write("v2")
const amid = (...all: ReadonlyArray<string>) =>
  begun().write("v1").during(writing("v2"), {}, (script) => script.read(...all))
/** Without a key each try is a version of its own. */
const keyless = (version: string) => begun().lost(writing(version), { request: "v1", once: false })
const keyed = () => begun().lost(writing("v1"), { request: "v1" })
const late = () => keyless("v1.1").write("v1.2", "v1", false).write("v2").read("v2", "v1.1")

judges("registers are linearizable", {
  "a read shows an earlier version": two().read("v1"),
  "nothing is there after the first version": begun().write("v1").done(reading(), { shipments: [] }),
  "the last version is lost": two().stored(versions("v1")),
  "the whole shipment is lost": begun().write("v1").tell({ type: "collected" }),
  "reads beside a write show the new version, then the old one": amid("v2", "v1"),
  "an unknown write lands twice": late().write("v3").read("v3", "v1.1").stored(versions("v1.1")),
  "an acknowledged try lands again": keyless("v1.1").write("v1.2", "v1", false).write("v2").read("v1.2"),
  "a keyed try lands after its repeat was acknowledged": keyed().write("v1").write("v2").read("v2", "v1"),
  "a version that nobody wrote": begun().write("v1").read("v9"),
  "a version that was refused": begun().write("v1").denied(writing("v2"), "CONFLICT").read("v2"),
  // It is shown before it is written, and again in its place.
  "a version that is not sent yet": begun().write("v1").read("v2").write("v2")
}, {
  "reads show nothing first": begun().done(reading(), { shipments: [] }).write("v1").read("v1"),
  "a shipment that may never have been is lost": begun().lost(writing("v1")).tell({ type: "collected" }),
  "reads beside a write show the old version, then the new one": amid("v1", "v2"),
  "an unknown write lands late": late().stored(versions("v1.1")),
  "a keyed try lands before its repeat": keyed().read("v1").write("v1")
})

const one = shipment({}, [item("a", { lot: "v1" }), item("b", { lot: "v1" })])
const mixed = versions("v1", "v2")

judges("registers are whole", {
  "a read shows two versions at once": begun().write("v1").done(reading(), { shipments: [mixed] }),
  "two versions are stored at once": begun().write("v1").stored(mixed),
  "not all items are stored": begun().write("v1").stored(one),
  "an answer shows another version": begun().done(writing("v1"), { shipments: [versions("v2")] })
}, {
  "one order alone": begun().write("v1").done(reading("S1", "O1"), { shipments: [one] })
})
