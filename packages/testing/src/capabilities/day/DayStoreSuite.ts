/** The rules for the days of facilities, for every storage of shipments (D13.13). */
import type { ReadScope } from "@dockline/core/access/Access"
import type { DayGroup, DayShipment } from "@dockline/core/day/Day"
import type { DayQuery, DayShipmentsQuery } from "@dockline/core/day/DayOperations"
import { Days, DayStore } from "@dockline/core/day/Days"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, aPalletEvent, labelsOf, orderOf } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { ReadingStores } from "../../worlds/ReadWorld.ts"

const at = (hour: number, minute = 0, day = 20): Timestamp.Timestamp =>
  Timestamp.of(`2026-11-${day}T${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00.000Z`)

/**
 * A day of a facility. IN came late at 7:00 and left at 10:00 with one of two pallets missing. OUT left at 23:30 with both of its pallets,
 * one of which had been taken back and loaded again. NEXT arrived on the day after, and LATER is expected on that day. NEVER is cancelled,
 * and WEST is at another facility. Everything is reported at noon of the day after.
 */
const aDay = Effect.gen(function*() {
  const pallets = yield* Effect.provide(Pallets, Pallets.layer())
  const shipments = yield* Effect.provide(Shipments, Shipments.layer())
  const days = yield* Effect.provide(Days, Days.layer)
  const business = yield* aBusiness
  const client = aClient("desk", business, "*", "documents:write", "pallets:write", "shipments:write")
  const send = (...[fields, ...orders]: Parameters<typeof aDocument>) =>
    Effect.map(
      write(aDocument({ business, ...fields }, ...orders)),
      (result) => Number(outcomeOf(result).shipment.id)
    )
  const see = (
    shipmentId: number,
    lpn: string,
    occurredAt: Timestamp.Timestamp,
    direction: "LOADING" | "UNLOADING"
  ) =>
    pallets.record(
      aPalletEvent({
        business,
        shipmentId,
        direction,
        occurredAt,
        eventId: `${shipmentId}-${lpn}-${occurredAt}`,
        labels: labelsOf(["lpn", lpn])
      }),
      client
    )
  const inbound = yield* send(
    { shipmentNumber: "IN", direction: "INBOUND", carrier: "Northline", expectedArrivalAt: at(6, 30) },
    orderOf("P1", "APPEND", [anItem("L1", "S"), anItem("L2", "S")], { supplier: "Farm" }),
    orderOf("P2", "APPEND", [], { supplier: "Mill" }),
    orderOf("P3", "APPEND", [], { supplier: "Farm" })
  )
  yield* shipments.arrive(String(inbound), { occurredAt: at(7), dockSlug: "D1" }, client)
  yield* see(inbound, "L1", at(8), "UNLOADING")
  yield* shipments.depart(String(inbound), { occurredAt: at(10) }, client)
  const outbound = yield* send(
    { shipmentNumber: "OUT", carrier: "Southway", expectedArrivalAt: at(22, 55) },
    orderOf("P4", "APPEND", [anItem("L3", "S"), anItem("L4", "S")])
  )
  yield* see(outbound, "L3", at(23, 1), "LOADING")
  yield* see(outbound, "L3", at(23, 2), "UNLOADING")
  yield* see(outbound, "L3", at(23, 3), "LOADING")
  yield* see(outbound, "L4", at(23, 4), "LOADING")
  yield* shipments.depart(String(outbound), { occurredAt: at(23, 30) }, client)
  const next = yield* send({ shipmentNumber: "NEXT", carrier: "Southway" }, orderOf("P5"))
  yield* shipments.arrive(String(next), { occurredAt: at(4, 0, 21) }, client)
  yield* send({ shipmentNumber: "LATER", expectedArrivalAt: at(5, 0, 21) }, orderOf("P6"))
  const never = yield* send({ shipmentNumber: "NEVER", expectedArrivalAt: at(9) }, orderOf("P7"))
  yield* shipments.cancel(String(never), client)
  yield* send({ facility: "west", shipmentNumber: "WEST", expectedArrivalAt: at(9) }, orderOf("P8"))
  const groups = (query: Partial<DayQuery> = {}, who = client) =>
    Effect.map(
      days.day({ business, facility: "east", date: "2026-11-20", ...query }, who),
      ({ items }) => items
    )
  return { business, client, days, groups }
}).pipe(Timestamp.asOf(Date.parse(at(12, 0, 21))))

const brief = (groups: ReadonlyArray<DayGroup>): ReadonlyArray<string> =>
  groups.map(({ id, shipments }) => `${id}: ${shipments}`)

