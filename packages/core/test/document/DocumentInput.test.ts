import { read } from "@dockline/testing/generators/Generators"
import { without } from "@dockline/testing/generators/Given"
import { everyItemField, everyOrderField } from "@dockline/testing/worlds/IntakeWorld"
import { assert, describe, it } from "@effect/vitest"
import * as DocumentInput from "../../src/document/DocumentInput.ts"
import { emptyOrderFields, emptyOrderItem } from "../../src/shipment/Shipment.ts"
import { InvalidDocument, MalformedDocument } from "../../src/values/Errors.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import {
  faultsOf,
  invalid,
  isRequired,
  malformed,
  misspelt,
  rawDocument,
  rawItem,
  unknownField
} from "../Reading.ts"

const noDriver = [
  { name: "driverName", value: "" },
  { name: "driverLicenseNumber", value: "" },
  { name: "driverLicensePlate", value: "" }
]

const orderFields = without(everyOrderField("1"), "carrier")
const itemFields = everyItemField("1")

describe("WIRE.md request fields", () => {
  it("the four required fields are enough; all others get their empty values", () => {
    assert.deepStrictEqual(read(rawDocument()), {
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      shipmentNumber: "O1",
      expectedArrivalAt: null,
      trailerNumber: "",
      dockSlug: "",
      carrier: "",
      additionalFields: noDriver,
      orders: [{ orderNumber: "O1", strategy: "OVERWRITE", fields: emptyOrderFields, items: [] }]
    })
  })

  it("every field of the document, its order and its items is read as sent", () => {
    const document = rawDocument({
      ...orderFields,
      shipmentNumber: "S1",
      expectedArrivalAt: "2026-11-20T18:00:00.5+01:00",
      trailerNumber: "T1",
      dockSlug: "D1",
      driverName: "Kim",
      driverLicenseNumber: "N1",
      driverLicensePlate: "P1",
      additionalFields: [{ name: "colour", value: "red" }, { name: "empty", value: "" }],
      carrier: "Carrier Ltd",
      orderItemUpdateStrategy: "MERGE",
      items: [itemFields]
    })
    assert.deepStrictEqual(read(document), {
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      shipmentNumber: "S1",
      expectedArrivalAt: Timestamp.of("2026-11-20T17:00:00.500Z"),
      trailerNumber: "T1",
      dockSlug: "D1",
      carrier: "Carrier Ltd",
      additionalFields: [
        { name: "colour", value: "red" },
        { name: "empty", value: "" },
        { name: "driverName", value: "Kim" },
        { name: "driverLicenseNumber", value: "N1" },
        { name: "driverLicensePlate", value: "P1" }
      ],
      orders: [{
        orderNumber: "O1",
        strategy: "MERGE",
        fields: { ...orderFields, carrier: "Carrier Ltd" },
        items: [{ ...emptyOrderItem, ...itemFields }]
      }]
    })
  })

  it("an empty document misses all four, and so does one of nulls", () => {
    for (const raw of [{}, { business: null, facility: null, direction: null, orderNumber: null }]) {
      assert.deepStrictEqual(
        faultsOf(raw),
        invalid(
          ["business", isRequired],
          ["facility", isRequired],
          ["direction", isRequired],
          ["orderNumber", isRequired]
        )
      )
    }
  })

  it("WIRE.md rule 2: without shipmentNumber, orderNumber is the shipment number", () => {
    assert.strictEqual(read(rawDocument()).shipmentNumber, "O1")
    assert.strictEqual(read(rawDocument({ shipmentNumber: "" })).shipmentNumber, "O1")
    assert.strictEqual(read(rawDocument({ shipmentNumber: null })).shipmentNumber, "O1")
    assert.strictEqual(read(rawDocument({ shipmentNumber: "S1" })).shipmentNumber, "S1")
  })

  it("WIRE.md: an item has neither identifier nor anything else but what its strategy needs", () => {
    const [order] = read(rawDocument({ items: [rawItem()] })).orders
    assert.deepStrictEqual(order!.items, [
      { ...emptyOrderItem, lpn: "L1", sku: "S1", quantity: 5, quantityUnit: "CASE" }
    ])
  })

  it("D2.2 caseSerials[].quantity may be left out", () => {
    const [order] = read(rawDocument({ items: [rawItem({ caseSerials: [{ id: "C1" }] })] })).orders
    assert.deepStrictEqual(order!.items[0]!.caseSerials, [{ id: "C1", quantity: 0 }])
  })
})

