import {
  aCandidate,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  decided,
  earlier,
  orderOf,
  refused
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide, decideAlongside } from "../../src/document/Decision.ts"
import type { DocumentOrder } from "../../src/document/Document.ts"
import type { Snapshot } from "../../src/document/Plan.ts"
import * as Errors from "../../src/values/Errors.ts"
import { aDepartedShipment, aStoredItem } from "../Stored.ts"

const item = anItem("L1", "S1")
const dock = { id: 3, slug: "D1" }

describe("D3.2 a target of the other direction is 409", () => {
  it("with the number and the reason", () => {
    const refusal = {
      code: "SHIPMENT_CONFLICT",
      message: "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DIRECTION"
    }
    assert.deepStrictEqual(
      refused(aDocument({ direction: "INBOUND" }), aSnapshot({ target: aShipment() })),
      refusal
    )
    assert.deepStrictEqual(
      refused(aDocument(), aSnapshot({ target: aShipment({ direction: "INBOUND" }) })),
      refusal
    )
  })
})

describe("D3.2 a departed target is final: a document that would change anything of it is 409", () => {
  const target = aDepartedShipment({
    trailerNumber: "T1",
    carrier: "C1",
    dock,
    additionalFields: [{ name: "n", value: "1" }],
    orders: [
      anOrder("5", "O1", [aStoredItem("50", "L1", "S1")], { client: "Client", status: "COMPLETED" }),
      anOrder("6", "O2", [], { status: "COMPLETED" })
    ]
  })
  const departed = {
    code: "SHIPMENT_CONFLICT",
    message: "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED"
  }
  type Given = readonly [
    what: string,
    fields: Parameters<typeof aDocument>[0],
    order: DocumentOrder,
    snapshot?: Partial<Snapshot>
  ]

  const row = ([what, fields, order, snapshot = {}]: Given) => ({ what, fields, order, snapshot })

  const changing: ReadonlyArray<Given> = [
    ["trailerNumber", { trailerNumber: "T2" }, orderOf("O1")],
    ["expectedArrivalAt", { expectedArrivalAt: "2026-11-21T00:00:00.000Z" }, orderOf("O1")],
    ["its dock", { dockSlug: "D2" }, orderOf("O1"), { dock: { id: 4, slug: "D2" } }],
    ["an additional field", { additionalFields: [{ name: "n", value: "2" }] }, orderOf("O1")],
    ["an order field", {}, orderOf("O1", "OVERWRITE", [], { client: "Other" })],
    ["a new order", {}, orderOf("O3")],
    ["a remapped order", {}, orderOf("O3"), { candidates: [aCandidate(anOrder("9", "O3"))] }],
    ["MERGE of a value", {}, orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity: 6 })])],
    ["MERGE of a new item", {}, orderOf("O1", "MERGE", [anItem("L2", "S1")])],
    ["DELETE of an item", {}, orderOf("O1", "DELETE", [item])],
    ["OVERWRITE, though the items are the same", {}, orderOf("O1", "OVERWRITE", [item])]
  ]

  it.each(changing.map(row))("$what", ({ fields, order, snapshot }) => {
    assert.deepStrictEqual(refused(aDocument(fields, order), aSnapshot({ target, ...snapshot })), departed)
  })

  const unchanging: ReadonlyArray<Given> = [
    ["nothing but the numbers", {}, orderOf("O1")],
    [
      "everything as it is",
      {
        trailerNumber: "T1",
        carrier: "C1",
        expectedArrivalAt: earlier,
        dockSlug: "D1",
        additionalFields: [{ name: "n", value: "1" }]
      },
      orderOf("O1", "OVERWRITE", [], { client: "Client" }),
      { dock }
    ],
    ["MERGE of what is there", {}, orderOf("O1", "MERGE", [item])],
    [
      "MERGE of empty values",
      {},
      orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity: 0, quantityUnit: "" })])
    ],
    ["DELETE of nothing that is there", {}, orderOf("O1", "DELETE", [anItem("L9", "S1")])],
    ["items omitted", {}, orderOf("O2", "OVERWRITE", [])]
  ]

  it.each(unchanging.map(row))(
    "a document that changes nothing is answered: $what",
    ({ fields, order, snapshot }) => {
      const { shipment } = decided(aDocument(fields, order), aSnapshot({ target, ...snapshot }))
      const { orders: _, pallets: __, ...header } = target
      assert.deepStrictEqual(shipment, { _tag: "Update", shipment: header, changed: false })
    }
  )

  it("an arrived one is not final", () => {
    const arrived = aShipment({ status: "ARRIVED", arrivedAt: earlier })
    assert.strictEqual(
      decided(aDocument({ carrier: "C2" }), aSnapshot({ target: arrived })).shipment._tag,
      "Update"
    )
  })
})

