/** D23.2: what belongs to one partner is not another's to change, whatever document comes in the other's name. */
import {
  aCandidate,
  aDocument,
  anOrder,
  aShipment,
  aSnapshot,
  orderOf,
  planOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decideAlongside, hasOthers } from "../../src/document/Decision.ts"
import type { Snapshot } from "../../src/document/Plan.ts"
import { aDepartedShipment, headerOf } from "../Stored.ts"

const document = aDocument({ trailerNumber: "T2" }, orderOf("O1"), orderOf("O2"))
const own = anOrder("5", "O1", [], { owner: "acme-erp" })
const foreign = anOrder("6", "O2", [], { owner: "globex-erp" })
const free = anOrder("6", "O2")

const decideAs = (owner: string | undefined, snapshot: Snapshot) =>
  decideAlongside(document, { owner }, snapshot)

describe("D23.2 a document in the name of a partner", () => {
  it.each([
    ["of its shipment", aSnapshot({ target: aShipment({ orders: [own, foreign] }) })],
    ["that it would move there", aSnapshot({ candidates: [aCandidate(foreign)] })]
  ])("is refused where it names an order of another %s, and says which", (_, snapshot) => {
    const error = Result.getOrThrow(Result.flip(decideAs("acme-erp", snapshot)))
    assert.deepStrictEqual(error._tag === "InvalidRequest" && error.errors, [{
      path: "orders[1].orderNumber",
      detail: "names the order O2, which belongs to another partner"
    }])
  })

  it("makes its own what it creates, and what belonged to nobody", () => {
    for (const snapshot of [aSnapshot(), aSnapshot({ target: aShipment({ orders: [own, free] }) })]) {
      const { orders, shipment } = Result.getOrThrow(decideAs("acme-erp", snapshot))
      const owners = [shipment.shipment, ...orders.map(({ order }) => order.order)].map(({ owner }) => owner)
      assert.deepStrictEqual(owners, ["acme-erp", "acme-erp", "acme-erp"])
    }
  })

  it("adds only the owner to what it creates", () => {
    const snapshot = aSnapshot()
    const { orders, shipment } = Result.getOrThrow(decideAs(undefined, snapshot))
    const owner = "acme-erp"
    assert.deepStrictEqual<unknown>(Result.getOrThrow(decideAs(owner, snapshot)), {
      shipment: { ...shipment, shipment: { ...shipment.shipment, owner } },
      orders: orders.map(({ order, ...change }) => ({
        ...change,
        order: { ...order, order: { ...order.order, owner } }
      }))
    })
  })

  it("changes by that what becomes its own, and nothing that is its own", () => {
    const target = aShipment({ owner: "acme-erp", trailerNumber: "T2", orders: [own, free] })
    const { orders, shipment } = Result.getOrThrow(decideAs("acme-erp", aSnapshot({ target })))
    assert.deepStrictEqual(
      [shipment, ...orders.map(({ order }) => order)].map((change) =>
        change._tag === "Update" && change.isChanged
      ),
      [false, false, true]
    )
    const { shipment: ofNobody } = Result.getOrThrow(
      decideAs("acme-erp", aSnapshot({ target: aShipment({ trailerNumber: "T2" }) }))
    )
    assert.isTrue(ofNobody._tag === "Update" && ofNobody.isChanged)
  })

  it("leaves the fields of a shipment that is another's as they are", () => {
    const target = aShipment({ owner: "globex-erp", trailerNumber: "T1", orders: [own] })
    const { shipment } = Result.getOrThrow(decideAs("acme-erp", aSnapshot({ target })))
    assert.deepStrictEqual(shipment, { _tag: "Update", shipment: headerOf(target), isChanged: false })
  })

  it("makes nothing of a departed shipment its own", () => {
    const target = aDepartedShipment({ trailerNumber: "T2", orders: [anOrder("5", "O1"), free] })
    const snapshot = aSnapshot({ target })
    assert.deepStrictEqual(Result.getOrThrow(decideAs("acme-erp", snapshot)), planOf(document, snapshot))
  })
})

describe("D23.2 a document in nobody's name", () => {
  it("is bound by no ownership, and changes none", () => {
    const snapshot = aSnapshot({ target: aShipment({ owner: "globex-erp", orders: [own, foreign] }) })
    const plan = Result.getOrThrow(decideAs(undefined, snapshot))
    assert.deepStrictEqual(plan, planOf(document, snapshot))
    assert.deepStrictEqual(plan.orders.map(({ order }) => order.order.owner), ["acme-erp", "globex-erp"])
  })
})

describe("D23.2 a shipment has something of another", () => {
  it.each([
    ["its fields", { owner: "globex-erp", orders: [own] }, true],
    ["an order", { owner: "acme-erp", orders: [own, foreign] }, true],
    ["nothing: all is its own", { owner: "acme-erp", orders: [own] }, false],
    ["nothing: what is left is nobody's", { orders: [own, free] }, false]
  ])("%s", (_, shipment, expected) => assert.strictEqual(hasOthers(shipment, "acme-erp"), expected))
})