describe("D2.3 a field of the wrong type is 400, without coercion", () => {
  const wrong = {
    "a string": [[5, "a number"], [true, "a boolean"], [[], "a list"], [{}, "an object"]],
    "a number": [["5", "a string"], [" ", "a string"], [true, "a boolean"], [[5], "a list"]],
    "true or false": [["true", "a string"], [0, "a number"], [[], "a list"], [{}, "an object"]],
    "a list": [["a", "a string"], [1, "a number"], [{}, "an object"], [false, "a boolean"]]
  } as const
  type Case = readonly [path: string, expected: keyof typeof wrong, documentWith: (value: unknown) => unknown]
  const ofDocument = (name: string, expected: Case[1]): Case => [
    name,
    expected,
    (value) => rawDocument({ [name]: value })
  ]
  const ofItem = (path: string, expected: Case[1], fieldsWith: (value: unknown) => object): Case => [
    `items[1].${path}`,
    expected,
    (value) => rawDocument({ items: [rawItem(), rawItem({ ...fieldsWith(value) })] })
  ]
  const ofPair = (name: string): Case => [
    `additionalFields[0].${name}`,
    "a string",
    (value) => rawDocument({ additionalFields: [{ name: "x", value: "x", [name]: value }] })
  ]

  it.each<Case>([
    ...["business", "direction", "expectedArrivalAt", "driverName", "carrier", "client"].map((name) =>
      ofDocument(name, "a string")
    ),
    ofDocument("expectedQuantity", "a number"),
    ofDocument("items", "a list"),
    ofDocument("additionalFields", "a list"),
    ["orders", "a list", (orders) => rawDocument({ orderNumber: null, shipmentNumber: "S1", orders })],
    ...["lpn", "quantityUnit", "lot", "expirationDate"].map((name) =>
      ofItem(name, "a string", (value) => ({ [name]: value }))
    ),
    ofItem("quantity", "a number", (quantity) => ({ quantity })),
    ofItem("isDangerousGood", "true or false", (isDangerousGood) => ({ isDangerousGood })),
    ofItem("caseSerials", "a list", (caseSerials) => ({ caseSerials })),
    ofItem("caseSerials[0].id", "a string", (id) => ({ caseSerials: [{ id }] })),
    ofItem("caseSerials[1].quantity", "a number", (quantity) => ({
      caseSerials: [{ id: "C1" }, { id: "C2", quantity }]
    })),
    ofPair("name"),
    ofPair("value")
  ])("%s is %s", (path, expected, documentWith) => {
    for (const [value, kind] of wrong[expected]) {
      const detail = `must be ${expected}, not ${kind}`
      assert.deepStrictEqual(faultsOf(documentWith(value)), malformed([path, detail]))
    }
  })

  it.each(
    [
      [null, "null"],
      ["text", "a string"],
      [5, "a number"],
      [true, "a boolean"],
      [[], "a list"],
      [undefined, "undefined"]
    ] as const
  )("a document that is %j is 400 as a whole", (raw, kind) => {
    assert.deepStrictEqual(faultsOf(raw), malformed(["", `must be an object, not ${kind}`]))
  })

  it("an entry of a list is an object, and null there is not absent", () => {
    assert.deepStrictEqual(
      faultsOf(rawDocument({ items: [null, [], "x", 5], additionalFields: [null] })),
      malformed(
        ["additionalFields[0]", "must be an object, not null"],
        ["items[0]", "must be an object, not null"],
        ["items[1]", "must be an object, not a list"],
        ["items[2]", "must be an object, not a string"],
        ["items[3]", "must be an object, not a number"]
      )
    )
  })
})

