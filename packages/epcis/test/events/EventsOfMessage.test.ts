/** D24.1, D24.3: the events of each type of message, judged by GS1's schema. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { captureDocument, queryDocument } from "../../src/events/EpcisEvent.ts"
import type { BizTransaction } from "../../src/events/EpcisEvent.ts"
import { eventIdOf, eventsOf, uuidOf } from "../../src/events/EventsOfMessage.ts"
import { offsetsOf } from "../../src/query/EpcisEvents.ts"
import { aMessage, aRecord, someFacts, writing } from "../Examples.ts"
import { faultsOf } from "../Judge.ts"

const events = (...input: Parameters<typeof eventsOf>) => Effect.runPromise(eventsOf(...input))

const baseUrl = "https://dock.example.com/dashboard"
const sscc = "https://id.gs1.org/00/106141411234567897"
const readPoint = { id: `${baseUrl}/facilities/acme/east/docks/D1` }
const bizLocation = { id: `${baseUrl}/facilities/acme/east` }
const shipment = { type: "desadv", bizTransaction: `${baseUrl}/shipments/7` } as const
const bizTransactionList: ReadonlyArray<BizTransaction> = [
  { type: "po", bizTransaction: `${baseUrl}/orders/acme/PO-1` },
  shipment
]

const pallet = (id: number) => aMessage(id, "PALLET_EVENT", { servicePalletId: "5", dockId: "3", orders: [] })

const assertValid = (list: Awaited<ReturnType<typeof events>>) => {
  const at = Timestamp.of("2026-11-20T18:05:00.000Z")
  assert.deepStrictEqual(faultsOf(queryDocument(list, at)), [])
  assert.deepStrictEqual(faultsOf(captureDocument(list, at)), [])
}

describe("D24.1 the events of a message", () => {
  it("are a pallet that is loaded at a dock, of its orders and its shipment", async () => {
    const list = await events(pallet(4), someFacts([aRecord(4, "LOADING")]), writing)
    assert.deepStrictEqual(list, [{
      type: "ObjectEvent",
      eventID: await Effect.runPromise(eventIdOf("acme", 4, 0)),
      recordTime: Timestamp.of("2026-11-20T18:00:04.000Z"),
      eventTime: Timestamp.of("2026-11-20T17:04:00.000Z"),
      eventTimeZoneOffset: "-05:00",
      epcList: [sscc],
      action: "OBSERVE",
      bizStep: "loading",
      disposition: "in_progress",
      readPoint,
      bizLocation,
      bizTransactionList
    }])
    assertValid(list)
  })

  it("are the first event of a pallet again, declared to be wrong, where the pallet goes back (D24.3)", async () => {
    const facts = someFacts([aRecord(4, "LOADING"), aRecord(6, "UNLOADING")])
    const [[first], [second, ...others]] = [
      await events(pallet(4), facts, writing),
      await events(pallet(6), facts, writing)
    ]
    assert.deepStrictEqual(second, {
      ...first!,
      recordTime: Timestamp.of("2026-11-20T18:00:06.000Z"),
      errorDeclaration: { declarationTime: Timestamp.of("2026-11-20T17:06:00.000Z"), reason: "did_not_occur" }
    })
    assert.deepStrictEqual(others, [])
    assertValid([first!, second!])
  })

  it("are the arrival of a shipment at its dock, or without one", async () => {
    const payload = { dockId: "3", orders: ["PO-1"], occurredAt: Timestamp.of("2026-11-20T16:40:00.000Z") }
    const [event] = await events(aMessage(1, "SHIPMENT_ARRIVED", payload), someFacts([]), writing)
    assert.deepInclude(event, {
      type: "ObjectEvent",
      eventTime: payload.occurredAt,
      epcList: [shipment.bizTransaction],
      bizStep: "arriving",
      disposition: "in_progress",
      readPoint,
      bizTransactionList
    })
    const [other] = await events(
      aMessage(1, "SHIPMENT_ARRIVED", { ...payload, dockId: "" }),
      someFacts([]),
      writing
    )
    assert.notProperty(other, "readPoint")
    assertValid([event!, other!])
  })

  const departed = (facts: Parameters<typeof someFacts>[1]) =>
    events(aMessage(9, "SHIPMENT_COMPLETE", { dockId: "3", orders: ["PO-1"] }), someFacts([], facts), writing)
  const on = (id: number, direction: "LOADING" | "UNLOADING", lpn = `L${id}`) => ({
    id,
    shipmentId: 7,
    lpn,
    direction
  })

  it("are a departure with the pallets on the trailer, and those that were taken off it", async () => {
    const list = await departed({
      trailerNumber: "T-1",
      pallets: [on(1, "LOADING"), on(2, "UNLOADING"), on(3, "LOADING")]
    })
    const lpns = (...ids: ReadonlyArray<number>) => ids.map((id) => `${baseUrl}/lpns/acme/L${id}`)
    const parentID = `${baseUrl}/trailers/acme/T-1`
    assert.deepStrictEqual(
      list.map((
        { action, bizStep, childEPCs, disposition, epcList, parentID, type }
      ) => [type, action, bizStep, disposition, parentID, childEPCs ?? epcList]),
      [
        ["ObjectEvent", "OBSERVE", "departing", "in_transit", undefined, [shipment.bizTransaction]],
        ["AssociationEvent", "ADD", "departing", "in_transit", parentID, lpns(1, 3)],
        ["AssociationEvent", "DELETE", "unloading", "in_progress", parentID, lpns(2)]
      ]
    )
    assert.strictEqual(new Set(list.map(({ eventID }) => eventID)).size, 3)
    assertValid(list)
  })

  it("are an aggregation to the shipment where the trailer has no number, and none without pallets", async () => {
    const list = await departed({ pallets: [on(1, "LOADING"), on(2, "LOADING", "L1")] })
    assert.deepStrictEqual(list.map(({ parentID, type }) => [type, parentID]), [
      ["ObjectEvent", undefined],
      ["AggregationEvent", shipment.bizTransaction]
    ])
    assert.lengthOf(list[1]!.childEPCs!, 1)
    assertValid(list)
    assert.lengthOf(await departed({ trailerNumber: "T-1" }), 1)
  })

  it("are none of other messages, and none of what the storage does not know", async () => {
    for (const message of [pallet(4), aMessage(9, "SHIPMENT_COMPLETE"), aMessage(1, "SHIPMENT_CANCELLED")]) {
      assert.deepStrictEqual(await events(message, someFacts([]), writing), [])
    }
  })
})

describe("D24.1 the offset of an event", () => {
  it("is that of the facility's clocks at the time, across a change of the clock in New York", () => {
    const offsetAt = offsetsOf("America/New_York")
    assert.strictEqual(offsetAt(Timestamp.of("2026-11-01T05:59:59.999Z")), "-04:00")
    assert.strictEqual(offsetAt(Timestamp.of("2026-11-01T06:00:00.000Z")), "-05:00")
    assert.strictEqual(offsetAt(Timestamp.of("2027-03-14T06:59:59.999Z")), "-05:00")
    assert.strictEqual(offsetAt(Timestamp.of("2027-03-14T07:00:00.000Z")), "-04:00")
  })

  it("is +00:00 in UTC, and has minutes", () => {
    assert.strictEqual(offsetsOf("UTC")(Timestamp.of("2026-11-20T17:00:00.000Z")), "+00:00")
    assert.strictEqual(offsetsOf("Asia/Kathmandu")(Timestamp.of("2026-11-20T17:00:00.000Z")), "+05:45")
  })
})

describe("D24.1 the id of an event", () => {
  it("is a UUID of version 5, as others make it", async () => {
    const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert.strictEqual(
      await Effect.runPromise(uuidOf(dns, "www.example.com")),
      "2ed6657d-e927-568b-95e1-2665a8aea6a2"
    )
    assert.strictEqual(
      await Effect.runPromise(eventIdOf("acme", 7, 0)),
      "urn:uuid:7819d6c5-745c-5d00-b2de-5310aa55b4ae"
    )
  })
})

describe("the judge", () => {
  const files = (kind: string) => {
    const folder = new URL(`../fixtures/openepcis/${kind}/`, import.meta.url)
    return readdirSync(folder).map((name) =>
      [name, JSON.parse(readFileSync(new URL(name, folder), "utf8"))] as const
    )
  }

  it.each(files("valid"))("takes %s", (_, document) => {
    assert.deepStrictEqual(faultsOf(document), [])
  })

  it.each(files("invalid"))("refuses %s", (_, document) => {
    assert.notDeepEqual(faultsOf(document), [])
  })
})
