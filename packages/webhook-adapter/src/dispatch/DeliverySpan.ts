/**
 * One try of a delivery as a span: of the trace of the request that the message came of, however much later and on
 * whatever instance it is made.
 *
 * Guarantee: a message that was not traced makes no span. Where spans go nowhere here, the customer is still told of the
 * trace that the message came with. Nothing of the payload, the answer or the credentials is in a span or a line.
 */
import type { DueDelivery } from "@dockline/core/Delivery"
import * as TraceContext from "@dockline/core/TraceContext"
import type { WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Data, Effect } from "effect"
import type { Sent } from "./Sending.ts"

/** What has come of a try, as its span says it. */
export type DeliveryOutcome = "delivered" | "failed" | "login_failed" | "cut"

/** Ends the span of a try that did not deliver as a failed one. */
class Undelivered extends Data.TaggedError("Undelivered")<{ readonly sent: Sent }> {}

const outcomeOf = ({ isCut, loginError, status }: Sent): DeliveryOutcome => {
  if (loginError !== undefined) return "login_failed"
  if (isCut) return "cut"
  return status !== null && status >= 200 && status < 300 ? "delivered" : "failed"
}

/** What a span, and a line of the log, says of a delivery. */
const attributesOf = ({ message, progress }: DueDelivery, { id }: WebhookEndpoint) => ({
  "dockline.business": message.business,
  "dockline.endpoint.id": id,
  "dockline.message.id": message.id,
  "dockline.message.type": message.type,
  "dockline.delivery.attempt": progress.tries + 1
})

const told = (delivery: DueDelivery, endpoint: WebhookEndpoint, sent: Sent): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logDebug(
      `Delivery ${outcomeOf(sent)}: ${sent.status === null ? "no answer" : `answered ${sent.status}`}`
    ),
    {
      endpointId: endpoint.id,
      messageId: delivery.message.id,
      business: delivery.message.business,
      attempt: delivery.progress.tries + 1
    }
  )

/** Sends within the trace of the message, if it has one. */
export const traced = (
  delivery: DueDelivery,
  endpoint: WebhookEndpoint,
  send: Effect.Effect<Sent>
): Effect.Effect<Sent> => {
  const parent = TraceContext.toSpan(delivery.message.trace)
  const sending = Effect.tap(send, (sent) => told(delivery, endpoint, sent))
  if (parent === undefined || !parent.sampled) return sending
  return Effect.withFiber((fiber) =>
    TraceContext.isTraced(fiber.context)
      ? inSpan(delivery, endpoint, sending, parent)
      : Effect.withParentSpan(sending, parent)
  )
}

const inSpan = (
  delivery: DueDelivery,
  endpoint: WebhookEndpoint,
  send: Effect.Effect<Sent>,
  parent: NonNullable<ReturnType<typeof TraceContext.toSpan>>
): Effect.Effect<Sent> =>
  Effect.useSpan(
    `deliver ${delivery.message.type}`,
    { parent, kind: "producer", attributes: attributesOf(delivery, endpoint) },
    (span) =>
      Effect.flatMap(Effect.withParentSpan(send, span), (sent) => {
        const outcome = outcomeOf(sent)
        span.attribute("dockline.delivery.outcome", outcome)
        if (sent.status !== null) span.attribute("http.response.status_code", sent.status)
        return outcome === "delivered" ? Effect.succeed(sent) : Effect.fail(new Undelivered({ sent }))
      })
  ).pipe(Effect.catchTag("Undelivered", ({ sent }) => Effect.succeed(sent)))
