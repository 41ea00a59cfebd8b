/**
 * Webhook endpoints and their deliveries in memory. Every method is synchronous, so it is a transaction of its own.
 */
import { Result } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import type { Message } from "../messages/Message.ts"
import { CursorAhead, HistoryExpired } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import {
  DeliveryNotFound,
  TooManyDeliveries,
  TooManyEntries,
  WebhookEndpointNotFound
} from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { fitting, storable, withAttempts } from "../webhooks/Attempts.ts"
import { fresh } from "../webhooks/Delivery.ts"
import type { Delivery, DeliveryStatus } from "../webhooks/Delivery.ts"
import type {
  EndpointBacklog,
  OpenedEndpoint,
  ReadyEndpoints,
  ReplayRange,
  Settlement,
  TakeRequest,
  TakeResult
} from "../webhooks/DeliveryStore.ts"
import type { ShownEndpoint, WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import type { EndpointChange, EndpointDraft } from "../webhooks/WebhookEndpointStore.ts"
import * as MemoryBacklog from "./MemoryBacklog.ts"
import { MemoryDeliveries } from "./MemoryDeliveries.ts"
import type { MemoryMessages } from "./MemoryMessages.ts"
import { takeNext, wants } from "./MemoryTake.ts"

interface StoredEndpoint {
  endpoint: WebhookEndpoint
  epoch: number
  readonly deliveries: MemoryDeliveries
}

/** Says which of business and facility is unknown; a facility that is `null` is not asked for. */
export type CheckSlugs = (
  business: string,
  facility: string | null
) => BusinessNotFound | FacilityNotFound | undefined

/** All endpoints, with the records of their deliveries. */
export class MemoryWebhooks {
  readonly #stored = new Map<number, StoredEndpoint>()
  readonly #messages: MemoryMessages
  readonly #checkSlugs: CheckSlugs
  #lastId = 0

  constructor(messages: MemoryMessages, checkSlugs: CheckSlugs) {
    this.#messages = messages
    this.#checkSlugs = checkSlugs
  }

  create(
    draft: EndpointDraft,
    endpointLimit: number
  ): Result.Result<
    ShownEndpoint,
    BusinessNotFound | FacilityNotFound | HistoryExpired | CursorAhead | TooManyEntries
  > {
    const { fromId, now, ...settings } = draft
    const refusal = this.#checkSlugs(draft.business, draft.facility)
    if (refusal !== undefined) return Result.fail(refusal)
    const count = this.#endpoints([draft.business]).length
    if (count >= endpointLimit) {
      return Result.fail(
        new TooManyEntries({ what: "webhook endpoints of a business", limit: endpointLimit })
      )
    }
    const { lastId, droppedId } = this.#messages.logOf(draft.business)
    if (fromId !== null && fromId <= droppedId) {
      return Result.fail(new HistoryExpired({ business: draft.business, droppedId }))
    }
    if (fromId !== null && fromId > lastId + 1) {
      return Result.fail(new CursorAhead({ business: draft.business, newestId: lastId }))
    }
    const endpoint: WebhookEndpoint = {
      ...settings,
      id: ++this.#lastId,
      version: 1,
      createdAt: now,
      disabledReason: settings.enabled ? "" : "OPERATOR",
      cursorId: fromId === null ? lastId : fromId - 1,
      failingSince: null,
      login: null,
      expiredUpTo: null
    }
    this.#stored.set(endpoint.id, { endpoint, epoch: 0, deliveries: new MemoryDeliveries() })
    this.#messages.wakeups.wake(endpoint.business)
    return Result.succeed(this.find(endpoint.id)!)
  }

  find(id: number): ShownEndpoint | null {
    const stored = this.#stored.get(id)
    if (stored === undefined) return null
    const { deliveries, endpoint } = stored
    return {
      ...endpoint,
      backlog: MemoryBacklog.countOf(endpoint, deliveries, this.#messages.logOf(endpoint.business))
    }
  }

  list(scope: BusinessScope, { limit, after }: PageRequest): Page<ShownEndpoint> {
    const rest = this.#endpoints(scope).filter(({ id }) => id > after)
    return pageOf(rest.map(({ id }) => this.find(id)!), limit, ({ id }) => id)
  }

  update<E>(
    id: number,
    now: Timestamp,
    change: (endpoint: WebhookEndpoint) => Result.Result<EndpointChange, E>
  ): Result.Result<ShownEndpoint | null, E> {
    const stored = this.#stored.get(id)
    if (stored === undefined) return Result.succeed(null)
    const before = stored.endpoint
    return Result.map(change(before), (changed) => {
      stored.endpoint = { ...before, ...changed, version: before.version + 1, login: null }
      if (changed.enabled && !before.enabled) {
        stored.endpoint = { ...stored.endpoint, failingSince: null }
        stored.epoch++
        stored.deliveries.restart(now)
      }
      this.#messages.wakeups.wake(before.business)
      return this.find(id)
    })
  }

  endLeases(): void {
    for (const stored of this.#stored.values()) stored.epoch++
  }

  remove(id: number): boolean {
    return this.#stored.delete(id)
  }

  ready(isOurs: (endpointId: number) => boolean, now: Timestamp): ReadyEndpoints {
    const endpoints: Array<number> = []
    let nextDueAt: Timestamp | null = null
    for (const { endpoint, deliveries } of this.#stored.values()) {
      if (!endpoint.enabled || !isOurs(endpoint.id)) continue
      const hasMore = this.#messages.logOf(endpoint.business).lastId > endpoint.cursorId
      const workAt = hasMore ? now : deliveries.timed()[0]?.nextAttemptAt
      if (workAt === undefined) continue
      const retryAt = endpoint.login?.retryAt ?? workAt
      const dueAt = retryAt > workAt ? retryAt : workAt
      if (dueAt <= now) endpoints.push(endpoint.id)
      else if (nextDueAt === null || dueAt < nextDueAt) nextDueAt = dueAt
    }
    return { endpoints, nextDueAt }
  }

  open(endpointIds: ReadonlyArray<number>): ReadonlyArray<OpenedEndpoint> {
    return Array.from(new Set(endpointIds)).sort((left, right) => left - right).flatMap((endpointId) => {
      const stored = this.#stored.get(endpointId)
      if (stored === undefined || !stored.endpoint.enabled) return []
      return [{ lease: { endpointId, epoch: ++stored.epoch }, endpoint: stored.endpoint }]
    })
  }

  take(requests: ReadonlyArray<TakeRequest>, now: Timestamp): ReadonlyArray<TakeResult> {
    return requests.map((request) => {
      const stored = this.#stored.get(request.lease.endpointId)
      if (stored?.epoch !== request.lease.epoch) return { _tag: "lost" }
      if (request.afterId > this.#messages.lastId(stored.endpoint.business)) return { _tag: "lost" }
      if (!stored.endpoint.enabled) return { _tag: "closed" }
      return { _tag: "taken", taken: takeNext({ ...stored, messages: this.#messages, request, now }) }
    })
  }

  settle(settlements: ReadonlyArray<Settlement>, now: Timestamp): ReadonlyArray<boolean> {
    return settlements.map((settlement) => {
      const stored = this.#stored.get(settlement.lease.endpointId)
      if (stored?.epoch !== settlement.lease.epoch) return false
      const { deliveries, endpoint } = stored
      if (settlement.cursorId > this.#messages.lastId(endpoint.business)) return false
      stored.endpoint = settled(endpoint, settlement)
      for (const { attempts, ...result } of settlement.results) {
        const recorded = deliveries.get(result.messageId)?.attempts ?? []
        deliveries.put({
          ...result,
          nextAttemptAt: result.status === "PENDING" ? result.nextAttemptAt ?? now : null,
          attempts: withAttempts(recorded, attempts)
        })
      }
      for (const parked of settlement.parked) {
        if (deliveries.get(parked.messageId) !== undefined) continue
        deliveries.put({ ...parked, ...fresh, status: "PENDING", attempts: [], nextAttemptAt: null })
      }
      deliveries.arrange(
        [...settlement.results, ...settlement.parked].map(({ shipmentId }) => shipmentId),
        now
      )
      return true
    })
  }

  watch(wake: () => void): () => void {
    return this.#messages.wakeups.addAny(wake)
  }

  deliveries(
    endpointId: number,
    status: DeliveryStatus | undefined,
    { limit, after }: PageRequest,
    textLimit: number
  ): Page<Delivery> {
    const all = this.#stored.get(endpointId)?.deliveries.newestFirst(status) ?? []
    const rest = all.filter(({ messageId }) => after === 0 || messageId < after)
    return pageOf(rest, Math.min(limit, fitting(rest, textLimit)), ({ messageId }) => messageId)
  }

  replay(
    endpointId: number,
    messageId: number,
    now: Timestamp
  ): Result.Result<void, WebhookEndpointNotFound | DeliveryNotFound> {
    const stored = this.#stored.get(endpointId)
    if (stored === undefined) return Result.fail(new WebhookEndpointNotFound({ id: String(endpointId) }))
    const delivery = stored.deliveries.get(messageId)
    if (delivery === undefined) return Result.fail(new DeliveryNotFound({ id: String(messageId) }))
    stored.deliveries.put({ ...delivery, ...fresh, status: "PENDING", nextAttemptAt: now })
    stored.deliveries.arrange([delivery.shipmentId], now)
    this.#messages.wakeups.wake(stored.endpoint.business)
    return Result.void
  }

  replayRange(
    endpointId: number,
    range: ReplayRange,
    limit: number,
    now: Timestamp
  ): Result.Result<number, WebhookEndpointNotFound | TooManyDeliveries> {
    const stored = this.#stored.get(endpointId)
    if (stored === undefined) return Result.fail(new WebhookEndpointNotFound({ id: String(endpointId) }))
    const { deliveries, endpoint } = stored
    const named = this.#messages.logOf(endpoint.business).messages.filter((message) =>
      (message.id <= endpoint.cursorId || deliveries.get(message.id) !== undefined) &&
      wants(endpoint, message) && isWithin(range, message)
    )
    if (named.length > limit) return Result.fail(new TooManyDeliveries({ limit }))
    for (const { id: messageId, type: messageType, shipmentId } of named) {
      const attempts = deliveries.get(messageId)?.attempts ?? []
      const row = { messageId, messageType, shipmentId, ...fresh, attempts }
      deliveries.put({ ...row, status: "PENDING", nextAttemptAt: now })
    }
    deliveries.arrange(named.map(({ shipmentId }) => shipmentId), now)
    this.#messages.wakeups.wake(endpoint.business)
    return Result.succeed(named.length)
  }

  backlog(limit: number): ReadonlyArray<EndpointBacklog> {
    return Array.from(this.#stored.values()).slice(0, limit).map(({ deliveries, endpoint }) =>
      MemoryBacklog.of(endpoint, deliveries, this.#messages.logOf(endpoint.business))
    )
  }

  dropExpired(): number {
    let dropped = 0
    for (const { deliveries, endpoint } of this.#stored.values()) {
      const { droppedId } = this.#messages.logOf(endpoint.business)
      for (const row of deliveries.newestFirst(undefined)) {
        if (row.status === "PENDING" || row.messageId > droppedId) continue
        deliveries.remove(row)
        dropped++
      }
    }
    return dropped
  }

  #endpoints(scope: BusinessScope): ReadonlyArray<WebhookEndpoint> {
    return Array.from(this.#stored.values(), ({ endpoint }) => endpoint)
      .filter(({ business }) => scope === "*" || scope.includes(business))
  }
}

/** An endpoint after a settlement. */
const settled = (endpoint: WebhookEndpoint, settlement: Settlement): WebhookEndpoint => {
  const { cursorId, failingSince, login, disable, expiredUpTo } = settlement
  return {
    ...endpoint,
    cursorId: Math.max(endpoint.cursorId, cursorId),
    failingSince,
    login: login === null ? null : { ...login, error: storable(login.error) },
    enabled: endpoint.enabled && disable === undefined,
    disabledReason: endpoint.enabled && disable !== undefined ? disable : endpoint.disabledReason,
    expiredUpTo: expiredUpTo === undefined
      ? endpoint.expiredUpTo
      : Math.max(endpoint.expiredUpTo ?? 0, expiredUpTo)
  }
}

const isWithin = (range: ReplayRange, { id, sentAt }: Message): boolean =>
  "fromId" in range
    ? range.fromId <= id && id <= range.toId
    : range.from <= sentAt && sentAt <= range.to

/** A page of a list that is in its order already. */
const pageOf = <A>(rest: ReadonlyArray<A>, limit: number, idOf: (item: A) => number): Page<A> => {
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, next: last === undefined || rest.length === items.length ? null : String(idOf(last)) }
}
