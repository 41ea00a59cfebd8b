/** Answers that are stale or show what cannot be there, and registers whose versions no order explains. */
import type { Asked } from "../../src/history/History.ts"
import { adding, item, judges, reading, Script, shipment } from "./Script.ts"

const history = () => new Script()

const shows = (...lpns: ReadonlyArray<string>) => ({
  shipments: [shipment("S1", lpns.map((lpn) => item(lpn)))]
})
const added = () => history().done(adding(["L1"]))

judges(
  "reads are current",
  ["an acknowledged item is shown", added().done(reading(), shows("L1"))],
  ["an unknown item is not shown", added().lost(adding(["L2"])).done(reading(), shows("L1"))],
  ["an unknown item is shown", added().lost(adding(["L2"])).done(reading(), shows("L1", "L2"))],
  ["an acknowledged item is not shown", added().done(reading(), shows()), 1],
  ["a shipment is not shown", added().done(reading(), { shipments: [] }), 1],
  [
    "a read that began before does not show it",
    history().during(reading(), shows(), (all) => all.done(adding(["L1"])))
  ],
  [
    "an order alone shows its own items only",
    history().done({ operation: "add", shipment: "S1", own: { O1: ["L1"], O2: ["L2"] } })
      .done(reading("S1", "O1"), shows("L1"))
  ],
  [
    "an item that was shown is gone, without having been acknowledged",
    history().lost(adding(["L1"])).done(reading(), shows("L1")).done(reading(), shows()),
    1
  ],
  [
    "an item of a refused document",
    history().denied(adding(["L1"]), "CONFLICT").done(reading(), shows("L1")),
    1
  ],
  ["an item that is not sent yet", history().done(reading(), shows("L1")).done(adding(["L1"])), 1],
  ["a promotion loses a read of what is lost", history().copied().done(reading(), shows("L1")).promoted()],
  ["a promotion keeps what was there before", added().copied().promoted().done(reading(), shows()), 1]
)

const after = (status: string, operation: "arrive" | "depart") =>
  history().done({ operation, shipmentId: 1 }).done(reading(), {
    shipments: [shipment("S1", [], { status })]
  })

judges(
  "reads are current",
  ["a shipment has departed", after("DEPARTED", "depart")],
  ["a shipment has arrived, and departed since", after("DEPARTED", "arrive")],
  ["a shipment has not departed", after("ARRIVED", "depart"), 1],
  ["a shipment has not arrived", after("SCHEDULED", "arrive"), 1],
  [
    "a shipment is read while it arrives",
    history().during({ operation: "arrive", shipmentId: 1 }, {}, (all) => all.done(reading(), shows()))
  ]
)

const marking = (value: string): Asked => ({
  operation: "add",
  shipment: "S1",
  own: {},
  mark: { order: "O1", lpn: "L", field: "upc", value }
})
const marked = () => history().done(marking("a")).done(marking("b"))
const saying = (upc: string) => ({ shipments: [shipment("S1", [item("L", "", { upc })])] })

judges(
  "reads are current",
  ["a field says what was written last", marked().done(reading(), saying("b"))],
  ["a field says what was written before", marked().done(reading(), saying("a")), 1],
  ["a field says nothing", marked().done(reading(), saying("")), 1],
  ["its item is not there", marked().done(reading(), shows()), 1],
  ["its order says what was written before", marked().done(reading("S1", "O1"), saying("a")), 1],
  ["another order does not show it", marked().done(reading("S1", "O2"), shows())],
  ["a field says what is written beside it", marked().lost(marking("c")).done(reading(), saying("c"))],
  ["a field says what is written afterwards", marked().done(reading(), saying("c")).done(marking("c")), 1]
)

const writing = (version: string): Asked => ({
  operation: "overwrite",
  shipment: "S1",
  version,
  orders: ["O1", "O2"],
  items: 2
})
const showing = (first: string, second = first) =>
  shipment("S1", [], {
    orders: [
      { orderNumber: "O1", status: "CREATED", items: [item("a", first), item("b", first)] },
      { orderNumber: "O2", status: "CREATED", items: [item("c", second), item("d", second)] }
    ]
  })

/** The history of a register. */
class Register extends Script {
  /** Writes, and is acknowledged. */
  write(version: string, request = version, once = true): this {
    return this.done(writing(version), { shipments: [showing(version)] }, { request, once })
  }

  read(...versions: ReadonlyArray<string>): this {
    for (const version of versions) this.done(reading(), { shipments: [showing(version)] })
    return this
  }
}

const register = () => new Register()
const both = () => register().write("v1").write("v2")
const nothing = { shipments: [] }
const beside = (...versions: ReadonlyArray<string>) =>
  register().write("v1").during(writing("v2"), {}, (all) => all.read(...versions))
/** Without a key each try is a version of its own. */
const keyless = (version: string) => register().lost(writing(version), { request: "v1", once: false })
const keyed = () => register().lost(writing("v1"), { request: "v1" })
const late = () => keyless("v1.1").write("v1.2", "v1", false).write("v2").read("v2", "v1.1")

judges(
  "registers are linearizable",
  ["reads show nothing first", register().done(reading(), nothing).write("v1").read("v1")],
  ["reads show the latest version", both().read("v2").stored(showing("v2"))],
  ["a read shows an earlier version", both().read("v1"), 1],
  ["nothing is there after the first version", register().write("v1").done(reading(), nothing), 1],
  ["the last version is lost", both().stored(showing("v1")), 1],
  ["the whole shipment is lost", register().write("v1").tell({ type: "collected" }), 1],
  ["a shipment that may never have been is lost", register().lost(writing("v1")).tell({ type: "collected" })],
  ["reads beside a write show the old version, then the new one", beside("v1", "v2")],
  ["reads beside a write show the new version, then the old one", beside("v2", "v1"), 1],
  ["an unknown write lands late", late().stored(showing("v1.1"))],
  ["an unknown write lands twice", late().write("v3").read("v3", "v1.1").stored(showing("v1.1")), /v1\.1/],
  ["an acknowledged try lands again", keyless("v1.1").write("v1.2", "v1", false).write("v2").read("v1.2"), 1],
  [
    "a keyed try lands after its repeat was acknowledged",
    keyed().write("v1").write("v2").read("v2", "v1"),
    1
  ],
  ["a keyed try lands before its repeat", keyed().read("v1").write("v1")],
  ["a version that nobody wrote", register().write("v1").read("v9"), 1],
  [
    "a version that was refused",
    register().write("v1").denied(writing("v2"), "CONFLICT").read("v2"),
    /was refused/
  ],
  ["a version that is not sent yet", register().write("v1").read("v2").write("v2"), /nobody had written/]
)

const half = shipment("S1", [item("a", "v1"), item("b", "v1")])
const mixed = showing("v1", "v2")

judges(
  "registers are whole",
  ["one version in all items of all orders", register().write("v1").read("v1").stored(showing("v1"))],
  ["one order alone", register().write("v1").done(reading("S1", "O1"), { shipments: [half] })],
  ["a read shows two versions at once", register().write("v1").done(reading(), { shipments: [mixed] }), 1],
  ["two versions are stored at once", register().write("v1").stored(mixed), 1],
  ["not all items are stored", register().write("v1").stored(half), 1],
  ["an answer shows another version", register().done(writing("v1"), { shipments: [showing("v2")] }), 1]
)
