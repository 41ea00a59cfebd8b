import {
  aCandidate,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  earlier,
  now,
  orderOf,
  planOf,
  refusal
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide, decideAlongside, decideIf } from "../../src/document/Decision.ts"
import { needsNumbersInUse } from "../../src/document/DocumentPrecondition.ts"
import type { Shipment } from "../../src/shipment/Shipment.ts"
import { PreconditionFailed } from "../../src/values/RequestErrors.ts"
import { aDepartedShipment, aStoredItem } from "../Stored.ts"

// Which documents are refused is what the laws of decisions say; here is what clients are told, once for each reason.
describe("D3.9 the refusal of a conflict names what is in conflict", () => {
  const item = anItem("L1", "S1")
  const loose = anItem("", "S1", { identifier: "I1" })
  const order = anOrder("5", "O1", [aStoredItem("50", "L1", "S1")])
  const append = (...items: ReadonlyArray<typeof item>) => aDocument({}, orderOf("O1", "APPEND", items))

  it.each([
    [
      "D3.2 a shipment of the other direction",
      aDocument({ direction: "INBOUND" }),
      aSnapshot({ target: aShipment() }),
      "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DIRECTION"
    ],
    [
      "D3.2 a change of a departed shipment",
      aDocument({ trailerNumber: "T2" }),
      aSnapshot({ target: aDepartedShipment() }),
      "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED"
    ],
    [
      "D13.9 a cancelled shipment",
      aDocument(),
      aSnapshot({ target: aShipment({ status: "CANCELLED" }) }),
      "SHIPMENT_CANCELLED: shipmentNumber=S1"
    ],
    [
      "D2.1 an order number twice",
      aDocument({}, orderOf("O1"), orderOf("O2"), orderOf("O1")),
      aSnapshot(),
      "DUPLICATE_ORDER_IN_REQUEST: orderNumber=O1"
    ],
    [
      "D3.5 an lpn and sku twice, on two orders too",
      aDocument({}, orderOf("O1", "MERGE", [item]), orderOf("O2", "DELETE", [{ ...item, quantity: 0 }])),
      aSnapshot(),
      "DUPLICATE_ITEM_IN_REQUEST: lpn=L1, sku=S1"
    ],
    [
      "D17.2 loose goods twice",
      append(loose, loose),
      aSnapshot(),
      "DUPLICATE_ITEM_IN_REQUEST: identifier=I1, sku=S1"
    ],
    [
      "APPEND of what is there",
      append(anItem("L2", "S1"), item),
      aSnapshot({ target: aShipment({ orders: [order] }) }),
      "DUPLICATE_ORDER_ITEM_KEY: lpn=L1, sku=S1"
    ],
    [
      "APPEND of what is on an order that it would move",
      append(item),
      aSnapshot({ candidates: [aCandidate(order)] }),
      "DUPLICATE_ORDER_ITEM_KEY: lpn=L1, sku=S1"
    ]
  ])("%s", (_, document, snapshot, message) => {
    assert.deepStrictEqual(refusal(document, snapshot), { code: message.split(":")[0], message })
  })

  it("D2.1 order numbers compare exactly", () => {
    const orders = ["O1", "o1", "O01", "O1 "].map((number) => orderOf(number))
    assert.strictEqual(planOf(aDocument({}, ...orders), aSnapshot()).orders.length, 4)
  })

  it("D17.2 goods without an lpn may be on several orders", () => {
    const [one, other] = ["O1", "O2"].map((number) => orderOf(number, "APPEND", [loose, anItem("", "S1")]))
    assert.strictEqual(planOf(aDocument({}, one!, other!), aSnapshot()).orders.length, 2)
  })
})

