/**
 * Deliveries: a delivery is one message, or one entry of an outbox, for one endpoint, with its attempts and its progress in the retry
 * schedule (D9.3, D9.6). An outbox has messages for the endpoints that name its type, but not for readers of the log. Its messages are
 * delivered like messages of the log: in order within a shipment, with retries, on record (D9).
 *
 * Guarantee: an entry has an id from the log of its business, so that an endpoint has one cursor over messages and entries. It holds its
 * path and media type, so that it is delivered whichever capabilities the service has now. Readers of the log notice neither an entry nor
 * that it was dropped by age. Every text of an attempt can be stored, whatever the customer's server sent.
 *
 * {@link messageState} says why the customer's system has a message or does not have it, from the endpoint, the message and the record of
 * deliveries alone. {@link retryAfterSeconds} reads the header `Retry-After` of other servers (RFC 9110, 10.2.3), never sooner than the
 * server requests. Seconds may have a fraction, which proxies write although the RFC has none. If two proxies have each added the header,
 * the longest time counts.
 */
import type { Message, MessageDraft } from "../messages/Message.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import type { EndpointId, MessageId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { webhookPath } from "../values/Vocabulary.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** A text that endpoints receive unchanged. */
export interface OutboxText {
  /** The path under the base URL of the endpoint, such as `/api/letters`. */
  readonly path: string
  readonly mediaType: string
  readonly text: string
}

/** A new entry of an outbox. */
export interface OutboxDraft extends Omit<MessageDraft, "payload">, OutboxText {}

/** An entry of an outbox. */
export interface OutboxEntry extends Omit<Message, "json">, OutboxText {}

/** A message of the log or an entry of an outbox, as endpoints receive them. */
export type Deliverable = Message | OutboxEntry

/** The statuses of a delivery. `DEAD`: every attempt of the schedule has failed, or the message was dropped by age. */
export const deliveryStatuses = ["PENDING", "DELIVERED", "DEAD"] as const

/** The status of a delivery. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The most characters of an answer that are kept (D9.6: the first 4 KiB). */
export const responseLimit = 4096

/** The most attempts of one delivery that are kept: the newest. */
export const attemptLimit = 50

/** One request and its answer. */
export interface Attempt {
  /** When the attempt began. */
  readonly at: Timestamp
  /** The status of the answer; `null` without an answer. */
  readonly status: number | null
  readonly durationMs: number
  /** The beginning of the answer's body, `""` without one. */
  readonly response: string
  /** The reason why the answer is missing or incomplete; `""` when nothing went wrong. */
  readonly error: string
}

/** The progress of a delivery in its retry schedule. */
export interface Progress {
  /** The failed attempts so far that count toward the schedule. */
  readonly tries: number
  /** When the first of these attempts failed; `null` without a failed attempt. */
  readonly failedSince: Timestamp | null
}

/** The progress of a delivery without attempts. */
export const noProgress: Progress = { tries: 0, failedSince: null }

/** A message, or an entry of an outbox, to be delivered. */
export interface DueDelivery {
  readonly message: Deliverable
  readonly progress: Progress
}

/** A recorded delivery. */
export interface Delivery extends Progress {
  /** The id of the message identifies the delivery: an endpoint has at most one delivery of each message. */
  readonly messageId: MessageId
  readonly messageType: WebhookType
  readonly shipmentId: ShipmentId
  readonly status: DeliveryStatus
  /** The newest {@link attemptLimit} attempts, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** `null` when the delivery is not pending, or waits for an earlier message of its shipment. */
  readonly nextAttemptAt: Timestamp | null
}

/** The delivery of a message to one of the endpoints of its business, with only its newest attempt. */
export interface EndpointDelivery extends Delivery {
  readonly endpointId: EndpointId
}

/** The result of a delivery, with only its new attempts: one, or two when a token had to be renewed (D9.2). */
export interface DeliveryResult extends Delivery {}

/** The content of a request, from a message or an entry of an outbox. */
export type Content = Pick<Message, "type" | "json"> | Pick<OutboxEntry, "type" | keyof OutboxText>

/** The body of a delivery, with its media type, and its path under the base URL of the endpoint. */
export interface DeliveryBody {
  readonly path: string
  readonly contentType: string
  readonly body: string
}

/** The body of a delivery; the profile writes JSON contents. */
export const deliveryBody = (profile: PayloadProfile, content: Content): DeliveryBody =>
  "text" in content
    ? { path: content.path, contentType: content.mediaType, body: content.text }
    : {
      path: webhookPath(content.type),
      contentType: "application/json",
      body: profile.write(content.type, content.json)
    }

/** The stored characters of a content. */
export const sizeOf = (content: Content): number =>
  "text" in content ? content.text.length : content.json.length

/** A text that every storage can keep: NUL and halves of surrogate pairs become U+FFFD; cut to {@link responseLimit}. */
export const storable = (text: string): string =>
  text.slice(0, responseLimit).toWellFormed().replaceAll("\0", "\ufffd")