describe("WIRE.md rule 6, D3.5: the same lpn + sku twice in the request is 409", () => {
  const refusal = {
    code: "DUPLICATE_ITEM_IN_REQUEST",
    message: "DUPLICATE_ITEM_IN_REQUEST: lpn=L1, sku=S1"
  }

  it.each(["APPEND", "MERGE", "DELETE", "OVERWRITE"])("within one order, with %s", (strategy) => {
    const items = [item, anItem("L2", "S1"), anItem("L1", "S1", { identifier: "other", quantity: 0 })]
    assert.deepStrictEqual(refused(aDocument({}, orderOf("O1", strategy, items)), aSnapshot()), refusal)
  })

  it("the same lpn with another sku, the same sku with another lpn and other case are no duplicates", () => {
    const items = [item, anItem("L1", "S2"), anItem("L2", "S1"), anItem("l1", "S1"), anItem("L1", "S01")]
    assert.deepStrictEqual(
      decided(aDocument({}, orderOf("O1", "APPEND", items)), aSnapshot()).orders[0]!.items,
      {
        created: items,
        updated: [],
        removed: []
      }
    )
  })

  it("D17.2 goods without an lpn may be on several orders, and once on each", () => {
    const goods = anItem("", "S1", { identifier: "I1" })
    const [one, other] = ["O1", "O2"].map((number) => orderOf(number, "APPEND", [goods, anItem("", "S1")]))
    assert.strictEqual(decided(aDocument({}, one!, other!), aSnapshot()).orders.length, 2)
    assert.deepStrictEqual(refused(aDocument({}, orderOf("O1", "APPEND", [goods, goods])), aSnapshot()), {
      code: "DUPLICATE_ITEM_IN_REQUEST",
      message: "DUPLICATE_ITEM_IN_REQUEST: identifier=I1, sku=S1"
    })
  })
})

