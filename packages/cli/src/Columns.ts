/** The columns that people see of each thing. */
import type { Grant } from "@dockline/core/Access"
import type {
  BusinessView,
  ClientView,
  DeliveryView,
  DockView,
  EndpointView,
  FacilityView,
  MessageFieldView
} from "@dockline/core/OperatorView"
import * as GrantText from "./GrantText.ts"
import type { Column } from "./Table.ts"

const yes = (flag: boolean): string => (flag ? "yes" : "no")

const orDash = (
  text: string | null | undefined
): string => (text === null || text === undefined || text === "" ? "-" : text)

const grants = (all: ReadonlyArray<Grant>): string => orDash(all.map(GrantText.write).join(" "))

/** Of businesses and facilities. */
export const named: ReadonlyArray<Column<BusinessView | FacilityView>> = [
  { title: "slug", text: ({ slug }) => slug },
  { title: "name", text: ({ name }) => name }
]

/** Of docks. */
export const docks: ReadonlyArray<Column<DockView>> = [{ title: "slug", text: ({ slug }) => slug }]

/** Of the fields of a field map. */
export const fields: ReadonlyArray<Column<MessageFieldView>> = [
  { title: "name", text: ({ name }) => name },
  { title: "label", text: ({ label }) => label },
  { title: "list", text: ({ list }) => yes(list) }
]

/** Of clients in a list. */
export const clients: ReadonlyArray<Column<ClientView>> = [
  { title: "id", text: ({ id }) => id },
  { title: "name", text: ({ name }) => name },
  { title: "enabled", text: ({ enabled }) => yes(enabled) },
  { title: "secrets", text: ({ secrets }) => String(secrets.length) },
  { title: "grants", text: (client) => grants(client.grants) }
]

/** Of one client. */
export const client: ReadonlyArray<Column<ClientView>> = [
  ...clients.filter(({ title }) => title !== "secrets"),
  {
    title: "secrets",
    text: ({ secrets }) =>
      orDash(secrets.map(({ createdAt, id }) => (createdAt === null ? id : `${id} (${createdAt})`)).join(" "))
  }
]

/** Of endpoints in a list. */
export const endpoints: ReadonlyArray<Column<EndpointView>> = [
  { title: "id", text: ({ id }) => id },
  { title: "business", text: ({ business }) => business },
  { title: "facility", text: ({ facility }) => facility ?? "*" },
  { title: "base url", text: ({ baseUrl }) => baseUrl },
  { title: "messages", text: ({ messageTypes }) => messageTypes.join(" ") },
  { title: "auth", text: ({ authentication }) => authentication.type },
  {
    title: "state",
    text: ({ disabledReason, enabled }) => (enabled ? "enabled" : `disabled (${disabledReason})`)
  },
  { title: "waiting", text: ({ backlog }) => String(backlog) }
]

/** Of one endpoint. */
export const endpoint: ReadonlyArray<Column<EndpointView>> = [
  ...endpoints.filter(({ title }) => title !== "auth"),
  {
    title: "auth",
    text: ({ authentication: { type, ...settings } }) =>
      [type, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join(" ")
  },
  { title: "created", text: ({ createdAt }) => createdAt },
  { title: "up to message", text: ({ cursorId }) => String(cursorId) },
  { title: "failing since", text: ({ failingSince }) => orDash(failingSince) },
  {
    title: "login",
    text: ({ login }) =>
      login === null ? "-" : `failed ${login.failures} times, next at ${login.retryAt}: ${login.error}`
  },
  {
    title: "lost by age",
    text: ({ expiredUpTo }) => (expiredUpTo === null ? "-" : `up to message ${expiredUpTo}`)
  },
  {
    title: "signing secrets",
    text: ({ signingSecrets }) =>
      signingSecrets.map(({ validUntil }) => (validUntil === null ? "newest" : `until ${validUntil}`)).join(
        ", "
      )
  }
]

/** Of deliveries in a list. */
export const deliveries: ReadonlyArray<Column<DeliveryView>> = [
  { title: "id", text: ({ id }) => id },
  { title: "message", text: ({ messageType }) => messageType },
  { title: "shipment", text: ({ shipmentId }) => shipmentId },
  { title: "status", text: ({ status }) => status },
  { title: "attempts", text: ({ attempts }) => String(attempts.length) },
  { title: "last attempt", text: ({ attempts }) => orDash(attempts.at(-1)?.at) },
  { title: "answer", text: ({ attempts }) => outcome(attempts.at(-1)) },
  { title: "next attempt", text: ({ nextAttemptAt }) => orDash(nextAttemptAt) }
]

type AttemptView = DeliveryView["attempts"][number]

const outcome = (attempt: AttemptView | undefined): string => {
  if (attempt === undefined) return "-"
  return [attempt.status === null ? "" : String(attempt.status), attempt.error].filter((text) => text !== "")
    .join(" ")
}

/** One attempt of a delivery. */
export interface ShownAttempt extends AttemptView {
  readonly delivery: string
}

/** Of the attempts of deliveries. */
export const attempts: ReadonlyArray<Column<ShownAttempt>> = [
  { title: "delivery", text: ({ delivery }) => delivery },
  { title: "at", text: ({ at }) => at },
  { title: "took", text: ({ durationMs }) => `${durationMs} ms` },
  { title: "answer", text: outcome },
  { title: "body", text: ({ response }) => orDash(response) }
]