/** Adds new attempts, with storable texts, to the attempts of a delivery, and keeps the newest {@link attemptLimit}. */
export const withAttempts = (
  record: ReadonlyArray<Attempt>,
  news: ReadonlyArray<Attempt>
): ReadonlyArray<Attempt> => {
  const attempts = news.map((attempt): Attempt => ({
    ...attempt,
    response: storable(attempt.response),
    error: storable(attempt.error)
  }))
  return [...record, ...attempts].slice(-attemptLimit)
}

/** The characters of the answers and errors of attempts. */
export const textOf = (attempts: ReadonlyArray<Attempt>): number =>
  attempts.reduce((sum, { error, response }) => sum + response.length + error.length, 0)

/** The number of deliveries, from the first on, whose answers and errors together fit into `textLimit` characters; at least one. */
export const fitting = (deliveries: ReadonlyArray<Pick<Delivery, "attempts">>, textLimit: number): number => {
  let text = 0
  const beyond = deliveries.findIndex(({ attempts }, place) => {
    text += textOf(attempts)
    return place > 0 && text > textLimit
  })
  return beyond < 0 ? deliveries.length : beyond
}

/** The states of a message at an endpoint: the statuses of its delivery, and the reasons why there is no delivery. */
export const messageStates = [
  "DELIVERED",
  "PENDING",
  "DEAD",
  "QUEUED",
  "OTHER_TYPE",
  "OTHER_FACILITY",
  "NOT_SENT"
] as const

/** A state, with an explanation for people. */
export interface MessageState {
  readonly state: (typeof messageStates)[number]
  readonly reason: string
}

type Endpoint = Pick<
  WebhookEndpoint,
  "facility" | "messageTypes" | "enabled" | "cursorId" | "login"
>

const hindrance = ({ enabled, login }: Endpoint): string | undefined => {
  if (!enabled) return "The endpoint is disabled. It delivers its backlog once it is enabled."
  return login === null ? undefined : `The endpoint waits for its login: ${login.error}`
}

const pendingReason = (endpoint: Endpoint, { attempts, nextAttemptAt }: Delivery): string => {
  if (nextAttemptAt === null) return "It waits until an earlier message of its shipment is delivered or dead."
  return hindrance(endpoint) ??
    (attempts.length === 0 ? "It is due." : "The last attempt failed. The service tries again.")
}

/** The state of a message at an endpoint; the delivery is `undefined` if the record has none. */
export const messageState = (
  endpoint: Endpoint,
  { facility, id, type }: Pick<Deliverable, "id" | "facility" | "type">,
  delivery: Delivery | undefined
): MessageState => {
  if (delivery?.status === "PENDING") return { state: "PENDING", reason: pendingReason(endpoint, delivery) }
  if (delivery?.status === "DEAD") {
    const reason =
      "The service gave up after the last attempt, or could not deliver it before it was dropped by age."
    return { state: "DEAD", reason }
  }
  if (delivery !== undefined) return { state: "DELIVERED", reason: "The customer's server took it." }
  if (endpoint.facility !== null && endpoint.facility !== facility) {
    return { state: "OTHER_FACILITY", reason: `The endpoint receives only messages of ${endpoint.facility}.` }
  }
  if (!endpoint.messageTypes.includes(type)) {
    return {
      state: "OTHER_TYPE",
      reason: `The endpoint does not receive ${type}. Add the type to its messageTypes.`
    }
  }
  if (id > endpoint.cursorId) {
    return {
      state: "QUEUED",
      reason: hindrance(endpoint) ?? "It waits for earlier messages of the endpoint."
    }
  }
  const reason =
    "The endpoint did not exist yet, or did not receive such messages at the time. A replay of its id delivers it."
  return { state: "NOT_SENT", reason }
}

/** Whether `Retry-After` counts in an answer of this status. */
export const saysWhen = (status: number | null): boolean => status === 429 || status === 503

const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/** The seconds that a server requests, as a whole number; `undefined` for a past date and for other text. */
export const retryAfterSeconds = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  const parts = text.split(",").map((part) => part.trim())
  if (parts.every((part) => seconds.test(part))) return Math.ceil(Math.max(...parts.map(Number)))
  const date = httpDate(text, now)
  return date === undefined || date <= now ? undefined : Math.ceil((date - now) / 1000)
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The date forms of RFC 9110: the current form, the form with a two-digit year, and the form of asctime. */
const dateForms = [
  /^[A-Z][a-z]{2}, (?<day>\d{1,2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{1,2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) +(?<day>\d{1,2}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) (?<year>\d{4})$/
]

const httpDate = (text: string, now: number): number | undefined => {
  const groups = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (groups === undefined) return undefined
  const { month = "", year = "", ...numbers } = groups
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) => Number(numbers[name]))
  const at = new Date(Date.UTC(fullYear(year, now), months.indexOf(month), day!))
  // A second may be the sixtieth: a leap second (RFC 9110, 5.6.7).
  const isDate = months.includes(month) && at.getUTCDate() === day && hour! < 24 && minute! < 60 &&
    second! <= 60
  return isDate ? at.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 : undefined
}

/** A two-digit year is at most 50 years ahead, and otherwise in the past (RFC 9110, 5.6.7). */
const fullYear = (year: string, now: number): number => {
  if (year.length === 4) return Number(year)
  const current = new Date(now).getUTCFullYear()
  const near = current - (current % 100) + Number(year)
  return near > current + 50 ? near - 100 : near
}
