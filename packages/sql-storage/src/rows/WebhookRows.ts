/**
 * Endpoints and deliveries as the functions of migration 5 return and take them.
 *
 * The order of each body is that of the views `webhook_endpoint_body` and `webhook_delivery_body`.
 */
import { storable, withAttempts } from "@dockline/core/Attempts"
import type { Attempt, Delivery, DeliveryStatus, DueDelivery } from "@dockline/core/Delivery"
import { fresh } from "@dockline/core/Delivery"
import type {
  EndpointBacklog,
  Settlement,
  Taken,
  TakeRequest,
  TakeResult
} from "@dockline/core/DeliveryStore"
import type { MessageType } from "@dockline/core/Vocabulary"
import type {
  DisabledReason,
  EndpointAuthentication,
  LoginWait,
  SigningSecret,
  WebhookEndpoint
} from "@dockline/core/WebhookEndpoint"
import { toMessage } from "./MessageRows.ts"
import type { MessageBody } from "./MessageRows.ts"

/** A row of the view `webhook_endpoint_body`. */
export type EndpointBody = readonly [
  id: number,
  business: string,
  facility: string | null,
  baseUrl: string,
  messageTypes: ReadonlyArray<MessageType>,
  authentication: EndpointAuthentication,
  signingSecrets: ReadonlyArray<SigningSecret>,
  enabled: boolean,
  disabledReason: DisabledReason,
  version: number,
  createdAt: string,
  cursorId: number,
  failingSince: string | null,
  login: LoginWait | null,
  expiredUpTo: number | null
]

/** The endpoint of a body. */
export const toEndpoint = (body: EndpointBody): WebhookEndpoint => ({
  id: body[0],
  business: body[1],
  facility: body[2],
  baseUrl: body[3],
  messageTypes: body[4],
  authentication: body[5],
  signingSecrets: body[6],
  enabled: body[7],
  disabledReason: body[8],
  version: body[9],
  createdAt: body[10],
  cursorId: body[11],
  failingSince: body[12],
  login: body[13],
  expiredUpTo: body[14]
})

/** What `webhook_backlog` returns for one endpoint. */
export type BacklogBody = readonly [
  endpointId: number,
  business: string,
  enabled: boolean,
  disabledReason: DisabledReason,
  failingSince: string | null,
  awaitsLogin: boolean,
  messages: number,
  oldestAt: string | null
]

/** The backlog of a body. */
export const toBacklog = (body: BacklogBody): EndpointBacklog => ({
  endpointId: body[0],
  business: body[1],
  enabled: body[2],
  disabledReason: body[3],
  failingSince: body[4],
  awaitsLogin: body[5],
  messages: body[6],
  oldestAt: body[7]
})

/** An attempt within {@link DeliveryBody}. */
type AttemptBody = readonly [
  at: string,
  status: number | null,
  durationMs: number,
  response: string,
  error: string
]

const toAttempt = ([at, status, durationMs, response, error]: AttemptBody): Attempt => ({
  at,
  status,
  durationMs,
  response,
  error
})

const attemptBody = ({ at, status, durationMs, response, error }: Attempt): AttemptBody => [
  at,
  status,
  durationMs,
  response,
  error
]

/** A row of the view `webhook_delivery_body`. */
export type DeliveryBody = readonly [
  messageId: number,
  messageType: MessageType,
  shipmentId: number,
  status: DeliveryStatus,
  tries: number,
  failedSince: string | null,
  nextAttemptAt: string | null,
  attempts: ReadonlyArray<AttemptBody>
]

/** The delivery of a body. */
export const toDelivery = (body: DeliveryBody): Delivery => ({
  messageId: body[0],
  messageType: body[1],
  shipmentId: body[2],
  status: body[3],
  tries: body[4],
  failedSince: body[5],
  nextAttemptAt: body[6],
  attempts: body[7].map(toAttempt)
})

