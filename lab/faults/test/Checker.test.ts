/**
 * The checker as a whole: a history that is right passes, and one that shows too little is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { check, invariants } from "../src/checker/Checker.ts"
import { sourcesOf } from "../src/checker/EpcisRules.ts"
import { Facts } from "../src/checker/Facts.ts"
import { epcisEvents, messagePaths, thingOf } from "../src/history/History.ts"
import type { EventOf, History } from "../src/history/History.ts"
import { sabotages } from "../src/system/Sabotage.ts"
import {
  adding,
  answer,
  eventAt,
  history,
  interchange,
  item,
  passing,
  reading,
  shipment,
  shows
} from "./Script.ts"
import type { Script } from "./Script.ts"

const pallets = 44

/** Two notices of a partner, and what they announce. */
const noticed = [1, 2].map((control) => ({
  control,
  shipment: shipment({
    id: 3 + control,
    shipmentNumber: `N${control}`,
    orders: [{ orderNumber: `P${control}`, status: "CREATED", items: [item(`N${control}`)] }]
  })
}))
const advice = ["W06*F*O1*20261128*S1", "LX*1", "MAN*W*L1", "W12*CP*1*0*1*CA**SK*SKU"]
const exceptionOf = (id: number) => ({ exception: { id, description: `X${id}`, priority: "HIGH" } })

/** The arrival, the pallets, three exceptions of which one is resolved, a cancellation, the departure, what it lacks, a late pallet. */
const messages: ReadonlyArray<readonly [type: string, more?: Partial<EventOf<"log">>]> = [
  ["SHIPMENT_ARRIVED"],
  ...Array.from({ length: pallets }, (_, at) => ["PALLET_EVENT", passing(at + 1)] as const),
  ...[1, 2, 3].map((id) => ["EXCEPTION_REPORTED", exceptionOf(id)] as const),
  ["EXCEPTION_RESOLVED", exceptionOf(1)],
  ["SHIPMENT_CANCELLED", { shipmentId: 3 }],
  ["SHIPMENT_COMPLETE", { pallets: [{ palletId: "1", direction: "LOADING", orders: [] }] }],
  ["SHIPMENT_DISCREPANCIES", { discrepancies: ["OVER L", "SHORT L1"] }],
  ["PALLET_EVENT", { ...passing(pallets + 1), late: true }]
]

/** What makes events of EPCIS is captured, and read by two; and problems are told by e-mail. */
const publish = (script: Script) => {
  const sources = sourcesOf(new Facts(script.history), "acme")
  for (const [at, { events: things }] of sources.entries()) {
    const id = messages.length + at + 1
    script.post(id, 204, { endpoint: "G", path: "/capture", things }).delivery(id, "DELIVERED", 1, "G")
  }
  const events = sources.flatMap((source) => source.events)
  for (const scan of [1, 2]) {
    script.tell({ type: "page", scan, business: "acme", begun: 0, events, isLast: true })
  }
  for (const id of [1, 2, 3]) {
    const mail = {
      endpoint: "R",
      path: "mail",
      digest: `mail ${id}`,
      things: [thingOf("URGENT_EXCEPTION", `X${id}`)]
    }
    script.post(id, 250, { ...mail, webhookId: `<${id}@example.com>` })
  }
}

