import { StorageUnavailable } from "@dockline/core/Errors"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf, shipmentOf, TestServer } from "../../support/TestServer.ts"
import { arrive, depart, link, messagesOf, palletEvent, post, record, scheduled } from "./Facility.ts"

const bodyLimit = 4096
const large = "x".repeat(bodyLimit + 1)

/** The writes of the facility side, each at a path where it would be taken. */
const paths = (id: number) =>
  [
    "/v1/pallet-events",
    `/v1/shipments/${id}/arrive`,
    `/v1/shipments/${id}/depart`,
    `/v1/shipments/${id}/link`
  ] as const

/** Bodies that are refused by any of them before anything is looked up. */
const bodies: ReadonlyArray<{
  readonly name: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly refusal: readonly [status: number, code: string]
}> = [
  { name: "malformed JSON", body: "{", refusal: [400, "MALFORMED_REQUEST"] },
  { name: "a list", body: [], refusal: [400, "MALFORMED_REQUEST"] },
  { name: "null", body: "null", refusal: [400, "MALFORMED_REQUEST"] },
  { name: "space", body: " ", refusal: [400, "MALFORMED_REQUEST"] },
  { name: "an unknown field", body: { colour: "red" }, refusal: [400, "MALFORMED_REQUEST"] },
  { name: "an unknown field __proto__", body: "{\"__proto__\":{}}", refusal: [400, "MALFORMED_REQUEST"] },
  { name: "a duplicate key", body: "{\"a\":1,\"a\":1}", refusal: [400, "MALFORMED_REQUEST"] },
  { name: "nesting over 64 levels", body: "[".repeat(65), refusal: [400, "MALFORMED_REQUEST"] },
  {
    name: "invalid UTF-8",
    body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    refusal: [400, "MALFORMED_REQUEST"]
  },
  { name: "a body over the limit", body: large, refusal: [413, "PAYLOAD_TOO_LARGE"] },
  {
    name: "XML",
    body: "<a/>",
    headers: { "content-type": "application/xml" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "a form",
    body: "a=b",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "no body of another type",
    body: "",
    headers: { "content-type": "text/plain" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "an empty type",
    body: "{}",
    headers: { "content-type": "" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "another charset",
    body: {},
    headers: { "content-type": "application/json; charset=utf-16" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "a compressed body",
    body: {},
    headers: { "content-encoding": "gzip" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "no body, compressed",
    body: undefined,
    headers: { "content-encoding": "gzip" },
    refusal: [415, "UNSUPPORTED_MEDIA_TYPE"]
  },
  {
    name: "an idempotency key that is too long",
    body: {},
    headers: { "idempotency-key": "k".repeat(256) },
    refusal: [400, "INVALID_PARAMETER"]
  }
]

layer(layerMemory({ bodyLimit }), { excludeTestServices: true })(
  "D2.3, D2.6 the bodies of the facility side",
  (it) => {
    for (const { name, body, headers, refusal } of bodies) {
      it.effect(`${refusal[0]}: ${name}`, () =>
        Effect.gen(function*() {
          const { id } = yield* scheduled()
          for (const path of paths(id)) {
            const reply = yield* post(path, body, { headers: headers ?? {} })
            assert.deepStrictEqual(refusalOf(reply), refusal, path)
          }
        }))
    }

    for (
      const [name, body, detail] of [
        [
          "a key given twice, of a field it has",
          "{\"dockSlug\":\"D1\",\"dockSlug\":\"D2\"}",
          /given twice/
        ],
        [
          "invalid UTF-8 in a field it has",
          Buffer.concat([Buffer.from("{\"dockSlug\":\""), Buffer.from([0xff]), Buffer.from("\"}")]),
          /UTF-8/
        ],
        ["nesting, before anything else", `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, /64 levels/]
      ] as const
    ) {
      it.effect(`D2.6 400 for ${name}, as of a document`, () =>
        Effect.gen(function*() {
          const { id } = yield* scheduled()
          const problem = problemOf(yield* arrive(id, body))
          assert.deepStrictEqual([problem.status, problem.code], [400, "MALFORMED_REQUEST"])
          assert.match(problem.detail, detail)
        }))
    }

    it.effect("415: no body and no type, where there must be one; else it means {}", () =>
      Effect.gen(function*() {
        const { id } = yield* scheduled()
        const [recorded, arrived, departed, linked] = yield* Effect.forEach(
          paths(id),
          (path) => post(path, undefined)
        )
        for (const reply of [recorded!, linked!]) {
          assert.deepStrictEqual(refusalOf(reply), [415, "UNSUPPORTED_MEDIA_TYPE"])
          assert.include(problemOf(reply).detail, "send application/json")
        }
        for (const reply of [arrived!, departed!]) assert.strictEqual(reply.status, 200)
      }))

    it.effect("415: a body without a type, also where it may be left out, and whatever its size", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const { id } = yield* scheduled()
        for (const path of paths(id)) {
          for (const body of ["{}", large]) {
            const reply = yield* server.request("POST", path, { client: "tower", body })
            assert.deepStrictEqual(refusalOf(reply), [415, "UNSUPPORTED_MEDIA_TYPE"])
          }
        }
      }))

    for (
      const [name, chunks, status] of [
        ["without a byte and without a type means {}", "0\r\n\r\n", 200],
        ["with a byte and without a type is 415", "2\r\n{}\r\n0\r\n\r\n", 415]
      ] as const
    ) {
      it.effect(`a chunked body ${name}`, () =>
        Effect.scoped(Effect.gen(function*() {
          const server = yield* TestServer
          const { id } = yield* scheduled()
          const path = `/v1/shipments/${id}/arrive`
          const connection = yield* server.connect
          const token = yield* server.token("tower")
          yield* connection.write(
            `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`
          )
          assert.strictEqual((yield* connection.read({ method: "POST", path })).status, status)
        })))
    }

    it.effect("400: a query parameter, of a read of a shipment as well", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const { id } = yield* scheduled()
        const replies = [
          ...(yield* Effect.forEach(paths(id), (path) => post(`${path}?dryRun=true&x=1&x=2`, {}))),
          yield* server.get(`/v1/shipments/${id}?dryRun=true&x=1`)
        ]
        for (const reply of replies) {
          const problem = problemOf(reply)
          assert.deepStrictEqual([problem.status, problem.code], [400, "INVALID_PARAMETER"])
          assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["dryRun", "x"])
        }
        assert.strictEqual(shipmentOf(yield* server.get(`/v1/shipments/${id}?`)).status, "SCHEDULED")
      }))

    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      it.effect(`405: ${method}`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          for (const path of paths(1)) {
            const reply = yield* server.request(method, path, { client: null })
            assert.deepStrictEqual(refusalOf(reply), [405, "METHOD_NOT_ALLOWED"])
            assert.strictEqual(reply.headers["allow"], "POST")
          }
        }))
    }

    for (const id of ["0", "-1", "01", "1e3", "9007199254740993", "x", "%00", "../1", "9".repeat(90)]) {
      it.effect(`404: a step of the shipment ${id.slice(0, 20)}`, () =>
        Effect.gen(function*() {
          const segment = id.startsWith("%") ? id : encodeURIComponent(id)
          for (const step of [arrive(segment), depart(segment), link(segment, 1)]) {
            assert.deepStrictEqual(refusalOf(yield* step), [404, "SHIPMENT_NOT_FOUND"])
          }
        }))
    }

    for (
      const [failure, refusal, logged] of [
        [
          Effect.fail(new StorageUnavailable({ cause: new Error("down") })),
          [503, "STORAGE_UNAVAILABLE"],
          0
        ],
        [Effect.die("broken"), [500, "INTERNAL_ERROR"], 1]
      ] as const
    ) {
      it.effect(`${refusal[0]}: ${refusal[1]}, and nothing is written`, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const [{ id }, other] = [yield* scheduled(), yield* scheduled()]
          const { messages } = yield* messagesOf(
            "acme",
            Effect.scoped(Effect.gen(function*() {
              yield* server.intercept(failure)
              for (
                const request of [
                  record(palletEvent({ shipmentId: id })),
                  arrive(id),
                  depart(id),
                  link(id, other.id)
                ]
              ) {
                assert.deepStrictEqual(refusalOf(yield* request), refusal)
                assert.lengthOf(yield* server.takeErrors, logged)
              }
            }))
          )
          assert.deepStrictEqual(messages, [])
          assert.strictEqual(shipmentOf(yield* server.get(`/v1/shipments/${id}`)).status, "SCHEDULED")
        }))
    }
  }
)