/** What `webhook_take` returns for one request, as JSON. */
export type TakenBody =
  | "lost"
  | "closed"
  | {
    readonly endpoint: EndpointBody | null
    readonly business: string
    readonly due: ReadonlyArray<readonly [message: MessageBody, tries: number, failedSince: string | null]>
    readonly gone: ReadonlyArray<DeliveryBody>
    readonly fresh: ReadonlyArray<MessageBody>
    readonly blocked: ReadonlyArray<readonly [id: number, type: MessageType, shipmentId: number]>
    readonly readTo: number
    readonly more: boolean
    readonly expiredUpTo: number | null
  }

/** The largest number of an `int`. */
const maxInt = 2_147_483_647

/** What `webhook_take` takes; limits may be infinite. */
export const takeBody = ({ lease, version, afterId, taken, limit, textLimit }: TakeRequest) => ({
  endpoint: lease.endpointId,
  epoch: lease.epoch,
  version,
  after: afterId,
  taken,
  room: Math.min(limit, maxInt - 1),
  text: Math.min(textLimit, Number.MAX_SAFE_INTEGER)
})

/** The answer of a body. */
export const toTaken = (body: TakenBody): TakeResult => {
  if (typeof body === "string") return { _tag: body }
  const { business } = body
  const taken: Taken = {
    endpoint: body.endpoint === null ? undefined : toEndpoint(body.endpoint),
    due: body.due.map(([message, tries, failedSince]): DueDelivery => ({
      message: toMessage(business, message),
      progress: { tries, failedSince }
    })),
    gone: body.gone.map(toDelivery),
    fresh: body.fresh.map((message) => ({ message: toMessage(business, message), progress: fresh })),
    blocked: body.blocked.map(([messageId, messageType, shipmentId]) => ({
      messageId,
      messageType,
      shipmentId
    })),
    readTo: body.readTo,
    more: body.more,
    expiredUpTo: body.expiredUpTo ?? undefined
  }
  return { _tag: "taken", taken }
}

/** What `webhook_settle` takes of settlements of endpoints that differ, each parameter as JSON. */
export const settleBodies = (settlements: ReadonlyArray<Settlement>) => {
  const results: Array<unknown> = []
  const parked: Array<unknown> = []
  const settled: Array<readonly [endpoint: number, shipment: number]> = []
  const pending: Array<readonly [endpoint: number, shipment: number]> = []
  for (const { lease: { endpointId: endpoint }, ...settlement } of settlements) {
    const [done, open] = [new Set<number>(), new Set<number>()]
    for (const { messageId, messageType, shipmentId, status, ...result } of settlement.results) {
      const shipments = status === "PENDING" ? open : done
      shipments.add(shipmentId)
      results.push({
        endpoint,
        message: messageId,
        type: messageType,
        shipment: shipmentId,
        status,
        tries: result.tries,
        failed_since: result.failedSince,
        next_attempt_at: result.nextAttemptAt,
        attempts: withAttempts([], result.attempts).map(attemptBody)
      })
    }
    for (const { messageId, messageType, shipmentId } of settlement.parked) {
      open.add(shipmentId)
      parked.push({ endpoint, message: messageId, type: messageType, shipment: shipmentId })
    }
    for (const shipment of done) settled.push([endpoint, shipment])
    for (const shipment of open) pending.push([endpoint, shipment])
  }
  const heads = settlements.map(({ lease, cursorId, failingSince, login, disable, expiredUpTo }) => ({
    endpoint: lease.endpointId,
    epoch: lease.epoch,
    cursor: cursorId,
    failing_since: failingSince,
    login: login === null ? null : { ...login, error: storable(login.error) },
    disable,
    expired_up_to: expiredUpTo
  }))
  return {
    settlements: JSON.stringify(heads),
    results: JSON.stringify(results),
    parked: JSON.stringify(parked),
    settled: JSON.stringify(settled),
    pending: JSON.stringify(pending)
  }
}