describe("D2.3 null means absent", () => {
  it("at every level", () => {
    const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, null]))
    const { lpn: _, sku: __, quantity: ___, quantityUnit: ____, ...optionalItemFields } = itemFields
    const document = rawDocument({
      ...nulls(orderFields),
      shipmentNumber: null,
      expectedArrivalAt: null,
      trailerNumber: null,
      dockSlug: null,
      driverName: null,
      driverLicenseNumber: null,
      driverLicensePlate: null,
      additionalFields: null,
      carrier: null,
      orderItemUpdateStrategy: null,
      orders: null,
      items: [
        rawItem(nulls(optionalItemFields)),
        rawItem({ lpn: "L2", caseSerials: [{ id: "C1", quantity: null }] })
      ]
    })
    assert.deepStrictEqual(
      read(document),
      read(rawDocument({ items: [rawItem(), rawItem({ lpn: "L2", caseSerials: [{ id: "C1" }] })] }))
    )
  })

  it("an unknown field that is null is absent too", () => {
    assert.deepStrictEqual(read(rawDocument({ misspelt: null })), read(rawDocument()))
  })
})

describe("D2.3 an unknown field is 400, at every level", () => {
  const names = ["content", "Truck", "constructor", "toString", "hasOwnProperty", "__proto__", "0", "a.b"]

  it.each(names)("%j", (name) => {
    // fromEntries makes own members only, as JSON.parse does, __proto__ included.
    const withIt = (fields: Record<string, unknown>) =>
      Object.fromEntries([...Object.entries(fields), [name, { polluted: true }]])
    const several = (entry: Record<string, unknown>) =>
      rawDocument({ orderNumber: null, shipmentNumber: "S1", orders: [{ orderNumber: "O1" }, entry] })
    const levels: Record<string, Record<string, unknown>> = {
      [name]: withIt(rawDocument()),
      [`items[0].${name}`]: rawDocument({ items: [withIt(rawItem())] }),
      [`items[0].caseSerials[0].${name}`]: rawDocument({
        items: [rawItem({ caseSerials: [withIt({ id: "C1" })] })]
      }),
      [`additionalFields[0].${name}`]: rawDocument({ additionalFields: [withIt({ name: "n", value: "v" })] }),
      [`orders[1].${name}`]: several(withIt({ orderNumber: "O2" })),
      [`orders[1].items[0].${name}`]: several({ orderNumber: "O2", items: [withIt(rawItem())] })
    }
    for (const [path, document] of Object.entries(levels)) {
      assert.deepStrictEqual(faultsOf(document), malformed([path, unknownField]))
    }
    assert.notProperty({}, "polluted")
  })

  it.each([
    ["itemz", rawDocument({ itemz: [] }), "items"],
    ["OrderNumber", rawDocument({ OrderNumber: "O1" }), "orderNumber"],
    ["items[0].quantitiy", rawDocument({ items: [rawItem({ quantitiy: 1 })] }), "quantity"],
    ["items[0].orderNumbr", rawDocument({ items: [rawItem({ orderNumbr: "O1" })] }), undefined],
    [
      "items[0].caseSerials[0].idd",
      rawDocument({ items: [rawItem({ caseSerials: [{ id: "C1", idd: 1 }] })] }),
      undefined
    ],
    [
      "orders[0].itmes",
      rawDocument({ orderNumber: null, shipmentNumber: "S1", orders: [{ orderNumber: "O1", itmes: [] }] }),
      "items"
    ]
  ])("%s: the field of that level that was meant is named", (path, document, name) => {
    const detail = name === undefined ? unknownField : misspelt(name)
    assert.deepStrictEqual(faultsOf(document), malformed([path, detail]))
  })

  it("the name is echoed only so far, without cutting a character in two", () => {
    const name = "\u{1F69A}".repeat(100)
    const [error] = faultsOf(rawDocument({ [`x${name}`]: 1 })).errors
    assert.deepStrictEqual(error, { path: `x${"\u{1F69A}".repeat(49)}\u{FFFD}…`, detail: unknownField })
  })
})

