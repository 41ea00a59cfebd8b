/**
 * The columns of tables, and the lines of records.
 */
import type { Grant } from "@dockline/core/Access"
import type {
  BusinessView,
  ClientView,
  DeliveryView,
  DockView,
  EndpointView,
  FacilityView,
  MessageFieldView,
  NewClientView,
  NewEndpointView,
  NewSecretView,
  NewSigningSecretView,
  PersonView
} from "@dockline/core/internal/operator/OperatorView"
import * as GrantText from "./GrantText.ts"
import type { Columns } from "./Table.ts"

const yes = (flag: boolean): string => (flag ? "yes" : "no")

const orDash = (
  text: string | null | undefined
): string => (text === null || text === undefined || text === "" ? "-" : text)

const grants = (all: ReadonlyArray<Grant>): string => orDash(all.map(GrantText.write).join(" "))

export const named: Columns<BusinessView | FacilityView> = {
  slug: ({ slug }) => slug,
  name: ({ name }) => name
}

export const docks: Columns<DockView> = { slug: ({ slug }) => slug }

export const fields: Columns<MessageFieldView> = {
  name: ({ name }) => name,
  label: ({ label }) => label,
  list: ({ list }) => yes(list)
}

export const clients: Columns<ClientView> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  enabled: ({ enabled }) => yes(enabled),
  secrets: ({ secrets }) => String(secrets.length),
  grants: (client) => grants(client.grants)
}

export const client: Columns<ClientView> = {
  ...clients,
  secrets: ({ secrets }) =>
    orDash(secrets.map(({ createdAt, id }) => (createdAt === null ? id : `${id} (${createdAt})`)).join(" "))
}

export const people: Columns<PersonView> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  "known by": ({ email, subject }) => email ?? `subject ${subject ?? ""}`,
  grants: (person) => grants(person.grants)
}

export const newClient: Columns<NewClientView> = {
  ...client,
  "client secret": ({ clientSecret }) => clientSecret
}

export const newSecret: Columns<NewSecretView> = {
  secret: ({ secretId }) => secretId,
  "client secret": ({ clientSecret }) => clientSecret
}

export const endpoints: Columns<EndpointView> = {
  id: ({ id }) => id,
  business: ({ business }) => business,
  facility: ({ facility }) => facility ?? "*",
  "base url": ({ baseUrl }) => baseUrl,
  messages: ({ messageTypes }) => messageTypes.join(" "),
  auth: ({ authentication }) => authentication.type,
  state: ({ disabledReason, enabled }) => (enabled ? "enabled" : `disabled (${disabledReason})`),
  waiting: ({ backlog }) => String(backlog)
}

export const endpoint: Columns<EndpointView> = {
  ...endpoints,
  auth: ({ authentication: { type, ...settings } }) =>
    [type, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join(" "),
  created: ({ createdAt }) => createdAt,
  "up to message": ({ cursorId }) => String(cursorId),
  "failing since": ({ failingSince }) => orDash(failingSince),
  login: ({ login }) =>
    login === null ? "-" : `failed ${login.failures} times, next at ${login.retryAt}: ${login.error}`,
  "lost by age": ({ expiredUpTo }) => (expiredUpTo === null ? "-" : `up to message ${expiredUpTo}`),
  "signing secrets": ({ signingSecrets }) =>
    signingSecrets.map(({ validUntil }) => validUntil === null ? "newest" : `until ${validUntil}`).join(", ")
}

export const newSigningSecret: Columns<NewSigningSecretView> = {
  "signing secret": ({ signingSecret }) => signingSecret
}

export const newEndpoint: Columns<NewEndpointView> = { ...endpoint, ...newSigningSecret }

export const deliveries: Columns<DeliveryView> = {
  id: ({ id }) => id,
  message: ({ messageType }) => messageType,
  shipment: ({ shipmentId }) => shipmentId,
  status: ({ status }) => status,
  attempts: ({ attempts }) => String(attempts.length),
  "last attempt": ({ attempts }) => orDash(attempts.at(-1)?.at),
  answer: ({ attempts }) => outcome(attempts.at(-1)),
  "next attempt": ({ nextAttemptAt }) => orDash(nextAttemptAt)
}

type AttemptView = DeliveryView["attempts"][number]

const outcome = (attempt: AttemptView | undefined): string => {
  if (attempt === undefined) return "-"
  return [attempt.status === null ? "" : String(attempt.status), attempt.error].filter((text) => text !== "")
    .join(" ")
}

/** Columns of attempts, each with the id of its delivery. */
export const attempts: Columns<AttemptView & { readonly delivery: string }> = {
  delivery: ({ delivery }) => delivery,
  at: ({ at }) => at,
  took: ({ durationMs }) => `${durationMs} ms`,
  answer: outcome,
  body: ({ response }) => orDash(response)
}
