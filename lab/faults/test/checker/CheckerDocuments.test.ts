/**
 * The checker notices each way in which documents may not be what was promised.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Asked } from "../../src/history/History.ts"
import { adding, eventAt, item, reading, Script, shipment } from "./Script.ts"

const stored = (...lpns: ReadonlyArray<string>) => shipment("S1", lpns.map((lpn) => item(lpn)))

describe("acknowledged is durable", () => {
  const holds = () => new Script().done(adding(["L1", "L2"]))

  it("what is stored was acknowledged", () => {
    assert.deepStrictEqual(holds().stored(stored("L1", "L2")).finds("acknowledged is durable"), [])
  })

  it("an acknowledged item is lost, or the whole shipment", () => {
    assert.lengthOf(holds().stored(stored("L1")).finds("acknowledged is durable"), 1)
    assert.lengthOf(holds().finds("acknowledged is durable"), 1)
  })

  it("an item is stored under another id than was told", () => {
    const told = () => new Script().done(adding(["L1", "L2"]), { shipments: [stored("L1", "L2")] })
    assert.deepStrictEqual(told().stored(stored("L1", "L2")).finds("acknowledged is durable"), [])
    const renamed = shipment("S1", [item("L1"), { ...item("L2"), id: "7" }])
    assert.lengthOf(told().stored(renamed).finds("acknowledged is durable"), 1)
  })

  it("the id of an item is below one that was told before, or another item has it", () => {
    const told = (id: string, lpn: string) => ({ shipments: [shipment("S1", [{ ...item(lpn), id }])] })
    const script = (first: string, second: string) =>
      new Script().done(adding(["L1"]), told(first, "L1")).done(adding(["L2"]), told(second, "L2"))
    const kept = (first: string, second: string) =>
      script(first, second).stored(
        shipment("S1", [{ ...item("L1"), id: first }, { ...item("L2"), id: second }])
      ).finds("no doubling")
    assert.deepStrictEqual(kept("7", "8"), [])
    assert.lengthOf(kept("8", "7"), 1)
    assert.isAbove(kept("7", "7").length, 0)
  })

  it("an item is stored at another facility", () => {
    assert.lengthOf(holds().stored(stored("L1", "L2"), "acme", "west").finds("acknowledged is durable"), 1)
  })

  it("what was only acknowledged when it was repeated is as good", () => {
    const script = new Script()
    script.unknown(script.begin(adding(["L1"]), { request: "a" })).done(adding(["L1"]), {}, { request: "a" })
    assert.lengthOf(script.finds("acknowledged is durable"), 1)
  })

  it("an unknown one may be lost", () => {
    const script = new Script()
    assert.deepStrictEqual(script.unknown(script.begin(adding(["L1"]))).finds("acknowledged is durable"), [])
  })

  it("an arrival or departure is lost", () => {
    const arrived = () => new Script().done({ operation: "arrive", shipmentId: 1 })
    assert.lengthOf(arrived().stored(stored()).finds("acknowledged is durable"), 1)
    assert.deepStrictEqual(
      arrived().stored(shipment("S1", [], { status: "ARRIVED" })).finds("acknowledged is durable"),
      []
    )
    const departed = () => new Script().done({ operation: "depart", shipmentId: 1 }).completion(1)
    assert.lengthOf(
      departed().stored(shipment("S1", [], { status: "ARRIVED" })).finds("acknowledged is durable"),
      1
    )
    assert.deepStrictEqual(
      departed().stored(shipment("S1", [], { status: "DEPARTED" })).finds("acknowledged is durable"),
      []
    )
  })

  it("the message of an event or of a departure is lost, or another one than was said", () => {
    const event = () => new Script().done(eventAt(7), { messageId: 7 })
    assert.deepStrictEqual(event().log(7).finds("acknowledged is durable"), [])
    assert.lengthOf(event().finds("acknowledged is durable"), 1)
    assert.lengthOf(event().log(8).finds("acknowledged is durable"), 1)
    assert.lengthOf(event().log(7, { business: "globex" }).finds("acknowledged is durable"), 1)
    assert.lengthOf(
      new Script().done(eventAt(7), { messageId: 6 }).log(7).finds("acknowledged is durable"),
      1
    )
    assert.lengthOf(
      new Script().done({ operation: "depart", shipmentId: 1 }).finds("acknowledged is durable"),
      1
    )
  })
})

describe("all or nothing", () => {
  const unknown = () => {
    const script = new Script()
    return script.unknown(script.begin(adding(["L1", "L2"])))
  }

  it("all of an unknown document, or nothing of it", () => {
    assert.deepStrictEqual(unknown().stored(stored("L1", "L2")).finds("all or nothing"), [])
    assert.deepStrictEqual(unknown().stored(stored()).finds("all or nothing"), [])
    assert.deepStrictEqual(unknown().finds("all or nothing"), [])
  })

  it("half of an unknown document", () => {
    assert.lengthOf(unknown().stored(stored("L2")).finds("all or nothing"), 1)
  })

  it("any of a refused one", () => {
    const script = new Script()
    script.refused(script.begin(adding(["L1"])), "DUPLICATE_ORDER_ITEM_KEY").stored(stored("L1"))
    assert.lengthOf(script.finds("all or nothing"), 1)
  })

  it("one that was refused and may have been done before", () => {
    const script = new Script()
    script.unknown(script.begin(adding(["L1"]), { request: "a" }))
    script.refused(script.begin(adding(["L1"]), { request: "a" }), "NOT_SENT", 0).stored(stored("L1"))
    assert.deepStrictEqual(script.finds("all or nothing"), [])
  })

  it("a departure without its orders or its message, or a message without it", () => {
    const order = { orderNumber: "O1", items: [] }
    const departed = shipment("S1", [], { status: "DEPARTED", orders: [{ ...order, status: "COMPLETED" }] })
    assert.deepStrictEqual(new Script().completion(1).stored(departed).finds("all or nothing"), [])
    assert.lengthOf(new Script().stored(departed).finds("all or nothing"), 1)
    const halfDone = shipment("S1", [], { status: "DEPARTED", orders: [{ ...order, status: "CREATED" }] })
    assert.lengthOf(new Script().completion(1).stored(halfDone).finds("all or nothing"), 1)
    assert.lengthOf(new Script().completion(1).stored(stored()).finds("all or nothing"), 1)
  })
})

describe("no doubling", () => {
  it("nothing is there twice", () => {
    const elsewhere = shipment("S1", [{ ...item("L1"), id: "3" }])
    const script = new Script().stored(stored("L1", "L2")).stored(elsewhere, "acme", "west").log(1).log(2)
    assert.deepStrictEqual(script.finds("no doubling"), [])
  })

  it("an item, an order, a shipment", () => {
    const same = shipment("S1", [item("L1"), { ...item("L1"), id: "3" }])
    assert.lengthOf(new Script().stored(same).finds("no doubling"), 1)
    const order = { orderNumber: "O1", status: "CREATED", items: [] }
    const twice = shipment("S1", [], { orders: [order, order] })
    // Within its shipment, and at its facility.
    assert.lengthOf(new Script().stored(twice).finds("no doubling"), 2)
    const other = shipment("S2", [], { id: 2 })
    assert.lengthOf(new Script().stored(stored()).stored(other).finds("no doubling"), 1)
    const again = shipment("S1", [], { id: 2, orders: [] })
    assert.lengthOf(new Script().stored(stored()).stored(again).finds("no doubling"), 1)
  })

  it("in an answer", () => {
    assert.lengthOf(new Script().done(reading(), { shipments: [stored("L1", "L1")] }).finds("no doubling"), 1)
    const two = { shipments: [stored("L1"), shipment("S1", [], { id: 2 })] }
    assert.lengthOf(new Script().done(reading(), two).finds("no doubling"), 1)
    assert.deepStrictEqual(
      new Script().done(reading(), { shipments: [stored("L1")] }).finds("no doubling"),
      []
    )
  })

  it("a message of one event or departure", () => {
    const { pallets } = { pallets: [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: "x" }] }
    assert.lengthOf(new Script().log(1, { pallets }).log(2, { pallets }).finds("no doubling"), 1)
    assert.lengthOf(new Script().completion(1).completion(2).finds("no doubling"), 1)
    assert.deepStrictEqual(
      new Script().completion(1).completion(2, [], { shipmentId: 2 }).finds("no doubling"),
      []
    )
  })

  it("a repeat under a key that is answered in another way", () => {
    const repeat = (digest: string) =>
      new Script().done(adding(["L1"]), { digest: "x" }, { request: "a" }).done(adding(["L1"]), { digest }, {
        request: "a"
      }).stored(stored("L1"))
    assert.deepStrictEqual(repeat("x").finds("no doubling"), [])
    assert.lengthOf(repeat("y").finds("no doubling"), 1)
  })

  it("a repeat of an event that is answered with another message", () => {
    const repeat = (messageId: number) =>
      new Script().done(eventAt(1), { messageId: 1, digest: "x" }, { request: "a" })
        .done(eventAt(1), { messageId, digest: "y" }, { request: "a" }).log(1)
    assert.deepStrictEqual(repeat(1).finds("no doubling"), [])
    assert.lengthOf(repeat(2).finds("no doubling"), 1)
  })
})

describe("no lost update", () => {
  const marking = (field: "description" | "upc", value: string): Asked => ({
    operation: "add",
    shipment: "S1",
    own: {},
    mark: { order: "O1", lpn: "L", field, value }
  })
  const storedWith = (marks: object) => shipment("S1", [item("L", "", marks)])
  const written = () =>
    new Script().done(marking("upc", "a")).done(marking("description", "b")).done(marking("upc", "c"))

  it("each field says what was written last", () => {
    assert.deepStrictEqual(
      written().stored(storedWith({ upc: "c", description: "b" })).finds("no lost update"),
      []
    )
  })

  it("a field says what was written before, or nothing", () => {
    assert.lengthOf(written().stored(storedWith({ upc: "a", description: "b" })).finds("no lost update"), 1)
    assert.lengthOf(written().stored(storedWith({ upc: "c" })).finds("no lost update"), 1)
    assert.lengthOf(written().finds("no lost update"), 2)
  })

  it("an unknown one that came after may be there", () => {
    const script = written()
    script.unknown(script.begin(marking("upc", "d"))).stored(storedWith({ upc: "d", description: "b" }))
    assert.deepStrictEqual(script.finds("no lost update"), [])
  })
})
