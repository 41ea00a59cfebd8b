/**
 * The columns of tables, and the lines of records.
 */
import type { Grant } from "@dockline/core/Access"
import type { Discrepancy } from "@dockline/core/Discrepancies"
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { ExceptionView } from "@dockline/core/ExceptionView"
import type {
  AuditView,
  BusinessView,
  CertificationView,
  ClientView,
  DeliveryDetailView,
  DeliveryView,
  DockView,
  EndpointView,
  FacilityView,
  MessageFieldView,
  NewClientView,
  NewEndpointView,
  NewSecretView,
  NewSigningSecretView,
  PersonView,
  TestView
} from "@dockline/core/internal/operator/OperatorView"
import type { MessageView } from "@dockline/core/MessageView"
import type { IntakeResult } from "@dockline/core/Outcome"
import type { PalletAnswer } from "@dockline/core/Pallet"
import type { PalletView } from "@dockline/core/PalletView"
import type { SearchHit } from "@dockline/core/SearchHit"
import type { ShipmentItemView, ShipmentView } from "@dockline/core/View"
import * as GrantText from "../GrantText.ts"
import type { Columns } from "../Table.ts"
import * as ProgressText from "./ProgressText.ts"

const yes = (flag: boolean): string => (flag ? "yes" : "no")

const orDash = (
  text: string | null | undefined
): string => (text === null || text === undefined || text === "" ? "-" : text)

const grants = (all: ReadonlyArray<Grant>): string => orDash(all.map(GrantText.write).join(" "))

export const businesses: Columns<BusinessView> = {
  slug: ({ slug }) => slug,
  name: ({ name }) => name,
  sandbox: ({ sandbox }) => yes(sandbox)
}

