import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, refusalOf, shipmentOf, TestServer } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import type { Reply } from "../Wire.ts"
import { arrive, depart, link, messagesOf, palletEvent, record, scheduled } from "./Facility.ts"

const key = (value: string): RequestOptions => ({ headers: { "idempotency-key": value } })

const answer = ({ status, text, headers }: Reply) => [status, text, headers["content-type"]]

const isReplayed = (reply: Reply): boolean => reply.headers["idempotency-replayed"] === "true"

serving("D5.2 Idempotency-Key on the facility side", layerMemory(), (test) => {
  test("steps: the first answer again, though the shipment has moved on", function*() {
    const [{ id }, other] = [yield* scheduled(), yield* scheduled()]
    const linked = yield* link(id, other.id, key("link"))
    const arrived = yield* arrive(id, undefined, key("arrive"))
    const { result: departed, messages } = yield* messagesOf("acme", depart(id, {}, key("depart")))
    assert.lengthOf(messages, 1)
    for (
      const [first, again] of [
        [linked, link(id, other.id, key("link"))],
        [arrived, arrive(id, undefined, key("arrive"))],
        [departed, depart(id, {}, key("depart"))]
      ] as const
    ) {
      const replayed = yield* again
      assert.deepStrictEqual(answer(replayed), answer(first))
      assert.deepStrictEqual([first.status, isReplayed(first), isReplayed(replayed)], [
        200,
        false,
        true
      ])
    }
  })

  test("no body and {} are the same request", function*() {
    const { id } = yield* scheduled()
    const first = yield* arrive(id, undefined, key("empty"))
    assert.deepStrictEqual(answer(yield* arrive(id, {}, key("empty"))), answer(first))
  })

  test("422 IDEMPOTENCY_KEY_REUSED for another body, shipment, step or answer format", function*() {
    const [{ id }, other] = [yield* scheduled(), yield* scheduled()]
    const used = key("used")
    assert.strictEqual((yield* arrive(id, {}, used)).status, 200)
    const xml = { headers: { ...used.headers, accept: "application/xml" } }
    for (
      const reply of [
        arrive(id, { dockSlug: "D1" }, used),
        arrive(other.id, {}, used),
        depart(id, {}, used),
        arrive(id, {}, xml),
        record(palletEvent({ shipmentId: id }), used)
      ]
    ) assert.deepStrictEqual(refusalOf(yield* reply), [422, "IDEMPOTENCY_KEY_REUSED"])
    const read = yield* Effect.flatMap(TestServer, ({ get }) => get(`/v1/shipments/${id}`))
    assert.deepStrictEqual([shipmentOf(read).status, shipmentOf(read).dockSlug], ["ARRIVED", ""])
  })
})