describe("D2.3 every error of the body is reported, not the first only", () => {
  it("faults of 400 and of 422 together are 400 and all named", () => {
    assert.deepStrictEqual(
      faultsOf({
        facility: "",
        direction: "SIDEWAYS",
        orderNumber: 5,
        expectedQuantity: 1.5,
        colour: "red",
        items: [{ lpn: true, quantity: -1, size: 1 }, rawItem({ expirationDate: "2026-02-30" })]
      }),
      malformed(
        ["colour", unknownField],
        ["business", isRequired],
        ["facility", isRequired],
        ["direction", "must be one of INBOUND, OUTBOUND"],
        ["orderNumber", "must be a string, not a number"],
        ["expectedQuantity", "must be a whole number"],
        ["items[0].size", unknownField],
        ["items[0].lpn", "must be a string, not a boolean"],
        ["items[0].quantity", "must not be negative"],
        ["items[1].expirationDate", "must be a date, YYYY-MM-DD"],
        ["items[0].sku", "is required by OVERWRITE"],
        ["items[0].quantityUnit", "is required by OVERWRITE"]
      )
    )
  })

  it("a fault is named once, though two rules find it", () => {
    assert.deepStrictEqual(
      faultsOf(rawDocument({ business: "", direction: "", orderNumber: "", items: [rawItem({ lpn: "" })] })),
      invalid(
        ["business", isRequired],
        ["direction", "must be one of INBOUND, OUTBOUND"],
        ["items[0].lpn", "is required by OVERWRITE"],
        ["orderNumber", isRequired]
      )
    )
  })

  it("the errors say what they are: code, category and text", () => {
    const one = new MalformedDocument({ errors: [{ path: "items[2].lpn", detail: "must be a string" }] })
    const whole = new MalformedDocument({ errors: [{ path: "", detail: "must be an object" }] })
    const two = new InvalidDocument({ errors: [...one.errors, ...one.errors] })
    assert.deepStrictEqual(
      [one, whole, two].map(({ code, category, message }) => [code, category, message]),
      [
        ["MALFORMED_DOCUMENT", "malformed", "The document cannot be read: items[2].lpn: must be a string"],
        ["MALFORMED_DOCUMENT", "malformed", "The document cannot be read: document: must be an object"],
        ["INVALID_DOCUMENT", "unprocessable", "The document is not valid: 2 errors; see errors"]
      ]
    )
  })
})

describe("D17.2 an interface may take items without an lpn", () => {
  const reader = DocumentInput.reader({ ...DocumentInput.defaultRules, isLpnOptional: true })
  const itemOf = (fields: Record<string, unknown>) =>
    read(rawDocument({ items: [{ quantity: 1, quantityUnit: "CASE", ...fields }] }), reader).orders[0]!
      .items[0]!

  it.each([
    [{ identifier: "I1" }, ["I1", "", ""]],
    [{ sku: "S1" }, ["", "", "S1"]],
    [{ lpn: "L1" }, ["", "L1", ""]],
    [{ identifier: "I1", lpn: "", sku: "" }, ["I1", "", ""]],
    [{ identifier: "", lpn: null, sku: "S1" }, ["", "", "S1"]]
  ])("where an item has an identifier, an lpn or an sku: %j", (key, expected) => {
    const { identifier, lpn, sku } = itemOf(key)
    assert.deepStrictEqual([identifier, lpn, sku], expected)
  })

  it("and not one that has none of them; what else a strategy requires stays required", () => {
    assert.deepStrictEqual(
      faultsOf(
        rawDocument({ items: [{ identifier: "", quantity: 1, quantityUnit: "CASE" }, { sku: "S1" }] }),
        reader
      ),
      invalid(
        ["items[0].lpn", "is required if the item has neither identifier nor sku"],
        ["items[1].quantity", "is required by OVERWRITE"],
        ["items[1].quantityUnit", "is required by OVERWRITE"]
      )
    )
  })

  it("the wire contract does not: lpn and sku are required there", () => {
    assert.deepStrictEqual(
      faultsOf(rawDocument({ items: [rawItem({ identifier: "I1", lpn: undefined })] })),
      invalid(["items[0].lpn", "is required by OVERWRITE"])
    )
  })
})
