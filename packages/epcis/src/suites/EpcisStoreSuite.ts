/** The rules for the facts from which events of EPCIS are made, and for publishing the events, for every storage (D24). */
import { Intake } from "@dockline/core/document/Intake"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { EndpointId } from "@dockline/core/values/Id"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as assert from "@dockline/testing/Assert"
import * as Suite from "@dockline/testing/Suite"
import { create, open, take } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { at, aWorld } from "@dockline/testing/worlds/MovementWorld"
import type { MovementServices, MovementStores } from "@dockline/testing/worlds/MovementWorld"
import { Deferred, Effect, Layer, Result } from "effect"
import { epcisEvents } from "../domain/EpcisOutbox.ts"
import { defaultSettings } from "../domain/EpcisSettings.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { FactsRequest } from "../domain/EpcisStore.ts"

/** The port under test, and the ports that it needs, because events concern shipments and are delivered to endpoints. */
export type EpcisStores = DeliveryStore | EpcisStore | MovementStores | WebhookEndpointStore

type AddTest = Suite.AddTest<DeliveryStore | EpcisStore | MovementServices | WebhookEndpointStore>

/** The label with the LPN. */
const labelsOf = (lpn: string) => [{ name: "lpn", value: lpn }]

const services = Layer.mergeAll(
  Intake.layer(),
  Pallets.layer(),
  Shipments.layer()
)

const nothing: FactsRequest = { pallets: [], dockIds: [], facilities: [], departures: [] }

/** A shipment whose pallets are recorded one after another. */
const aTruck = Effect.gen(function*() {
  const world = yield* aWorld()
  const shipmentId = yield* world.submit("S1")
  let count = 0
  const pass = (fields: Partial<PalletEvent>) =>
    world.record({ shipmentId, eventId: `E${++count}`, occurredAt: at(count), ...fields })
  return { ...world, shipmentId, pass }
})

