/** D9.6, D11: deliveries as operators see them, and sending messages again, over real sockets. */
import type { DeliveryView } from "@dockline/core/operator/OperatorView"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { allOf, bodyOf, endpointNow, faultsOf, makeEndpoint, operate, vault, without } from "./Operator.ts"

layer(layerMemory({ vault }), { excludeTestServices: true })(
  "D11 deliveries",
  (it) => {
    it.effect("a range of messages is delivered again, by ids and by times, and listed newest first", () =>
      Effect.gen(function*() {
        const { shipmentId, ids } = yield* palletMessages(4)
        const { id } = yield* makeEndpoint("acme", { enabled: false })
        const path = `webhook-endpoints/${id}`
        assert.deepStrictEqual(yield* allOf(`${path}/deliveries`, 2), [])
        const range = yield* operate("POST", `${path}/replay`, { fromId: ids[1], toId: ids[3] })
        assert.deepStrictEqual(bodyOf(range, 202), { count: 3 })
        const deliveries = yield* allOf<DeliveryView>(`${path}/deliveries`, 2)
        assert.deepStrictEqual(deliveries.map(({ messageId }) => messageId), ids.slice(1).toReversed())
        assert.deepStrictEqual(without(deliveries[0]!, "nextAttemptAt"), {
          id: String(ids[3]),
          messageId: ids[3]!,
          messageType: "PALLET_EVENT",
          shipmentId: String(shipmentId),
          status: "PENDING",
          attempts: []
        })
        const filtered = (status: string) => allOf<DeliveryView>(`${path}/deliveries?status=${status}`, 1)
        assert.lengthOf(yield* filtered("PENDING"), 3)
        assert.lengthOf(yield* filtered(""), 3)
        assert.lengthOf(yield* filtered("DEAD"), 0)
        const times = { from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" }
        assert.deepStrictEqual(bodyOf(yield* operate("POST", `${path}/replay`, times), 202), { count: 0 })
        const all = { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" }
        const { count } = bodyOf<{ readonly count: number }>(
          yield* operate("POST", `${path}/replay`, all),
          202
        )
        assert.isAtLeast(count, 4)
        assert.strictEqual((yield* endpointNow(id)).backlog, count)
      }))

    it.effect("one message is delivered again: 202 without a body; one that has no delivery is 404", () =>
      Effect.gen(function*() {
        const { ids } = yield* palletMessages(2)
        const { id } = yield* makeEndpoint("acme", { enabled: false })
        const path = `webhook-endpoints/${id}`
        bodyOf(yield* operate("POST", `${path}/replay`, { fromId: ids[0], toId: ids[0] }), 202)
        const replayed = yield* operate("POST", `${path}/deliveries/${ids[0]}/replay`)
        assert.deepStrictEqual([replayed.status, replayed.text], [202, ""])
        for (const unknown of ["999999999", "x", "0"]) {
          const reply = yield* operate("POST", `${path}/deliveries/${unknown}/replay`)
          assert.deepStrictEqual(refusalOf(reply), [404, "DELIVERY_NOT_FOUND"])
        }
      }))

    const ranges: ReadonlyArray<readonly [body: object, status: number, paths: ReadonlyArray<string>]> = [
      [{}, 422, [""]],
      [{ fromId: 1 }, 422, ["toId"]],
      [{ to: "2026-11-20T17:00:00Z" }, 422, ["from"]],
      [{ fromId: 2, toId: 1 }, 422, ["toId"]],
      [{ from: "2026-11-20T17:00:00Z", to: "2026-11-20T16:00:00Z" }, 422, ["to"]],
      [{ from: "yesterday", to: "today" }, 422, ["from", "to"]],
      [{ fromId: 1, toId: 1, from: "2026-11-20T17:00:00Z", to: "2026-11-20T17:00:00Z" }, 422, [
        "from",
        "to"
      ]],
      [{ fromId: "1", toId: 1 }, 400, ["fromId"]]
    ]
    for (const [body, status, paths] of ranges) {
      it.effect(`${status} for the range ${JSON.stringify(body)}, naming ${paths.join(" and ")}`, () =>
        Effect.gen(function*() {
          const { id } = yield* makeEndpoint("acme")
          const reply = yield* operate("POST", `webhook-endpoints/${id}/replay`, body)
          assert.strictEqual(reply.status, status, reply.text)
          assert.hasAllKeys(faultsOf(reply), paths)
        }))
    }
  }
)
