/**
 * The operator's part of the demo: the customer's endpoints, and the record of what was delivered to them.
 */
import type { Account } from "./Customer.ts"
import type { Screen } from "./Screen.ts"
import { isObject } from "./Site.ts"
import type { Site } from "./Site.ts"

/** Where messages go, and what the service signs them and itself in with. */
export interface Agreed {
  readonly business: string
  readonly facility: string
  readonly baseUrl: string
  readonly signingSecret: string
  readonly account: Account
}

/** A delivery as the operator sees it. */
export interface Delivered {
  readonly messageId: number
  readonly messageType: string
  readonly status: string
  /** The statuses of the answers, oldest first. */
  readonly attempts: ReadonlyArray<string>
}

const path = "/v1/operator/webhook-endpoints"

/** How long a record may take to be written, in milliseconds. */
const patienceMillis = 10_000

/** Makes an endpoint for pallet messages and completions; returns its id. */
export const create = async (
  screen: Screen,
  operator: Site,
  { account, baseUrl, business, facility, signingSecret }: Agreed
): Promise<string> => {
  const { id } = await operator.post(path, {
    business,
    facility,
    baseUrl,
    messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
    signingSecret,
    authentication: { type: "basic", ...account }
  }, 201)
  screen.step("endpoint", "POST …/webhook-endpoints", `endpoint ${String(id)} signs in by Basic`)
  return String(id)
}

export const replay = (operator: Site, endpointId: string, messageId: number): Promise<void> =>
  operator.trigger(`${path}/${endpointId}/deliveries/${messageId}/replay`, 202)

/** The record of an endpoint, in the order of messages, once so many are in it and nothing is pending. */
export const deliveries = async (
  operator: Site,
  endpointId: string,
  count: number,
  signal: AbortSignal
): Promise<ReadonlyArray<Delivered>> => {
  const patience = AbortSignal.timeout(patienceMillis)
  for (;;) {
    const { items } = await operator.get(`${path}/${endpointId}/deliveries`)
    const records = Array.isArray(items) ? items.filter(isObject).map(deliveredOf) : []
    const isSettled = records.length >= count && records.every(({ status }) => status !== "PENDING")
    if (isSettled) return records.toReversed()
    signal.throwIfAborted()
    if (patience.aborted) throw new Error(`Deliveries to endpoint ${endpointId} are still not settled`)
    // The customer has the message before the service has written down its answer.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const deliveredOf = (delivery: Readonly<Record<string, unknown>>): Delivered => {
  const { attempts, messageId, messageType, status } = delivery
  return {
    messageId: Number(messageId),
    messageType: String(messageType),
    status: String(status),
    attempts: (Array.isArray(attempts) ? attempts.filter(isObject) : []).map((attempt) =>
      String(attempt["status"] ?? attempt["error"])
    )
  }
}
