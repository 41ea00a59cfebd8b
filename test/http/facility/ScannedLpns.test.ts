/** D22: each list with a filter for LPNs finds an LPN in every form that a scanner sends, as a pallet event does. */
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { assert } from "@effect/vitest"
import { layerMemory, resultOf } from "../../support/TestServer.ts"
import { bodyOf } from "../operator/Operator.ts"
import { reads } from "../protocol/DeclaredPaths.ts"
import { item, order } from "../Sample.ts"
import { serving } from "../Serving.ts"
import { label, palletEvent, record } from "./Facility.ts"

const sscc = "106141412345678908"

/** The forms that scanners send. */
const scans = [
  sscc,
  `00${sscc}`,
  `(00)${sscc}`,
  `]C100${sscc}`,
  `00${sscc}\r\n`,
  `${sscc}\r`,
  `${sscc}\u0004`,
  `\u200b${sscc}`,
  `]C1\u001d00${sscc}\u001d\r\n`
]

/** The lists with a filter for LPNs. */
const lists = reads.flatMap(({ declared: { parameters = [] }, path }) =>
  parameters.some(({ in: place, name }) => place === "query" && name === "lpn") ? [path] : []
)

serving("D22 lists by LPN", layerMemory(), (test) => {
  test("find it in each form that scanners send", function*(server) {
    assert.sameMembers(lists, ["/v1/pallets", "/v1/shipments", "/v1/documents", "/v1/trace"])
    const removed = order({ items: [item(sscc)] })
    const { shipment }: IntakeResult = resultOf(yield* server.post(removed))
    yield* server.submit({ ...removed, items: [item("another")] })
    yield* server.submit(order({ items: [item(sscc)] }))
    bodyOf(yield* record(palletEvent({ shipmentId: shipment.id, labels: [label("lpn", sscc)] })), 201)
    for (const path of lists) {
      for (const scan of scans) {
        const reply = yield* server.get(`${path}?business=acme&facility=east&lpn=${encodeURIComponent(scan)}`)
        const { items } = bodyOf<{ readonly items: ReadonlyArray<unknown> }>(reply, 200)
        assert.lengthOf(items, 1, `${path} ${JSON.stringify(scan)}`)
      }
    }
    const nothing = yield* server.get(`/v1/shipments?business=acme&lpn=${encodeURIComponent("\u200b")}`)
    assert.deepStrictEqual(nothing.body, { items: [], next: null }, "is no empty filter")
  })

  test("find items by a part of their LPN with what a scanner ends it with", function*(server) {
    const { shipment } = yield* server.submit(order({ items: [item(sscc)] }))
    const reply = yield* server.get(
      `/v1/shipments/${shipment.id}/items?find=${encodeURIComponent(`00${sscc}\u0004`)}`
    )
    assert.lengthOf(bodyOf<{ readonly items: ReadonlyArray<unknown> }>(reply, 200).items, 1)
  })
})
