/**
 * The columns of each list in CSV, by the id of its operation. What has no cell of its own, such as the items of an order, is in
 * JSON only, or counted.
 */
import type { Grant } from "@dockline/core/Access"
import type { Discrepancy } from "@dockline/core/Discrepancies"
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { ExceptionView } from "@dockline/core/ExceptionView"
import type * as OperatorView from "@dockline/core/internal/operator/OperatorView"
import { orderFieldNames } from "@dockline/core/internal/shipment/Order"
import { shipmentFieldNames } from "@dockline/core/internal/shipment/Shipment"
import type { MessageView } from "@dockline/core/MessageView"
import type { PalletView } from "@dockline/core/PalletView"
import type { LocatedOrderView, ShipmentView } from "@dockline/core/View"
import type { Cell, Table } from "./Csv.ts"

/** Columns that show fields as they are. */
const fields = <Name extends string>(
  ...names: ReadonlyArray<Name>
): Table<Readonly<Record<Name, Cell>>> => names.map((name) => [name, (row) => row[name]])

const pallets: Table<PalletView> = [
  ...fields("id", "lpn", "state", "expected", "orders", "dockSlug", "firstSeenAt", "lastSeenAt"),
  ["events", ({ events }) => events.length],
  ...fields("business", "facility", "shipmentId", "shipmentNumber", "url")
]

const grants: Table<{ readonly grants: ReadonlyArray<Grant> }> = [
  [
    "grants",
    ({ grants }) =>
      grants.map(({ business, facilities, permissions }) =>
        `${business}/${facilities === "*" ? "*" : facilities.join("+")}: ${permissions.join(" ")}`
      )
  ]
]

const completedAt = (wanted: string) => ({ statusEvents }: ShipmentView): string =>
  statusEvents.find(({ status }) => status === wanted)?.completedAt ?? ""

const shipments: Table<ShipmentView> = [
  ...fields(
    "id",
    "shipmentNumber",
    "status",
    "direction",
    "business",
    "facility",
    "expectedArrivalAt",
    "scheduledAt"
  ),
  ["arrivedAt", completedAt("ARRIVED")],
  ["departedAt", completedAt("DEPARTED")],
  ...fields("dockSlug", ...shipmentFieldNames),
  ["expectedPallets", ({ progress }) => progress.expectedPallets],
  ["passedPallets", ({ progress }) => progress.passedPallets],
  ["missingPallets", ({ progress }) => progress.missingPallets],
  ["unexpectedPallets", ({ progress }) => progress.unexpectedPallets],
  ["orders", ({ orders }) => orders.map(({ orderNumber }) => orderNumber)]
]

const orders: Table<LocatedOrderView> = [
  ...fields(
    "id",
    "orderNumber",
    "status",
    "direction",
    "business",
    "facility",
    "shipmentId",
    "shipmentNumber"
  ),
  ...fields(...orderFieldNames),
  ["items", ({ items }) => items.length]
]

const documents: Table<DocumentRecordView> = [
  ...fields(
    "id",
    "receivedAt",
    "clientId",
    "correlationId",
    "business",
    "facility",
    "shipmentNumber",
    "shipmentId"
  ),
  ...fields("orderNumbers", "strategies", "outcome", "code"),
  ["created", ({ counts }) => counts.created],
  ["updated", ({ counts }) => counts.updated],
  ["removed", ({ counts }) => counts.removed]
]

const messages: Table<MessageView> = [
  ...fields("id", "businessSlug", "facilitySlug", "messageType", "sentAt"),
  ["message", ({ message }) => JSON.stringify(message)]
]

const endpoints: Table<OperatorView.EndpointView> = [
  ...fields(
    "id",
    "business",
    "facility",
    "baseUrl",
    "messageTypes",
    "enabled",
    "disabledReason",
    "createdAt"
  ),
  ...fields("cursorId", "failingSince", "backlog")
]

const deliveries: Table<OperatorView.DeliveryView> = [
  ...fields("id", "messageType", "shipmentId", "status"),
  ["attempts", ({ attempts }) => attempts.length],
  ["lastAttemptAt", ({ attempts }) => attempts.at(-1)?.at ?? ""],
  ["lastStatus", ({ attempts }) => attempts.at(-1)?.status ?? null],
  ["lastError", ({ attempts }) => attempts.at(-1)?.error ?? ""],
  ...fields("nextAttemptAt")
]

/** The columns of each list. */
export const tables = {
  listShipments: shipments,
  listOrders: orders,
  listShipmentPallets: pallets,
  listPallets: pallets,
  listDiscrepancies: fields(
    "kind",
    "lpn",
    "palletId",
    "dockSlug",
    "expectedOnId",
    "expectedOnNumber",
    "provisional"
  ) satisfies Table<Discrepancy>,
  listExceptions: fields(
    "id",
    "palletId",
    "lpn",
    "kind",
    "priority",
    "description",
    "status",
    "reportedAt",
    "reportedBy",
    "resolvedAt",
    "resolvedBy",
    "note"
  ) satisfies Table<ExceptionView>,
  listDocuments: documents,
  listMessages: messages,
  listBusinesses: fields("slug", "name", "sandbox") satisfies Table<OperatorView.BusinessView>,
  listFacilities: fields("slug", "name", "timeZone") satisfies Table<OperatorView.FacilityView>,
  listDocks: fields("slug") satisfies Table<OperatorView.DockView>,
  listClients: [...fields("id", "name", "enabled"), ...grants] satisfies Table<OperatorView.ClientView>,
  listPeople: [...fields("id", "name", "email", "subject"), ...grants] satisfies Table<
    OperatorView.PersonView
  >,
  listWebhookEndpoints: endpoints,
  listDeliveries: deliveries,
  listAudit: [
    ...fields("id", "at", "clientId", "address", "action", "business", "subject"),
    ["details", ({ details }: OperatorView.AuditView) => JSON.stringify(details)]
  ] satisfies Table<OperatorView.AuditView>
}