export const facilities: Columns<FacilityView> = {
  slug: ({ slug }) => slug,
  name: ({ name }) => name,
  "time zone": ({ timeZone }) => timeZone
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

const headersOf = (title: string, message: { readonly headers: Readonly<Record<string, string>> } | null) =>
  Object.fromEntries(
    Object.entries(message?.headers ?? {}).map(([name, value]) => [`${title}: ${name}`, () => value])
  )

/** The lines of a test: each header of the request and of the answer has its own. */
export const test = ({ answer: answered, request }: TestView): Columns<TestView> => ({
  sent: ({ messageType, request }) => request === null ? "-" : `${messageType} to ${request.url}`,
  ...headersOf("sent", request),
  "sent body": ({ request }) => orDash(request?.body),
  answer: ({ durationMs, error, status }) =>
    `${status ?? "none"}, after ${durationMs} ms${error === "" ? "" : `: ${error}`}`,
  ...headersOf("answer", answered),
  "answer body": ({ answer }) => orDash(answer?.body),
  remedy: ({ remedy }) => orDash(remedy)
})

type Check = CertificationView["checks"][number]

const marks: Readonly<Record<Check["verdict"], string>> = {
  PASSED: "passed",
  FAILED: "FAILED",
  NOT_SENT: "not sent",
  UNSEEN: "look yourself"
}

export const checks: Columns<Check> = {
  check: ({ name }) => name,
  verdict: ({ verdict }) => marks[verdict],
  answer: ({ status }) => String(status ?? "-"),
  took: ({ webhookId, durationMs }) => webhookId === "" ? "-" : `${durationMs} ms`,
  asks: ({ asks }) => asks
}

export const deliveries: Columns<DeliveryView> = {
  id: ({ id }) => id,
  message: ({ messageType }) => messageType,
  shipment: ({ shipmentId }) => shipmentId,
  status: ({ status }) => status,
  tries: ({ attempts }) => String(attempts.length),
  "last try": ({ attempts }) => orDash(attempts.at(-1)?.at),
  answer: ({ attempts }) => outcome(attempts.at(-1)),
  "next try": ({ nextAttemptAt }) => orDash(nextAttemptAt)
}

type AttemptView = DeliveryView["attempts"][number]

const outcome = (attempt: AttemptView | undefined): string => {
  if (attempt === undefined) return "-"
  return [attempt.status === null ? "" : String(attempt.status), attempt.error].filter((text) => text !== "")
    .join(" ")
}

/** The lines of a delivery: each header of its requests and each attempt has its own. */
export const delivery = (
  { attempts: made, request: sent }: DeliveryDetailView
): Columns<DeliveryDetailView> => ({
  id: ({ id }) => id,
  message: ({ messageType }) => messageType,
  shipment: ({ shipmentId }) => shipmentId,
  status: ({ status }) => status,
  "sent to": ({ request }) => orDash(request?.url),
  ...headersOf("sent", sent),
  "sent body": ({ request }) => request === null ? "dropped by age" : request.body,
  ...Object.fromEntries(made.flatMap((attempt, index) => {
    const name = `attempt ${index + 1}`
    return [
      [name, () => `${attempt.at}, ${outcome(attempt)}, after ${attempt.durationMs} ms`],
      [`${name}: answer`, () => orDash(attempt.response)]
    ]
  })),
  "next attempt": ({ nextAttemptAt }) => orDash(nextAttemptAt)
})

/** Columns of attempts, each with the id of its delivery. */
export const attempts: Columns<AttemptView & { readonly delivery: string }> = {
  delivery: ({ delivery }) => delivery,
  at: ({ at }) => at,
  took: ({ durationMs }) => `${durationMs} ms`,
  answer: outcome,
  body: ({ response }) => orDash(response)
}

interface Placed {
  readonly business: { readonly slug: string }
  readonly facility: { readonly slug: string }
}

const place = ({ business, facility }: Placed): string => `${business.slug}/${facility.slug}`

const head: Columns<ShipmentView> = {
  id: ({ id }) => String(id),
  number: ({ shipmentNumber }) => shipmentNumber,
  status: ({ status }) => status,
  direction: ({ direction }) => direction,
  facility: place,
  dock: ({ dockSlug }) => orDash(dockSlug)
}

export const shipments: Columns<ShipmentView> = {
  ...head,
  passed: ({ progress }) => ProgressText.passed(progress),
  unexpected: ({ progress }) => String(progress.unexpectedPallets)
}

const reached = (status: string) => ({ statusEvents }: ShipmentView): string =>
  orDash(statusEvents.find((event) => event.status === status)?.completedAt)

const itemsOf = ({ items, orderNumber }: ShipmentView["orders"][number]): string =>
  `${orderNumber} (${items.length} ${items.length === 1 ? "item" : "items"})`

export const shipment: Columns<ShipmentView> = {
  ...head,
  pallets: ({ progress }) => ProgressText.sentence(progress),
  carrier: ({ carrier }) => orDash(carrier),
  trailer: ({ trailerNumber }) => orDash(trailerNumber),
  "expected at": ({ expectedArrivalAt }) => orDash(expectedArrivalAt),
  "scheduled at": reached("SCHEDULED"),
  "arrived at": reached("ARRIVED"),
  "departed at": reached("DEPARTED"),
  orders: ({ orders }) => orDash(orders.map(itemsOf).join(" "))
}

export const items: Columns<ShipmentItemView> = {
  id: ({ id }) => id,
  order: ({ orderNumber }) => orderNumber,
  lpn: ({ lpn }) => orDash(lpn),
  sku: ({ sku }) => sku,
  quantity: ({ quantity, quantityUnit }) => `${quantity} ${quantityUnit}`.trimEnd(),
  lot: ({ lot }) => orDash(lot),
  description: ({ description }) => orDash(description)
}

export const shipmentPallets: Columns<PalletView> = {
  id: ({ id }) => id,
  lpn: ({ lpn }) => orDash(lpn),
  state: ({ state }) => state,
  expected: ({ expected }) => yes(expected),
  dock: ({ dockSlug }) => dockSlug,
  "last seen": ({ lastSeenAt }) => lastSeenAt,
  orders: ({ orders }) => orDash(orders.join(" "))
}

export const palletAnswer: Columns<PalletAnswer> = {
  message: ({ messageId }) => String(messageId),
  shipment: ({ serviceShipmentId }) => serviceShipmentId,
  pallet: ({ servicePalletId }) => servicePalletId,
  orders: ({ orders }) => orDash(orders.join(" "))
}

export const foundPallets: Columns<PalletView> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  shipment: ({ shipmentId, shipmentNumber }) => `${shipmentId} (${shipmentNumber})`,
  expected: ({ expected }) => yes(expected),
  facility: place,
  dock: ({ dockSlug }) => dockSlug,
  "last seen": ({ lastSeenAt }) => lastSeenAt
}

export const hits: Columns<SearchHit> = {
  kind: ({ kind }) => kind,
  text: ({ text }) => text,
  shipment: ({ shipmentId, shipmentNumber, status }) =>
    `${shipmentId} (${shipmentNumber})${status === "" ? "" : ` ${status}`}`,
  facility: place,
  order: ({ orderNumber }) => orDash(orderNumber),
  pallet: ({ palletId }) => orDash(palletId),
  removed: ({ documentId, removedAt, removedBy }) =>
    documentId === 0 ? "-" : `${removedAt} by ${removedBy}, document ${documentId}`
}

