import { StorageUnavailable } from "@dockline/core/Errors"
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

const invalid: RequestOptions["headers"] = { authorization: "Bearer not.a.token" }

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
    name: "an idempotency key that is too long",
    document: () => order(),
    options: { headers: { "idempotency-key": "k".repeat(256) } },
    refusal: [400, "INVALID_PARAMETER"]
  },
  { name: "no token", document: () => order(), options: { client: null }, refusal: [401, "UNAUTHENTICATED"] },
  {
    name: "an invalid token",
    document: () => order(),
    options: { headers: invalid },
    refusal: [401, "UNAUTHENTICATED"]
  },
  {
    name: "another scheme",
    document: () => order(),
    options: { headers: { authorization: "Basic YTpi" } },
    refusal: [401, "UNAUTHENTICATED"]
  },
  {
    name: "a client of another facility",
    document: () => order({ facility: "west" }),
    options: { client: "acme-east-client" },
    refusal: [403, "FORBIDDEN"]
  },
  {
    name: "a client without documents:write",
    document: () => order(),
    options: { client: "tower" },
    refusal: [403, "FORBIDDEN"]
  },
  {
    name: "an unknown business",
    document: () => order({ business: "initech" }),
    refusal: [404, "BUSINESS_NOT_FOUND"]
  },
  {
    name: "an unknown facility",
    document: () => order({ facility: "north" }),
    refusal: [404, "FACILITY_NOT_FOUND"]
  },
  {
    name: "an item twice in the request",
    document: () => order({ items: [item("L"), item("L")] }),
    refusal: [409, "DUPLICATE_ITEM_IN_REQUEST"]
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
    name: "too many items",
    document: () => order({ items: Array.from({ length: 6 }, (_, index) => item(`L-${index}`)) }),
    refusal: [413, "TOO_MANY_ITEMS"]
  },
  {
    name: "too many items over several orders",
    document: () => ({
      ...order({ orderNumber: undefined, shipmentNumber: unique("S") }),
      orders: ["A", "B"].map((name) => ({
        orderNumber: name,
        items: [1, 2, 3].map((index) => item(`${name}-${index}`))
      }))
    }),
    refusal: [413, "TOO_MANY_ITEMS"]
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
  },
  {
    name: "a missing orderNumber",
    document: () => order({ orderNumber: undefined }),
    refusal: [422, "INVALID_DOCUMENT"]
  },
  { name: "an unknown dock", document: () => order({ dockSlug: "D9" }), refusal: [422, "UNKNOWN_DOCK"] }
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

    it.effect("409: a shipment of the other direction (D3.2)", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const document = order()
        yield* server.submit(document)
        const problem = problemOf(yield* server.post({ ...document, direction: "INBOUND" }))
        assert.strictEqual(problem.code, "SHIPMENT_CONFLICT")
        assert.strictEqual(
          problem.detail,
          `SHIPMENT_CONFLICT: shipmentNumber=${document.orderNumber}, reason=DIRECTION`
        )
      }))

    it.effect("422: an unknown dock names its field (D3.8)", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const problem = problemOf(yield* server.post(order({ dockSlug: "D9" })))
        assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["dockSlug"])
      }))

    it.effect("503: the storage is away", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const document = order()
        yield* Effect.scoped(Effect.gen(function*() {
          yield* server.intercept(Effect.fail(new StorageUnavailable({ cause: new Error("down") })))
          assert.deepStrictEqual(refusalOf(yield* server.post(document)), [503, "STORAGE_UNAVAILABLE"])
        }))
        assert.strictEqual((yield* server.post(document)).status, 201)
      }))

    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      it.effect(`405: ${method}`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const reply = yield* server.request(method, "/v1/documents", { client: null })
          assert.deepStrictEqual(refusalOf(reply), [405, "METHOD_NOT_ALLOWED"])
          assert.strictEqual(reply.headers["allow"], "GET, HEAD, POST")
        }))
    }
  }
)
