import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, problemOf, refusalOf, TestServer, unique } from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"

interface Case {
  readonly name: string
  readonly document: () => unknown
  readonly options?: RequestOptions
  readonly refusal: readonly [status: number, code: string]
}

const cases: ReadonlyArray<Case> = [
  { name: "malformed JSON", document: () => "{", refusal: [400, "MALFORMED_DOCUMENT"] },
  { name: "an empty body", document: () => "", refusal: [400, "MALFORMED_DOCUMENT"] },
  {
    name: "malformed XML",
    document: () => "<a>",
    options: { headers: { "content-type": "text/xml" } },
    refusal: [400, "MALFORMED_DOCUMENT"]
  },
  {
    name: "a field of the wrong type",
    document: () => order({ carrier: 5 }),
    refusal: [400, "MALFORMED_DOCUMENT"]
  },
  {
    name: "an order twice in the request",
    document: () => ({
      ...order({ orderNumber: undefined, shipmentNumber: unique("S") }),
      orders: [{ orderNumber: "A" }, { orderNumber: "A" }]
    }),
    refusal: [409, "DUPLICATE_ORDER_IN_REQUEST"]
  },
  {
    name: "a body over the limit",
    document: () => order({ description: "x".repeat(40_000) }),
    refusal: [413, "PAYLOAD_TOO_LARGE"]
  },
  {
    name: "too many items in XML, before a field that is unknown",
    document: () => xml(order({ carier: "x", items: [1, 2, 3, 4, 5, 6].map((index) => item(`L-${index}`)) })),
    options: { headers: asXml },
    refusal: [413, "TOO_MANY_ITEMS"]
  },
  {
    name: "too many items over several orders in XML, before a field that is unknown",
    document: () =>
      xml({
        ...order({ carier: "x", orderNumber: undefined, shipmentNumber: unique("S") }),
        orders: ["A", "B"].map((name) => ({ orderNumber: name, items: [1, 2, 3].map(() => item(name)) }))
      }),
    options: { headers: asXml },
    refusal: [413, "TOO_MANY_ITEMS"]
  },
  {
    name: "too many orders in XML, before a field that is unknown",
    document: () => xml({ carier: "x", orders: [1, 2, 3, 4, 5, 6].map(() => ({ orderNumber: "A" })) }),
    options: { headers: asXml },
    refusal: [413, "TOO_MANY_ITEMS"]
  },
  {
    name: "empty elements in XML are no items",
    document: () => `<d>${"<items/>".repeat(6)}<carier>x</carier></d>`,
    options: { headers: asXml },
    refusal: [400, "MALFORMED_DOCUMENT"]
  },
  {
    name: "another media type",
    document: () => order(),
    options: { headers: { "content-type": "text/plain" } },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "a compressed body",
    document: () => order(),
    options: { headers: { "content-encoding": "gzip" } },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  }
]

layer(layerMemory({ bodyLimit: 32_768, itemLimit: 5 }), { excludeTestServices: true })(
  "POST /v1/documents",
  (it) => {
    for (const { name, document, options, refusal } of cases) {
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
