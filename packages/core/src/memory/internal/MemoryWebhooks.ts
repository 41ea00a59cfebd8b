/**
 * Webhook endpoints and their deliveries in memory.
 *
 * Guarantee: each change runs in one turn of the event loop, and so acts as a transaction.
 */
import { Effect, Result } from "effect"
import { everything } from "../../access/Access.ts"
import type { BusinessScope } from "../../access/Access.ts"
import type { Message } from "../../messages/Message.ts"
import type { PlaceSlugs } from "../../places/Authorize.ts"
import { CursorAhead, HistoryExpired } from "../../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../../values/Errors.ts"
import {
  DeliveryNotFound,
  TooManyDeliveries,
  TooManyEntries,
  WebhookEndpointNotFound
} from "../../values/OperatorErrors.ts"
import { cutPage, mapPage } from "../../values/Page.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { fitting, noProgress, storable, withAttempts } from "../../webhooks/Delivery.ts"
import type { OutboxDraft } from "../../webhooks/Delivery.ts"
import {
  backlogEndpoints,
  DeliveryStore,
  pageText,
  partitionOf,
  replayLimit
} from "../../webhooks/DeliveryStore.ts"
import type { ReplayRange, Settlement } from "../../webhooks/DeliveryStore.ts"
import type { ShownEndpoint, WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { endpointLimit, WebhookEndpointStore } from "../../webhooks/WebhookEndpoint.ts"
import { oldestFirst } from "../MemoryLists.ts"
import { backlogCount, backlogOf, MemoryDeliveries, takeNext, wants } from "./MemoryDeliveries.ts"
import { after, droppedOf } from "./MemoryMessages.ts"
import type { AppendSettings, MemoryMessages } from "./MemoryMessages.ts"

interface StoredEndpoint {
  endpoint: WebhookEndpoint
  /** Grows with each lease; only the newest lease is valid. */
  epoch: number
  /** How many settlements of the newest lease are stored. */
  settlements: number
  readonly deliveries: MemoryDeliveries
}

export class MemoryWebhooks {
  readonly endpoints = new Map<number, StoredEndpoint>()
  readonly messages: MemoryMessages
  /** The refusal of a business or facility that does not exist. */
  readonly unknownPlace: (slugs: PlaceSlugs) => BusinessNotFound | FacilityNotFound | undefined
  #lastId = 0

  constructor(messages: MemoryMessages, unknownPlace: MemoryWebhooks["unknownPlace"]) {
    this.messages = messages
    this.unknownPlace = unknownPlace
  }

  nextId(): number {
    return ++this.#lastId
  }

  show({ deliveries, endpoint }: StoredEndpoint): ShownEndpoint {
    return {
      ...endpoint,
      backlog: backlogCount(endpoint, deliveries, this.messages.logOf(endpoint.business))
    }
  }

  within(scope: BusinessScope): ReadonlyArray<StoredEndpoint> {
    return Array.from(this.endpoints.values())
      .filter(({ endpoint }) => scope === everything || scope.includes(endpoint.business))
  }

  /** Appends an entry to an outbox, if an endpoint of the business, enabled or not, subscribes to its type. */
  appendEntry(draft: OutboxDraft, settings: AppendSettings): void {
    const isAsked = this.within([draft.business]).some(({ endpoint }) =>
      endpoint.messageTypes.includes(draft.type)
    )
    if (isAsked) this.messages.appendEntry(draft, settings)
  }

  endLeases(): void {
    for (const endpoint of this.endpoints.values()) endpoint.epoch++
  }

  /** Drops the record of settled deliveries whose messages have been dropped, and returns their number. */
  dropExpired(): number {
    let count = 0
    for (const { deliveries, endpoint } of this.endpoints.values()) {
      const log = this.messages.logOf(endpoint.business)
      for (const row of deliveries.newestFirst(undefined)) {
        const { droppedId } = droppedOf(log, [row.messageType])
        if (row.status === "PENDING" || row.messageId > droppedId) continue
        deliveries.remove(row)
        count++
      }
    }
    return count
  }
}

export const endpointStoreOf = (webhooks: MemoryWebhooks): WebhookEndpointStore["Service"] => {
  const { messages, endpoints } = webhooks
  return WebhookEndpointStore.of({
    create: Effect.fnUntraced(function*({ fromId, now, ...settings }) {
      const { business, enabled } = settings
      const unknown = webhooks.unknownPlace(settings)
      if (unknown !== undefined) return yield* unknown
      if (webhooks.within([business]).length >= endpointLimit) {
        return yield* new TooManyEntries({ what: "webhook endpoints of a business", limit: endpointLimit })
      }
      const log = messages.logOf(business)
      const { lastId } = log
      const { droppedId } = droppedOf(log, settings.messageTypes)
      if (fromId !== null && fromId <= droppedId) return yield* new HistoryExpired({ business, droppedId })
      if (fromId !== null && fromId > lastId + 1) {
        return yield* new CursorAhead({ business, newestId: lastId })
      }
      const endpoint: WebhookEndpoint = {
        ...settings,
        id: webhooks.nextId(),
        version: 1,
        createdAt: now,
        disabledReason: enabled ? "" : "OPERATOR",
        cursorId: fromId === null ? lastId : fromId - 1,
        failingSince: null,
        login: null,
        expiredUpTo: null
      }
      const entry = { endpoint, epoch: 0, settlements: 0, deliveries: new MemoryDeliveries() }
      endpoints.set(endpoint.id, entry)
      messages.wakeups.wake(business)
      return webhooks.show(entry)
    }),

    find: (id) =>
      Effect.sync(() => {
        const entry = endpoints.get(id)
        return entry === undefined ? null : webhooks.show(entry)
      }),

    list: (scope, page) =>
      Effect.sync(() =>
        mapPage(
          oldestFirst(webhooks.within(scope), page, ({ endpoint }) => endpoint.id),
          (each) => webhooks.show(each)
        )
      ),

    update: (id, time, change) =>
      Effect.flatMap(timeOf(time), (now) => {
        const entry = endpoints.get(id)
        if (entry === undefined) return Effect.succeed(null)
        const before = entry.endpoint
        return Effect.fromResult(Result.map(change(before, now), (endpoint): ShownEndpoint => {
          entry.endpoint = { ...before, ...endpoint, version: before.version + 1, login: null }
          if (endpoint.enabled && !before.enabled) {
            entry.endpoint = { ...entry.endpoint, failingSince: null }
            entry.epoch++
            entry.deliveries.restart(now)
          }
          messages.wakeups.wake(before.business)
          return webhooks.show(entry)
        }))
      }),

    remove: (id) => Effect.sync(() => endpoints.delete(id))
  })
}

export const deliveryStoreOf = (webhooks: MemoryWebhooks): DeliveryStore["Service"] =>
  DeliveryStore.of({ ...dispatchOf(webhooks), ...recordOf(webhooks) })

/** The time of the program's own clock if it has one, and otherwise of the clock of this process. */
const timeOf = (time: Timestamp.Timestamp | null): Effect.Effect<Timestamp.Timestamp> =>
  time === null ? Timestamp.now : Effect.succeed(time)

const dispatchOf = ({ messages, endpoints: endpointEntries }: MemoryWebhooks) => ({
  ready: (partitions, time) =>
    Effect.map(timeOf(time), (now) => {
      const endpoints: Array<number> = []
      let nextDueAt: Timestamp.Timestamp | null = null
      for (const { endpoint, deliveries } of endpointEntries.values()) {
        if (!endpoint.enabled || !partitions.includes(partitionOf(endpoint.id))) continue
        const hasMore = messages.logOf(endpoint.business).lastId > endpoint.cursorId
        const workAt = hasMore ? now : deliveries.withTime()[0]?.nextAttemptAt
        if (workAt === undefined) continue
        const retryAt = endpoint.login?.retryAt ?? workAt
        const dueAt = retryAt > workAt ? retryAt : workAt
        if (dueAt <= now) endpoints.push(endpoint.id)
        else if (nextDueAt === null || dueAt < nextDueAt) nextDueAt = dueAt
      }
      return { endpoints, nextDueAt, now }
    }),

  open: (endpointIds) =>
    Effect.sync(() =>
      Array.from(new Set(endpointIds)).sort((left, right) => left - right).flatMap((endpointId) => {
        const entry = endpointEntries.get(endpointId)
        if (!entry?.endpoint.enabled) return []
        const { endpoint } = entry
        entry.settlements = 0
        const lease = { business: endpoint.business, endpointId, epoch: ++entry.epoch, settlements: 0 }
        return [{ lease, endpoint }]
      })
    ),

  take: (requests, time) =>
    Effect.map(timeOf(time), (now) =>
      requests.map((request) => {
        const entry = endpointEntries.get(request.lease.endpointId)
        if (entry?.epoch !== request.lease.epoch) return { _tag: "lost" }
        if (entry.settlements < request.lease.settlements) return { _tag: "lost" }
        if (request.afterId > messages.logOf(entry.endpoint.business).lastId) return { _tag: "lost" }
        if (!entry.endpoint.enabled) return { _tag: "closed" }
        return { _tag: "taken", messages: takeNext({ ...entry, messages, request, now }) }
      })),

  settle: (settlements, time) =>
    Effect.map(timeOf(time), (now) =>
      settlements.map((settlement) => {
        const entry = endpointEntries.get(settlement.lease.endpointId)
        if (entry?.epoch !== settlement.lease.epoch) return false
        // The holder does not know whether its last settlement was stored.
        const unknown = entry.settlements - settlement.lease.settlements
        if (unknown !== 0 && unknown !== 1) return false
        if (settlement.cursorId > messages.logOf(entry.endpoint.business).lastId) return false
        settle(entry, settlement, now)
        entry.settlements = settlement.lease.settlements + 1
        return true
      })),

  watch: (wake) => messages.wakeups.watch(everything, wake)
} satisfies Partial<DeliveryStore["Service"]>)

const recordOf = (webhooks: MemoryWebhooks) => {
  const { messages, endpoints } = webhooks
  return {
    list: (endpointId, status, { limit, after }) =>
      Effect.sync(() => {
        const all = endpoints.get(endpointId)?.deliveries.newestFirst(status) ?? []
        const rest = all.filter(({ messageId }) => after === 0 || messageId < after)
        const most = Math.min(limit, fitting(rest, pageText))
        return cutPage(rest, most, ({ messageId }) => ({ id: String(messageId) }))
      }),

    message: (business, id) => Effect.sync(() => messages.find(business, id)),

    ofMessage: (business, id) =>
      Effect.sync(() =>
        Array.from(endpoints.values()).flatMap(({ deliveries, endpoint }) => {
          const delivery = endpoint.business === business ? deliveries.get(id) : undefined
          return delivery === undefined
            ? []
            : [{ ...delivery, attempts: delivery.attempts.slice(-1), endpointId: endpoint.id }]
        })
      ),

    replay: Effect.fnUntraced(function*(endpointId, messageId, time) {
      const now = yield* timeOf(time)
      const entry = endpoints.get(endpointId)
      if (entry === undefined) return yield* new WebhookEndpointNotFound({ id: String(endpointId) })
      const delivery = entry.deliveries.get(messageId)
      if (delivery === undefined) return yield* new DeliveryNotFound({ id: String(messageId) })
      entry.deliveries.put({ ...delivery, ...noProgress, status: "PENDING", nextAttemptAt: now })
      entry.deliveries.arrange([delivery.shipmentId], now)
      messages.wakeups.wake(entry.endpoint.business)
    }),

    replayRange: Effect.fnUntraced(function*(endpointId, range, time) {
      const now = yield* timeOf(time)
      const entry = endpoints.get(endpointId)
      if (entry === undefined) return yield* new WebhookEndpointNotFound({ id: String(endpointId) })
      const { deliveries, endpoint } = entry
      const choice = Array.from(after(messages.logOf(endpoint.business), 0)).filter((message) =>
        (message.id <= endpoint.cursorId || deliveries.get(message.id) !== undefined) &&
        wants(endpoint, message) && isWithin(range, message)
      )
      if (choice.length > replayLimit) return yield* new TooManyDeliveries({ limit: replayLimit })
      for (const { id: messageId, type: messageType, shipmentId } of choice) {
        const attempts = deliveries.get(messageId)?.attempts ?? []
        const row = { messageId, messageType, shipmentId, ...noProgress, attempts }
        deliveries.put({ ...row, status: "PENDING", nextAttemptAt: now })
      }
      deliveries.arrange(choice.map(({ shipmentId }) => shipmentId), now)
      messages.wakeups.wake(endpoint.business)
      return choice.length
    }),

    backlog: Effect.sync(() =>
      Array.from(endpoints.values()).slice(0, backlogEndpoints).map(({ deliveries, endpoint }) =>
        backlogOf(endpoint, deliveries, messages.logOf(endpoint.business))
      )
    ),

    dropExpired: Effect.sync(() => webhooks.dropExpired())
  } satisfies Partial<DeliveryStore["Service"]>
}

const settle = (entry: StoredEndpoint, settlement: Settlement, now: Timestamp.Timestamp): void => {
  const { deliveries, endpoint } = entry
  const { cursorId, failingSince, login, disable, expiredUpTo, results, waitingMessages } = settlement
  entry.endpoint = {
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
  for (const { attempts, ...result } of results) {
    deliveries.put({
      ...result,
      nextAttemptAt: result.status === "PENDING" ? result.nextAttemptAt ?? now : null,
      attempts: withAttempts(deliveries.get(result.messageId)?.attempts ?? [], attempts)
    })
  }
  for (const message of waitingMessages) {
    if (deliveries.get(message.messageId) !== undefined) continue
    deliveries.put({ ...message, ...noProgress, status: "PENDING", attempts: [], nextAttemptAt: null })
  }
  deliveries.arrange([...results, ...waitingMessages].map(({ shipmentId }) => shipmentId), now)
}

const isWithin = (range: ReplayRange, { id, sentAt }: Pick<Message, "id" | "sentAt">): boolean =>
  "fromId" in range
    ? range.fromId <= id && id <= range.toId
    : range.from <= sentAt && sentAt <= range.to
