import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf } from "../../support/TestServer.ts"
import { arrive, link, messagesOf, palletEvent, record, scheduled } from "./Facility.ts"

/** Pallet events that are refused, by the field at fault: one of each kind, as `PalletEventInput.test.ts` has them all. */
const faults: ReadonlyArray<readonly [name: string, fields: object, status: number, path: string]> = [
  ["no eventId", { eventId: undefined }, 422, "eventId"],
  ["a number as eventId", { eventId: 5 }, 400, "eventId"],
  ["another direction", { direction: "loading" }, 422, "direction"],
  ["an id as text", { shipmentId: "5" }, 400, "shipmentId"],
  ["a label without a value", { labels: [{ name: "x" }] }, 422, "labels[0].value"],
  ["a label of another form", { labels: ["lpn=5"] }, 400, "labels[0]"],
  ["a misspelt field", { dockslug: "D1" }, 400, "dockslug"]
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

    it.effect("422 UNKNOWN_DOCK names its field, for a dock of another facility too", () =>
      Effect.gen(function*() {
        for (const fields of [{ dockSlug: "D9" }, { facility: "west", dockSlug: "D2" }]) {
          const problem = problemOf(yield* record(palletEvent(fields)))
          assert.deepStrictEqual([problem.status, problem.code], [422, "UNKNOWN_DOCK"])
          assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["dockSlug"])
        }
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

    for (const [id, status] of [[undefined, 422], ["5", 400]] as const) {
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