/** The suite of `DayStore`, with the ports that it needs. */
export const dayStoreSuite = Suite.make<ReadingStores | DayStore>("the days of facilities", ({ test }) => {
  test("the shipments of a day are counted once, and by hour, dock, carrier and supplier", function*() {
    const { business, client, days, groups } = yield* aDay
    const rows = yield* groups()
    assert.deepStrictEqual(brief(rows), [
      "TOTAL: 2",
      "DATE 2026-11-20: 2",
      "HOUR 10: 1",
      "HOUR 23: 1",
      "DOCK D1: 2",
      "CARRIER Northline: 1",
      "CARRIER Southway: 1",
      "SUPPLIER Farm: 1",
      "SUPPLIER Mill: 1",
      "SUPPLIER: 1"
    ])
    assert.deepStrictEqual(rows[0], {
      id: "TOTAL",
      group: "TOTAL",
      name: "",
      shipments: 2,
      inbound: 1,
      outbound: 1,
      expected: 0,
      atDock: 0,
      departed: 2,
      onTime: 1,
      late: 1,
      complete: 1,
      short: 1,
      over: 0,
      palletsIn: 1,
      palletsOut: 2,
      medianMinutes: 29,
      longestMinutes: 180,
      detained: 1,
      detentionMinutes: 60
    })
    const [patient] = yield* groups({ detentionMinutes: "180" })
    assert.deepStrictEqual([assert.present(patient).detained, assert.present(patient).detentionMinutes], [
      0,
      0
    ])
    const listOf = (query: Partial<DayShipmentsQuery>) =>
      Effect.map(
        days.dayShipments({ business, facility: "east", date: "2026-11-20", ...query }, client),
        ({ items, next }) => [items.map(({ shipmentNumber }) => shipmentNumber), next]
      )
    assert.deepStrictEqual(yield* listOf({}), [["IN", "OUT"], null])
    assert.deepStrictEqual(yield* listOf({ limit: 1 }), [["IN"], "1"])
    assert.deepStrictEqual(yield* listOf({ limit: 1, after: 1 }), [["OUT"], null])
    assert.deepStrictEqual(yield* listOf({ counted: "late" }), [["IN"], null])
    assert.deepStrictEqual(yield* listOf({ group: "SUPPLIER", name: "Mill", counted: "short" }), [
      ["IN"],
      null
    ])
    assert.deepStrictEqual(yield* listOf({ group: "SUPPLIER", name: "" }), [["OUT"], null])
    assert.deepStrictEqual(yield* listOf({ group: "CARRIER", name: "Nobody" }), [[], null])
    const directory = yield* Directory
    yield* directory.updateFacility(business, { slug: "east", detentionMinutes: 200 })
    const [group] = yield* groups()
    assert.deepStrictEqual([assert.present(group).detained, assert.present(group).detentionMinutes], [0, 0])
  })

  test("a day is compared with the day before, the average of four weeks, and each of fourteen days", function*() {
    const { business, client, days } = yield* aDay
    const trend = (query: Partial<DayQuery>) =>
      Effect.map(days.dayTrend({ business, facility: "east", ...query }, client), ({ items }) => items)
    const [before, average, ...each] = yield* trend({ date: "2026-11-21" })
    assert.deepStrictEqual(before, {
      id: "BEFORE",
      kind: "BEFORE",
      date: "2026-11-20",
      shipments: 2,
      departed: 2,
      onTime: 1,
      late: 1,
      short: 1,
      palletsIn: 1,
      palletsOut: 2,
      detained: 1,
      medianMinutes: 29
    })
    // Only one day of these four weeks has shipments.
    assert.deepStrictEqual(average, {
      ...assert.present(before),
      id: "AVERAGE",
      kind: "AVERAGE",
      date: "2026-10-24"
    })
    assert.strictEqual(each.length, 14)
    assert.deepStrictEqual(each.slice(-3).map(({ id, shipments }) => `${id}: ${shipments}`), [
      "DATE 2026-11-19: 0",
      "DATE 2026-11-20: 2",
      "DATE 2026-11-21: 2"
    ])
    const [week] = yield* trend({ date: "2026-11-21", days: "7" })
    assert.deepStrictEqual([assert.present(week).date, assert.present(week).shipments], ["2026-11-14", 2])
    const [none] = yield* trend({ date: "2026-11-20" })
    assert.deepStrictEqual([
      assert.present(none).date,
      assert.present(none).shipments,
      assert.present(none).medianMinutes
    ], ["2026-11-19", 0, 0])
  })

  test("a day is of the zone that is given, or else of the facility; a week has seven", function*() {
    const { groups } = yield* aDay
    const berlin = { timeZone: "Europe/Berlin" }
    assert.deepStrictEqual(brief(yield* groups(berlin)).slice(0, 3), [
      "TOTAL: 1",
      "DATE 2026-11-20: 1",
      "HOUR 11: 1"
    ])
    assert.deepStrictEqual(brief(yield* groups({ ...berlin, date: "2026-11-21" })).slice(0, 5), [
      "TOTAL: 3",
      "DATE 2026-11-21: 3",
      "HOUR 00: 1",
      "HOUR 05: 1",
      "HOUR 06: 1"
    ])
    const week = yield* groups({ date: "2026-11-15", days: "7" })
    const [total] = week
    assert.deepStrictEqual([
      assert.present(total).shipments,
      assert.present(total).expected,
      assert.present(total).atDock,
      assert.present(total).departed
    ], [
      4,
      1,
      1,
      2
    ])
    assert.deepStrictEqual(
      week.filter(({ group }) => group === "DATE").map(({ name, shipments }) => [name.slice(8), shipments]),
      [["15", 0], ["16", 0], ["17", 0], ["18", 0], ["19", 0], ["20", 2], ["21", 2]]
    )
  })

  test("a client counts what it may see, in pages, and is told what is wrong with a question", function*() {
    const { business, client, days, groups } = yield* aDay
    const place = { business, facility: "east", date: "2026-11-20" }
    const whole = yield* groups()
    const first = yield* days.day({ ...place, limit: 4 }, client)
    const rest = yield* days.day({ ...place, after: Number(first.next) }, client)
    assert.deepStrictEqual([first.next, rest.next], ["4", null])
    assert.deepStrictEqual([...first.items, ...rest.items], whole)
    const codeOf = (query: Partial<DayQuery>, who = client) =>
      Effect.map(
        Effect.result(days.day({ ...place, ...query }, who)),
        (result) => Result.isFailure(result) ? result.failure.code : "none"
      )
    for (
      const wrong of [{ days: "2" }, { date: "2026-13-01" }, { date: "0001-01-01" }, { timeZone: "Mars" }, {
        detentionMinutes: "-1"
      }]
    ) {
      assert.strictEqual(yield* codeOf(wrong), "INVALID_PARAMETER", JSON.stringify(wrong))
    }
    const ofNoGroup = yield* Effect.result(days.dayShipments({ ...place, name: "D1" }, client))
    assert.strictEqual(Result.isFailure(ofNoGroup) && ofNoGroup.failure.code, "INVALID_PARAMETER")
    const elsewhere = aClient("west", business, ["west"], "documents:write")
    assert.strictEqual(yield* codeOf({}, elsewhere), "FORBIDDEN")
    assert.strictEqual(yield* codeOf({ facility: "north" }), "FACILITY_NOT_FOUND")
  })

  test("a storage selects what lists of shipments have in the same time, up to a limit", function*() {
    const { business } = yield* aDay
    const dayStore = yield* DayStore
    const store = yield* ShipmentStore
    const scopes: ReadonlyArray<ReadScope> = [{ business, facilities: "*" }]
    for (
      const [from, to] of [[at(0), at(10)], [at(10), at(23, 30)], [at(10), at(23, 31)], [
        at(0),
        at(5, 1, 21)
      ]]
    ) {
      const time = { business, facility: "east", from: assert.present(from), to: assert.present(to) }
      const rows = yield* dayStore.list(scopes, time, 100)
      const page = yield* store.listShipmentsByTime(
        scopes,
        { ...time, shipmentNumber: undefined, status: undefined, carrier: undefined },
        { order: "EARLIEST", limit: 100, after: undefined }
      )
      const ids = (all: ReadonlyArray<Pick<DayShipment, "id">>) =>
        all.map(({ id }) => id).toSorted((left, right) => left - right)
      const open = page.items.filter(({ shipment }) => shipment.status !== "CANCELLED")
      assert.deepStrictEqual(ids(rows), ids(open.map(({ shipment }) => shipment)))
      assert.strictEqual((yield* dayStore.list(scopes, time, 1)).length, Math.min(1, open.length))
    }
    const elsewhere = { business, facility: "east", from: at(0), to: at(23) }
    assert.deepStrictEqual(yield* dayStore.list([{ business, facilities: ["west"] }], elsewhere, 9), [])
  })
})
