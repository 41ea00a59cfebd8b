import { payloadOf } from "@dockline/core/Message"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf } from "../../support/TestServer.ts"
import { arrive, label, link, messagesOf, palletEvent, record, scheduled } from "./Facility.ts"

/** Pallet events that are refused, by the field at fault. */
const faults: ReadonlyArray<readonly [name: string, fields: object, status: number, path: string]> = [
  ...["eventId", "business", "facility", "dockSlug", "direction", "occurredAt", "labels"].flatMap((field) =>
    [
      [`no ${field}`, { [field]: undefined }, 422, field],
      [`null as ${field}`, { [field]: null }, 422, field],
      [`a number as ${field}`, { [field]: 5 }, 400, field]
    ] as const
  ),
  ...["eventId", "business", "facility", "dockSlug", "direction", "occurredAt"].map((field) =>
    [`"" as ${field}`, { [field]: "" }, 422, field] as const
  ),
  ["another direction", { direction: "loading" }, 422, "direction"],
  ["no time", { occurredAt: "yesterday" }, 422, "occurredAt"],
  ["a day that is none", { occurredAt: "2026-02-30T00:00:00Z" }, 422, "occurredAt"],
  ["an id as text", { shipmentId: "5" }, 400, "shipmentId"],
  ["an id with a fraction", { shipmentId: 1.5 }, 422, "shipmentId"],
  ["a negative id", { shipmentId: -1 }, 422, "shipmentId"],
  ["an id beyond 2^53", { shipmentId: 2 ** 53 }, 422, "shipmentId"],
  ["id and number of a shipment", { shipmentId: 1, shipmentNumber: "S" }, 422, "shipmentNumber"],
  ["a long text", { eventId: "x".repeat(1025) }, 422, "eventId"],
  ["NUL in a text", { eventId: "a\0" }, 422, "eventId"],
  ["a lone surrogate", { dockSlug: "\ud800" }, 422, "dockSlug"],
  ["a label without a name", { labels: [{ value: "x" }] }, 422, "labels[0].name"],
  ["a label without a value", { labels: [{ name: "x" }] }, 422, "labels[0].value"],
  ["a label of another form", { labels: ["lpn=5"] }, 400, "labels[0]"],
  [
    "a label with a number",
    { labels: [label("lpn", "1"), { name: "lpn", value: 5 }] },
    400,
    "labels[1].value"
  ],
  ["a label with more", { labels: [{ ...label("a", "b"), c: "d" }] }, 400, "labels[0].c"],
  ["a misspelt field", { dockslug: "D1" }, 400, "dockslug"],
  ["too many labels", { labels: Array.from({ length: 201 }, () => ({ name: "", value: "" })) }, 422, "labels"]
]

layer(layerMemory({ bodyLimit: 16_384 }), { excludeTestServices: true })(
  "D6.1 the fields of a pallet event",
  (it) => {
    for (const [name, fields, status, path] of faults) {
      it.effect(`${status}: ${name}`, () =>
        Effect.gen(function*() {
          const { result, messages } = yield* messagesOf("acme", record(palletEvent({ ...fields })))
          const problem = problemOf(result)
          const code = status === 400 ? "MALFORMED_REQUEST" : "INVALID_REQUEST"
          assert.deepStrictEqual([problem.status, problem.code], [status, code])
          assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
          assert.deepStrictEqual(messages, [])
        }))
    }

    it.effect("every fault is named; a 400 reports what would be a 422 beside it", () =>
      Effect.gen(function*() {
        const problem = problemOf(yield* record({ eventId: 5, direction: "UP", labels: [], colour: "red" }))
        assert.strictEqual(problem.status, 400)
        assert.sameMembers(problem.errors?.map(({ path }) => path) ?? [], [
          "eventId",
          "direction",
          "colour",
          "business",
          "facility",
          "dockSlug",
          "occurredAt"
        ])
      }))

    it.effect("422 UNKNOWN_DOCK names its field, for a dock of another facility too", () =>
      Effect.gen(function*() {
        for (const fields of [{ dockSlug: "D9" }, { facility: "west", dockSlug: "D2" }]) {
          const problem = problemOf(yield* record(palletEvent(fields)))
          assert.deepStrictEqual([problem.status, problem.code], [422, "UNKNOWN_DOCK"])
          assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["dockSlug"])
        }
      }))

    it.effect("200 labels are taken", () =>
      Effect.gen(function*() {
        const { id: shipmentId } = yield* scheduled()
        const labels = Array.from({ length: 200 }, (_, index) => label("sku", `S-${index}`))
        const { result, messages } = yield* messagesOf("acme", record(palletEvent({ shipmentId, labels })))
        assert.strictEqual(result.status, 201)
        assert.deepStrictEqual(payloadOf(messages[0]!)["SKUs"], labels.map(({ value }) => value))
      }))

    for (
      const [name, body, path] of [
        ["a time that is none", { occurredAt: "now" }, "occurredAt"],
        ["a long dock", { dockSlug: "D".repeat(1025) }, "dockSlug"]
      ] as const
    ) {
      it.effect(`422: arriving with ${name}`, () =>
        Effect.gen(function*() {
          const { id } = yield* scheduled()
          const problem = problemOf(yield* arrive(id, body))
          assert.deepStrictEqual([problem.status, problem.code], [422, "INVALID_REQUEST"])
          assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
        }))
    }

    for (
      const [id, status] of [[undefined, 422], [null, 422], ["5", 400], [1.5, 422], [0, 422], [
        -1,
        422
      ]] as const
    ) {
      it.effect(`${status}: a link to ${JSON.stringify(id)}`, () =>
        Effect.gen(function*() {
          const shipment = yield* scheduled()
          const problem = problemOf(yield* link(shipment.id, id))
          assert.strictEqual(problem.status, status)
          assert.deepStrictEqual(problem.errors?.map((error) => error.path), ["linkedShipmentId"])
        }))
    }
  }
)
