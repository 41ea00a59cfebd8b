import type { ShipmentView } from "@dockline/core/shipment/View"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf, resultOf, unique } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const ifMatch = (tag: string) => ({ headers: { "if-match": tag } })
const ifNew = { headers: { "if-none-match": "*" } }
const failed = [412, "PRECONDITION_FAILED"] as const

serving("preconditions of documents", layerMemory(), (test) => {
  test(
    "D20.4 the ETag of a shipment is its version, in reads and in answers to documents",
    function*(server) {
      const document = order()
      const first = yield* server.post({ ...document, items: [item("L-1")] })
      assert.strictEqual(first.headers["etag"], "\"1\"")
      const { id, version } = resultOf(first).shipment
      assert.strictEqual(version, 1)
      const same = yield* server.post(document)
      assert.strictEqual(same.headers["etag"], "\"1\"")
      const changed = yield* server.post({ ...document, carrier: "ACME" })
      assert.strictEqual(changed.headers["etag"], "\"2\"")
      const read = yield* server.get(`/v1/shipments/${id}`)
      assert.strictEqual(read.headers["etag"], "\"2\"")
      assert.strictEqual((read.body as ShipmentView).version, 2)
      assert.notProperty((yield* server.post(document, { headers: { prefer: "dry-run" } })).headers, "etag")
      const short = yield* server.post(document, { headers: { prefer: "return=minimal" } })
      assert.match(short.headers["etag"] ?? "", /^"\d+"$/)
    }
  )

  test("D20.4 If-Match takes a document only if the shipment is as it was read", function*(server) {
    const document = order()
    const { id } = resultOf(yield* server.post(document)).shipment
    assert.strictEqual((yield* server.post({ ...document, carrier: "A" }, ifMatch("\"1\""))).status, 200)
    for (const tag of ["\"1\"", "W/\"2\", \"1\"", "\"\"", "\"02\"", "\"*\"", "\"2\u00e9\""]) {
      const reply = yield* server.post({ ...document, carrier: "B" }, ifMatch(tag))
      assert.deepStrictEqual([tag, ...refusalOf(reply)], [tag, ...failed])
    }
    const { carrier, version } = (yield* server.get(`/v1/shipments/${id}`)).body as ShipmentView
    assert.deepStrictEqual([carrier, version], ["A", 2])
    assert.strictEqual(
      (yield* server.post({ ...document, carrier: "B" }, ifMatch("\"1\", \"2\""))).status,
      200
    )
    assert.strictEqual((yield* server.post({ ...document, carrier: "C" }, ifMatch("*"))).status, 200)
    assert.deepStrictEqual(refusalOf(yield* server.post(order(), ifMatch("*"))), failed)
  })

  test("D20.4 of two documents that expect the same version, one is taken", function*(server) {
    const document = order()
    yield* server.post(document)
    const replies = yield* Effect.all(
      ["A", "B", "C"].map((carrier) => server.post({ ...document, carrier }, ifMatch("\"1\""))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(replies.map(({ status }) => status).sort(), [200, 412, 412])
  })

  test("D20.4 If-None-Match: * takes a document only if none of its orders exists", function*(server) {
    const document = order({ shipmentNumber: unique("S") })
    assert.strictEqual((yield* server.post(document, ifNew)).status, 201)
    const elsewhere = { ...document, shipmentNumber: unique("S") }
    for (const each of [document, elsewhere]) {
      assert.deepStrictEqual(refusalOf(yield* server.post(each, ifNew)), failed)
    }
    const reply = yield* server.post(document, { headers: { "if-none-match": "\"1\"" } })
    assert.deepStrictEqual(refusalOf(reply), [400, "MALFORMED_REQUEST"])
    assert.strictEqual(
      (yield* server.post(order({ shipmentNumber: document.shipmentNumber }), ifNew)).status,
      201
    )
  })

  test("D20.4 an answer is kept under its key with its precondition", function*(server) {
    const document = order()
    const key = { "idempotency-key": unique("key") }
    yield* server.post(document)
    const send = (tag: string) =>
      server.post({ ...document, carrier: "A" }, { headers: { ...key, "if-match": tag } })
    assert.deepStrictEqual(refusalOf(yield* send("\"7\"")), failed)
    assert.deepStrictEqual(refusalOf(yield* send("\"7\"")), failed)
    assert.deepStrictEqual(refusalOf(yield* send("\"1\"")), [422, "IDEMPOTENCY_KEY_REUSED"])
  })
})
