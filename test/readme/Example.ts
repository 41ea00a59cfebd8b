import * as DocumentInput from "@dockline/core/DocumentInput"
import { noIds, outcome } from "@dockline/core/Outcome"
import { decide } from "@dockline/core/Plan"
import { Result } from "effect"

const read = DocumentInput.reader()

export const result = Result.gen(function*() {
  const document = yield* read({
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "SO-1001",
    items: [{ lpn: "LPN-1", sku: "SKU-1", quantity: 12, quantityUnit: "CASE" }]
  })
  const plan = yield* decide(document, {
    now: "2026-11-20T17:00:00.000Z",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    dock: null,
    target: null,
    candidates: []
  })
  return outcome(plan, noIds(plan)).created.map(({ type, reference }) => `${type} ${reference}`)
})
// SHIPMENT SO-1001, ORDER SO-1001, ORDER_ITEM LPN-1
