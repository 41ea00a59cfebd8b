/**
 * Examples of the record of documents.
 */
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { IntakeResult } from "@dockline/core/Outcome"

/** What is recorded of the document with this answer. */
export const recordOf = ({ created, removed, shipment, updated }: IntakeResult): DocumentRecordView => ({
  id: 5012,
  receivedAt: "2026-11-20T16:40:00.000Z",
  clientId: "acme-client",
  correlationId: "wms-000871",
  business: shipment.business,
  facility: shipment.facility,
  shipmentNumber: shipment.shipmentNumber,
  shipmentId: shipment.id,
  orderNumbers: shipment.orders.map(({ orderNumber }) => orderNumber),
  strategies: ["MERGE"],
  outcome: "UPDATED",
  code: "",
  counts: { created: created.length, updated: updated.length, removed: removed.length, replaced: 0 },
  changes: [
    ...removed.map((reference) => ({ change: "REMOVED" as const, ...reference })),
    ...created.map((reference) => ({ change: "CREATED" as const, ...reference })),
    ...updated.map((reference) => ({ change: "UPDATED" as const, ...reference }))
  ]
})
