/**
 * Making a random history of webhook endpoints happen to a storage, and what is to be seen of it. Memory is the model
 * that other storages are held against: what one history shows is the same over all of them.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { WebhookType } from "@dockline/core/values/Vocabulary"
import type { Delivery, DeliveryResult } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore, partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import type { Lease, Settlement, TakenMessages } from "@dockline/core/webhooks/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as assert from "@dockline/testing/Assert"
import * as Law from "@dockline/testing/Law"
import { OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import {
  anAttempt,
  anEndpoint,
  appendOf,
  aSettlement,
  at,
  request,
  start,
  unchanged
} from "@dockline/testing/worlds/DeliveryWorld"
import type { Ports } from "@dockline/testing/worlds/DeliveryWorld"
import { at as atMillis, everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { Effect, Result } from "effect"
import { deliveryHistories, letter } from "./DeliverySteps.ts"
import type { Step } from "./DeliverySteps.ts"

/** How long the log keeps messages, in seconds of a history. */
export const keptSeconds = 15

/** What a dispatcher holds of an endpoint. */
interface Hold_ {
  readonly lease: Lease
  readonly readTo: number
  /** Handed out, blocked or recorded, by id: all that a settlement may name. */
  readonly messages: ReadonlyMap<number, { readonly messageType: WebhookType; readonly shipmentId: number }>
}

/** An endpoint that is never made. */
const nobodyId = Number.MAX_SAFE_INTEGER

const nobody: Lease = { business: "nobody", endpointId: nobodyId, epoch: 1, settlements: 0 }

const pick = <A>(all: ReadonlyArray<A>, n: number): A | undefined => all[n % Math.max(1, all.length)]

/**
 * Makes a history happen to a business and returns what each step answered, with the endpoints and the whole record
 * after it. Message and endpoint ids are part of it: they are the same over storages that have seen the same before.
 */
export const observe = (business: string, steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpointStore
    const store = yield* DeliveryStore
    const log = yield* MessageLog
    const outbox = yield* OutboxWriter
    const ids: Array<number> = []
    const messages: Array<number> = []
    const tenures = new Map<number, Hold_>()
    const views: Array<unknown> = []
    for (const [seconds, step] of steps.entries()) {
      const now = at(seconds)
      const id = "of" in step ? pick(ids, step.of) ?? nobodyId : 0
      const hold = tenures.get(id) ?? { lease: nobody, readTo: 0, messages: new Map() }
      views.push(step._tag, yield* Effect.result(happen(step, { now, seconds, id, hold })))
      const states = yield* Effect.forEach(ids, endpoints.find)
      const records = yield* Effect.forEach(ids, (id) => store.list(id, undefined, { limit: 1000, after: 0 }))
      records.forEach(({ items }) => checkTimes(items))
      const ready = yield* store.ready(ids.map(partitionOf), now)
      views.push(yield* Effect.result(log.read(everythingOf(business), { afterId: 0 }, 1000)))
      views.push(states, records.map(({ items }) => items), ready.endpoints.filter((id) => ids.includes(id)))
    }
    return views

    function open(id: number) {
      return Effect.map(store.open([id]), (endpoints) => {
        for (const { lease, endpoint } of endpoints) {
          tenures.set(id, { lease, readTo: endpoint.cursorId, messages: new Map() })
        }
        return endpoints
      })
    }

    function happen(
      step: Step,
      { now, seconds, id, hold }: { now: Timestamp.Timestamp; seconds: number; id: number; hold: Hold_ }
    ): Effect.Effect<unknown, unknown> {
      switch (step._tag) {
        case "append":
          return Effect.map(
            Effect.provideService(
              atMillis(start + seconds * 1000)(
                appendOf(business, step.shipments, { facility: step.facility, type: step.type })
              ),
              MessageLog,
              log
            ),
            (ids) => void messages.push(...ids)
          )
        case "post":
          return Effect.gen(function*() {
            const before = yield* log.lastId(business)
            yield* atMillis(start + seconds * 1000)(outbox.append({
              business,
              facility: step.facility,
              type: letter,
              shipmentId: step.shipment,
              path: "/api/letters",
              mediaType: "text/x-letter",
              text: `{"n":${step.shipment}}`
            }))
            const last = yield* log.lastId(business)
            if (last > before) messages.push(last)
            return [last, yield* store.message(business, last)]
          })
        case "create": {
          const { facility, types: messageTypes, from } = step
          const fromId = from === null ? null : pick(messages, from) ?? 1
          return Effect.map(
            endpoints.create(anEndpoint(business, { facility, messageTypes, fromId, now })),
            (endpoint) => {
              ids.push(endpoint.id)
              return endpoint
            }
          )
        }
        case "open":
          return open(id)
        case "take":
          return Effect.gen(function*() {
            const endpoints = hold.lease === nobody ? yield* open(id) : []
            const current = tenures.get(id) ?? hold
            const ids = step.again ? [] : Array.from(current.messages.keys())
            const query = request(current.lease, current.readTo, {
              takenIds: ids,
              limit: step.limit,
              textLimit: step.text
            })
            const results = yield* store.take([query], now)
            for (const result of results) {
              if (result._tag === "taken") tenures.set(id, afterTake(current, result.messages))
              else tenures.delete(id)
            }
            return [endpoints, results]
          })
        case "settle":
          return Effect.gen(function*() {
            const { items } = yield* store.list(id, undefined, { limit: 1000, after: 0 })
            const settlement = settlementOf(step, hold, items, seconds)
            const results = yield* store.settle([settlement, { ...settlement, lease: nobody }], now)
            if (results[0]) tenures.set(id, { ...hold, messages: stillOut(hold, settlement) })
            return results
          })
        case "update":
          return endpoints.update(id, now, (endpoint) =>
            Result.succeed({
              ...unchanged(endpoint),
              messageTypes: step.types,
              enabled: step.enabled,
              disabledReason: step.enabled ? "" : "OPERATOR"
            }))
        case "replay":
          return Effect.flatMap(store.list(id, undefined, { limit: 1000, after: 0 }), ({ items }) => {
            const delivery = step.message % 4 === 0 ? undefined : pick(items, step.message)
            return store.replay(id, delivery?.messageId ?? pick(messages, step.message) ?? 1, now)
          })
        case "replayRange":
          return store.replayRange(
            id,
            step.times
              ? { from: at(step.from), to: at(step.to) }
              : { fromId: pick(messages, step.from) ?? 1, toId: pick(messages, step.to) ?? 1 },
            now
          )
        case "drop":
          return atMillis(start + seconds * 1000)(Effect.andThen(log.dropExpired, store.dropExpired))
        case "remove":
          return id === ids[0] ? Effect.succeed("the first one stays") : endpoints.remove(id)
      }
    }
  })

