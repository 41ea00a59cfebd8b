/** D6: pallets and steps over REST, with the answers for each client. The suites of core cover their effects. */
import { recently, yesterday } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerPostgres, refusalOf, shipmentOf, unique } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { arrive, cancel, label, link, messagesOf, palletEvent, post, record, scheduled } from "./Facility.ts"

serving("D6 the facility side over REST", layerPostgres(), (test) => {
  test("D6.1 a pallet event is 201 and its repeat 200, with one answer and one message", function*() {
    const lpn = unique("L")
    const { id } = yield* scheduled({}, lpn)
    const event = palletEvent({ labels: [label("lpn", lpn)] })
    const { result: [first, repeat], messages } = yield* messagesOf(
      "acme",
      Effect.all([record(event), record({ ...event, shipmentNumber: null })])
    )
    assert.deepStrictEqual([first.status, repeat.status, repeat.text], [201, 200, first.text])
    assert.deepInclude(first.body, { serviceShipmentId: String(id), messageId: messages[0]?.id })
    assert.lengthOf(messages, 1)
    const other = yield* record({ ...event, direction: "UNLOADING" })
    assert.deepStrictEqual(refusalOf(other), [409, "EVENT_ID_REUSED"])
    const asXml = yield* record(palletEvent({ shipmentId: id }), { headers: { accept: "application/xml" } })
    assert.match(asXml.text, /^<\?xml [^>]*\?>\n<PalletAnswer><messageId>\d+<\/messageId>/)
  })

  test(
    "D6.5 each step is answered with the shipment as it is read then, in JSON and in XML",
    function*(server) {
      const [{ id }, other, third] = [yield* scheduled(), yield* scheduled(), yield* scheduled()]
      const xml = { headers: { accept: "text/xml" } }
      const at = `${yesterday}T18:00:00+01:00`
      const steps = [
        [id, link(id, other.id), "SCHEDULED", undefined],
        [id, arrive(id, { occurredAt: at, dockSlug: "D2" }), "ARRIVED", recently("17:00:00.000Z")],
        [id, post(`/v1/shipments/${id}/depart`, {}, xml), "DEPARTED", undefined],
        [third.id, cancel(third.id, {}, { client: "acme-client" }), "CANCELLED", undefined]
      ] as const
      for (const [of, step, status, arrivedAt] of steps) {
        const shipment = shipmentOf(yield* step)
        assert.strictEqual(shipment.status, status)
        assert.deepStrictEqual(shipmentOf(yield* server.get(`/v1/shipments/${of}`)), shipment)
        if (arrivedAt !== undefined) assert.strictEqual(shipment.statusEvents[1]?.completedAt, arrivedAt)
      }
    }
  )
})