/** Two endpoints and a reader that saw what was done at one dock. */
const good = () => {
  const script = history().endpoint("E").endpoint("F").reader()
    .tell({ type: "endpoint", endpoint: "G", business: "acme", facility: null, types: [epcisEvents] })
    .tell({ type: "rule", endpoint: "R", business: "acme", facility: "east", kinds: ["URGENT_EXCEPTION"] })
    .tell({ type: "window", phase: "begin" }).tell({ type: "fault", phase: "begin", kind: "instance-kill" })
  const orders = [{ orderNumber: "O2", status: "CREATED", items: [item("x", { lot: "v1" })] }]
  const written = shipment({ id: 2, shipmentNumber: "S2", orders })
  const register = {
    operation: "overwrite",
    shipment: "S2",
    version: "v1",
    orders: ["O2"],
    items: 1
  } as const
  // Calls are counted from 1.
  script.done(register, { shipments: [written] }).recorded(1, { shipmentNumber: "S2" }).recorded(2)
    .done(adding(["L1"]), shows("L1")).done({ operation: "arrive", shipmentId: 1 })
  // The arrival is told before.
  for (let at = 1; at <= pallets; at++) script.done(eventAt(at), { messageId: at + 1 })
  for (const id of [1, 2, 3]) {
    script.done({ operation: "report", shipmentId: 1, description: `X${id}` }, { exceptionId: id })
  }
  script.done({ operation: "resolve", shipmentId: 1, exceptionId: 1 })
    .done({ operation: "cancel", shipmentId: 3 })
  const place = { business: "acme", facility: "east", client: "acme-client" }
  script.tell({ type: "partner", partner: "P", ...place, tellsOf: "ALL" })
  for (const { control, shipment: { orders: [order], shipmentNumber } } of noticed) {
    const own = { [order!.orderNumber]: [`N${control}`] }
    const asked = {
      operation: "notice",
      partner: "P",
      control: String(control),
      shipment: shipmentNumber,
      own
    } as const
    const call = script.begin(asked)
    script.ok(call, answer(control, control)).recorded(call, { shipmentNumber })
  }
  script.done({ operation: "depart", shipmentId: 1 }).tell({ type: "window", phase: "end" })
    .done(eventAt(pallets + 1, { late: true }), { messageId: pallets + 9, verdict: "REPEATED LATE" })
    .tell({ type: "healed" })
  const departed = shipment({ status: "DEPARTED" }, ["L1"])
  for (let left = 90; left > 0; left--) script.done(reading(), { shipments: [departed] })
  for (const [at, [messageType, more]] of messages.entries()) {
    const id = at + 1
    script.sees([id, { messageType }]).told(id, messageType, more)
    for (const endpoint of ["E", "F"]) {
      script.post(id, 204, { endpoint, path: messagePaths[messageType]! }).delivery(
        id,
        "DELIVERED",
        1,
        endpoint
      )
    }
  }
  script.stored(departed).stored(written).stored(
    shipment({ id: 3, shipmentNumber: "S3", status: "CANCELLED" })
  )
  const listed = [1, 2, 3].map((id) => ({ id, description: `X${id}`, isResolved: id === 1 }))
  script.tell({ type: "exceptions", shipmentId: 1, listed })
  for (const { shipment } of noticed) script.stored(shipment)
  const text = interchange(3, 3, "945", ...advice)
  script.tell({ type: "outgoing", reader: "all", partner: "P", id: 3, text })
  const messageIds = [...Array.from({ length: pallets }, (_, at) => at + 2), pallets + 9]
  for (let left = 5; left > 0; left--) {
    script.tell({
      type: "dock",
      shipmentId: 1,
      verdicts: [],
      expected: 1,
      passed: 1,
      missing: 1,
      unexpected: 1,
      pallets: [{ lpn: "L", isLoaded: true, isExpected: false, messageIds }],
      discrepancies: ["OVER L", "SHORT L1"]
    })
  }
  publish(script)
  return script.tell({ type: "collected" })
}

describe("the checker", () => {
  it("a history that is right passes, and is counted", () => {
    const { counts, violations } = check(good().history)
    assert.deepStrictEqual(violations, [])
    assert.strictEqual(counts.messages, pallets + 9)
    assert.strictEqual(counts.receipts, 2 * (pallets + 9) + pallets + 6)
    assert.strictEqual(counts.reads, 90)
  })

  it("a history without anything, or with too little, is refused", () => {
    const judge = (history: History) =>
      check(history).violations.filter(({ invariant }) => invariant === "enough happened")
    assert.isNotEmpty(judge([]))
    const all = good().history
    assert.isNotEmpty(judge(all.slice(0, 60)))
    const types =
      "outgoing partner receipt seen delivery log stored dock recorded exceptions window endpoint rule page reader fault"
    for (const type of types.split(" ")) {
      assert.isNotEmpty(judge(all.filter((event) => event.type !== type)), type)
    }
    for (
      const operation of "overwrite add notice arrive event depart read report resolve cancel".split(" ")
    ) {
      const without = all.filter((event) => event.type !== "invoke" || event.asked.operation !== operation)
      assert.isNotEmpty(judge(without), operation)
    }
  })

  it("a violation names its invariant and the events that show it", () => {
    const broken = good().log(pallets + 10)
    const { violations } = check(broken.history)
    const invented = violations.find(({ invariant }) => invariant === "nothing is invented")
    assert.deepStrictEqual(invented?.events, [broken.history.length - 1])
  })
})

describe("each sabotage", () => {
  for (const [name, { expects, replaced }] of Object.entries(sabotages)) {
    it(`${name} is of places of the sources, each of which is there once, and is looked for`, () => {
      for (const { file, from, to } of replaced) {
        const source = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")
        assert.lengthOf(source.split(from), 2)
        assert.notStrictEqual(from, to)
      }
      assert.property(invariants, expects)
    })
  }
})
