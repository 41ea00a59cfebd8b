/**
 * Makes each attempt of a delivery a span in the trace of the request that appended the message. A message without a
 * trace makes no span. Neither spans nor log lines contain payloads, answers or credentials.
 */
import * as TraceContext from "@dockline/core/values/TraceContext"
import type { DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Data, Effect } from "effect"
import type { Tracer } from "effect"
import { isSuccess } from "./Retry.ts"
import { lastOf } from "./Sending.ts"
import type { SendResult } from "./Sending.ts"

/** Ends the span of an attempt that did not deliver as a failed span. */
class DeliveryFailure extends Data.TaggedError("DeliveryFailure")<{ readonly result: SendResult }> {}

const outcomeOf = (result: SendResult): string => {
  const { isCut, loginFault } = result
  if (loginFault !== undefined) return "login_failed"
  if (isCut) return "cut"
  return isSuccess(lastOf(result).status) ? "delivered" : "failed"
}

/** Sends in the trace of the message, if the message has one. */
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
