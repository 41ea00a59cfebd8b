/**
 * The state of a message at an endpoint of its business, which explains why the customer's system has the message or does not have it.
 *
 * Guarantee: it follows only from the endpoint, the message and the record of deliveries, so each message has one state at each endpoint.
 */
import type { Deliverable, Delivery } from "./Delivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

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