describe("D2.1 the same orderNumber twice in one document is 409", () => {
  it("with the number", () => {
    const refusal = {
      code: "DUPLICATE_ORDER_IN_REQUEST",
      message: "DUPLICATE_ORDER_IN_REQUEST: orderNumber=O1"
    }
    for (
      const snapshot of [aSnapshot(), aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1")] }) })]
    ) {
      assert.deepStrictEqual(
        refused(aDocument({}, orderOf("O1"), orderOf("O2"), orderOf("O1")), snapshot),
        refusal
      )
    }
  })

  it("numbers compare exactly", () => {
    const plan = decided(
      aDocument({}, orderOf("O1"), orderOf("o1"), orderOf("O01"), orderOf("O1 ")),
      aSnapshot()
    )
    assert.strictEqual(plan.orders.length, 4)
  })
})

describe("WIRE.md APPEND: an lpn + sku already on the order is 409 with that detail", () => {
  const refusal = { code: "DUPLICATE_ORDER_ITEM_KEY", message: "DUPLICATE_ORDER_ITEM_KEY: lpn=L1, sku=S1" }
  const order = anOrder("5", "O1", [aStoredItem("50", "L1", "S1")])
  const document = aDocument({}, orderOf("O1", "APPEND", [anItem("L2", "S1"), item]))

  it("on the order of the target", () => {
    assert.deepStrictEqual(refused(document, aSnapshot({ target: aShipment({ orders: [order] }) })), refusal)
  })

  it("on a remapped order", () => {
    assert.deepStrictEqual(refused(document, aSnapshot({ candidates: [aCandidate(order)] })), refusal)
  })

  it("on another order than the document's it is none", () => {
    const other = aShipment({ orders: [anOrder("6", "O2", order.items)] })
    assert.strictEqual(decided(document, aSnapshot({ target: other })).orders[0]!.items.created.length, 2)
  })
})

describe("D17.2 orders that must be new", () => {
  const onTarget = aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", [])] }) })
  const elsewhere = aSnapshot({ candidates: [aCandidate(anOrder("5", "O1", []))] })

  it("are refused where one is there, on the shipment or on another that it would leave", () => {
    for (const snapshot of [onTarget, elsewhere]) {
      const refusal = Result.getFailure(decideAlongside(aDocument(), { onlyNew: true }, snapshot))
      assert.deepInclude(refusal, {
        value: new Errors.InvalidRequest({
          errors: [{ path: "orderNumber", detail: "is the number of an order that is there: O1" }]
        })
      })
    }
  })

  it.each([["an open order", true], ["an order that is over", false]])(
    "are refused where %s of another shipment has the number",
    (_, isOpen) => {
      const inUse = { ...aSnapshot(), elsewhere: [{ orderNumber: "O1", isOpen }] }
      assert.isTrue(Result.isFailure(decideAlongside(aDocument(), { onlyNew: true }, inUse)))
      const others = { ...aSnapshot(), elsewhere: [{ orderNumber: "O2", isOpen }] }
      assert.isTrue(Result.isSuccess(decideAlongside(aDocument(), { onlyNew: true }, others)))
    }
  )

  it("are decided as others where they are new, and others as ever", () => {
    const document = aDocument()
    assert.deepStrictEqual(
      decideAlongside(document, { onlyNew: true }, aSnapshot()),
      decide(document, aSnapshot())
    )
    assert.deepStrictEqual(decideAlongside(document, {}, onTarget), decide(document, onTarget))
  })
})

describe("D17.2 an order that was looked up before", () => {
  const known = anOrder("5", "O1", [])
  const onTarget = aSnapshot({ target: aShipment({ orders: [known] }) })
  const elsewhere = aSnapshot({ candidates: [aCandidate(known)] })
  const inUse = (isOpen: boolean) => ({ ...aSnapshot(), elsewhere: [{ orderNumber: "O1", isOpen }] })
  const paths = { orderNumber: "input.id" }
  const moved = new Errors.InvalidRequest({
    errors: [{
      path: "input.id",
      detail:
        "names an order that another request has moved meanwhile: send the request again, under a new key if it has one"
    }]
  })

  it.each([
    ["has left its shipment, and would be moved back", "5", elsewhere],
    ["has left its shipment, and would be made a second time", "5", aSnapshot()],
    ["is another by now", "6", onTarget],
    ["was not there, and is on another shipment by now", null, elsewhere],
    ["was not there, and is on another shipment that has arrived by now", null, inUse(true)]
  ])("is refused where it %s", (_, known, snapshot) => {
    const refusal = Result.getFailure(decideAlongside(aDocument(), { known, paths }, snapshot))
    assert.deepInclude(refusal, { value: moved })
  })

  it.each([
    ["is where it was", "5", onTarget],
    ["was not there, and is not", null, aSnapshot()],
    ["was over elsewhere", null, inUse(false)],
    ["was not there, and is on the shipment by now", null, onTarget]
  ])("is decided on where it %s", (_, known, snapshot) => {
    assert.deepStrictEqual(
      decideAlongside(aDocument(), { known, paths }, snapshot),
      decide(aDocument(), snapshot)
    )
  })

  it("has the faults of a check-in named as the client names the fields", () => {
    const checkIn = { step: "DOOR_ASSIGNED", occurredAt: undefined } as const
    const decided = decideAlongside(
      aDocument(),
      { checkIn, paths: { dockSlug: "input.dockSlug" } },
      aSnapshot()
    )
    assert(Result.isFailure(decided) && decided.failure instanceof Errors.InvalidRequest)
    assert.deepStrictEqual(decided.failure.errors.map(({ path }) => path), ["input.dockSlug"])
  })
})
