/** D24.4: pages of events read a bounded number of messages, and messages dropped by age are reported if they matter. */
import * as Memory from "@dockline/core/memory/Memory"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import { HistoryExpired } from "@dockline/core/values/Errors"
import { aClient } from "@dockline/testing/generators/Given"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { epcis } from "../../src/EpcisCapability.ts"
import { EpcisEvents, scanLimit } from "../../src/query/EpcisEvents.ts"

const arrival = (business: string, n: number) =>
  aDraft(business, n, {
    type: "SHIPMENT_ARRIVED",
    payload: { dockId: "", orders: [], occurredAt: "2026-11-20T17:00:00.000Z" }
  })

const reader = (...businesses: ReadonlyArray<string>) => ({
  clientId: "reader",
  grants: businesses.flatMap((business) => aClient("reader", business, "*", "messages:read").grants)
})

/** Reads all pages of a query, and returns the number of events of each. */
const pagesOf = Effect.fnUntraced(
  function*(query: Readonly<Record<string, string>>, ...businesses: ReadonlyArray<string>) {
    const events = yield* EpcisEvents
    const sizes: Array<number> = []
    for (let token: string | null = ""; token !== null;) {
      const page: Effect.Success<ReturnType<typeof events.query>> = yield* events.query(
        token === "" ? query : { ...query, nextPageToken: token },
        reader(...businesses)
      )
      sizes.push(page.events.length)
      token = page.next
    }
    return sizes
  }
)

layer(Layer.provideMerge(EpcisEvents.layer, Memory.layerWith([epcis])), {
  excludeTestServices: true
})("pages of events", (it) => {
  it.effect("end early where many messages make no event that is asked for, and lead on (D24.4)", () =>
    Effect.gen(function*() {
      const business = yield* aBusiness
      yield* append(...Array.from({ length: scanLimit + 1 }, (_, n) => arrival(business, n)))
      assert.deepStrictEqual(yield* pagesOf({ MATCH_epc: "urn:none" }, business), [0, 0])
      assert.deepStrictEqual(
        yield* pagesOf({ EQ_bizStep: "arriving", perPage: "100" }, business),
        [...Array.from({ length: scanLimit / 100 }, () => 100), 1]
      )
    }))

  it.effect("are of all businesses of the client, one after another (D24.4)", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* aBusiness, yield* aBusiness]
      yield* append(arrival(one, 1), arrival(other, 2), arrival(one, 3))
      assert.deepStrictEqual(yield* pagesOf({ perPage: "2" }, one, other), [2, 1])
      assert.deepStrictEqual(yield* pagesOf({}, other), [1])
    }))

  it.effect("refuse a token of a place that the client does not read by itself now (D24.4)", () =>
    Effect.gen(function*() {
      const business = yield* aBusiness
      yield* append(...[1, 2, 3].map((n) => arrival(business, n)))
      const events = yield* EpcisEvents
      const first = yield* events.query({ perPage: "1" }, reader(business))
      const page = { perPage: "1", nextPageToken: first.next! }
      const { events: [second] } = yield* events.query(page, reader(business))
      assert.notDeepEqual(second, first.events[0])
      const refusals = [aClient("reader", business, ["main"], "messages:read"), reader(yield* aBusiness)]
      for (const principal of refusals) {
        const refusal = yield* Effect.flip(events.query(page, principal))
        assert.strictEqual(refusal.code, "INVALID_PARAMETER")
        assert.include(refusal.message, "nextPageToken")
      }
    }))

  it.effect("look at a hundred businesses without messages at most, and at all by their pages (D24.4)", () =>
    Effect.gen(function*() {
      for (let n = 0; n < 150; n++) yield* aBusiness
      const business = yield* aBusiness
      yield* append(arrival(business, 1))
      const log = yield* MessageLog
      const directory = yield* Directory
      const calls = { lists: 0, reads: 0 }
      const counting = Layer.mergeAll(
        Layer.succeed(
          MessageLog,
          MessageLog.of({
            ...log,
            read: (...args) =>
              Effect.suspend(() => {
                calls.reads++
                return log.read(...args)
              })
          })
        ),
        Layer.succeed(
          Directory,
          Directory.of({
            ...directory,
            list: (...args) =>
              Effect.suspend(() => {
                calls.lists++
                return directory.list(...args)
              })
          })
        )
      )
      const all = {
        clientId: "all",
        grants: [{ business: "*", facilities: "*", permissions: ["messages:read"] }]
      } as const
      yield* Effect.gen(function*() {
        const events = yield* EpcisEvents
        let count = 0
        let token: string | null = ""
        while (token !== null) {
          calls.lists = 0
          calls.reads = 0
          const page: { readonly events: ReadonlyArray<unknown>; readonly next: string | null } =
            yield* events
              .query(token === "" ? {} : { nextPageToken: token }, all)
          assert.isAtMost(calls.reads, 100)
          assert.isAtMost(calls.lists, 3)
          count += page.events.length
          token = page.next
        }
        assert.isAtLeast(count, 1)
      }).pipe(Effect.provide(Layer.provide(Layer.fresh(EpcisEvents.layer), counting)))
    }))

  it.effect("begin behind what was dropped by age, and a token from before it is refused (D24.4)", () =>
    Effect.gen(function*() {
      const business = yield* aBusiness
      const messages = yield* append(...[1, 2, 3].map((n) => arrival(business, n)))
      const log = yield* MessageLog
      let droppedId = 0
      const dropping = MessageLog.of({
        ...log,
        read: (query, position, limit) =>
          position.afterId < droppedId
            ? Effect.fail(new HistoryExpired({ business, droppedId }))
            : log.read(query, position, limit)
      })
      yield* Effect.gen(function*() {
        const events = yield* EpcisEvents
        const first = yield* events.query({ perPage: "1" }, reader(business))
        assert.lengthOf(first.events, 1)
        droppedId = messages[1]!.id
        const { events: [event, ...others] } = yield* events.query({}, reader(business))
        assert.deepStrictEqual([event?.recordTime, others], [messages[2]!.sentAt, []])
        const refusal = yield* Effect.flip(
          events.query({ perPage: "1", nextPageToken: first.next! }, reader(business))
        )
        assert.strictEqual(refusal.code, "HISTORY_EXPIRED")
      }).pipe(
        Effect.provide(Layer.provide(Layer.fresh(EpcisEvents.layer), Layer.succeed(MessageLog, dropping)))
      )
    }))
})
