/**
 * Sends messages. A try of a delivery is one attempt, or two if a token must be renewed (D9.2). Each attempt is recorded.
 */
import type { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { fromMillis } from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { deliveryBody } from "@dockline/core/webhooks/Delivery"
import type { Attempt, Content, Deliverable, DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Cause, Data, Effect, Exit } from "effect"
import type { Clock, Tracer } from "effect"
import type { Authorization } from "../auth/EndpointAuth.ts"
import { redirectText, responseText } from "../outbound/OutboundHttp.ts"
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { countAttempt, countInFlight } from "../WebhookMetrics.ts"
import type { EndpointCredentials } from "./EndpointCredentials.ts"
import { isSuccess } from "./Retry.ts"

/** The reason why no authorization could be obtained, and the `Retry-After` header of the login's answer. */
export interface LoginFault {
  readonly error: string
  readonly retryAfter?: string | undefined
}

export interface SendResult {
  readonly attempts: ReadonlyArray<Attempt>
  /** The `Retry-After` header of the last answer. */
  readonly retryAfter?: string | undefined
  /** The reason why the login after a 401 failed. The try then does not count as a failure of the delivery. */
  readonly loginFault?: LoginFault
  /** Whether `mayRepeat` forbade the second attempt. The try then does not count as a failure of the delivery. */
  readonly isCut?: true
}

/** The last attempt, which decides the outcome. Every result has at least one attempt. */
export const lastOf = ({ attempts }: SendResult): Attempt => attempts.at(-1)!

/** Sends a message. `mayRepeat` runs right before a second attempt. */
export type Send = (
  message: Deliverable,
  credentials: EndpointCredentials,
  authorization: Authorization,
  mayRepeat: Effect.Effect<boolean>
) => Effect.Effect<SendResult>

/** A message of the log, an entry of an outbox, or a test. */
export interface Outgoing {
  readonly webhookId: string
  readonly content: Content
}

/** One request, and its outcome. */
export interface SendAttempt {
  readonly request: OutboundRequest
  readonly attempt: Attempt
  /** `undefined` without an answer. */
  readonly answer: OutboundAnswer | undefined
}

export type Try = (
  outgoing: Outgoing,
  credentials: EndpointCredentials,
  authorization: Authorization
) => Effect.Effect<SendAttempt>

export const makeTry =
  (http: OutboundHttp["Service"], clock: Clock.Clock, config: WebhookConfig): Try =>
  (outgoing, credentials, authorization) =>
    Effect.flatMap(TraceContext.current, (trace) => {
      const now = clock.currentTimeMillisUnsafe()
      const startMillis = monotonicMillis(clock)
      const request = requestOf(outgoing, credentials, authorization, now, trace, config)
      return Effect.map(Effect.exit(http.post(request)), (exit) => {
        const ended = { at: fromMillis(now), durationMs: Math.round(monotonicMillis(clock) - startMillis) }
        if (Exit.isFailure(exit)) {
          const error = reasonOf(exit)
          return { request, attempt: { ...ended, status: null, response: "", error }, answer: undefined }
        }
        const { status } = exit.value
        const secrets = secretsOf(credentials, authorization)
        const error = redirectText(exit.value, secrets) ?? exit.value.error
        const response = responseText(exit.value, secrets)
        return { request, attempt: { ...ended, status, response, error }, answer: exit.value }
      })
    })

/** The texts that a record of an answer must not show. */
export const secretsOf = (
  credentials: EndpointCredentials,
  { header = "", secrets = [header] }: Authorization
): ReadonlyArray<string> => [...secrets, ...credentials.secrets]

export const makeSend = (http: OutboundHttp["Service"], clock: Clock.Clock, config: WebhookConfig): Send => {
  const tryOnce = makeTry(http, clock, config)

  const attempt = (...sending: Parameters<Try>) =>
    Effect.tap(tryOnce(...sending), ({ attempt }) => countAttempt(attempt))

  return Effect.fnUntraced(
    function*(content, credentials, authorization, mayRepeat): Effect.fn.Return<SendResult> {
      const outgoing = { webhookId: `msg_${content.id}`, content }
      const first = yield* attempt(outgoing, credentials, authorization)
      const result = { attempts: [first.attempt], retryAfter: retryAfterOf(first) }
      if (first.attempt.status !== 401 || !credentials.auth.discard(authorization)) return result
      const renewal = yield* Effect.exit(credentials.auth.obtain)
      if (Exit.isFailure(renewal)) return { ...result, loginFault: loginFaultOf(renewal) }
      if (!(yield* mayRepeat)) return { ...result, isCut: true }
      const second = yield* attempt(outgoing, credentials, renewal.value)
      return { attempts: [first.attempt, second.attempt], retryAfter: retryAfterOf(second) }
    },
    countInFlight
  )
}

const retryAfterOf = ({ answer }: SendAttempt): string | undefined => answer?.headers["retry-after"]

/** Each attempt has a new signature, for the time in milliseconds since 1970 (D9.5). */
const requestOf = (
  { content, webhookId }: Outgoing,
  { endpoint, headers: own, profile, sign }: EndpointCredentials,
  { header }: Authorization,
  time: number,
  trace: string | undefined,
  { timeoutMillis, userAgent }: WebhookConfig
): OutboundRequest => {
  const { body, contentType, path } = deliveryBody(profile, content)
  // Core refuses these names for an endpoint's own headers.
  const headers: Record<string, string> = {
    ...own,
    "Content-Type": contentType,
    "User-Agent": userAgent,
    "webhook-id": webhookId,
    "webhook-timestamp": String(Math.floor(time / 1000)),
    "webhook-signature": sign(webhookId, time, body)
  }
  if (trace !== undefined) headers["traceparent"] = trace
  if (header !== undefined) headers["Authorization"] = header
  return { url: `${endpoint.baseUrl}${path}`, headers, body, timeoutMillis }
}

/** The result of a defect of this process. It counts as a failed attempt, so the number of retries is bounded. */
export const afterDefect = (exit: Exit.Failure<unknown, never>, now: number): SendResult => ({
  attempts: [{ at: fromMillis(now), status: null, durationMs: 0, response: "", error: reasonOf(exit) }]
})

export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const loginFaultOf = (exit: Exit.Failure<unknown, LoginFault | SecretUnreadable>): LoginFault => {
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  return {
    error: reasonOf(exit),
    retryAfter: error !== undefined && "retryAfter" in error ? error.retryAfter : undefined
  }
}

export const reasonOf = (
  exit: Exit.Failure<unknown, { readonly error: string } | SecretUnreadable>
): string => {
  const failReason = exit.cause.reasons.find(Cause.isFailReason)
  if (failReason === undefined) return `this service failed: ${String(Cause.squash(exit.cause))}`
  return "error" in failReason.error ? failReason.error.error : failReason.error.message
}

/** Marks the span of an unsuccessful try as failed. */
class DeliveryFailure extends Data.TaggedError("DeliveryFailure")<{ readonly result: SendResult }> {}

const outcomeOf = (result: SendResult): string => {
  const { isCut, loginFault } = result
  if (loginFault !== undefined) return "login_failed"
  if (isCut) return "cut"
  return isSuccess(lastOf(result).status) ? "delivered" : "failed"
}

/**
 * Makes each try of a delivery a span in the trace of the request that appended the message. A message without a trace makes no span.
 * Neither spans nor log lines contain payloads, answers or credentials.
 */
export const inTrace = (
  delivery: DueDelivery,
  endpoint: WebhookEndpoint,
  send: Effect.Effect<SendResult>
): Effect.Effect<SendResult> => {
  const parent = TraceContext.toSpan(delivery.message.trace)
  const sending = Effect.tap(send, (result) => logOutcome(delivery, endpoint, result))
  if (parent === undefined || !parent.sampled) return sending
  return Effect.withFiber((fiber) =>
    TraceContext.isTraced(fiber.context)
      ? inSpan(delivery, endpoint, sending, parent)
      : Effect.withParentSpan(sending, parent)
  )
}

const logOutcome = (
  { message, progress }: DueDelivery,
  endpoint: WebhookEndpoint,
  result: SendResult
): Effect.Effect<void> => {
  const { status } = lastOf(result)
  return Effect.annotateLogs(
    Effect.logDebug(`Delivery ${outcomeOf(result)}: ${status === null ? "no answer" : `answered ${status}`}`),
    {
      endpointId: endpoint.id,
      messageId: message.id,
      business: message.business,
      attempt: progress.tries + 1
    }
  )
}

const inSpan = (
  { message, progress }: DueDelivery,
  endpoint: WebhookEndpoint,
  send: Effect.Effect<SendResult>,
  parent: Tracer.ExternalSpan
): Effect.Effect<SendResult> => {
  const attributes = {
    "dockline.business": message.business,
    "dockline.endpoint.id": endpoint.id,
    "dockline.message.id": message.id,
    "dockline.message.type": message.type,
    "dockline.delivery.attempt": progress.tries + 1
  }
  return Effect.useSpan(
    `deliver ${message.type}`,
    { parent, kind: "producer", attributes },
    (span) =>
      Effect.flatMap(Effect.withParentSpan(send, span), (result) => {
        const outcome = outcomeOf(result)
        const { status } = lastOf(result)
        span.attribute("dockline.delivery.outcome", outcome)
        if (status !== null) span.attribute("http.response.status_code", status)
        return outcome === "delivered" ? Effect.succeed(result) : Effect.fail(new DeliveryFailure({ result }))
      })
  ).pipe(Effect.catchTag("DeliveryFailure", ({ result }) => Effect.succeed(result)))
}
