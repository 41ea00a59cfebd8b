import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, problemOf, refusalOf, TestServer, unique } from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"

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

layer(layerMemory({ bodyLimit: 32_768, itemLimit: 5 }), { excludeTestServices: true })(
  "POST /v1/documents",
  (it) => {
    for (const [name, document, refusal, options] of cases) {
      it.effect(`${refusal[0]}: ${name}`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          assert.deepStrictEqual(refusalOf(yield* server.post(document(), options)), refusal)
        }))
    }

    it.effect("201, then 200 when nothing is created (D3.4)", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const document = order()
        const first = yield* server.post(document)
        assert.strictEqual(first.status, 201)
        const second = yield* server.post(document)
        assert.strictEqual(second.status, 200)
        assert.notProperty(second.headers, "location")
      }))

    it.effect("409: APPEND of an item that the order has, with WIRE.md's detail", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
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
      }))
  }
)