/** Makes a history happen to a business of its own. */
export const play = (steps: ReadonlyArray<Step>): Effect.Effect<unknown, unknown, Ports | OutboxWriter> =>
  Effect.gen(function*() {
    const directory = yield* Directory
    const facility = { name: "", docks: [] }
    const facilities = [{ slug: "east", ...facility }, { slug: "west", ...facility }]
    yield* directory.put([{ slug: "acme", name: "Acme", fieldMap: [], facilities }])
    return yield* observe("acme", steps)
  })

/**
 * The law that histories of webhook endpoints show the same over a storage and over its model. Both are ways to
 * {@link play} a history over stores that hold nothing yet, and whose log keeps messages for {@link keptSeconds}.
 */
export const sameAsModel = (
  storage: (steps: ReadonlyArray<Step>) => Effect.Effect<unknown, unknown>,
  model: (steps: ReadonlyArray<Step>) => Effect.Effect<unknown, unknown>
): Law.Law =>
  Law.effect(
    "histories of webhook endpoints show the same as over the model, and of each shipment the earliest pending " +
      "delivery alone has a time (D9.4)",
    deliveryHistories,
    (steps) =>
      Effect.gen(function*() {
        const expected = yield* model(steps)
        assert.deepStrictEqual(yield* storage(steps), expected)
      }),
    15
  )

/** Of each shipment the earliest pending delivery alone has a time (D9.4). */
const checkTimes = (newestFirst: ReadonlyArray<Delivery>): void => {
  const waiting = new Set<number>()
  for (const { shipmentId, status, nextAttemptAt } of newestFirst.toReversed()) {
    const isFirst = status === "PENDING" && !waiting.has(shipmentId)
    assert.strictEqual(nextAttemptAt !== null, isFirst)
    if (status === "PENDING") waiting.add(shipmentId)
  }
}

/** What was handed out and has no result; of what was parked some is thought to be on its way still. */
const stillOut = ({ messages }: Hold_, { results, waitingMessages }: Settlement): Hold_["messages"] => {
  const done = new Set(results.map(({ messageId }) => messageId))
  const aside = new Set(
    waitingMessages.map(({ messageId }) => messageId).filter((messageId) => messageId % 3 > 0)
  )
  return new Map(Array.from(messages).filter(([messageId]) => !done.has(messageId) && !aside.has(messageId)))
}

const afterTake = (hold: Hold_, { due, fresh, blocked, staleDeliveries, readTo }: TakenMessages): Hold_ => {
  const messages = new Map(hold.messages)
  for (const { message } of [...due, ...fresh]) {
    messages.set(message.id, { messageType: message.type, shipmentId: message.shipmentId })
  }
  for (const { messageId, messageType, shipmentId } of [...blocked, ...staleDeliveries]) {
    messages.set(messageId, { messageType, shipmentId })
  }
  return { ...hold, messages, readTo }
}

/** A settlement that is true to the contract: what the cursor moves past is a result, parked or recorded. */
const settlementOf = (
  step: Extract<Step, { _tag: "settle" }>,
  hold: Hold_,
  deliveries: ReadonlyArray<Delivery>,
  seconds: number
) => {
  const messages = new Map(hold.messages)
  for (const { messageId, messageType, shipmentId } of deliveries) {
    messages.set(messageId, { messageType, shipmentId })
  }
  const all = Array.from(messages.keys()).sort((left, right) => left - right)
  const results = new Map<number, DeliveryResult>()
  for (const { of, status, again } of step.fates) {
    const messageId = pick(all, of)
    if (messageId === undefined) continue
    const before = deliveries.find((delivery) => delivery.messageId === messageId)
    results.set(messageId, {
      messageId,
      ...messages.get(messageId)!,
      status,
      tries: (before?.tries ?? 0) + 1,
      failedSince: before?.failedSince ?? at(seconds),
      attempts: [anAttempt(seconds)],
      nextAttemptAt: status === "PENDING" ? at(seconds + again) : null
    })
  }
  const waiting = step.moves
    ? all.filter((messageId) => !results.has(messageId)).map((messageId) => ({
      messageId,
      ...messages.get(messageId)!
    }))
    : []
  return aSettlement(
    step.stale ? { ...hold.lease, epoch: hold.lease.epoch - 1 } : hold.lease,
    step.moves ? hold.readTo : 0,
    {
      results: Array.from(results.values()),
      waitingMessages: waiting,
      failingSince: step.waits ? at(seconds) : null,
      login: step.waits ? { failures: 1, retryAt: at(seconds + 3), error: "refused" } : null,
      disable: step.disable
    }
  )
}
