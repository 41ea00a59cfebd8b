/**
 * What a dispatcher holds, whatever customers do, and how it tells of them.
 */
import { sizeOf } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Logger } from "effect"
import {
  accepts,
  anEndpoint,
  append,
  connectionRefusal,
  delivering,
  dispatch,
  dispatchOver,
  Outside,
  pass,
  settle,
  test,
  turns,
  until,
  waiting,
  world
} from "./DispatchWorld.ts"

/** How long the storage takes to answer, in turns. */
const roundTrip = 5

/** A storage that counts what was handed out of payload and not been settled or left to it again, and how it is asked. */
const counting = () => {
  const counts = { held: 0, most: 0, mostOfOne: 0, opened: 0, takes: 0, settlements: 0 }
  const sizes = new Map<string, number>()
  const forget = (key: string) => {
    counts.held -= sizes.get(key) ?? 0
    sizes.delete(key)
  }
  const layer = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        open: (ids) => {
          counts.opened += ids.length
          return store.open(ids)
        },
        take: (requests, now) =>
          Effect.map(Effect.andThen(turns(roundTrip), store.take(requests, now)), (results) => {
            counts.takes++
            results.forEach((result, at) => {
              if (result._tag !== "taken") return
              let text = 0
              for (const { message } of [...result.messages.due, ...result.messages.fresh]) {
                sizes.set(`${requests[at]!.lease.endpointId}:${message.id}`, sizeOf(message))
                text += sizeOf(message)
              }
              counts.held += text
              counts.mostOfOne = Math.max(
                counts.mostOfOne,
                result.messages.due.length + result.messages.fresh.length
              )
            })
            counts.most = Math.max(counts.most, counts.held)
            return results
          }),
        settle: (settlements, now) =>
          Effect.map(Effect.andThen(turns(roundTrip), store.settle(settlements, now)), (leasesHold) => {
            counts.settlements++
            for (const { lease, results } of settlements) {
              for (const { messageId } of results) forget(`${lease.endpointId}:${messageId}`)
            }
            return leasesHold
          })
      }))
  )
  return { counts, layer }
}

const many = (count: number) => Array.from({ length: count }, (_, shipment) => shipment)

describe("what is held", () => {
  test("of payload stays within the memory for all endpoints, and all is delivered", function*(outside) {
    const { counts, layer } = counting()
    for (let n = 0; n < 30; n++) yield* anEndpoint({ baseUrl: `https://customer.example/${n}` })
    yield* append(many(100), "x".repeat(1000))
    yield* dispatchOver(layer, outside, { totalCharacters: 100_000 })
    yield* until(() => outside.requests.length === 3000)
    assert.isAtMost(counts.most, 100_000 + 30 * 1100)
    assert.strictEqual(counts.held, 0)
  })

  test("of one endpoint stays within its window", function*(outside) {
    const { counts, layer } = counting()
    yield* anEndpoint()
    yield* append(many(300), "x".repeat(1000))
    yield* dispatchOver(layer, outside, { windowMessages: 40 })
    yield* until(() => outside.requests.length === 300)
    assert.isAtMost(counts.mostOfOne, 40)
    assert.isAtMost(counts.most, 40 * 1100)
    outside.requests.length = 0
    counts.most = 0
    yield* append(many(300), "x".repeat(1000))
    yield* until(() => outside.requests.length === 300)
    assert.isAtMost(counts.most, 40 * 1100)
  })

  // @threat load.7
  test("is never all held by endpoints that hang, however quick they were before", function*(outside) {
    for (let n = 0; n < 4; n++) yield* anEndpoint({ baseUrl: `https://hangs.example/${n}` })
    yield* append(many(60))
    yield* dispatch(outside, { totalCharacters: 300_000, windowCharacters: 100_000 })
    yield* until(() => outside.requests.length === 240)
    outside.customers.set("hangs.example", () => Effect.never)
    yield* append(many(300), "x".repeat(1000))
    yield* settle
    assert.strictEqual(outside.running, 4 * 32)
    yield* anEndpoint({ baseUrl: "https://healthy.example" })
    yield* until(() => outside.ids("healthy.example").length === 360)
  })

  test("is written in parts, so that no statement takes long, however much has piled up", function*(outside) {
    const endpoints = 8
    for (let n = 0; n < endpoints; n++) yield* anEndpoint()
    yield* append(many(900))
    const store = yield* DeliveryStore
    const back = Latch.makeUnsafe(false)
    const writes: Array<number> = []
    const slow = DeliveryStore.of({
      ...store,
      settle: (settlements, now) =>
        Effect.tap(Effect.andThen(back.await, store.settle(settlements, now)), () =>
          Effect.sync(() => {
            writes.push(settlements.reduce((count, { results }) => count + results.length, 0))
          }))
    })
    const wide = { concurrency: 900, cautiousConcurrency: 900, totalConcurrency: 10_000 }
    yield* Effect.provideService(dispatch(outside, wide), DeliveryStore, slow)
    yield* until(() => outside.requests.length === endpoints * 900)
    yield* back.open
    yield* until(() => writes.reduce((sum, count) => sum + count, 0) === endpoints * 900)
    assert.isBelow(Math.max(...writes), 3 * 1000)
  })

  test("of endpoints without work is bounded: those beyond are let go, and come back", function*(outside) {
    const { counts, layer } = counting()
    for (let n = 0; n < 6; n++) yield* anEndpoint({ baseUrl: `https://customer.example/${n}` })
    yield* dispatchOver(layer, outside, { idleEndpoints: 4, pollMillis: 500 })
    yield* append([1])
    yield* pass("2 seconds")
    assert.strictEqual(counts.opened, 6)
    yield* append([1])
    yield* pass("2 seconds")
    assert.strictEqual(outside.requests.length, 12)
    assert.strictEqual(counts.opened, 8)
  })
})

describe("statements", () => {
  test(
    "are for all endpoints at once: their number does not grow with that of endpoints",
    function*(outside) {
      const { counts, layer } = counting()
      for (let n = 0; n < 100; n++) yield* anEndpoint({ baseUrl: `https://customer.example/${n}` })
      yield* dispatchOver(layer, outside)
      yield* append([1])
      yield* settle
      assert.strictEqual(outside.requests.length, 100)
      assert.isAtMost(counts.takes + counts.settlements, 10)
    }
  )
})

describe("the log", () => {
  const lines: Array<string> = []
  const listening = Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))])

  it.effect("has a line for each turn of an endpoint, and none for each attempt", () =>
    Effect.gen(function*() {
      const outside = new Outside()
      const customer = waiting()
      outside.customer = () => connectionRefusal
      yield* delivering(outside, many(10))
      yield* pass("1 hours")
      outside.customer = accepts
      yield* pass("3 hours")
      outside.customer = customer.customer
      yield* append([1, 2])
      yield* settle
      yield* customer.reply(11, 410)
      yield* customer.reply(12)
      assert.deepStrictEqual(lines, [
        "Webhook endpoint 1 of acme fails: connection refused",
        "Webhook endpoint 1 of acme takes deliveries again",
        "Webhook endpoint 1 of acme fails: it answered 410",
        "Webhook endpoint 1 of acme is disabled: it answered 410",
        "Webhook endpoint 1 of acme takes deliveries again"
      ])
    }).pipe(Effect.provide(Layer.provideMerge(listening, world))))
})
