/**
 * The checker as a whole: a history that is right passes, and one that shows too little is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { check, invariants } from "../../src/checker/Checker.ts"
import { messagePaths } from "../../src/history/History.ts"
import type { EventOf } from "../../src/history/History.ts"
import { sabotages } from "../../src/system/Sabotage.ts"
import { adding, eventAt, item, passing, reading, Script, shipment } from "./Script.ts"
import { answer, interchange } from "./X12.ts"

const pallets = 44

/** What the notices of a partner announce. */
const noticed = [1, 2].map((control) => ({
  control,
  ...shipment(`N${control}`, [], {
    id: 3 + control,
    orders: [{ orderNumber: `P${control}`, status: "CREATED", items: [item(`N${control}`)] }]
  })
}))

/** Two endpoints and a reader that saw what was done at one dock. */
const good = () => {
  const script = new Script().endpoint("E").endpoint("F").reader()
    .tell({ type: "window", phase: "begin" })
    .tell({ type: "fault", phase: "begin", kind: "instance-kill" })
  const written = shipment("S2", [item("x", "v1")], {
    id: 2,
    orders: [{ orderNumber: "O2", status: "CREATED", items: [item("x", "v1")] }]
  })
  script.done({ operation: "overwrite", shipment: "S2", version: "v1", orders: ["O2"], items: 1 }, {
    shipments: [written]
  })
  // Calls are counted from 1.
  script.recorded(1, "S2").recorded(2, "S1")
  script.done(adding(["L1"]), { shipments: [shipment("S1", [item("L1")])] }).done({
    operation: "arrive",
    shipmentId: 1
  })
  // The arrival is told before.
  for (let at = 1; at <= pallets; at++) script.done(eventAt(at), { messageId: at + 1 })
  for (let id = 1; id <= 3; id++) {
    script.done({ operation: "report", shipmentId: 1, description: `X${id}` }, { exceptionId: id })
  }
  script.done({ operation: "resolve", shipmentId: 1, exceptionId: 1 })
  script.done({ operation: "cancel", shipmentId: 3 })
  script.tell({
    type: "partner",
    partner: "P",
    client: "acme-client",
    business: "acme",
    facility: "east",
    tellsOf: "ALL"
  })
  for (const { control, orders, shipmentNumber } of noticed) {
    const own = Object.fromEntries(
      orders.map(({ items, orderNumber }) => [orderNumber, items.map(({ lpn }) => lpn)])
    )
    const call = script.begin({
      operation: "notice",
      partner: "P",
      control: String(control),
      shipment: shipmentNumber,
      own
    })
    script.ok(call, answer(control, control)).recorded(call, shipmentNumber)
  }
  script.done({ operation: "depart", shipmentId: 1 }).tell({ type: "window", phase: "end" }).tell({
    type: "healed"
  })
  const order = { orderNumber: "O1", status: "COMPLETED", items: [item("L1")] }
  const departed = shipment("S1", [], { status: "DEPARTED", orders: [order] })
  for (let left = 90; left > 0; left--) script.done(reading(), { shipments: [departed] })
  // The arrival, the pallets, three exceptions of which one is resolved, a cancellation, the departure and what it lacks.
  const exceptionOf = (id: number) => ({ exception: { id, description: `X${id}` } })
  const messages: ReadonlyArray<readonly [type: string, more?: Partial<EventOf<"log">>]> = [
    ["SHIPMENT_ARRIVED"],
    ...Array.from({ length: pallets }, (_, at) => ["PALLET_EVENT", passing(at + 1)] as const),
    ...[1, 2, 3].map((id) => ["EXCEPTION_REPORTED", exceptionOf(id)] as const),
    ["EXCEPTION_RESOLVED", exceptionOf(1)],
    ["SHIPMENT_CANCELLED", { shipmentId: 3 }],
    ["SHIPMENT_COMPLETE", { pallets: [{ palletId: "1", direction: "LOADING", orders: [] }] }],
    ["SHIPMENT_DISCREPANCIES", { discrepancies: ["OVER L", "SHORT L1"] }]
  ]
  for (const [at, [messageType, more]] of messages.entries()) {
    const id = at + 1
    const path = messagePaths[messageType]!
    script.sees([id, { messageType }])
    for (const endpoint of ["E", "F"]) {
      script.post(id, 204, { endpoint, path }).delivery(id, "DELIVERED", 1, endpoint)
    }
    script.told(id, messageType, more)
  }
  script.stored(departed).stored(written)
  script.stored(shipment("S3", [], { id: 3, status: "CANCELLED", orders: [] })).tell({
    type: "exceptions",
    shipmentId: 1,
    listed: [1, 2, 3].map((id) => ({ id, description: `X${id}`, isResolved: id === 1 }))
  })
  for (const each of noticed) script.stored(each)
  const advice = ["W06*F*O1*20261128*S1", "LX*1", "MAN*W*L1", "W12*CP*1*0*1*CA**SK*SKU"]
  script.tell({
    type: "outgoing",
    reader: "all",
    partner: "P",
    id: 3,
    text: interchange(3, 3, "945", ...advice)
  })
  const messageIds = Array.from({ length: pallets }, (_, at) => at + 2)
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
  return script.tell({ type: "collected" })
}

describe("the checker", () => {
  it("a history that is right passes, and is counted", () => {
    const { counts, violations } = check(good().history)
    assert.deepStrictEqual(violations, [])
    assert.strictEqual(counts.messages, pallets + 8)
    assert.strictEqual(counts.receipts, 2 * (pallets + 8))
    assert.strictEqual(counts.reads, 90)
  })

  it("a history without anything, or with too little, is refused", () => {
    const judge = (history: ReturnType<typeof good>["history"]) =>
      check(history).violations.filter(({ invariant }) => invariant === "enough happened")
    assert.isNotEmpty(judge([]))
    const all = good().history
    assert.isNotEmpty(judge(all.slice(0, 60)))
    const types =
      "outgoing partner receipt seen delivery log stored dock recorded exceptions window endpoint reader fault"
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
    const broken = good().log(pallets + 9)
    const { violations } = check(broken.history)
    const invented = violations.find(({ invariant }) => invariant === "nothing is invented")
    assert.deepStrictEqual(invented?.events, [broken.history.length - 1])
  })
})

describe("each sabotage", () => {
  for (const [name, { also = [], expects, ...first }] of Object.entries(sabotages)) {
    it(`${name} is of places of the sources, each of which is there once, and is looked for`, () => {
      for (const { file, from, to } of [first, ...also]) {
        const source = readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")
        assert.lengthOf(source.split(from), 2)
        assert.notStrictEqual(from, to)
      }
      assert.property(invariants, expects)
    })
  }
})
