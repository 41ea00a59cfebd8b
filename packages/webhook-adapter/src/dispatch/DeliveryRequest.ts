/**
 * A delivery as a request: where it goes, what it says, and how the customer can check it (WIRE.md, customer-hosted
 * endpoints; D9.5).
 */
import type { Message } from "@dockline/core/Message"
import { messagePaths } from "@dockline/core/WebhookEndpoint"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { OutboundRequest } from "../outbound/OutboundHttp.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import type { Sign } from "./Signature.ts"

/** What a delivery is sent with. */
export interface Sending {
  readonly baseUrl: string
  readonly authorization: Authorization
  readonly sign: Sign
  /** When the attempt begins, in milliseconds since 1970: each attempt is signed anew. */
  readonly now: number
  /** The `traceparent` of the attempt, if it is traced. */
  readonly trace?: string | undefined
}

/** The request of a delivery. */
export const deliveryRequest = (
  { id, payload, type }: Message,
  { authorization, baseUrl, now, sign, trace }: Sending,
  { timeoutMillis, userAgent }: Pick<WebhookConfig, "timeoutMillis" | "userAgent">
): OutboundRequest => {
  const body = JSON.stringify(payload)
  const webhookId = `msg_${id}`
  const seconds = Math.floor(now / 1000)
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": userAgent,
    "webhook-id": webhookId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": sign(webhookId, seconds, body)
  }
  if (trace !== undefined) headers["traceparent"] = trace
  if (authorization.header !== undefined) headers["Authorization"] = authorization.header
  return { url: `${baseUrl}${messagePaths[type]}`, headers, body, timeoutMillis }
}
