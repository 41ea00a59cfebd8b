/**
 * Posts events for operators to one of their addresses, signed like webhooks (D15.4).
 *
 * Guarantee: a process accepts at most one event an hour for each type and endpoint, and drops further ones, unless the first event did not
 * arrive or 10,000 other pairs had events since. Events wait in a bounded queue; if it is full, new events are dropped. An event is sent at
 * most five times, and no other work waits for it.
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { fromMillis } from "@dockline/core/values/Timestamp"
import { saysWhen } from "@dockline/core/webhooks/Delivery"
import { Cause, Clock, Effect, Exit, Layer, Metric, Queue, Redacted } from "effect"
import type { Scope } from "effect"
import { randomUUID } from "node:crypto"
import { signer } from "./dispatch/EndpointCredentials.ts"
import type { Sign } from "./dispatch/EndpointCredentials.ts"
import { retryAfter } from "./dispatch/Retry.ts"
import { OperatorEvents, operatorEventTypes } from "./OperatorEvents.ts"
import type { OperatorEvent } from "./OperatorEvents.ts"
import type { OutboundRequest } from "./outbound/OutboundHttp.ts"
import { OutboundHttp } from "./outbound/OutboundHttp.ts"
import * as UndiciHttp from "./outbound/UndiciHttp.ts"
import { defaultWebhookConfig, InvalidConfig } from "./WebhookConfig.ts"

/** The address for events, and the settings of their signature and links. */
export interface OperatorWebhookConfig {
  readonly url: string
  /** `whsec_` and base64. */
  readonly secret: Redacted.Redacted
  /** The address of the dashboard, without a slash at the end: events of endpoints link to their pages. */
  readonly dashboardUrl: string
  /** The local address of connections; chosen by the system by default. */
  readonly sourceAddress?: string | undefined
}

/** The time after an accepted event in which further ones of the same type and endpoint are dropped, in milliseconds. */
export const quietMillis = 3_600_000

const queueLimit = 1000

/** The most events that are sent at once: while fewer than this number are being retried, others are not delayed. */
const sendersLimit = 16

/** The most pairs of type and endpoint whose last event is remembered. */
const subjectLimit = 10_000

/** The waits before each further try, in milliseconds. */
const waits = [1_000, 10_000, 60_000, 300_000]

/** The time limit for the answer of the operators' server, in milliseconds. */
const timeoutMillis = 10_000

const outcomes = ["sent", "failed", "dropped"] as const

const eventCounter = Metrics.counter(
  "dockline_operator_events_total",
  "Events for OPERATOR_WEBHOOK_URL: accepted, given up after five attempts, or dropped because too many waited",
  [["type", operatorEventTypes], ["outcome", outcomes]]
)

/** Sends events. The address may be in any network, because the operator of the service sets it. */
export const layer = (config: OperatorWebhookConfig): Layer.Layer<never, InvalidConfig> =>
  over(config).pipe(
    Layer.provide(UndiciHttp.layer({
      allow: ["0.0.0.0/0", "::/0"],
      timeoutMillis,
      ...(config.sourceAddress === undefined ? {} : { sourceAddress: config.sourceAddress })
    }))
  )

/** {@link layer} with another HTTP client. */
export const over = (config: OperatorWebhookConfig): Layer.Layer<never, InvalidConfig, OutboundHttp> =>
  Layer.effect(OperatorEvents, make(config))

/** The key that limits repetitions of an event. */
const subjectOf = ({ endpoint, type }: OperatorEvent): string => `${type} ${endpoint?.id ?? ""}`

interface Waiting extends OperatorEvent {
  readonly id: string
  readonly at: number
}

const make = Effect.fnUntraced(function*(
  config: OperatorWebhookConfig
): Effect.fn.Return<(typeof OperatorEvents)["Service"], InvalidConfig, OutboundHttp | Scope.Scope> {
  const clock = yield* Clock.Clock
  const http = yield* OutboundHttp
  const context = yield* Effect.context<never>()
  const sign = yield* Effect.mapError(
    Effect.fromResult(signer([{ secret: config.secret, until: Infinity }])),
    ({ reason }) => new InvalidConfig({ setting: "operator webhook", reason })
  )
  const queue = yield* Queue.dropping<Waiting>(queueLimit)
  const toldAt = new Map<string, number>()

  const isNews = (event: OperatorEvent, now: number): boolean => {
    const subject = subjectOf(event)
    const last = toldAt.get(subject)
    if (last !== undefined && now - last < quietMillis) return false
    // The map keeps the order in which events were reported, so its first entry is the oldest.
    toldAt.delete(subject)
    const [oldest] = toldAt.keys()
    if (toldAt.size >= subjectLimit && oldest !== undefined) toldAt.delete(oldest)
    toldAt.set(subject, now)
    return true
  }

  const send = Effect.fnUntraced(function*(event: Waiting) {
    for (let tries = 0;; tries++) {
      const request = requestOf(event, config, sign, clock.currentTimeMillisUnsafe())
      const exit = yield* Effect.exit(http.post(request))
      if (Exit.isSuccess(exit) && exit.value.status >= 200 && exit.value.status <= 299) {
        return yield* Metric.update(eventCounter.of(event.type, "sent"), 1)
      }
      const wait = waits[tries]
      if (wait === undefined) {
        // An event that did not arrive may be sent again. The mark of a newer event stays.
        if (toldAt.get(subjectOf(event)) === event.at) toldAt.delete(subjectOf(event))
        const why = Exit.isSuccess(exit) ? `answered ${exit.value.status}` : Cause.pretty(exit.cause)
        yield* Effect.logWarning(
          `OPERATOR_WEBHOOK_URL has not taken the event ${event.type}: ${event.text} (${why})`
        )
        return yield* Metric.update(eventCounter.of(event.type, "failed"), 1)
      }
      const requestedWait = Exit.isSuccess(exit) && saysWhen(exit.value.status)
        ? retryAfter(exit.value.headers["retry-after"], clock.currentTimeMillisUnsafe())
        : undefined
      yield* Effect.sleep(Math.min(Math.max(wait, requestedWait ?? 0), quietMillis))
    }
  })

  const sending = Effect.forever(Effect.flatMap(Queue.take(queue), send))
  for (let sender = 0; sender < sendersLimit; sender++) {
    yield* Effect.forkScoped(Effect.withTracerEnabled(sending, false))
  }

  return {
    tell: (event) => {
      const now = clock.currentTimeMillisUnsafe()
      if (!isNews(event, now)) return
      if (!Queue.offerUnsafe(queue, { ...event, id: `evt_${randomUUID()}`, at: now })) {
        toldAt.delete(subjectOf(event))
        eventCounter.of(event.type, "dropped").updateUnsafe(1, context)
      }
    }
  }
})

const requestOf = (
  { at, endpoint, id, messageId, text, type }: Waiting,
  { dashboardUrl, url }: OperatorWebhookConfig,
  sign: Sign,
  now: number
): OutboundRequest => {
  const data = {
    ...(endpoint === undefined ? {} : {
      business: endpoint.business,
      endpointId: String(endpoint.id),
      url: `${dashboardUrl}/webhooks/${endpoint.id}`
    }),
    ...(messageId === undefined ? {} : { messageId })
  }
  const body = JSON.stringify({ type, timestamp: fromMillis(at), text, data })
  return {
    url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": defaultWebhookConfig.userAgent,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": sign(id, now, body)
    },
    body
  }
}
