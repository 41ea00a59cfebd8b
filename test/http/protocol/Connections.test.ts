import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf, shipmentsOf, TestServer } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const documents = { method: "POST", path: "/v1/documents" }
const shipments = { method: "GET", path: "/v1/shipments" }

/** A whole POST as bytes. */
const request = (body: string, ...headers: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const bytes = Buffer.from(body)
    const lines = [
      "POST /v1/documents HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${yield* server.token("acme-client")}`,
      "Content-Type: application/json",
      `Content-Length: ${bytes.length}`,
      ...headers
    ]
    return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes])
  })

const isHealthy = Effect.gen(function*() {
  const server = yield* TestServer
  assert.strictEqual((yield* server.post(order())).status, 201)
  assert.deepStrictEqual(yield* server.takeErrors, [])
})

const count = Effect.fnUntraced(function*(number: string) {
  const server = yield* TestServer
  return shipmentsOf(yield* server.get(`/v1/shipments?shipmentNumber=${number}`)).items.length
})

serving("connections", layerMemory(), (test) => {
  test("a connection serves on after every kind of refusal", function*(server) {
    const connection = yield* server.connect
    const token = yield* server.token("acme-client")
    const send = Effect.fnUntraced(
      function*(statuses: number, text: string | Uint8Array, asked = documents) {
        yield* connection.write(text)
        assert.strictEqual((yield* connection.read(asked)).status, statuses)
      }
    )
    const small = "Content-Length: 2\r\n\r\n{}"
    const authorization = `Authorization: Bearer ${token}`
    yield* send(400, yield* request("{"))
    yield* send(401, `POST /v1/documents HTTP/1.1\r\nHost: x\r\n${small}`)
    yield* send(415, `POST /v1/documents HTTP/1.1\r\nHost: x\r\n${authorization}\r\n${small}`)
    yield* send(404, `POST /nowhere HTTP/1.1\r\nHost: x\r\n${small}`, {
      method: "POST",
      path: "/nowhere"
    })
    yield* send(405, `PUT /v1/documents HTTP/1.1\r\nHost: x\r\n${small}`, {
      method: "PUT",
      path: "/v1/documents"
    })
    yield* send(422, yield* request("{}"))
    yield* send(404, yield* request(JSON.stringify(order({ business: "nobody" }))))
    yield* send(409, yield* request(JSON.stringify(order({ items: [item("L"), item("L")] }))))
    yield* send(201, yield* request(JSON.stringify(order())))
  })

  test(
    "a client that breaks off within the body leaves no trace, and no other client notices",
    function*(server) {
      const document = order({ carrier: "x".repeat(1000) })
      const bytes = yield* request(JSON.stringify(document))
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          Effect.scoped(Effect.gen(function*() {
            const connection = yield* server.connect
            yield* connection.write(bytes.subarray(0, bytes.length - 1 - index * 20))
            if (index % 2 === 0) yield* isHealthy
            yield* connection.reset
          })),
        { concurrency: 10, discard: true }
      )
      yield* isHealthy
      assert.strictEqual(yield* count(document.orderNumber), 0)
    }
  )

  test("a client that ends within the body is told so", function*(server) {
    const connection = yield* server.connect
    const bytes = yield* request(JSON.stringify(order()))
    yield* connection.write(bytes.subarray(0, bytes.length - 1))
    yield* connection.end
    assert.strictEqual((yield* connection.read("malformed")).status, 400)
    yield* connection.closed
    yield* isHealthy
  })

  test(
    "a client that goes away while its document is processed leaves all of it or nothing",
    function*(server) {
      const document = order()
      yield* server.submit(document)
      const { waiting, release } = yield* server.hold(document.orderNumber)
      const connection = yield* server.connect
      yield* connection.write(
        yield* request(JSON.stringify({ ...document, items: [item("A"), item("B")] }))
      )
      yield* waiting
      yield* connection.reset
      yield* release
      const { shipment } = yield* server.submit(document)
      assert.include([0, 2], shipment.orders[0]?.items.length)
      yield* isHealthy
    }
  )

  // @threat asking.3
  test("two Authorization headers are 401, in either order", function*(server) {
    const connection = yield* server.connect
    const [good, bad] = [`Bearer ${yield* server.token("acme-client")}`, "Bearer x"]
    for (const [first, second] of [[good, bad], [bad, good], [good, good]]) {
      yield* connection.write(
        `GET /v1/shipments HTTP/1.1\r\nHost: x\r\nAuthorization: ${first}\r\nAuthorization: ${second}\r\n\r\n`
      )
      assert.strictEqual((yield* connection.read(shipments)).status, 401)
    }
  })

  test("two Content-Type headers are 415", function*(server) {
    const connection = yield* server.connect
    for (const second of ["application/xml", "application/json"]) {
      yield* connection.write(yield* request(JSON.stringify(order()), `Content-Type: ${second}`))
      assert.deepStrictEqual(refusalOf(yield* connection.read(documents)), [
        415,
        "UNSUPPORTED_MEDIA_TYPE"
      ])
    }
  })

  test("two Prefer headers are one list", function*(server) {
    const connection = yield* server.connect
    const document = order()
    yield* connection.write(
      yield* request(JSON.stringify(document), "Prefer: dry-run", "Prefer: return=minimal")
    )
    const reply = yield* connection.read(documents)
    assert.deepStrictEqual(reply.body, { shipment: { id: 0, status: "SCHEDULED" } })
    assert.strictEqual(yield* count(document.orderNumber), 0)
  })

  test("an absolute address in the request line is the same resource", function*(server) {
    const connection = yield* server.connect
    yield* connection.write("GET http://elsewhere/healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert.strictEqual((yield* connection.read({ method: "GET", path: "/healthz" })).status, 200)
    yield* connection.write("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
    assert.strictEqual(problemOf(yield* connection.read({ method: "OPTIONS", path: "*" })).status, 404)
  })
})
