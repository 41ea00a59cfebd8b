/**
 * Sends one delivery: one attempt, or two when a token had to be renewed (D9.2). Each attempt is recorded.
 */
import type { Attempt } from "@dockline/core/Delivery"
import * as TraceContext from "@dockline/core/internal/values/TraceContext"
import type { Message } from "@dockline/core/Message"
import type { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { fromMillis } from "@dockline/core/Timestamp"
import { messagePaths } from "@dockline/core/WebhookEndpoint"
import { Cause, Effect, Exit } from "effect"
import type { Clock } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { responseText } from "../outbound/ResponseText.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { countAttempt, counted } from "../WebhookMetrics.ts"
import type { EndpointCredentials } from "./EndpointCredentials.ts"

export interface Sent {
  readonly attempts: ReadonlyArray<Attempt>
  /** The header `Retry-After` of the last answer. */
  readonly retryAfter?: string | undefined
  /** Why no new token could be obtained after a 401; this counts as no failure of the delivery. */
  readonly loginError?: string
  /** `mayRepeat` forbade the second attempt; this counts as no failure of the delivery. */
  readonly isCut?: true
}

/** `mayRepeat` is asked right before a second attempt. */
export type Send = (
  message: Message,
  credentials: EndpointCredentials,
  authorization: Authorization,
  mayRepeat: () => boolean
) => Effect.Effect<Sent>

export const makeSend = (http: OutboundHttp["Service"], clock: Clock.Clock, config: WebhookConfig): Send => {
  const attempt = (message: Message, credentials: EndpointCredentials, authorization: Authorization) =>
    Effect.flatMap(TraceContext.current, (trace) => {
      const now = clock.currentTimeMillisUnsafe()
      const begun = monotonicMillis(clock)
      const request = requestOf(message, credentials, authorization, now, trace, config)
      const posted = Effect.map(Effect.exit(http.post(request)), (exit) => {
        const ended = { at: fromMillis(now), durationMs: Math.round(monotonicMillis(clock) - begun) }
        if (Exit.isFailure(exit)) {
          const error = reasonOf(exit)
          return { attempt: { ...ended, status: null, response: "", error }, retryAfter: undefined }
        }
        const { error, headers, status } = exit.value
        const { header = "", secrets = [header] } = authorization
        const response = responseText(exit.value, [...secrets, ...credentials.signingKeys])
        return { attempt: { ...ended, status, response, error }, retryAfter: headers["retry-after"] }
      })
      return Effect.tap(posted, (ended) => countAttempt(ended.attempt))
    })

  return Effect.fnUntraced(function*(message, credentials, authorization, mayRepeat): Effect.fn.Return<Sent> {
    const first = yield* attempt(message, credentials, authorization)
    const sent = { attempts: [first.attempt], retryAfter: first.retryAfter }
    if (first.attempt.status !== 401 || !credentials.auth.refused(authorization)) return sent
    const renewed = yield* Effect.exit(credentials.auth.obtain)
    if (Exit.isFailure(renewed)) return { ...sent, loginError: reasonOf(renewed) }
    if (!mayRepeat()) return { ...sent, isCut: true }
    const second = yield* attempt(message, credentials, renewed.value)
    return { attempts: [first.attempt, second.attempt], retryAfter: second.retryAfter }
  }, counted)
}

/** Each attempt has a new signature, for the time `now` in milliseconds since 1970 (D9.5). */
const requestOf = (
  { id, json: body, type }: Message,
  { endpoint, sign }: EndpointCredentials,
  { header }: Authorization,
  now: number,
  trace: string | undefined,
  { timeoutMillis, userAgent }: WebhookConfig
): OutboundRequest => {
  const webhookId = `msg_${id}`
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": userAgent,
    "webhook-id": webhookId,
    "webhook-timestamp": String(Math.floor(now / 1000)),
    "webhook-signature": sign(webhookId, now, body)
  }
  if (trace !== undefined) headers["traceparent"] = trace
  if (header !== undefined) headers["Authorization"] = header
  return { url: `${endpoint.baseUrl}${messagePaths[type]}`, headers, body, timeoutMillis }
}

/** A defect of this process counts as a failed attempt, so the delivery is retried a bounded number of times. */
export const afterDefect = (exit: Exit.Failure<unknown, never>, now: number): Sent => ({
  attempts: [{ at: fromMillis(now), status: null, durationMs: 0, response: "", error: reasonOf(exit) }]
})

export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const reasonOf = (
  exit: Exit.Failure<unknown, { readonly error: string } | SecretUnreadable>
): string => {
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed === undefined) return `this service failed: ${String(Cause.squash(exit.cause))}`
  return "error" in failed.error ? failed.error.error : failed.error.message
}
