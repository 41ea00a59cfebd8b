/**
 * Sending one delivery: one attempt, or two when a token had to be renewed (D9.2), each with its line for the record.
 */
import type { Attempt } from "@dockline/core/Delivery"
import type { Message } from "@dockline/core/Message"
import type { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { fromMillis } from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Cause, Effect, Exit } from "effect"
import type { Clock } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import type { OutboundHttp } from "../outbound/OutboundHttp.ts"
import { responseText } from "../outbound/ResponseText.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { countAttempt, counted } from "../WebhookMetrics.ts"
import { deliveryRequest } from "./DeliveryRequest.ts"
import type { EndpointAccess } from "./EndpointAccess.ts"

/** How a delivery has gone. */
export interface Sent {
  readonly attempts: ReadonlyArray<Attempt>
  /** Of the last answer; `null` without one. */
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** Why no new token was to be had after a 401: the delivery is not to blame then. */
  readonly loginError: string | undefined
  /** Whether it was not to be sent again after a 401, though a new token is there: it is not to blame either. */
  readonly isCut: boolean
}

/** What sends. A second attempt is made if `mayRepeat` says so right before. */
export type Send = (
  message: Message,
  access: EndpointAccess,
  authorization: Authorization,
  mayRepeat: () => boolean
) => Effect.Effect<Sent>

/** Makes what sends. */
export const sending = (http: OutboundHttp["Service"], clock: Clock.Clock, config: WebhookConfig): Send => {
  const attempt = (message: Message, access: EndpointAccess, authorization: Authorization) =>
    Effect.flatMap(TraceContext.current, (trace) => {
      const now = clock.currentTimeMillisUnsafe()
      const begun = monotonicMillis(clock)
      const { endpoint: { baseUrl }, signAt, signingKeys } = access
      const request = deliveryRequest(
        message,
        { baseUrl, authorization, sign: signAt(now), now, trace },
        config
      )
      const posted = Effect.map(Effect.exit(http.post(request)), (exit) => {
        const ended = { at: fromMillis(now), durationMs: Math.round(monotonicMillis(clock) - begun) }
        if (Exit.isFailure(exit)) {
          const error = reasonOf(exit)
          return { attempt: { ...ended, status: null, response: "", error }, retryAfter: undefined }
        }
        const { error, headers, status } = exit.value
        const response = responseText(exit.value, [...secretsOf(authorization), ...signingKeys])
        return { attempt: { ...ended, status, response, error }, retryAfter: headers["retry-after"] }
      })
      return Effect.tap(posted, (ended) => countAttempt(ended.attempt))
    })

  return Effect.fnUntraced(function*(message, access, authorization, mayRepeat) {
    const first = yield* attempt(message, access, authorization)
    const { status } = first.attempt
    const { retryAfter } = first
    const sent: Sent = { attempts: [first.attempt], status, retryAfter, loginError: undefined, isCut: false }
    if (status !== 401 || !access.auth.refused(authorization)) return sent
    const renewed = yield* Effect.exit(access.auth.obtain)
    if (Exit.isFailure(renewed)) return { ...sent, loginError: reasonOf(renewed) }
    if (!mayRepeat()) return { ...sent, isCut: true }
    const second = yield* attempt(message, access, renewed.value)
    return {
      attempts: [first.attempt, second.attempt],
      status: second.attempt.status,
      retryAfter: second.retryAfter,
      loginError: undefined,
      isCut: false
    }
  }, counted)
}

const secretsOf = ({ header = "", secrets = [header] }: Authorization): ReadonlyArray<string> => secrets

/** What breaks here, and not at the customer, counts as a failed attempt: it is tried again, not for ever, and told. */
export const broken = (exit: Exit.Failure<unknown, never>, now: number): Sent => ({
  attempts: [{ at: fromMillis(now), status: null, durationMs: 0, response: "", error: reasonOf(exit) }],
  status: null,
  retryAfter: undefined,
  loginError: undefined,
  isCut: false
})

/** A clock that never goes back, in milliseconds. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Why something failed, in words: what fails says so itself, and what breaks is told as such. */
export const reasonOf = (
  exit: Exit.Failure<unknown, { readonly error: string } | SecretUnreadable>
): string => {
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed === undefined) return `this service failed: ${String(Cause.squash(exit.cause))}`
  return "error" in failed.error ? failed.error.error : failed.error.message
}
