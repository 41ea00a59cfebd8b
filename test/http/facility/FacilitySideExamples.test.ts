import type { PalletAnswer } from "@dockline/core/movement/Pallet"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { documentExamples, events } from "@dockline/core/operations/OperationExamples"
import { assert } from "@effect/vitest"
import { layerMemory, shipmentOf } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { depart, messagesOf, record } from "./Facility.ts"

serving("the reference's pallets", layerMemory(), (test) => {
  test(
    "every example is accepted as it stands, after the first document, as often as one likes",
    function*(server) {
      const { shipment } = yield* server.submit(documentExamples(1)["overwrite"]!.document)
      const shown = JSON.parse(
        OperationExamples.moveTimes(JSON.stringify(events), Date.now())
      ) as typeof events
      for (const [name, { value }] of Object.entries(shown)) {
        const { result: first, messages } = yield* messagesOf("acme", record(value))
        assert.strictEqual(first.status, 201, `${name}: ${first.text}`)
        assert.lengthOf(messages, 1)
        assert.strictEqual((yield* record(value)).status, 200)
        const body = first.body as PalletAnswer
        assert.deepStrictEqual([body.serviceShipmentId, body.orders], [String(shipment.id), ["SO-1001"]])
      }
      assert.strictEqual(shipmentOf(yield* depart(shipment.id)).status, "DEPARTED")
    }
  )
})
