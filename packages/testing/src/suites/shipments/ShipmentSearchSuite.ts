/** The rules for the search for numbers and LPNs, for every storage (D13.11). */
import { Intake } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Search } from "@dockline/core/search/Search"
import type { SearchQuery } from "@dockline/core/search/Search"
import { searchDepth } from "@dockline/core/shipment/ShipmentItem"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, aPalletEvent, labelsOf, orderOf } from "../../generators/Given.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

const sscc = "340123450000000018"

const clientOf = (business: string, facilities: "*" | ReadonlyArray<string> = "*") =>
  aClient("desk", business, facilities, "documents:write", "pallets:write")

/**
 * A business with two shipments. LOAD-4711 at east has the order PO-1, which expects the pallet {@link sscc} (already seen) in one item and
 * LPN-0815 in two items. LOAD-4712 at west has an order that is also numbered LOAD-4711 and expects the pallet ABC.
 */
const aYard = Effect.gen(function*() {
  const search = yield* Effect.provide(Search, Search.layer)
  const pallets = yield* Effect.provide(Pallets, Pallets.layer())
  const business = yield* aBusiness
  const client = clientOf(business)
  const first = outcomeOf(
    yield* write(aDocument(
      { business, shipmentNumber: "LOAD-4711", trailerNumber: "TR-9" },
      orderOf("PO-1", "APPEND", [anItem(sscc, "S1"), anItem("LPN-0815", "S1"), anItem("LPN-0815", "S2")])
    ))
  )
  yield* write(aDocument(
    { business, facility: "west", shipmentNumber: "LOAD-4712" },
    orderOf("LOAD-4711", "APPEND", [anItem("ABC", "S1")])
  ))
  yield* pallets.record(
    aPalletEvent({ business, shipmentId: Number(first.shipment.id), labels: labelsOf(["lpn", sscc]) }),
    client
  )
  const find = (text: string, more: Partial<SearchQuery> = {}, who = client) =>
    Effect.map(
      search.search({ text, ...more }, who),
      ({ items }) =>
        items.map(({ exact, facility, kind, orderNumber, shipmentNumber, text }) => ({
          kind,
          found: text,
          exact,
          at: facility.slug,
          of: shipmentNumber,
          orderNumber
        }))
    )
  return { business, find, search, client }
})

const shipment = {
  kind: "SHIPMENT",
  found: "LOAD-4711",
  exact: true,
  at: "east",
  of: "LOAD-4711",
  orderNumber: ""
}
const order = {
  kind: "ORDER",
  found: "LOAD-4711",
  exact: true,
  at: "west",
  of: "LOAD-4712",
  orderNumber: "LOAD-4711"
}
const pallet = { kind: "PALLET", found: sscc, exact: true, at: "east", of: "LOAD-4711", orderNumber: "" }
const item = {
  kind: "ITEM",
  found: "LPN-0815",
  exact: true,
  at: "east",
  of: "LOAD-4711",
  orderNumber: "PO-1"
}

