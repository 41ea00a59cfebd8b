import { read } from "@dockline/testing/generators/Generators"
import { anItem, refusalOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { itemCount } from "../../src/document/Document.ts"
import { defaultRules, reader } from "../../src/document/DocumentInput.ts"
import { defaultStrategies } from "../../src/document/Strategy.ts"
import { emptyOrderFields } from "../../src/shipment/Shipment.ts"
import { faultsOf, invalid, isRequired, malformed, rawDocument, rawItem, unknownField } from "../Reading.ts"

const severalOrders = (
  orders: ReadonlyArray<unknown>,
  fields: Record<string, unknown> = {}
): Record<string, unknown> => {
  const { orderNumber: _, ...rest } = rawDocument()
  return { ...rest, shipmentNumber: "S1", ...fields, orders }
}

const beside = (what: string) => `cannot be sent beside orders; move ${what} into an entry of orders`

describe("D2.1 several orders in one document", () => {
  it("each has its own number, strategy, fields and items", () => {
    const document = read(severalOrders([
      { orderNumber: "O1", orderItemUpdateStrategy: "APPEND", client: "First", items: [rawItem()] },
      { orderNumber: "O2", expectedQuantity: 3 }
    ]))
    assert.strictEqual(document.shipmentNumber, "S1")
    assert.deepStrictEqual(document.orders, [
      {
        orderNumber: "O1",
        strategy: "APPEND",
        fields: { ...emptyOrderFields, client: "First" },
        items: [anItem("L1", "S1")]
      },
      {
        orderNumber: "O2",
        strategy: "OVERWRITE",
        fields: { ...emptyOrderFields, expectedQuantity: 3 },
        items: []
      }
    ])
  })

  it("an entry's strategy is its own, else the document's, else OVERWRITE", () => {
    const entries = [
      { orderNumber: "O1", orderItemUpdateStrategy: "DELETE" },
      { orderNumber: "O2" },
      { orderNumber: "O3", orderItemUpdateStrategy: null }
    ]
    const strategies = (fields: Record<string, unknown>) =>
      read(severalOrders(entries, fields)).orders.map((order) => order.strategy)
    assert.deepStrictEqual(strategies({ orderItemUpdateStrategy: "MERGE" }), ["DELETE", "MERGE", "MERGE"])
    assert.deepStrictEqual(strategies({}), ["DELETE", "OVERWRITE", "OVERWRITE"])
  })

  it("top-level order fields are defaults for entries that omit them", () => {
    const defaults = { client: "Default", supplier: "Default", expectedQuantity: 7, carrier: "Carrier" }
    const document = read(severalOrders(
      [
        { orderNumber: "O1" },
        { orderNumber: "O2", client: "Own", supplier: "", expectedQuantity: 0 },
        { orderNumber: "O3", client: null, expectedQuantity: 2 }
      ],
      defaults
    ))
    assert.deepStrictEqual(document.orders.map((order) => order.fields), [
      { ...emptyOrderFields, ...defaults },
      { ...emptyOrderFields, ...defaults, client: "Own", expectedQuantity: 0 },
      { ...emptyOrderFields, ...defaults, expectedQuantity: 2 }
    ])
  })

  it("every order-level field can be a default", () => {
    const { carrier: _, ...names } = emptyOrderFields
    const values = Object.fromEntries(
      Object.keys(names).map((name) => [name, name === "expectedQuantity" ? 4 : `the ${name}`])
    )
    assert.deepStrictEqual(
      read(severalOrders([{ orderNumber: "O1" }], values)).orders,
      read(severalOrders([{ orderNumber: "O1", ...values }])).orders
    )
  })

  it("an entry has no shipment-level fields", () => {
    assert.deepStrictEqual(
      faultsOf(severalOrders([{ orderNumber: "O1", shipmentNumber: "S2", carrier: "Own" }])),
      malformed(["orders[0].shipmentNumber", unknownField], ["orders[0].carrier", unknownField])
    )
  })

  it("one entry is enough, and null beside it is absent", () => {
    assert.deepStrictEqual(
      read(severalOrders([{ orderNumber: "O1" }], { orderNumber: null, items: null })),
      read(rawDocument({ shipmentNumber: "S1" }))
    )
  })

  it("itemCount counts the items of all orders", () => {
    const document = read(severalOrders([
      { orderNumber: "O1", items: [rawItem(), rawItem({ lpn: "L2" })] },
      { orderNumber: "O2" },
      { orderNumber: "O3", items: [rawItem({ lpn: "L3" })] }
    ]))
    assert.strictEqual(itemCount(document), 3)
  })
})

describe("D2.7, D3.9 too many items are 413, before anything of them is looked at", () => {
  const limitedReader = reader(defaultRules, 3)
  const limit = (raw: unknown) => refusalOf(Result.getOrThrow(Result.flip(limitedReader(raw))))
  const tooMany = {
    code: "TOO_MANY_ITEMS",
    message: "A document holds at most 3 items; send the rest in further documents with APPEND or MERGE"
  }
  const items = (count: number) => Array.from({ length: count }, (_, n) => rawItem({ lpn: `L${n}` }))

  it("in one order, or in several together, whatever else is wrong", () => {
    const entry = (count: number) => ({ orderNumber: `O${count}`, items: items(count) })
    assert.strictEqual(read(rawDocument({ items: items(3) }), limitedReader).orders[0]!.items.length, 3)
    assert.strictEqual(read(severalOrders([entry(2), entry(1)]), limitedReader).orders.length, 2)
    for (
      const raw of [
        rawDocument({ items: items(4) }),
        severalOrders([entry(2), entry(0), entry(2)]),
        severalOrders([entry(2)], { items: items(2) }),
        { items: [1, null, "x", []], colour: "red" }
      ]
    ) assert.deepStrictEqual(limit(raw), tooMany)
  })

  it("10,000 by default", () => {
    assert.strictEqual(read(rawDocument({ items: items(10_000) })).orders[0]!.items.length, 10_000)
    const refusal = reader()(rawDocument({ items: items(10_001) }))
    assert.strictEqual(Result.getOrThrow(Result.flip(refusal)).code, "TOO_MANY_ITEMS")
  })
})

describe("D2.1, D2.4 mixing the shapes is 422", () => {
  const entries = [{ orderNumber: "O1" }]
  const missingNumber = ["shipmentNumber", "is required with orders"] as const

  it.each<readonly [string, unknown, ReadonlyArray<readonly [path: string, detail: string]>]>([
    ["null as shipmentNumber", severalOrders(entries, { shipmentNumber: null }), [missingNumber]],
    ["an empty shipmentNumber", severalOrders(entries, { shipmentNumber: "" }), [missingNumber]],
    ["an empty orders", severalOrders([]), [["orders", "must hold at least one order"]]],
    ["orderNumber", severalOrders(entries, { orderNumber: "O1" }), [["orderNumber", beside("it")]]],
    ["no items", severalOrders(entries, { items: [] }), [["items", beside("them")]]],
    ["items", severalOrders(entries, { items: [rawItem()] }), [["items", beside("them")]]],
    ["everything at once", rawDocument({ orders: [{}], items: [] }), [
      missingNumber,
      ["orderNumber", beside("it")],
      ["items", beside("them")],
      ["orders[0].orderNumber", isRequired]
    ]],
    [
      "entries without an orderNumber",
      severalOrders([{ client: "C" }, { orderNumber: "" }, { orderNumber: null }]),
      [0, 1, 2].map((index) => [`orders[${index}].orderNumber`, isRequired] as const)
    ]
  ])("%s", (_, raw, faults) => {
    assert.deepStrictEqual(faultsOf(raw), invalid(...faults))
  })

  it("but what is empty beside the other shape counts as absent", () => {
    assert.deepStrictEqual(read(rawDocument({ orders: [] })), read(rawDocument({})))
    assert.deepStrictEqual(read(severalOrders(entries, { orderNumber: "" })), read(severalOrders(entries)))
  })
})

describe("WIRE.md item strategies: missing required item fields are 422", () => {
  const key = ["lpn", "sku"]
  const table: ReadonlyArray<readonly [strategy: string | undefined, required: ReadonlyArray<string>]> = [
    ["APPEND", [...key, "quantity", "quantityUnit"]],
    ["MERGE", key],
    ["DELETE", key],
    ["OVERWRITE", [...key, "quantity", "quantityUnit"]],
    [undefined, [...key, "quantity", "quantityUnit"]]
  ]

  it.each(table)("%s requires %j", (strategy, required) => {
    const detail = `is required by ${strategy ?? "OVERWRITE"}`
    const fields = strategy === undefined ? {} : { orderItemUpdateStrategy: strategy }
    const withItems = (...items: ReadonlyArray<unknown>) => rawDocument({ ...fields, items })
    assert.deepStrictEqual(
      faultsOf(withItems(rawItem(), {})),
      invalid(...required.map((name) => [`items[1].${name}`, detail] as const))
    )
    for (const name of ["lpn", "sku", "quantity", "quantityUnit"]) {
      const { [name]: _, ...without } = rawItem()
      const isNeeded = required.includes(name)
      for (const item of [without, rawItem({ [name]: null })]) {
        if (isNeeded) assert.deepStrictEqual(faultsOf(withItems(item)), invalid([`items[0].${name}`, detail]))
        else assert.strictEqual(read(withItems(item)).orders[0]!.items.length, 1)
      }
    }
    read(withItems(rawItem()))
    read(withItems())
  })

  it("quantityUnit \"\" is missing, and D3.10 a quantity of 0 is not", () => {
    const withItem = (strategy: string, fields: object) =>
      rawDocument({ orderItemUpdateStrategy: strategy, items: [rawItem({ ...fields })] })
    for (const strategy of ["APPEND", "OVERWRITE"]) {
      assert.deepStrictEqual(
        faultsOf(withItem(strategy, { quantityUnit: "" })),
        invalid(["items[0].quantityUnit", `is required by ${strategy}`])
      )
      assert.strictEqual(read(withItem(strategy, { quantity: 0 })).orders[0]!.items[0]!.quantity, 0)
    }
  })

  it("D3.10 a field that a strategy does not use is still validated", () => {
    assert.deepStrictEqual(
      faultsOf(
        rawDocument({ orderItemUpdateStrategy: "DELETE", items: [rawItem({ quantity: -1, lot: "\0" })] })
      ),
      invalid(["items[0].quantity", "must not be negative"], [
        "items[0].lot",
        "must not contain the character NUL"
      ])
    )
    assert.deepStrictEqual(
      faultsOf(rawDocument({ orderItemUpdateStrategy: "DELETE", items: [rawItem({ quantity: "5" })] })),
      malformed(["items[0].quantity", "must be a number, not a string"])
    )
  })

  it("D2.1 each order by its own strategy, with the path of its entry", () => {
    assert.deepStrictEqual(
      faultsOf(severalOrders([
        { orderNumber: "O1", orderItemUpdateStrategy: "APPEND", items: [{}] },
        { orderNumber: "O2", items: [rawItem(), { lpn: "L2" }] },
        { orderNumber: "O3", orderItemUpdateStrategy: "OVERWRITE", items: [{ lpn: "L3", sku: "S1" }] }
      ], { orderItemUpdateStrategy: "DELETE" })),
      invalid(
        ["orders[0].items[0].lpn", "is required by APPEND"],
        ["orders[0].items[0].sku", "is required by APPEND"],
        ["orders[0].items[0].quantity", "is required by APPEND"],
        ["orders[0].items[0].quantityUnit", "is required by APPEND"],
        ["orders[1].items[1].sku", "is required by DELETE"],
        ["orders[2].items[0].quantity", "is required by OVERWRITE"],
        ["orders[2].items[0].quantityUnit", "is required by OVERWRITE"]
      )
    )
  })

  it("with an unknown strategy only that is said, not what it would need", () => {
    assert.deepStrictEqual(
      faultsOf(rawDocument({ orderItemUpdateStrategy: "REPLACE", items: [{}] })),
      invalid(["orderItemUpdateStrategy", `must be one of ${Object.keys(defaultStrategies).join(", ")}`])
    )
  })
})
