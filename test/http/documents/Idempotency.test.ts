import { assert } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { endLockWaits } from "../../support/database/LockWaits.ts"
import { layerPostgres, ordersOf, refusalOf, resultOf, unique } from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"
import { serving } from "../Serving.ts"
import type { Reply } from "../Wire.ts"

const key = (value: string = unique("key")) => ({ headers: { "idempotency-key": value } })

const isReplayed = (reply: Reply): boolean => reply.headers["idempotency-replayed"] === "true"

/** The parts of an answer that a replay must repeat. */
const answer = (
  { status, text, headers }: Reply
) => [status, text, headers["content-type"], headers["location"]]

serving("D5.2 Idempotency-Key", layerPostgres({ bodyLimit: 10_000, itemLimit: 5 }), (test) => {
  test(
    "the same key with the same body gets the first answer, and nothing is written again",
    function*(server) {
      const document = order({ items: [item("L-1")] })
      const options = key()
      const first = yield* server.post(document, options)
      const second = yield* server.post(document, options)
      assert.deepStrictEqual([first.status, isReplayed(first)], [201, false])
      assert.isTrue(isReplayed(second))
      assert.deepStrictEqual(answer(second), answer(first))
      assert.notStrictEqual(second.headers["correlation-id"], first.headers["correlation-id"])
      const unkeyed = resultOf(yield* server.post(document))
      assert.deepStrictEqual(unkeyed.removed, resultOf(first).created.slice(2))
    }
  )

  test("an answer in XML is replayed in XML", function*(server) {
    const document = xml(order())
    const headers = { ...asXml, accept: "text/xml", ...key().headers }
    const first = yield* server.post(document, { headers })
    const second = yield* server.post(document, { headers })
    assert.isTrue(isReplayed(second))
    assert.deepStrictEqual(answer(second), answer(first))
  })

  test(
    "the same bytes in another charset are another request, and never get the first refusal",
    function*(server) {
      const document = Buffer.from(xml(order({ driverName: "Jos\u00e9" })), "latin1")
      const { headers } = key()
      const send = (contentType: string) =>
        server.post(document, { headers: { "content-type": contentType, ...headers } })
      assert.deepStrictEqual(refusalOf(yield* send("application/xml")), [400, "MALFORMED_DOCUMENT"])
      assert.isTrue(isReplayed(yield* send("text/xml")))
      const mended = yield* send("application/xml; charset=iso-8859-1")
      assert.deepStrictEqual(refusalOf(mended), [422, "IDEMPOTENCY_KEY_REUSED"])
    }
  )

  test("a request for an answer in another format is another request", function*(server) {
    const document = order({ items: [item("L-1")] })
    const { headers } = key()
    yield* server.post(document, { headers })
    const other = yield* server.post(document, { headers: { ...headers, accept: "application/xml" } })
    assert.strictEqual(other.status, 422, other.text)
    assert.include(other.text, "IDEMPOTENCY_KEY_REUSED")
  })

  test("the key with another body is 422, and the first answer stays", function*(server) {
    const document = order()
    const options = key()
    const first = yield* server.post(document, options)
    const other = yield* server.post(order(), options)
    assert.deepStrictEqual(refusalOf(other), [422, "IDEMPOTENCY_KEY_REUSED"])
    assert.deepStrictEqual(answer(yield* server.post(document, options)), answer(first))
  })

  test("a dry run does not answer for the real one", function*(server) {
    const document = order()
    const options = key()
    assert.strictEqual(
      (yield* server.post(document, { ...options, query: "?dryRun=true" })).status,
      201
    )
    assert.isFalse(isReplayed(yield* server.post(document, options)))
  })

  test("keys are 1 to 255 characters, any that a header can hold", function*(server) {
    for (const value of ["x".repeat(255), "\u00e9\u00ff'\"\\;--", unique("k")]) {
      const document = order()
      const [first, second] = [
        yield* server.post(document, key(value)),
        yield* server.post(document, key(value))
      ]
      assert.deepStrictEqual([first.status, second.status, isReplayed(second)], [201, 201, true])
    }
    for (const value of ["", "x".repeat(256)]) {
      const reply = yield* server.post(order(), key(value))
      assert.deepStrictEqual(refusalOf(reply), [400, "INVALID_PARAMETER"])
    }
  })

  for (
    const [name, document, status] of [
      ["a malformed document", () => "{", 400],
      ["a duplicate item", () => order({ items: [item("L"), item("L")] }), 409]
    ] as const
  ) {
    test(`${status} for ${name} is kept`, function*(server) {
      const [sent, options] = [document(), key()]
      const first = yield* server.post(sent, options)
      const second = yield* server.post(sent, options)
      assert.deepStrictEqual([first.status, isReplayed(first)], [status, false])
      assert.isTrue(isReplayed(second))
      assert.deepStrictEqual(answer(second), answer(first))
    })
  }

  for (
    const [name, document, options, status] of [
      ["without a token", () => order(), { client: null }, 401],
      ["of too many bytes", () => order({ carrier: "x".repeat(10_000) }), {}, 413],
      [
        "of too many items",
        () => order({ items: [1, 2, 3, 4, 5, 6].map((index) => item(`L-${index}`)) }),
        {},
        413
      ]
    ] as const
  ) {
    test(`${status} for a request ${name} is not kept`, function*(server) {
      const { headers } = key()
      const first = yield* server.post(document(), { ...options, headers })
      const second = yield* server.post(order(), { headers })
      assert.deepStrictEqual([first.status, second.status, isReplayed(second)], [status, 201, false])
    })
  }

  test("a client that goes away leaves the key with one outcome, not two", function*(server) {
    const document = order()
    yield* server.submit(document)
    const { waiting, release } = yield* server.hold(document.orderNumber)
    const options = key()
    const appended = { ...document, orderItemUpdateStrategy: "APPEND", items: [item("L-1")] }
    const first = yield* Effect.forkScoped(server.post(appended, options))
    yield* waiting
    yield* Fiber.interrupt(first)
    yield* release
    const repeated = yield* server.post(appended, options).pipe(
      Effect.repeat({ until: ({ status }) => status !== 409, schedule: Schedule.spaced("5 millis") })
    )
    assert.strictEqual(repeated.status, 201)
    const orders = ordersOf(yield* server.get(`/v1/orders?orderNumber=${document.orderNumber}`))
    assert.deepStrictEqual(orders.items.map(({ items }) => items.length), [1])
  })
})

serving("D5.2 when the database fails", layerPostgres(), (test) => {
  test("a database session that is killed midway is 503 and leaves the key free", function*(server) {
    const document = order()
    yield* server.submit(document)
    const { waiting, release } = yield* server.hold(document.orderNumber)
    const [changed, options] = [{ ...document, items: [item("L-1")] }, key()]
    const first = yield* Effect.forkScoped(server.post(changed, options))
    yield* waiting
    assert.isAtLeast(yield* endLockWaits, 1)
    assert.deepStrictEqual(refusalOf(yield* Fiber.join(first)), [503, "STORAGE_UNAVAILABLE"])
    yield* release
    const repeated = yield* server.post(changed, options)
    assert.deepStrictEqual([repeated.status, isReplayed(repeated)], [201, false])
    assert.strictEqual(resultOf(repeated).shipment.orders[0]?.items.length, 1)
  })
})
