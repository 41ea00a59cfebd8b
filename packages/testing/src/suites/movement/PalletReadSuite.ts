/** The rules for reading pallets, for every storage (D13.2). */
import type { Principal } from "@dockline/core/access/Access"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, dashboardUrl, labelsOf, unique } from "../../generators/Given.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"
import type { PageQuery } from "../../worlds/ReadWorld.ts"

const aReadingWorld = Effect.gen(function*() {
  const world = yield* aWorld()
  const pallets = yield* Pallets
  /** Records an event with a new id, and returns its answer. */
  const cross = Effect.fnUntraced(function*(fields: Parameters<typeof world.record>[0]) {
    const { answer } = yield* world.record({ eventId: unique("E"), ...fields })
    return answer
  })
  const ofShipment = (id: number, { after, ...page }: Partial<PageQuery> = {}) =>
    pallets.ofShipment(String(id), { ...page, after: Number(after ?? 0) }, world.client)
  return { ...world, pallets, cross, ofShipment }
})

const lpnsOf = (pages: ReadonlyArray<ReadonlyArray<{ readonly lpn: string }>>) =>
  pages.map((page) => page.map(({ lpn }) => lpn).join(" "))

/** Cases of reading pallets with their events and the present state of their orders. */
export const palletReads = (test: AddTest): void => {
  test("D13.2 a pallet shows its events by occurrence, and labels and dock of the last", function*() {
    const { business, client, cross, ofShipment, pallets, submit } = yield* aReadingWorld
    const directory = yield* Directory
    const place = yield* directory.lookup(business, "east")
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2"), withItem("O3", "L1", "S2")])
    const first = yield* cross({ occurredAt: at(20), labels: labelsOf(["lpn", "L1"], ["lot", "1"]) })
    const second = yield* cross({
      direction: "UNLOADING",
      occurredAt: at(30),
      dockSlug: "D2",
      labels: labelsOf(["lpn", "L1"], ["lot", "2"])
    })
    const early = yield* cross({ occurredAt: at(10) })
    const [pallet, ...others] = (yield* ofShipment(id)).items
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(pallet, {
      id: first.servicePalletId,
      lpn: "L1",
      state: "UNLOADED",
      expected: true,
      orders: ["O1", "O3"],
      dockId: assert.present(pallet).dockId,
      dockSlug: "D2",
      firstSeenAt: at(10),
      lastSeenAt: at(30),
      url: `${dashboardUrl}/shipments/${id}/pallets/${first.servicePalletId}`,
      labels: labelsOf(["lpn", "L1"], ["lot", "2"]),
      events: [
        {
          direction: "LOADING",
          occurredAt: at(10),
          dockSlug: "D1",
          messageId: early.messageId,
          verdict: early.verdict
        },
        {
          direction: "LOADING",
          occurredAt: at(20),
          dockSlug: "D1",
          messageId: first.messageId,
          verdict: first.verdict
        },
        {
          direction: "UNLOADING",
          occurredAt: at(30),
          dockSlug: "D2",
          messageId: second.messageId,
          verdict: second.verdict
        }
      ],
      business: assert.present(place.business),
      facility: assert.present(place.facility),
      shipmentId: id,
      shipmentNumber: "S1"
    })
    assert.match(assert.present(pallet).dockId, /^\d+$/)
    assert.deepStrictEqual(yield* pallets.get(String(id), first.servicePalletId, client), pallet)
    yield* cross({ occurredAt: at(30) })
    const view = yield* pallets.get(String(id), first.servicePalletId, client)
    assert.deepStrictEqual([view.state, view.dockSlug, view.events.length], ["LOADED", "D1", 4])
  })

  test("D13.2 expected and orders follow the items of the shipment until it departs", function*() {
    const { client, cross, ofShipment, submit } = yield* aReadingWorld
    const shipments = yield* Shipments
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")])
    yield* submit("S2", [withItem("O9", "L3")])
    for (const lpn of ["L1", "L3", ""]) {
      yield* cross({ shipmentId: id, labels: lpn === "" ? [] : labelsOf(["lpn", lpn]) })
    }
    const rows = Effect.map(
      ofShipment(id),
      ({ items }) => items.map(({ expected, lpn, orders }) => [lpn, expected, orders])
    )
    assert.deepStrictEqual(yield* rows, [["L1", true, ["O1"]], ["L3", false, []], ["", false, []]])
    yield* submit("S1", [withItem("O2", "L3")])
    const later = [["L1", true, ["O1"]], ["L3", true, ["O2"]], ["", false, []]]
    assert.deepStrictEqual(yield* rows, later)
    yield* shipments.depart(String(id), {}, client)
    assert.deepStrictEqual(yield* rows, later)
  })

  test("D13.2 the only order of a shipment has all its pallets, expected or not (D6.3)", function*() {
    const { cross, ofShipment, submit } = yield* aReadingWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    yield* cross({ shipmentId: id, labels: labelsOf(["lpn", "L9"]) })
    const { items } = yield* ofShipment(id)
    assert.deepStrictEqual(items.map(({ expected, orders }) => [expected, orders]), [[false, ["O1"]]])
  })

  test("D13.2 the pallets of a shipment come in pages, in id order", function*() {
    const { cross, ofShipment, submit } = yield* aReadingWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const other = yield* submit("S2")
    assert.deepStrictEqual(yield* ofShipment(id), { items: [], next: null })
    const lpns = ["L5", "L1", "L4", "L2", "L3"]
    for (const lpn of lpns) {
      yield* cross({ shipmentId: id, labels: labelsOf(["lpn", lpn]) })
      yield* cross({ shipmentId: other, labels: labelsOf(["lpn", lpn]) })
    }
    const pages = yield* pagesOf((page) => ofShipment(id, page), 2)
    assert.deepStrictEqual(lpnsOf(pages), ["L5 L1", "L4 L2", "L3"])
    assert.strictEqual((yield* ofShipment(id, { limit: 2 })).next, assert.at(assert.at(pages, 0), -1).id)
  })

  test("D13.2 the pallets of several shipments come in pages, shipment by shipment", function*() {
    const { business, client, cross, submit } = yield* aReadingWorld
    const store = yield* ShipmentStore
    const pallets = yield* Pallets
    const ids: Array<number> = []
    for (const number of ["S1", "S2", "S3", "S4"]) ids.push(yield* submit(number))
    const [one = 0, two = 0, none = 0, four = 0] = ids
    const west = yield* submit("S1", [], "west")
    for (const [n, shipmentId] of [four, one, two, one, four, one].entries()) {
      yield* cross({ shipmentId, labels: labelsOf(["lpn", `L${n}`]) })
    }
    yield* cross({ shipmentId: west, facility: "west", labels: labelsOf(["lpn", "W"]) })
    const east = { business, facility: "east" }
    const read = Effect.fnUntraced(function*(ids: ReadonlyArray<number>, limit: number) {
      const pages: Array<string> = []
      let rest = ids
      for (let after = 0, more = true; more;) {
        const { items, next } = yield* store.palletsOn(east, rest, { after, limit })
        pages.push(items.map(({ lpn }) => lpn).join(" "))
        const last = items.at(-1)
        if (next !== null && last !== undefined) {
          assert.strictEqual(next, String(last.id))
          rest = rest.slice(rest.indexOf(last.shipmentId))
        }
        after = Number(next)
        more = next !== null
      }
      return pages
    })
    const all = [two, west, none, one, four]
    assert.deepStrictEqual(yield* read(all, 10), ["L2 L1 L3 L5 L0 L4"])
    assert.deepStrictEqual(yield* read(all, 6), ["L2 L1 L3 L5 L0 L4"])
    assert.deepStrictEqual(yield* read(all, 2), ["L2 L1", "L3 L5", "L0 L4"])
    assert.deepStrictEqual(yield* read(all, 1), ["L2", "L1", "L3", "L5", "L0", "L4"])
    assert.deepStrictEqual(yield* read([none, west, four + 1_000_000], 10), [""])
    const nowhere = store.palletsOn({ business, facility: "nowhere" }, all, { after: 0, limit: 10 })
    assert.deepStrictEqual(yield* nowhere, { items: [], next: null })
    const page = yield* pallets.ofShipments(east, all, 0, client)
    const [first] = yield* Effect.forEach(
      all.slice(0, 1),
      (id) => pallets.ofShipment(String(id), {}, client)
    )
    assert.deepStrictEqual([page.items.length, page.next, page.items[0]], [
      6,
      null,
      assert.present(first).items[0]
    ])
    const stranger = aClient("stranger", business, ["west"], "messages:read")
    assert.strictEqual(yield* codeOf(pallets.ofShipments(east, all, 0, stranger)), "FORBIDDEN")
  })

  test("D13.2 a page holds at most 10,000 rows: pallets, orders, events and labels", function*() {
    const { business, client, cross, ofShipment, pallets, submit } = yield* aReadingWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const other = yield* submit("S2", [withItem("O2", "L1")])
    // The pallet, its order, its event and the label `lpn` count as four rows.
    const labels = (lpn: string, more: number) =>
      labelsOf(["lpn", lpn], ...Array.from({ length: more }, (_, n) => ["lot", String(n)] as const))
    yield* cross({ shipmentId: id, labels: labels("L1", 3000) })
    yield* cross({ shipmentId: id, labels: labels("L1", 1990) })
    yield* cross({ shipmentId: id, labels: labels("L2", 4996 + 4) })
    yield* cross({ shipmentId: id, labels: labels("L3", 0) })
    yield* cross({ shipmentId: other, labels: labels("L1", 4996 + 4) })
    const pages = Effect.map(pagesOf(({ after }) => ofShipment(id, { after }), 100), lpnsOf)
    const list = Effect.map(
      pagesOf(({ after }) => pallets.list({ business, lpn: "L1", after }, client), 100),
      lpnsOf
    )
    assert.deepStrictEqual(yield* pages, ["L1 L2", "L3"])
    const several = yield* pallets.ofShipments({ business, facility: "east" }, [id, other], 0, client)
    assert.deepStrictEqual([several.items.map(({ lpn }) => lpn), several.next], [
      ["L1", "L2"],
      assert.at(several.items, 1).id
    ])
    assert.deepStrictEqual(yield* list, ["L1 L1"])
    yield* cross({ shipmentId: id, labels: labels("L1", 0) })
    assert.deepStrictEqual(yield* pages, ["L1", "L2 L3"])
    assert.deepStrictEqual(yield* list, ["L1", "L1"])
  })

  test("D13.2 pallets are found by their exact lpn, newest first, in pages", function*() {
    const { business, client, cross, pallets, submit } = yield* aReadingWorld
    for (const [shipmentNumber, facility] of [["S1", "east"], ["S2", "west"], ["S3", "east"]] as const) {
      const shipmentId = yield* submit(shipmentNumber, [], facility)
      for (const lpn of ["L1", "l1"]) {
        yield* cross({ shipmentId, facility, labels: labelsOf(["lpn", lpn]) })
      }
    }
    const list = (query: object) =>
      Effect.map(
        pallets.list({ business, lpn: "L1", ...query }, client),
        ({ items, next }) => [items.map(({ shipmentNumber }) => shipmentNumber), next]
      )
    const pages = yield* pagesOf(
      (page) => pallets.list({ business, lpn: "L1", ...page }, client),
      1
    )
    assert.deepStrictEqual(pages.map(([pallet]) => pallet?.shipmentNumber), ["S3", "S2", "S1"])
    assert.deepStrictEqual(yield* list({}), [["S3", "S2", "S1"], null])
    assert.deepStrictEqual(yield* list({ facility: "east" }), [["S3", "S1"], null])
    assert.deepStrictEqual(yield* list({ lpn: "L9" }), [[], null])
    assert.deepStrictEqual(yield* list({ lpn: "" }), [[], null])
  })

  test("D13.2 of several businesses the newest pallets come first, by time and not by the ids that each counts for itself", function*() {
    const [one, two] = [yield* aReadingWorld, yield* aReadingWorld]
    const client = { ...one.client, grants: [...one.client.grants, ...two.client.grants] }
    const now = Date.parse(yield* Timestamp.now)
    const rows: Array<{ readonly id: string; readonly at: number }> = []
    for (const [n, { cross, submit }] of [one, one, one, two, one, two, two, one].entries()) {
      const shipmentId = yield* submit(`S${n}`, [])
      // Some pallets are recorded before pallets with a lower id, and two at the same time.
      const at = now + assert.present([0, 5, 3, 1, 5, 2, 9, 8][n])
      const pass = Timestamp.asOf(at)(cross({ shipmentId, labels: labelsOf(["lpn", "L1"]) }))
      rows.push({ id: (yield* pass).servicePalletId, at })
    }
    // A pallet keeps its position in the list when it passes again.
    yield* Timestamp.asOf(now + 20)(one.cross({ labels: labelsOf(["lpn", "L1"]) }))
    const newestFirst = rows.toSorted((left, right) =>
      right.at - left.at || Number(right.id) - Number(left.id)
    ).map(({ id }) => id)
    const pageOf = (limit: number) =>
      Effect.map(
        pagesOf((page) => one.pallets.list({ lpn: "L1", ...page }, client), limit),
        (pages) => pages.map((page) => page.map(({ id }) => id))
      )
    assert.deepStrictEqual(yield* pageOf(100), [newestFirst])
    assert.deepStrictEqual(yield* pageOf(3), [
      newestFirst.slice(0, 3),
      newestFirst.slice(3, 6),
      newestFirst.slice(6)
    ])
  })

  test("D13.2 whoever may see nothing at the facility sees no pallet of it", function*() {
    const { business, client, cross, pallets, submit } = yield* aReadingWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const { servicePalletId } = yield* cross({})
    const at = (facilities: ReadonlyArray<string>) => aClient("reader", business, facilities, "messages:read")
    const get = (shipmentId: string, palletId: string, principal: Principal) =>
      codeOf(pallets.get(shipmentId, palletId, principal))
    const shipmentId = String(id)
    assert.strictEqual((yield* pallets.get(shipmentId, servicePalletId, at(["east"]))).lpn, "L1")
    assert.strictEqual(yield* get(shipmentId, servicePalletId, at(["west"])), "SHIPMENT_NOT_FOUND")
    assert.strictEqual(
      yield* codeOf(pallets.ofShipment(shipmentId, {}, at(["west"]))),
      "SHIPMENT_NOT_FOUND"
    )
    assert.deepStrictEqual((yield* pallets.list({ lpn: "L1" }, at(["west"]))).items, [])
    assert.strictEqual((yield* pallets.list({ lpn: "L1" }, at(["east"]))).items.length, 1)
    for (const palletId of [String(Number(servicePalletId) + 1), "0", "x", ""]) {
      assert.strictEqual(yield* get(shipmentId, palletId, client), "PALLET_NOT_FOUND")
    }
    const other = yield* submit("S2")
    assert.strictEqual(yield* get(String(other), servicePalletId, client), "PALLET_NOT_FOUND")
    assert.strictEqual(yield* get("x", servicePalletId, client), "SHIPMENT_NOT_FOUND")
  })
}
