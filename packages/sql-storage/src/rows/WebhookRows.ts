/** Deliveries as SQL functions return and accept them. */
import { deliveryStatuses, noProgress, storable, withAttempts } from "@dockline/core/webhooks/Delivery"
import type { Attempt, Delivery, DueDelivery } from "@dockline/core/webhooks/Delivery"
import type {
  Settlement,
  TakenMessages,
  TakeRequest,
  TakeResult
} from "@dockline/core/webhooks/DeliveryStore"
import { signatureKinds } from "@dockline/core/webhooks/WebhookEndpoint"
import { Schema } from "effect"
import { businessId } from "./BusinessRows.ts"
import { MessageBody, toMessage } from "./MessageRows.ts"
import { sealedText, texts, timestamp, whole } from "./RowFields.ts"

/** An attempt: its time, status, duration, response and error. */
const AttemptBody = Schema.Tuple([
  timestamp,
  Schema.NullOr(whole),
  Schema.Number,
  Schema.String,
  Schema.String
])

type AttemptBody = typeof AttemptBody.Type

const attemptBody = (attempt: Attempt): AttemptBody => {
  const { at, status, durationMs, response, error } = attempt
  return [at, status, durationMs, response, error]
}

/** A row of the view `webhook_delivery_body`. */
export const DeliveryBody = Schema.Struct({
  messageId: whole,
  messageType: Schema.String,
  shipmentId: whole,
  status: Schema.Literals(deliveryStatuses),
  nextAttemptAt: Schema.NullOr(timestamp),
  tries: whole,
  failedSince: Schema.NullOr(timestamp),
  attempts: Schema.Array(AttemptBody)
})

export type DeliveryBody = typeof DeliveryBody.Type

export const disabledReason = Schema.Literals(["", "OPERATOR", "GONE", "FAILING"])

/** A row of the view `webhook_endpoint_body`. */
export const EndpointBody = Schema.Struct({
  id: whole,
  version: whole,
  business: Schema.String,
  facility: Schema.NullOr(Schema.String),
  baseUrl: Schema.String,
  messageTypes: texts,
  authentication: Schema.Struct({
    type: Schema.String,
    settings: Schema.Record(Schema.String, Schema.String),
    secrets: Schema.Record(Schema.String, sealedText)
  }),
  signingSecrets: Schema.Array(Schema.Struct({ sealed: sealedText, validUntil: Schema.NullOr(timestamp) })),
  headers: Schema.Array(Schema.Struct({ name: Schema.String, sealed: sealedText })),
  ratePerSecond: whole,
  signatures: Schema.Array(Schema.Literals(signatureKinds)),
  payloadProfile: Schema.String,
  enabled: Schema.Boolean,
  disabledReason,
  createdAt: timestamp,
  cursorId: whole,
  failingSince: Schema.NullOr(timestamp),
  login: Schema.NullOr(Schema.Struct({ failures: whole, retryAt: timestamp, error: Schema.String })),
  expiredUpTo: Schema.NullOr(whole)
})

export const toDelivery = (body: DeliveryBody): Delivery => ({
  ...body,
  attempts: body.attempts.map(([at, status, durationMs, response, error]) => ({
    at,
    status,
    durationMs,
    response,
    error
  }))
})

/** The result of `webhook_take` for one request. */
export const TakeBody = Schema.Union([
  Schema.Literals(["lost", "closed"]),
  Schema.Struct({
    endpoint: Schema.NullOr(EndpointBody),
    business: Schema.String,
    /** For each due delivery, its message, the number of its failed attempts, and the time of the first failure. */
    due: Schema.Array(Schema.Tuple([MessageBody, whole, Schema.NullOr(timestamp)])),
    gone: Schema.Array(DeliveryBody),
    fresh: Schema.Array(MessageBody),
    /** For each message its id, type and shipment. */
    blocked: Schema.Array(Schema.Tuple([whole, Schema.String, whole])),
    readTo: whole,
    more: Schema.Boolean,
    expiredUpTo: Schema.NullOr(whole)
  })
])

type TakeBody = typeof TakeBody.Type

/** The largest number of an `int`. */
const maxInt = 2_147_483_647

/** The argument of `webhook_take`; limits may be infinite. */
export const takeBody = ({ lease, version, afterId, takenIds, limit, textLimit }: TakeRequest) => ({
  business: businessId(lease.business),
  endpoint: lease.endpointId,
  epoch: lease.epoch,
  settlements: lease.settlements,
  version,
  after: afterId,
  taken: takenIds,
  room: Math.min(limit, maxInt - 1),
  text: Math.min(textLimit, Number.MAX_SAFE_INTEGER)
})

/** Converts a result of `webhook_take`. */
export const toTaken = (body: TakeBody): TakeResult => {
  if (typeof body === "string") return { _tag: body }
  const { business } = body
  const messages: TakenMessages = {
    endpoint: body.endpoint ?? undefined,
    due: body.due.map(([message, tries, failedSince]): DueDelivery => ({
      message: toMessage(business, message),
      progress: { tries, failedSince }
    })),
    staleDeliveries: body.gone.map(toDelivery),
    fresh: body.fresh.map((message) => ({ message: toMessage(business, message), progress: noProgress })),
    blocked: body.blocked.map(([messageId, messageType, shipmentId]) => ({
      messageId,
      messageType,
      shipmentId
    })),
    readTo: body.readTo,
    more: body.more,
    expiredUpTo: body.expiredUpTo ?? undefined
  }
  return { _tag: "taken", messages }
}

/** The arguments of `webhook_settle` for settlements of distinct endpoints, grouped by business; the businesses are in a fixed order. */
export const settleBodies = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<unknown> => {
  const byBusiness = Map.groupBy(settlements, ({ lease }) => lease.business)
  return Array.from(byBusiness, ([business, own]) => ({ business: businessId(business), ...settleBody(own) }))
    .sort((left, right) => left.business < right.business ? -1 : 1)
}

const settleBody = (settlements: ReadonlyArray<Settlement>) => {
  const results: Array<unknown> = []
  const waiting: Array<unknown> = []
  const doneShipments: Array<readonly [endpoint: number, shipment: number]> = []
  const pending: Array<readonly [endpoint: number, shipment: number]> = []
  for (const { lease: { endpointId }, ...settlement } of settlements) {
    const [done, open] = [new Set<number>(), new Set<number>()]
    for (const { attempts, ...result } of settlement.results) {
      const shipments = result.status === "PENDING" ? open : done
      shipments.add(result.shipmentId)
      results.push({ ...result, endpointId, attempts: withAttempts([], attempts).map(attemptBody) })
    }
    for (const message of settlement.waitingMessages) {
      open.add(message.shipmentId)
      waiting.push({ ...message, endpointId })
    }
    for (const shipment of done) doneShipments.push([endpointId, shipment])
    for (const shipment of open) pending.push([endpointId, shipment])
  }
  const heads = settlements.map(({ cursorId, disable, expiredUpTo, failingSince, lease, login }) => ({
    cursorId,
    disable,
    expiredUpTo,
    failingSince,
    endpointId: lease.endpointId,
    epoch: lease.epoch,
    settlements: lease.settlements,
    login: login === null ? null : { ...login, error: storable(login.error) }
  }))
  return { settlements: heads, results, parked: waiting, settled: doneShipments, pending }
}