const knowing = (test: AddTest): void => {
  test("D24.3 a pallet has what was recorded of it up to a message, in the order of recording", function*() {
    const store = yield* EpcisStore
    const { business, pass, shipmentId } = yield* aTruck
    const first = (yield* pass({ occurredAt: at(9) })).answer
    const second = (yield* pass({ direction: "UNLOADING", dockSlug: "D2", occurredAt: at(5) })).answer
    yield* pass({ direction: "LOADING" })
    yield* pass({ labels: labelsOf("L2") })
    const palletId = Number(first.servicePalletId)
    const pallets = [{ shipmentId, palletId, upTo: second.messageId }]
    const orders = ["Order of S1"]
    const facts = yield* store.facts(business, { ...nothing, pallets })
    assert.deepStrictEqual(Array.from(facts.pallets.values()), [{
      id: palletId,
      shipmentId,
      lpn: "L1",
      records: [
        { messageId: first.messageId, direction: "LOADING", occurredAt: at(9), dock: "D1", orders },
        { messageId: second.messageId, direction: "UNLOADING", occurredAt: at(5), dock: "D2", orders }
      ]
    }])
    const { business: other } = yield* aTruck
    assert.deepStrictEqual(Array.from((yield* store.facts(other, { ...nothing, pallets })).pallets), [])
  })

  test("D24.1 a departure has what remained then, by first and last occurrence, and the trailer", function*() {
    const store = yield* EpcisStore
    const shipments = yield* Shipments
    const { business, client, moves, pass, shipmentId } = yield* aTruck
    const on = (lpn: string) => ({ labels: labelsOf(lpn) })
    yield* pass(on("L1"))
    yield* pass(on("L2"))
    yield* pass({ ...on("L2"), direction: "UNLOADING" })
    yield* pass({ ...on("L3"), direction: "UNLOADING", occurredAt: at(20) })
    yield* pass({ ...on("L3"), direction: "UNLOADING" })
    yield* pass({ labels: [] })
    yield* shipments.depart(String(shipmentId), { occurredAt: at(30) }, client)
    const { id: messageId } = (yield* moves).at(-1)!
    // A pallet that is recorded after the departure does not belong to its facts.
    yield* pass({ ...on("L4"), occurredAt: at(8) }).pipe(Effect.ignore)
    const departures = [{ shipmentId, messageId }]
    const { departures: results } = yield* store.facts(business, { ...nothing, departures })
    const departure = results.get(messageId)!
    assert.strictEqual(departure.departedAt, at(30))
    assert.strictEqual(departure.trailerNumber, "")
    assert.deepStrictEqual(departure.pallets.map(({ direction, lpn }) => [lpn, direction]), [
      ["L1", "LOADING"],
      ["L3", "UNLOADING"],
      ["", "LOADING"]
    ])
    assert.isTrue(departure.pallets.every((pallet) => pallet.shipmentId === shipmentId && pallet.id > 0))
    const { business: other } = yield* aTruck
    assert.strictEqual((yield* store.facts(other, { ...nothing, departures })).departures.size, 0)
  })

  test("D24.1 docks have their slugs and facilities their clocks, those of the business alone; what is not there is left out", function*() {
    const store = yield* EpcisStore
    const { business, messages, pass, shipmentId } = yield* aTruck
    yield* pass({ dockSlug: "D2" })
    const dockId = Number(JSON.parse((yield* messages).at(-1)!.json).dockId)
    const request = {
      pallets: [{ shipmentId, palletId: 999_999_999, upTo: 999_999_999 }],
      dockIds: [dockId, 999_999_999],
      facilities: ["east", "nowhere"],
      departures: [{ shipmentId, messageId: 999_999_999 }]
    }
    const { departures, docks, pallets, timeZones } = yield* store.facts(business, request)
    assert.deepStrictEqual(Array.from(docks), [[dockId, "D2"]])
    assert.deepStrictEqual(Array.from(timeZones), [["east", "UTC"]])
    assert.deepStrictEqual([pallets.size, departures.size], [0, 0])
    const { business: other } = yield* aTruck
    assert.strictEqual((yield* store.facts(other, request)).docks.size, 0)
  })
}

const settings = { companyPrefixes: ["0614141", "4012345"], publishes: true }

const setting = (test: AddTest): void => {
  test("D24.2 settings are the default, until an operator sets others", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    assert.deepStrictEqual(yield* store.settings(business), defaultSettings)
    yield* store.setSettings(business, settings)
    assert.deepStrictEqual(yield* store.settings(business), settings)
    yield* store.setSettings(business, defaultSettings)
    assert.deepStrictEqual(yield* store.settings(business), defaultSettings)
    assert.deepStrictEqual(yield* store.settings(yield* aBusiness), defaultSettings)
  })

  test("D24.2 settings stay where the present ones are refused, or there is no such business", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    const refusal = yield* Effect.flip(
      store.setSettings(business, settings, (present) => Result.fail(present))
    )
    assert.deepStrictEqual(refusal, defaultSettings)
    assert.deepStrictEqual(yield* store.settings(business), defaultSettings)
    const missing = yield* Effect.flip(store.setSettings(`${business}-x`, settings))
    assert.strictEqual((missing as { readonly code: string }).code, "BUSINESS_NOT_FOUND")
  })
}

const entry = (business: string, text: string, shipmentId = 12): OutboxDraft => ({
  business,
  facility: "east",
  shipmentId,
  type: epcisEvents,
  path: "/capture",
  mediaType: "application/ld+json",
  text
})

/** The texts that endpoints have to send. */
const textsFor = (endpointId: EndpointId) =>
  Effect.map(
    Effect.flatMap(open(endpointId), ({ lease }) => take(lease, 0)),
    ({ fresh }) => fresh.map(({ message }) => "text" in message ? message.text : message.json)
  )

