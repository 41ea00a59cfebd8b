import { assert } from "@effect/vitest"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, problemOf, refusalOf, unique } from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"
import { serving } from "../Serving.ts"

const ofType = (type: string): RequestOptions => ({ headers: { "content-type": type } })

const malformed = [400, "MALFORMED_DOCUMENT"] as const
const tooManyItems = [413, "TOO_MANY_ITEMS"] as const
const unsupported = [415, "UNSUPPORTED_MEDIA_TYPE"] as const

const two = (fields: object) => ({
  ...order({ orderNumber: undefined, shipmentNumber: unique("S") }),
  ...fields
})

const cases: ReadonlyArray<
  readonly [
    name: string,
    document: () => unknown,
    refusal: readonly [status: number, code: string],
    options?: RequestOptions
  ]
> = [
  ["malformed JSON", () => "{", malformed],
  ["an empty body", () => "", malformed],
  ["malformed XML", () => "<a>", malformed, ofType("text/xml")],
  ["a field of the wrong type", () => order({ carrier: 5 }), malformed],
  [
    "an order twice in the request",
    () => two({ orders: [{ orderNumber: "A" }, { orderNumber: "A" }] }),
    [409, "DUPLICATE_ORDER_IN_REQUEST"]
  ],
  ["a body over the limit", () => order({ description: "x".repeat(40_000) }), [413, "PAYLOAD_TOO_LARGE"]],
  [
    "too many items in XML, before a field that is unknown",
    () => xml(order({ carier: "x", items: [1, 2, 3, 4, 5, 6].map((index) => item(`L-${index}`)) })),
    tooManyItems,
    { headers: asXml }
  ],
  [
    "too many items over several orders in XML, before a field that is unknown",
    () => {
      const orders = ["A", "B"].map((name) => ({ orderNumber: name, items: [1, 2, 3].map(() => item(name)) }))
      return xml(two({ carier: "x", orders }))
    },
    tooManyItems,
    { headers: asXml }
  ],
  [
    "too many orders in XML, before a field that is unknown",
    () => xml({ carier: "x", orders: [1, 2, 3, 4, 5, 6].map(() => ({ orderNumber: "A" })) }),
    tooManyItems,
    { headers: asXml }
  ],
  [
    "empty elements in XML are no items",
    () => `<d>${"<items/>".repeat(6)}<carier>x</carier></d>`,
    malformed,
    { headers: asXml }
  ],
  ["another media type", () => order(), unsupported, ofType("text/plain")],
  ["a compressed body", () => order(), unsupported, { headers: { "content-encoding": "gzip" } }]
]

serving("POST /v1/documents", layerMemory({ bodyLimit: 32_768, itemLimit: 5 }), (test) => {
  for (const [name, document, refusal, options] of cases) {
    test(`${refusal[0]}: ${name}`, function*(server) {
      assert.deepStrictEqual(refusalOf(yield* server.post(document(), options)), refusal)
    })
  }

  test("201, then 200 when nothing is created (D3.4)", function*(server) {
    const document = order()
    const first = yield* server.post(document)
    assert.strictEqual(first.status, 201)
    const second = yield* server.post(document)
    assert.strictEqual(second.status, 200)
    assert.notProperty(second.headers, "location")
  })

  test("409: APPEND of an item that the order has, with WIRE.md's detail", function*(server) {
    const document = order({ orderItemUpdateStrategy: "APPEND", items: [item("L", { sku: "S 1" })] })
    yield* server.submit(document)
    const problem = problemOf(yield* server.post(document))
    assert.deepStrictEqual(problem, {
      type: "about:blank",
      title: "Conflict",
      status: 409,
      detail: "DUPLICATE_ORDER_ITEM_KEY: lpn=L, sku=S 1",
      code: "DUPLICATE_ORDER_ITEM_KEY"
    })
  })
})
