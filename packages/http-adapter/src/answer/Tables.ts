/**
 * The columns of the lists of operators in CSV, by the names of their operations. What has no cell of its own is in JSON only, or counted.
 */
import type { Grant } from "@dockline/core/Access"
import type * as OperatorView from "@dockline/core/internal/operator/OperatorView"
import { columns } from "@dockline/core/Operation"
import type { Table } from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"

const grants: Table<{ readonly grants: ReadonlyArray<Grant> }> = [
  [
    "grants",
    ({ grants }) =>
      grants.map(({ business, facilities, permissions }) =>
        `${business}/${facilities === "*" ? "*" : facilities.join("+")}: ${permissions.join(" ")}`
      )
  ]
]

const endpoints: Table<OperatorView.EndpointView> = [
  ...columns(
    "id",
    "business",
    "facility",
    "baseUrl",
    "messageTypes",
    "enabled",
    "disabledReason",
    "createdAt"
  ),
  ...columns("cursorId", "failingSince", "backlog")
]

const deliveries: Table<OperatorView.DeliveryView> = [
  ...columns("id", "messageType", "shipmentId", "status"),
  ["attempts", ({ attempts }) => attempts.length],
  ["lastAttemptAt", ({ attempts }) => attempts.at(-1)?.at ?? ""],
  ["lastStatus", ({ attempts }) => attempts.at(-1)?.status ?? null],
  ["lastError", ({ attempts }) => attempts.at(-1)?.error ?? ""],
  ...columns("nextAttemptAt")
]

/** The columns of each list of operators. */
export const tables = {
  listBusinesses: columns("slug", "name", "sandbox") satisfies Table<OperatorView.BusinessView>,
  listFacilities: columns("slug", "name", "timeZone") satisfies Table<OperatorView.FacilityView>,
  listDocks: columns("slug") satisfies Table<OperatorView.DockView>,
  listClients: [...columns("id", "name", "enabled"), ...grants] satisfies Table<OperatorView.ClientView>,
  listPeople: [...columns("id", "name", "email", "subject"), ...grants] satisfies Table<
    OperatorView.PersonView
  >,
  listWebhookEndpoints: endpoints,
  listDeliveries: deliveries,
  listAudit: [
    ...columns("id", "at", "clientId", "address", "action", "business", "subject"),
    ["details", ({ details }: OperatorView.AuditView) => JSON.stringify(details)]
  ] satisfies Table<OperatorView.AuditView>
}

/** The columns of every list, by the name of its operation. */
export const allTables: ReadonlyMap<string, Table<never>> = new Map<string, Table<never>>([
  ...Object.values(operations).flatMap((operation) =>
    operation.kind === "list" ? [[operation.name, operation.columns as Table<never>] as const] : []
  ),
  ...Object.entries(tables)
])