export const exceptions: Columns<ExceptionView> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  priority: ({ priority }) => priority,
  shipment: ({ shipmentId, shipmentNumber }) => `${shipmentId} (${shipmentNumber})`,
  pallet: ({ lpn, palletId }) =>
    lpn === "" ? orDash(palletId) : palletId === "" ? lpn : `${palletId} (${lpn})`,
  reported: ({ reportedAt, reportedBy }) => `${reportedAt} by ${reportedBy}`,
  description: ({ description }) => description,
  resolved: ({ note, resolvedAt, resolvedBy, status }) =>
    status === "OPEN" ? "-" : `${resolvedAt} by ${resolvedBy}: ${note}`
}

export const audit: Columns<AuditView> = {
  at: ({ at }) => at,
  by: ({ clientId }) => clientId,
  from: ({ address }) => orDash(address),
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  details: ({ details }) => Object.keys(details).length === 0 ? "-" : JSON.stringify(details)
}

export const discrepancies: Columns<Discrepancy> = {
  kind: ({ kind }) => kind,
  lpn: ({ lpn }) => orDash(lpn),
  pallet: ({ palletId }) => orDash(palletId),
  dock: ({ dockSlug }) => orDash(dockSlug),
  "expected on": ({ expectedOnId, expectedOnNumber }) =>
    expectedOnId === 0 ? "-" : `${expectedOnId} (${expectedOnNumber})`,
  provisional: ({ provisional }) => yes(provisional)
}

const subject = ({ message }: MessageView): string => {
  const { direction, orders, pallets, serviceShipmentId } = message
  return [
    ...(typeof direction === "string" ? [direction] : []),
    ...(Array.isArray(pallets)
      ? [`${pallets.length} ${pallets.length === 1 ? "pallet" : "pallets"} on`]
      : []),
    `shipment ${String(serviceShipmentId)}`,
    ...(Array.isArray(orders) && orders.length > 0 ? [`(${orders.join(" ")})`] : [])
  ].join(" ")
}

export const messages: Columns<MessageView> = {
  id: ({ id }) => String(id),
  sent: ({ sentAt }) => sentAt,
  type: ({ messageType }) => messageType,
  facility: ({ facilitySlug }) => facilitySlug,
  what: subject
}

export const documents: Columns<DocumentRecordView> = {
  id: ({ id }) => String(id),
  received: ({ receivedAt }) => receivedAt,
  client: ({ clientId }) => clientId,
  facility: place,
  shipment: ({ shipmentNumber }) => shipmentNumber,
  outcome: ({ code, outcome }) => (code === "" ? outcome : `${outcome} ${code}`),
  changed: ({ counts }) => `+${counts.created} ~${counts.updated} -${counts.removed}`
}

export const document: Columns<DocumentRecordView> = {
  ...documents,
  shipment: ({ shipmentId, shipmentNumber }) =>
    shipmentId === 0 ? shipmentNumber : `${shipmentId} (${shipmentNumber})`,
  orders: ({ orderNumbers }) => orDash(orderNumbers.join(" ")),
  strategies: ({ strategies }) => orDash(strategies.join(" ")),
  "correlation id": ({ correlationId }) => orDash(correlationId),
  changed: ({ counts: { created, removed, replaced, updated } }) =>
    `${created} created, ${updated} updated, ${removed} removed${
      replaced === 0 ? "" : ` (${replaced} of them created again)`
    }`
}

const kinds = { SHIPMENT: "shipment", ORDER: "order", ORDER_ITEM: "item" } as const

/** Counts of each kind, such as `1 order, 12 items`. */
const counts = (references: IntakeResult["created"]): string =>
  orDash(
    Object.entries(kinds).flatMap(([type, name]) => {
      const count = references.filter((reference) => reference.type === type).length
      return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`]
    }).join(", ")
  )

export const documentOutcome: Columns<IntakeResult> = {
  shipment: ({ shipment: { id, shipmentNumber, status } }) =>
    `${id === 0 ? "" : `${id} `}(${shipmentNumber}), ${status}`,
  created: ({ created }) => counts(created),
  updated: ({ updated }) => counts(updated),
  removed: ({ removed }) => counts(removed)
}
