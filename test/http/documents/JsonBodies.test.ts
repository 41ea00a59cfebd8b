import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf, resultOf, TestServer } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

const json = (contentType: string) => ({ headers: { "content-type": contentType } })
const bodyLimit = 20_000

layer(layerMemory({ bodyLimit, itemLimit: 5 }), { excludeTestServices: true })(
  "JSON",
  (it) => {
    for (const type of ["APPLICATION/JSON", "application/json;charset=\"UTF-8\""]) {
      it.effect(`D2.6 ${type} is read`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const reply = yield* server.post(order({ consigneeName: "Müller" }), json(type))
          assert.strictEqual(resultOf(reply).shipment.orders[0]?.consigneeName, "Müller")
        }))
    }

    for (const type of ["application/json; charset=utf-16", "application/problem+json", "nonsense"]) {
      it.effect(`D2.6 ${type} is 415`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          assert.strictEqual((yield* server.post(order(), json(type))).status, 415)
        }))
    }

    it.effect("D2.6 a missing Content-Type is 415", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const reply = yield* server.request("POST", "/v1/documents", { body: JSON.stringify(order()) })
        assert.strictEqual(reply.status, 415)
        assert.include(problemOf(reply).detail, "missing")
      }))

    it.effect("D2.6 a byte order mark is accepted", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        assert.strictEqual((yield* server.post(`\ufeff${JSON.stringify(order())}`)).status, 201)
      }))

    it.effect("D2.6 invalid UTF-8 is 400", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const body = bytes("{\"orderNumber\":\"", [0xc3, 0x28], "\"}")
        assert.deepStrictEqual(refusalOf(yield* server.post(body)), [400, "MALFORMED_DOCUMENT"])
      }))

    it.effect("D2.6 a duplicate key is 400 and named, whatever its values", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const body = `{"orderNumber":"A","items":[{"lpn":"1","lpn":"1"}],"orderNumber":"A"}`
        const problem = problemOf(yield* server.post(body))
        assert.strictEqual(problem.status, 400)
        assert.sameMembers(problem.errors?.map(({ path }) => path) ?? [], ["items[0].lpn", "orderNumber"])
      }))

    // @threat requests.9
    it.effect("D2.6 nesting over 64 levels is 400 before the document is looked at", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const nested = (depth: number) => `{"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
        const deep = problemOf(yield* server.post(nested(65)))
        assert.strictEqual(deep.status, 400)
        assert.include(deep.detail, "64")
        const allowed = problemOf(yield* server.post(nested(64)))
        assert.strictEqual(allowed.status, 400)
        assert.deepInclude(allowed.errors?.[0], { path: "x" })
      }))

    it.effect("D2.3 null means absent", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const result = yield* server.submit(
          order({
            carrier: null,
            expectedQuantity: null,
            orders: null,
            items: [item("L", { weightPerUnit: null })]
          })
        )
        assert.strictEqual(result.shipment.carrier, "")
        assert.strictEqual(result.shipment.orders[0]?.items[0]?.weightPerUnit, 0)
      }))

    for (
      const [name, fields, path] of [
        ["a number for text", { carrier: 5 }, "carrier"],
        [
          "an unknown field of an item",
          { items: [item("L", { quantityunit: "CASE" })] },
          "items[0].quantityunit"
        ]
      ] as const
    ) {
      it.effect(`D2.3 ${name} is 400 at its path`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const problem = problemOf(yield* server.post(order(fields)))
          assert.strictEqual(problem.status, 400)
          assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
        }))
    }

    for (
      const [name, fields, path] of [
        ["a fraction of a whole", { expectedQuantity: 1.5 }, "expectedQuantity"],
        ["an unknown unit", { items: [item("L", { quantityUnit: "BOX" })] }, "items[0].quantityUnit"]
      ] as const
    ) {
      it.effect(`D2.4 ${name} is 422 at its path`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const problem = problemOf(yield* server.post(order(fields)))
          assert.strictEqual(problem.status, 422, JSON.stringify(problem))
          assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
        }))
    }

    it.effect("D2.7 a body of the limit is read, one byte more is 413", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const document = JSON.stringify(order())
        const padded = document + " ".repeat(bodyLimit - document.length)
        assert.strictEqual((yield* server.post(padded)).status, 201)
        assert.deepStrictEqual(refusalOf(yield* server.post(`${padded} `)), [413, "PAYLOAD_TOO_LARGE"])
      }))

    it.effect("D2.7 items up to the limit are taken", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const items = Array.from({ length: 5 }, (_, index) => item(`L-${index}`))
        assert.strictEqual((yield* server.post(order({ items }))).status, 201)
      }))

    // @threat requests.16
    it.effect("D2.4 __proto__ and its like are unknown fields", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
          const body = JSON.stringify(order()).replace("{", `{"${name}":{"carrier":"x"},`)
          const problem = problemOf(yield* server.post(body))
          assert.deepStrictEqual([problem.status, problem.errors?.[0]?.path], [400, name])
        }
      }))
  }
)