describe("D20.4 orders that must be new", () => {
  const onTarget = aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", [])] }) })
  const elsewhere = aSnapshot({ candidates: [aCandidate(anOrder("5", "O1", []))] })

  it("are refused where one is there, on the shipment or on another that it would leave", () => {
    for (const snapshot of [onTarget, elsewhere]) {
      const refusal = Result.getFailure(
        decideAlongside(aDocument(), { precondition: { ordersAreNew: true } }, snapshot)
      )
      assert.deepInclude(refusal, {
        value: new PreconditionFailed({
          detail: "The facility has an order O1 already, and nothing was done"
        })
      })
    }
  })

  it.each([["an open order", true], ["an order that is over", false]])(
    "are refused where %s of another shipment has the number",
    (_, isOpen) => {
      const inUse = { ...aSnapshot(), numbersInUse: [{ orderNumber: "O1", isOpen }] }
      assert.isTrue(
        Result.isFailure(decideAlongside(aDocument(), { precondition: { ordersAreNew: true } }, inUse))
      )
      const others = { ...aSnapshot(), numbersInUse: [{ orderNumber: "O2", isOpen }] }
      assert.isTrue(
        Result.isSuccess(decideAlongside(aDocument(), { precondition: { ordersAreNew: true } }, others))
      )
    }
  )

  it("are decided as others where they are new, and others as ever", () => {
    const document = aDocument()
    assert.deepStrictEqual(
      decideAlongside(document, { precondition: { ordersAreNew: true } }, aSnapshot()),
      decide(document, aSnapshot())
    )
    assert.deepStrictEqual(decideAlongside(document, {}, onTarget), decide(document, onTarget))
  })
})

describe("D17.2 an order that was looked up before", () => {
  const order = anOrder("5", "O1", [])
  const onTarget = aSnapshot({ target: aShipment({ orders: [order] }) })
  const elsewhere = aSnapshot({ candidates: [aCandidate(order)] })
  const inUse = (isOpen: boolean) => ({ ...aSnapshot(), numbersInUse: [{ orderNumber: "O1", isOpen }] })
  const movedRefusal = new PreconditionFailed({
    detail:
      "Another request has moved the order meanwhile, and nothing was done; send the request again, under a new key if it has one"
  })

  it.each([
    ["has left its shipment, and would be moved back", "5", elsewhere],
    ["has left its shipment, and would be made a second time", "5", aSnapshot()],
    ["is another by now", "6", onTarget],
    ["was not there, and is on another shipment by now", null, elsewhere],
    ["was not there, and is on another shipment that has arrived by now", null, inUse(true)]
  ])("is refused where it %s", (_, precondition, snapshot) => {
    const refusal = Result.getFailure(
      decideAlongside(aDocument(), { precondition: { order: precondition } }, snapshot)
    )
    assert.deepInclude(refusal, { value: movedRefusal })
  })

  it.each([
    ["is where it was", "5", onTarget],
    ["was not there, and is not", null, aSnapshot()],
    ["was over elsewhere", null, inUse(false)],
    ["was not there, and is on the shipment by now", null, onTarget]
  ])("is decided on where it %s", (_, precondition, snapshot) => {
    assert.deepStrictEqual(
      decideAlongside(aDocument(), { precondition: { order: precondition } }, snapshot),
      decide(aDocument(), snapshot)
    )
  })
})

describe("D20.4 a shipment that must be as it was read", () => {
  const target = aShipment({ version: 3 })
  const expecting = (versions: ReadonlyArray<number | "*">, snapshot: ReturnType<typeof aSnapshot>) =>
    decideAlongside(aDocument(), { precondition: { versions } }, snapshot)

  it.each<[string, ReadonlyArray<number | "*">]>([
    ["the version", [3]],
    ["one of several versions", [1, 3]],
    ["any version", ["*"]]
  ])("is changed where it has %s", (_, versions) => {
    const snapshot = aSnapshot({ target })
    assert.deepStrictEqual(expecting(versions, snapshot), decide(aDocument(), snapshot))
  })

  it.each<[string, ReadonlyArray<number | "*">, Shipment | null, string]>([
    ["another version", [2], target, "version 3"],
    ["a version, and none was named", [], target, "version 3"],
    ["no version, as it is not there", ["*"], null, "no shipment S1"]
  ])("is refused where it has %s", (_, versions, target, detail) => {
    const refusal = Result.getOrThrow(Result.flip(expecting(versions, aSnapshot({ target }))))
    assert(refusal instanceof PreconditionFailed)
    assert.include(refusal.message, detail)
  })

  it.each<[string, ReadonlyArray<number | "*">]>([["its version", [3]], ["another version", [2]]])(
    "is decided on alone as with what else is asked: by %s",
    (_, versions) => {
      const snapshot = aSnapshot({ target })
      assert.deepStrictEqual(decideIf(aDocument(), { versions }, snapshot), expecting(versions, snapshot))
    }
  )

  it("is refused for what is wrong with the document first", () => {
    const refusal = Result.getOrThrow(Result.flip(expecting([2], aSnapshot({ business: null, target }))))
    assert.strictEqual(refusal.code, "BUSINESS_NOT_FOUND")
  })
})

