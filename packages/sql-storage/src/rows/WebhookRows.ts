/** Deliveries as SQL functions return and take them. */
import type { WebhookType } from "@dockline/core/values/Vocabulary"
import { storable, withAttempts } from "@dockline/core/webhooks/Attempts"
import type { Attempt, Delivery, DueDelivery } from "@dockline/core/webhooks/Delivery"
import { fresh } from "@dockline/core/webhooks/Delivery"
import type {
  Settlement,
  TakenMessages,
  TakeRequest,
  TakeResult
} from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { businessId } from "./BusinessId.ts"
import { toMessage } from "./MessageRows.ts"
import type { MessageBody } from "./MessageRows.ts"

/** An attempt within {@link DeliveryBody}. */
type AttemptBody = readonly [
  at: string,
  status: number | null,
  durationMs: number,
  response: string,
  error: string
]

const attemptBody = (attempt: Attempt): AttemptBody => {
  const { at, status, durationMs, response, error } = attempt
  return [at, status, durationMs, response, error]
}

/** A row of the view `webhook_delivery_body`. */
export type DeliveryBody = Omit<Delivery, "attempts"> & { readonly attempts: ReadonlyArray<AttemptBody> }

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

/** What `webhook_take` returns for one request, as JSON. */
export type TakenBody =
  | "lost"
  | "closed"
  | {
    readonly endpoint: WebhookEndpoint | null
    readonly business: string
    readonly due: ReadonlyArray<readonly [message: MessageBody, tries: number, failedSince: string | null]>
    readonly gone: ReadonlyArray<DeliveryBody>
    readonly fresh: ReadonlyArray<MessageBody>
    readonly blocked: ReadonlyArray<readonly [id: number, type: WebhookType, shipmentId: number]>
    readonly readTo: number
    readonly more: boolean
    readonly expiredUpTo: number | null
  }

/** The largest number of an `int`. */
const maxInt = 2_147_483_647

/** What `webhook_take` takes; limits may be infinite. */
export const takeBody = ({ lease, version, afterId, takenIds, limit, textLimit }: TakeRequest) => ({
  business: businessId(lease.business),
  endpoint: lease.endpointId,
  epoch: lease.epoch,
  version,
  after: afterId,
  taken: takenIds,
  room: Math.min(limit, maxInt - 1),
  text: Math.min(textLimit, Number.MAX_SAFE_INTEGER)
})

/** The answer of a body. */
export const toTaken = (body: TakenBody): TakeResult => {
  if (typeof body === "string") return { _tag: body }
  const { business } = body
  const taken: TakenMessages = {
    endpoint: body.endpoint ?? undefined,
    due: body.due.map(([message, tries, failedSince]): DueDelivery => ({
      message: toMessage(business, message),
      progress: { tries, failedSince }
    })),
    staleDeliveries: body.gone.map(toDelivery),
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
  return { _tag: "taken", messages: taken }
}

/** What `webhook_settle` takes of settlements of endpoints that differ: its parameters for each business, in one order. */
export const settleBodies = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<unknown> => {
  const byBusiness = Map.groupBy(settlements, ({ lease }) => lease.business)
  return Array.from(byBusiness, ([business, own]) => ({ business: businessId(business), ...settleBody(own) }))
    .sort((left, right) => left.business < right.business ? -1 : 1)
}

const settleBody = (settlements: ReadonlyArray<Settlement>) => {
  const results: Array<unknown> = []
  const parked: Array<unknown> = []
  const settled: Array<readonly [endpoint: number, shipment: number]> = []
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
      parked.push({ ...message, endpointId })
    }
    for (const shipment of done) settled.push([endpointId, shipment])
    for (const shipment of open) pending.push([endpointId, shipment])
  }
  const heads = settlements.map(({ cursorId, disable, expiredUpTo, failingSince, lease, login }) => ({
    cursorId,
    disable,
    expiredUpTo,
    failingSince,
    endpointId: lease.endpointId,
    epoch: lease.epoch,
    login: login === null ? null : { ...login, error: storable(login.error) }
  }))
  return { settlements: heads, results, parked, settled, pending }
}
