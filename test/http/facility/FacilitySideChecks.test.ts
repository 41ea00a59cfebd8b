import { recently } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf, shipmentOf, unique } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { arrive, depart, label, palletEvent, post, record, scheduled } from "./Facility.ts"

const bodyLimit = 4096
const large = "x".repeat(bodyLimit + 1)

/** The writes of towers and docks, each at a path where it would be accepted. */
const paths = (id: number) =>
  [
    "/v1/pallet-events",
    `/v1/shipments/${id}/arrive`,
    `/v1/shipments/${id}/depart`,
    `/v1/shipments/${id}/link`
  ] as const

const malformed = [400, "MALFORMED_REQUEST"] as const
const unsupported = [415, "UNSUPPORTED_MEDIA_TYPE"] as const

/** Bodies that all of them refuse before any look-up. */
const bodies: ReadonlyArray<
  readonly [
    name: string,
    body: unknown,
    refusal: readonly [status: number, code: string],
    headers?: Readonly<Record<string, string>>
  ]
> = [
  ["malformed JSON", "{", malformed],
  ["an unknown field", { colour: "red" }, malformed],
  ["a body over the limit", large, [413, "PAYLOAD_TOO_LARGE"]],
  ["XML", "<a/>", unsupported, { "content-type": "application/xml" }],
  ["no body of another type", "", unsupported, { "content-type": "text/plain" }],
  ["an empty type", "{}", unsupported, { "content-type": "" }],
  ["another charset", {}, unsupported, { "content-type": "application/json; charset=utf-16" }],
  ["a compressed body", {}, unsupported, { "content-encoding": "gzip" }],
  ["no body, compressed", undefined, unsupported, { "content-encoding": "gzip" }],
  ["a key that is too long", {}, [400, "INVALID_PARAMETER"], { "idempotency-key": "k".repeat(256) }]
]

serving("D2.3, D2.6 the bodies of the facility side", layerMemory({ bodyLimit }), (test) => {
  for (const [name, body, refusal, headers] of bodies) {
    test(`${refusal[0]}: ${name}`, function*() {
      const { id } = yield* scheduled()
      for (const path of paths(id)) {
        const reply = yield* post(path, body, { headers: headers ?? {} })
        assert.deepStrictEqual(refusalOf(reply), refusal, path)
      }
    })
  }

  test("415: no body and no type, where there must be one; else it means {}", function*() {
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
  })

  test("415: a body without a type, also where it may be left out, and whatever its size", function*(server) {
    const { id } = yield* scheduled()
    for (const path of paths(id)) {
      for (const body of ["{}", large]) {
        const reply = yield* server.request("POST", path, { client: "tower", body })
        assert.deepStrictEqual(refusalOf(reply), [415, "UNSUPPORTED_MEDIA_TYPE"])
      }
    }
  })

  test("400: a query parameter, of a read of a shipment as well", function*(server) {
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
  })
})

serving("D21.4 a pallet that is reported late", layerMemory(), (test) => {
  // @threat reports.2
  test("is of the shipment that expected it, and never of the next truck at the dock", function*() {
    const [first, second, unknown] = [unique("L"), unique("L"), unique("L")]
    const { id } = yield* scheduled({}, first, second)
    const seen = (lpn: string, time: string, fields = {}) =>
      record(palletEvent({ occurredAt: recently(time), labels: [label("lpn", lpn)], ...fields }))
    yield* seen(first, "17:00:00Z")
    yield* depart(id, { occurredAt: recently("18:00:00Z") })
    const next = yield* scheduled({}, unique("L"))
    yield* arrive(next.id, { occurredAt: recently("18:01:00Z"), dockSlug: "D1" })
    const late = yield* seen(second, "17:30:00Z")
    assert.strictEqual(late.status, 201, late.text)
    assert.deepInclude(late.body, { serviceShipmentId: String(id) })
    assert.deepInclude((late.body as { readonly verdict: object }).verdict, { late: true })
    const after = yield* seen(unknown, "19:00:00Z", { shipmentId: id })
    assert.deepStrictEqual(refusalOf(after), [409, "SHIPMENT_DEPARTED"])
  })
})