describe("D17.3 a step of the check-in that comes with a document", () => {
  const checkIn = { step: "AT_FACILITY", occurredAt: undefined } as const
  const withStep = (snapshot: ReturnType<typeof aSnapshot>) =>
    decideAlongside(aDocument(), { checkIn }, snapshot)

  it.each([
    ["is created with it", aSnapshot(), "Create"],
    ["is changed by it alone", aSnapshot({ target: aShipment() }), "Update"]
  ])("a shipment %s", (_, snapshot, tag) => {
    const { shipment } = Result.getOrThrow(withStep(snapshot))
    assert.strictEqual(shipment._tag, tag)
    const alone = planOf(aDocument(), snapshot).shipment
    assert.deepStrictEqual<unknown>(shipment, {
      ...alone,
      shipment: { ...alone.shipment, checkIn: { AT_FACILITY: now } },
      ...(tag === "Update" ? { isChanged: true } : {})
    })
  })

  it.each([
    ["the document changes it", []],
    ["the document repeats what is there", [anOrder("5", "O1")]]
  ])("is refused once the shipment has departed, where %s", (_, orders) => {
    const refusal = Result.getOrThrow(
      Result.flip(withStep(aSnapshot({ target: aDepartedShipment({ orders }) })))
    )
    assert.strictEqual(refusal.message, "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED")
  })

  it("that was noted before is no change of a departed shipment", () => {
    const target = aDepartedShipment({ orders: [anOrder("5", "O1")], checkIn: { AT_FACILITY: earlier } })
    const snapshot = aSnapshot({ target })
    assert.deepStrictEqual(withStep(snapshot), decide(aDocument(), snapshot))
  })
})

describe("D20.4 the numbers that are in use on other shipments", () => {
  it.each([
    [{}, false],
    [{ ordersAreNew: false, order: "5", versions: [1] }, false],
    [{ ordersAreNew: true }, true],
    [{ order: null }, true]
  ])(
    "are needed by %j: %s",
    (precondition, expected) => assert.strictEqual(needsNumbersInUse(precondition), expected)
  )
})

describe("D17.2 items that are made of those that an order has", () => {
  const before = aStoredItem("50", "L1", "S1")
  const order = anOrder("5", "O2", [before])
  const input = aDocument({}, orderOf("O1", "OVERWRITE", [anItem("L2", "S1")]), orderOf("O2"))

  it.each([
    ["are those of an order of the shipment", aSnapshot({ target: aShipment({ orders: [order] }) }), [
      before
    ]],
    ["are those of an order that moves there", aSnapshot({ candidates: [aCandidate(order)] }), [before]],
    ["are none of an order that is new", aSnapshot(), []]
  ])("%s, and are decided on as if the document had named them", (_, snapshot, items) => {
    const calls: Array<unknown> = []
    const itemsFor = (at: number) => [anItem(`M${at}`, "S1")]
    const plan = decideAlongside(input, {
      items: (...args) => {
        calls.push(args)
        return itemsFor(args[2])
      }
    }, snapshot)
    assert.deepStrictEqual(calls, [[[], [anItem("L2", "S1")], 0], [items, [], 1]])
    const whole = aDocument(
      {},
      orderOf("O1", "OVERWRITE", itemsFor(0)),
      orderOf("O2", "OVERWRITE", itemsFor(1))
    )
    assert.deepStrictEqual(plan, decide(whole, snapshot))
    assert.isTrue(Result.isSuccess(plan))
  })
})
