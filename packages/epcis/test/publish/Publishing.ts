/** D24.5: the rules for publishing events, for every storage: no event is lost or doubled, whenever an instance ends. */
import { Intake } from "@dockline/core/document/Intake"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { HistoryExpired, StorageUnavailable } from "@dockline/core/values/Errors"
import { epcisEvents } from "@dockline/epcis/domain/EpcisOutbox"
import { EpcisStore } from "@dockline/epcis/domain/EpcisStore"
import type { EpcisStores } from "@dockline/epcis/suites/EpcisStoreSuite"
import { dashboardUrl, labelsOf } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { create, open, take } from "@dockline/testing/worlds/DeliveryWorld"
import { aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { at, aWorld } from "@dockline/testing/worlds/MovementWorld"
import { Effect, Layer } from "effect"
import { assert } from "vitest"
import { eventMessageTypes } from "../../src/events/EpcisEvent.ts"
import type { captureDocument, EpcisEvent } from "../../src/events/EpcisEvent.ts"
import { makeRound } from "../../src/publish/Publisher.ts"
import { makeEventSource } from "../../src/query/EpcisEvents.ts"
import { faultsOf } from "../Judge.ts"

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl })
)

const settings = { companyPrefixes: [], publishes: true }

/** A business that publishes, with an endpoint that gets its events, and a truck. */
const aPublisher = Effect.gen(function*() {
  const world = yield* aWorld()
  const { business } = world
  const endpoint = yield* create(business, { messageTypes: [epcisEvents] })
  const store = yield* EpcisStore
  yield* store.setSettings(business, settings)
  const shipmentId = yield* world.submit("S1")
  let count = 0
  const pass = (direction: "LOADING" | "UNLOADING", lpn = "L1") =>
    world.record({
      shipmentId,
      direction,
      eventId: `E${++count}`,
      occurredAt: at(count),
      labels: labelsOf(["lpn", lpn])
    })
  return { ...world, endpoint, shipmentId, pass }
})

/** Rounds over the store until all messages of the business are published. */
const publishAll = Effect.fnUntraced(function*(business: string) {
  const store = yield* EpcisStore
  const round = yield* makeRound
  for (;;) {
    yield* round
    if (!(yield* store.behind(10_000)).some((each) => each.business === business)) return
  }
})

/** The documents that an endpoint has to send. */
const documentsFor = (endpointId: number) =>
  Effect.map(
    Effect.flatMap(open(endpointId), ({ lease }) => take(lease, 0)),
    ({ fresh }) =>
      fresh.map(({ message }) => {
        assert("text" in message)
        assert.deepStrictEqual([message.path, message.mediaType], ["/capture", "application/ld+json"])
        return JSON.parse(message.text) as ReturnType<typeof captureDocument<EpcisEvent>>
      })
  )

/** The events of all messages of a business, as a query reads them. */
const eventsOf = Effect.fnUntraced(function*(business: string) {
  const log = yield* MessageLog
  const source = yield* makeEventSource
  const query = { business, facility: undefined, types: eventMessageTypes }
  const { messages } = yield* log.read(query, { afterId: 0 }, 1000)
  const all = yield* source(business, messages, settings)
  return all.map(({ events }) => events).filter((events) => events.length > 0)
})

const assertPublished = Effect.fnUntraced(function*(business: string, endpointId: number) {
  const documents = yield* documentsFor(endpointId)
  const lists: ReadonlyArray<ReadonlyArray<EpcisEvent>> = documents.map(({ epcisBody }) =>
    epcisBody.eventList
  )
  assert.deepStrictEqual(lists, yield* eventsOf(business))
  for (const document of documents) assert.deepStrictEqual(faultsOf(document), [])
  return documents.length
})

/** Rounds of an instance that ends before, or after, a transaction that publishes. */
const endingRound = (when: "after" | "before") =>
  Effect.gen(function*() {
    const store = yield* EpcisStore
    const end = Effect.fail(new StorageUnavailable({ cause: "ended" }))
    const ending = EpcisStore.of({
      ...store,
      publish: (step) => when === "before" ? end : Effect.andThen(store.publish(step), end)
    })
    yield* Effect.flatten(Effect.provideService(makeRound, EpcisStore, ending))
  })

/** The suite of publishing. */
export const publishingSuite: Suite.Suite<EpcisStores> = Suite.ofParts(
  "publishing events",
  {
    "D24.5": (test: Suite.AddTest<EpcisStores | Intake | Pallets | Shipments>) => {
      test("a document of each message that makes events is in the outbox, in the order of the log", function*() {
        const { business, client, endpoint, pass, shipmentId } = yield* aPublisher
        yield* pass("LOADING")
        yield* pass("LOADING", "L2")
        yield* pass("UNLOADING")
        const shipments = yield* Shipments
        yield* shipments.depart(String(shipmentId), { occurredAt: at(30) }, client)
        yield* append(aDraft(business, 1))
        yield* publishAll(business)
        // An arrival, three pallets, and a departure; the message without a pallet makes no event.
        assert.strictEqual(yield* assertPublished(business, endpoint.id), 5)
      })

      test("an instance that ends before or after a transaction loses and doubles nothing", function*() {
        const { business, endpoint, pass } = yield* aPublisher
        for (const when of ["before", "after", "before", "after"] as const) {
          yield* pass("LOADING", when)
          yield* endingRound(when)
          yield* pass("UNLOADING", when)
        }
        yield* publishAll(business)
        assert.strictEqual(yield* assertPublished(business, endpoint.id), 9)
      })

      test("several instances at once publish once, while pallets pass", function*() {
        const { business, endpoint, pass } = yield* aPublisher
        const passing = Effect.forEach(
          Array.from({ length: 30 }),
          (_, index) => pass(index % 3 === 0 ? "UNLOADING" : "LOADING", `L${index % 7}`)
        )
        const instances = Array.from(
          { length: 3 },
          () =>
            Effect.flatMap(
              makeRound,
              (round) =>
                Effect.forEach(Array.from({ length: 20 }), () => Effect.andThen(round, Effect.yieldNow))
            )
        )
        yield* Effect.all([passing, ...instances], { concurrency: "unbounded" })
        yield* publishAll(business)
        assert.strictEqual(yield* assertPublished(business, endpoint.id), 31)
      })

      test("a business whose log was dropped goes on behind what was dropped", function*() {
        const { business, endpoint, pass } = yield* aPublisher
        yield* pass("LOADING")
        const store = yield* EpcisStore
        const log = yield* MessageLog
        const lastId = yield* log.lastId(business)
        const dropping = MessageLog.of({
          ...log,
          read: (query, position, limit) =>
            position.afterId < lastId
              ? Effect.fail(new HistoryExpired({ business, droppedId: lastId }))
              : log.read(query, position, limit)
        })
        yield* Effect.flatten(Effect.provideService(makeRound, MessageLog, dropping))
        assert.isFalse((yield* store.behind(10_000)).some((each) => each.business === business))
        yield* pass("UNLOADING")
        yield* publishAll(business)
        assert.lengthOf(yield* documentsFor(endpoint.id), 1)
      })
    }
  },
  services
)