/** The cursor of a business; `undefined` if the business has no pending messages. */
const cursorOf = (business: string) =>
  EpcisStore.use((store) =>
    Effect.map(
      store.behind(10_000),
      (all) => all.find((each) => each.business === business)?.cursorId
    )
  )

const publishing = (test: AddTest): void => {
  test("D24.5 a business that publishes is behind from the end of its log on, by messages that make events", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    const [before] = yield* append(aDraft(business, 1))
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* store.setSettings(business, settings)
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* append(aDraft(business, 2, { type: "SHIPMENT_CANCELLED" }))
    assert.strictEqual(yield* cursorOf(business), undefined)
    const [next] = yield* append(aDraft(business, 3))
    assert.strictEqual(yield* cursorOf(business), before!.id)
    // A change of other settings does not move the cursor.
    yield* store.setSettings(business, { ...settings, companyPrefixes: [] })
    assert.strictEqual(yield* cursorOf(business), before!.id)
    yield* store.setSettings(business, defaultSettings)
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* store.setSettings(business, settings)
    assert.strictEqual(yield* cursorOf(business), undefined)
    yield* append(aDraft(business, 4))
    assert.strictEqual(yield* cursorOf(business), next!.id)
  })

  test("D24.5 entries are in the outbox with the cursor that stands for them, once", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    const { id } = yield* create(business, { messageTypes: [epcisEvents] })
    yield* store.setSettings(business, settings)
    const [message] = yield* append(aDraft(business, 1))
    const cursorId = (yield* cursorOf(business))!
    const step = {
      business,
      cursorId,
      toId: message!.id,
      entries: [entry(business, "{\"a\":\"ä \\\" 🚚\"}", 12), entry(business, "{\"b\":1}", 13)]
    }
    assert.isTrue(yield* store.publish(step))
    assert.isFalse(yield* store.publish(step))
    assert.strictEqual(yield* cursorOf(business), undefined)
    assert.deepStrictEqual(yield* textsFor(id), step.entries.map(({ text }) => text))
    const [next] = yield* append(aDraft(business, 2))
    assert.isTrue(yield* store.publish({ business, cursorId: message!.id, toId: next!.id, entries: [] }))
  })

  test("D24.5 nothing is published of a business that does not publish, and no endpoint that does not ask gets it", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    const { id } = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
    const step = { business, cursorId: 0, toId: 1, entries: [entry(business, "{}")] }
    assert.isFalse(yield* store.publish(step))
    yield* store.setSettings(business, settings)
    assert.isTrue(yield* store.publish(step))
    assert.deepStrictEqual(yield* textsFor(id), [])
  })

  test("D24.5 businesses that are behind are found part by part, none twice", function*() {
    const store = yield* EpcisStore
    const businesses = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
    for (const business of businesses) {
      yield* store.setSettings(business, settings)
      yield* append(aDraft(business, 1))
    }
    const all = yield* store.behind(10_000)
    const parts: Array<(typeof all)[number]> = []
    for (let isMore = true; isMore;) {
      const part = yield* store.behind(2, parts.at(-1))
      parts.push(...part)
      isMore = part.length === 2
    }
    const own = (list: typeof all) => list.filter(({ business }) => businesses.includes(business))
    assert.deepStrictEqual(own(parts), own(all))
    assert.strictEqual(own(all).length, 3)
  })

  test("D24.5 an append wakes who publishes", function*() {
    const store = yield* EpcisStore
    const business = yield* aBusiness
    const wakeUp = Deferred.makeUnsafe<void>()
    yield* Effect.scoped(Effect.gen(function*() {
      yield* store.watch(() => Deferred.doneUnsafe(wakeUp, Effect.void))
      yield* append(aDraft(business, 1))
      yield* Deferred.await(wakeUp)
    }))
  })
}

/** The suite of the stored data of EPCIS. */
export const epcisStoreSuite: Suite.Suite<EpcisStores> = Suite.ofParts(
  "what is stored of EPCIS",
  { facts: knowing, settings: setting, outbox: publishing },
  services
)