/** The cases of searches in the suite of reads. */
export const searching = (test: AddTest): void => {
  test("a number or an LPN is found in any case, and by its end from six characters on", function*() {
    const { find } = yield* aYard
    assert.deepStrictEqual(yield* find("LOAD-4711"), [shipment, order])
    assert.deepStrictEqual(yield* find(" load-4711 "), [
      { ...shipment, exact: false },
      { ...order, exact: false }
    ])
    assert.deepStrictEqual(yield* find("D-4711"), [{ ...shipment, exact: false }, {
      ...order,
      exact: false
    }])
    assert.deepStrictEqual(yield* find("-4711"), [])
    const trailer = { ...shipment, kind: "TRAILER", found: "TR-9", exact: false }
    assert.deepStrictEqual(yield* find("tr-9"), [trailer])
    // A seen pallet is found once, and not also as an item. An LPN of several items is found once.
    assert.deepStrictEqual(yield* find(sscc), [pallet])
    assert.deepStrictEqual(yield* find(`(00)${sscc}`), [pallet])
    assert.deepStrictEqual(yield* find("000018"), [{ ...pallet, exact: false }])
    assert.deepStrictEqual(yield* find("LPN-0815"), [item])
    assert.deepStrictEqual(yield* find("abc"), [{
      kind: "ITEM",
      found: "ABC",
      exact: false,
      at: "west",
      of: "LOAD-4712",
      orderNumber: "LOAD-4711"
    }])
    for (const none of ["LOAD", "4712-", "X0815", "340123", "%", "______", " "]) {
      assert.deepStrictEqual(yield* find(none), [], none)
    }
  })

  test("a client finds what it may see, at the place that is asked for", function*() {
    const { business, find } = yield* aYard
    const other = yield* aYard
    assert.deepStrictEqual(yield* find("LOAD-4711", { facility: "east", business }), [shipment])
    assert.deepStrictEqual(yield* find("LOAD-4711", {}, clientOf(business, ["west"])), [order])
    assert.deepStrictEqual(yield* find("LOAD-4711", {}, clientOf(other.business, ["east"])), [shipment])
    assert.deepStrictEqual(yield* find("LOAD-4711", {}, { clientId: "nobody", grants: [] }), [])
  })

  test("the newest of a kind are found up to the limit, and LPNs that documents removed", function*() {
    const { business, client, find, search } = yield* aYard
    for (const number of ["B1-777777", "B2-777777", "B3-777777"]) {
      yield* write(aDocument({ business, shipmentNumber: number }, orderOf(`O-${number}`, "APPEND", [])))
    }
    const [hit] = (yield* search.search({ text: sscc }, client)).items
    assert.deepStrictEqual(
      [
        assert.present(hit).status,
        assert.present(hit).missingPallets,
        assert.present(hit).unexpectedPallets,
        assert.present(hit).palletId === ""
      ],
      ["ARRIVED", 1, 0, false]
    )
    const numbers = Effect.map(find("777777", { limit: 4 }), (hits) => hits.map(({ found }) => found))
    const page = (limit: number, after: number) =>
      Effect.map(
        search.search({ text: "777777", limit, after }, client),
        ({ items, next }) => ({ ids: items.map(({ id }) => id), next })
      )
    const whole = yield* page(100, 0)
    assert.deepStrictEqual([whole.ids.length, whole.next], [6, null])
    const parts = yield* Effect.forEach([0, 2, 4], (after) => page(2, after))
    assert.deepStrictEqual(parts.map(({ next }) => next), ["2", "4", null])
    assert.deepStrictEqual(parts.flatMap(({ ids }) => ids), whole.ids)
    assert.deepStrictEqual(yield* numbers, ["B3-777777", "B2-777777", "B1-777777", "O-B3-777777"])
    const intake = yield* Effect.provide(Intake, Intake.layer())
    yield* intake.submit(
      aDocument(
        { business, shipmentNumber: "LOAD-4711" },
        orderOf("PO-1", "OVERWRITE", [anItem(sscc, "S1")])
      ),
      client
    )
    for (const text of ["LPN-0815", "lpn-0815", "N-0815"]) {
      const { items } = yield* search.search({ text }, client)
      assert.deepStrictEqual(
        items.map((
          { exact, kind, removedBy, shipmentNumber, text }
        ) => [kind, text, exact, removedBy, shipmentNumber]),
        [["REMOVAL", "LPN-0815", text === "LPN-0815", "desk", "LOAD-4711"]]
      )
      assert.isAbove(assert.at(items, 0).documentId, 0)
    }
    assert.deepStrictEqual(yield* find("LPN-0815", {}, clientOf(business, ["west"])), [])
  })

  test("what is exact comes first and each hit once, however many look-alikes there are", function*() {
    const { search } = yield* aYard
    const business = yield* aBusiness
    const client = clientOf(business)
    const exact = "X-123456"
    // The oldest shipment matches exactly. The look-alikes of the next one end with the text, and are more than a search by ending reads.
    yield* write(aDocument(
      { business, shipmentNumber: exact, trailerNumber: exact },
      orderOf(exact, "APPEND", [anItem(exact, "S1"), anItem(exact, "S2")])
    ))
    const lookAlike = (n: number) => `${n}-${exact}`
    const orders = Array.from(
      { length: searchDepth + 10 },
      (_, n) => orderOf(lookAlike(n), "APPEND", [anItem(lookAlike(n), "S1")])
    )
    yield* write(aDocument({ business, shipmentNumber: "LATER" }, ...orders))
    yield* write(aDocument(
      { business, shipmentNumber: "NEWEST" },
      orderOf("NEWEST", "APPEND", [anItem(exact, "S1"), anItem(exact.toLowerCase(), "S1")])
    ))
    const page = (limit: number, after: number, text = exact) =>
      Effect.map(
        search.search({ text, business, facility: "east", limit, after }, client),
        ({ items, next }) => ({
          hits: items.map(({ kind, shipmentNumber, text }) => `${kind} ${text} ${shipmentNumber}`),
          ids: items.map(({ id }) => id),
          next
        })
      )
    const first = [
      `SHIPMENT ${exact} ${exact}`,
      `TRAILER ${exact} ${exact}`,
      `ORDER ${exact} ${exact}`,
      `ITEM ${exact} NEWEST`,
      `ITEM ${exact} ${exact}`
    ]
    for (const limit of [1, 2, 4, 5]) {
      assert.deepStrictEqual((yield* page(limit, 0)).hits, first.slice(0, limit), `${limit}`)
    }
    const whole = yield* page(100, 0)
    assert.deepStrictEqual(whole.hits.slice(0, 7), [
      ...first,
      `ITEM ${exact.toLowerCase()} NEWEST`,
      `ORDER ${lookAlike(orders.length - 1)} LATER`
    ])
    const pages = yield* Effect.forEach([0, 2, 4, 6], (after) => page(2, after))
    assert.deepStrictEqual(pages.flatMap(({ ids }) => ids), whole.ids.slice(0, 8))
    assert.strictEqual(new Set(whole.ids).size, 100)
  })

  test("of LPNs that documents removed, what is exact and then the newest are shown", function*() {
    const { search } = yield* aYard
    const business = yield* aBusiness
    const client = clientOf(business)
    const intake = yield* Effect.provide(Intake, Intake.layer())
    const lpns = ["R-123456", "A-R-123456", "B-R-123456", "r-123456", "C-R-123456", "D-R-123456"]
    const submit = (...lpns: ReadonlyArray<string>) =>
      intake.submit(
        aDocument(
          { business, shipmentNumber: "S" },
          orderOf("O", "OVERWRITE", lpns.map((lpn) => anItem(lpn, "S1")))
        ),
        client
      )
    yield* submit(...lpns)
    for (const n of lpns.keys()) yield* submit(...lpns.slice(n + 1), "KEPT")
    const textsFound = (text: string) =>
      Effect.map(
        search.search({ text, business, facility: "east" }, client),
        ({ items }) => items.map(({ text }) => text)
      )
    assert.deepStrictEqual(yield* textsFound("R-123456"), ["R-123456", "r-123456", "D-R-123456"])
    assert.deepStrictEqual(yield* textsFound("123456"), ["D-R-123456", "C-R-123456", "r-123456"])
    // Removed LPNs that match in full, in any case, come before existing numbers that only end with the text.
    yield* write(aDocument({ business, shipmentNumber: "Z-R-123456" }, orderOf("P", "APPEND", [])))
    assert.deepStrictEqual((yield* textsFound("R-123456")).slice(0, 3), [
      "R-123456",
      "r-123456",
      "Z-R-123456"
    ])
  })
}
