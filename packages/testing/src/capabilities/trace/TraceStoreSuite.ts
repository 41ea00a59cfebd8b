/** The rules for tracing goods, for every storage (D13.14). */
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Tracing } from "@dockline/core/trace/TraceCapability"
import type { TraceQuery, TraceStore } from "@dockline/core/trace/TraceCapability"
import { tracedAtMost } from "@dockline/core/trace/TraceOperations"
import type { TraceEntry } from "@dockline/core/trace/TraceOperations"
import { Effect, Struct } from "effect"
import * as assert from "../../Assert.ts"
import {
  aClient,
  aDocument,
  anItem,
  aPalletEvent,
  labelsOf,
  orderOf,
  recently
} from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"
import type { ReadingStores } from "../../worlds/ReadWorld.ts"

const clientOf = (business: string, facilities: "*" | ReadonlyArray<string> = "*") =>
  aClient("desk", business, facilities, "documents:write", "pallets:write", "shipments:write")

/**
 * A lot L-1 of the SKU MILK on three pallets. P1 left east on A. P2 is expected on A, but was loaded onto B there. P3 is expected at west,
 * and was never seen. An order of B also has the LPN P1, but B has no such pallet.
 */
const aLot = Effect.gen(function*() {
  const tracing = yield* Effect.provide(Tracing, Tracing.layer)
  const pallets = yield* Effect.provide(Pallets, Pallets.layer())
  const shipments = yield* Effect.provide(Shipments, Shipments.layer())
  const business = yield* aBusiness
  const client = clientOf(business)
  const lot = { lot: "L-1", expirationDate: "2027-01-31", quantity: 12, quantityUnit: "CASE" }
  const send = (...args: Parameters<typeof aDocument>) =>
    Effect.map(
      write(aDocument({ ...args[0], business }, ...args.slice(1) as Array<ReturnType<typeof orderOf>>)),
      (transaction) => Number(outcomeOf(transaction).shipment.id)
    )
  const a = yield* send(
    { shipmentNumber: "A", direction: "OUTBOUND", carrier: "Northline", trailerNumber: "T-1" },
    orderOf("O1", "APPEND", [
      anItem("P1", "MILK", { ...lot, purchaseOrder: "PO-9" }),
      anItem("P2", "MILK", lot),
      anItem("P2", "milk", { lot: "l-1" })
    ], { supplier: "Farm", consigneeName: "Market", destination: "Austin", purchaseOrder: "PO-1" })
  )
  const b = yield* send(
    { shipmentNumber: "B", direction: "OUTBOUND" },
    orderOf("O2", "APPEND", [anItem("P1", "CREAM", { lot: "L-2" })])
  )
  yield* send(
    { shipmentNumber: "C", facility: "west" },
    orderOf("O3", "APPEND", [anItem("P3", "MILK", lot), anItem("", "MILK", lot)])
  )
  const see = (shipmentId: number, lpn: string, minute: number) =>
    pallets.record(
      aPalletEvent({
        business,
        shipmentId,
        direction: "LOADING",
        eventId: `${shipmentId}-${lpn}-${minute}`,
        occurredAt: recently(`08:0${minute}:00.000Z`),
        labels: labelsOf(["lpn", lpn])
      }),
      client
    )
  yield* shipments.arrive(String(a), { occurredAt: recently("07:00:00.000Z"), dockSlug: "D1" }, client)
  yield* see(a, "P1", 1)
  yield* see(b, "P2", 2)
  yield* shipments.depart(String(a), { occurredAt: recently("09:00:00.000Z") }, client)
  const trace = (query: TraceQuery, who = client) => tracing.trace({ business, ...query }, who)
  return { a, b, business, trace }
})

const sscc = "106141411234567897"

/** Forms in which scanners send one SSCC (D22). */
const formsOf = (code: string): ReadonlyArray<string> => [code, `00${code}`, `(00)${code}`, `]C100${code}`]

const brief = ({ items }: { readonly items: ReadonlyArray<TraceEntry> }) =>
  items.map(({ facility, lpn, seenAt, seenShipmentNumber, shipmentNumber, sku }) =>
    [facility.slug, shipmentNumber, sku, lpn, seenShipmentNumber, seenAt.slice(11, 16)].join(" ").trim()
  )

const milk = ["east A MILK P1 A 08:01", "east A MILK P2 B 08:02", "west C MILK P3", "west C MILK"]

/** The suite of `TraceStore`, with the ports that it needs. */
export const traceStoreSuite = Suite.make<ReadingStores | TraceStore>("the trace of goods", ({ test }) => {
  test("a lot and an SKU are traced to their pallets, also to those on other shipments", function*() {
    const { a, trace, business } = yield* aLot
    const page = yield* trace({ lot: "L-1" })
    assert.deepStrictEqual(brief(page), milk)
    assert.deepStrictEqual(brief(yield* trace({ sku: "MILK" })), milk)
    const [first, , third] = page.items
    assert.deepStrictEqual(Struct.omit(assert.present(first), ["id", "palletId"]), {
      lot: "L-1",
      sku: "MILK",
      lpn: "P1",
      quantity: 12,
      quantityUnit: "CASE",
      expirationDate: "2027-01-31",
      business: { slug: business, name: `Business ${business}` },
      facility: { slug: "east", name: "East" },
      orderNumber: "O1",
      purchaseOrder: "PO-9",
      supplier: "Farm",
      consigneeName: "Market",
      destination: "Austin",
      shipmentId: a,
      shipmentNumber: "A",
      status: "DEPARTED",
      direction: "OUTBOUND",
      carrier: "Northline",
      trailerNumber: "T-1",
      arrivedAt: recently("07:00:00.000Z"),
      departedAt: recently("09:00:00.000Z"),
      seenShipmentId: a,
      seenShipmentNumber: "A",
      seenDirection: "LOADING",
      seenDockSlug: "D1",
      seenAt: recently("08:01:00.000Z")
    })
    assert.deepStrictEqual(assert.at(page.items, 1).purchaseOrder, "PO-1")
    assert.deepStrictEqual(
      Struct.pick(assert.present(third), [
        "palletId",
        "seenShipmentId",
        "seenDirection",
        "seenDockSlug",
        "departedAt"
      ]),
      { palletId: "", seenShipmentId: 0, seenDirection: "", seenDockSlug: "", departedAt: "" }
    )
  })

  test("an LPN is traced to each item that has it, exactly as it is written", function*() {
    const { trace } = yield* aLot
    assert.deepStrictEqual(brief(yield* trace({ lpn: "P1" })), [
      "east A MILK P1 A 08:01",
      "east B CREAM P1 A 08:01"
    ])
    assert.deepStrictEqual(brief(yield* trace({ lpn: "p1" })), [])
    assert.deepStrictEqual(brief(yield* trace({ lot: "l-1" })), ["east A milk P2 B 08:02"])
    assert.deepStrictEqual(brief(yield* trace({ sku: "MIL" })), [])
  })

  test("a trace has pages in the order of the items, and holds what the client may see", function*() {
    const { business, trace } = yield* aLot
    const pages = yield* pagesOf(
      ({ after, limit }) => trace({ lot: "L-1", limit, after: Number(after) }),
      3
    )
    assert.deepStrictEqual(pages.map((items) => brief({ items })), [milk.slice(0, 3), milk.slice(3)])
    const ofLpn = yield* trace({ lpn: "P1", limit: 1 })
    assert.deepStrictEqual(brief(yield* trace({ lpn: "P1", after: Number(ofLpn.next) })), [
      "east B CREAM P1 A 08:01"
    ])
    assert.deepStrictEqual(brief(yield* trace({ lot: "L-1", facility: "west" })), milk.slice(2))
    assert.deepStrictEqual(
      brief(yield* trace({ lot: "L-1" }, clientOf(business, ["west"]))),
      milk.slice(2)
    )
    const other = yield* aBusiness
    const stranger = yield* Effect.flip(trace({ lot: "L-1" }, clientOf(other)))
    assert.strictEqual(stranger._tag, "Forbidden")
  })

  test("one of lot, SKU and LPN is asked for, and no LPN that names no pallet", function*() {
    const { business, trace } = yield* aLot
    const detailOf = (query: TraceQuery) =>
      Effect.map(
        Effect.flip(trace(query)),
        (error) => error._tag === "InvalidParameter" ? error.errors : []
      )
    assert.deepStrictEqual(yield* detailOf({ lot: "", sku: "" }), [
      { path: "lot", detail: "is missing: send a lot, an sku or an lpn" }
    ])
    assert.deepStrictEqual(yield* detailOf({ lot: "L-1", lpn: "P1" }), [
      { path: "lpn", detail: "cannot be sent with lot: send one of them" }
    ])
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => anItem("N/A", `S-${from + index}`))
    yield* write(aDocument(
      { business, shipmentNumber: "MANY" },
      orderOf("O9", "APPEND", many(tracedAtMost, 0))
    ))
    assert.strictEqual((yield* trace({ lpn: "N/A", limit: 1 })).items.length, 1)
    yield* write(aDocument({ business, shipmentNumber: "MORE" }, orderOf("O8", "APPEND", many(1, 0))))
    assert.deepStrictEqual(yield* detailOf({ lpn: "N/A" }), [{
      path: "lpn",
      detail:
        `is on more than ${tracedAtMost} items, so it does not identify a pallet; trace their lot or SKU`
    }])
  })

  test("D22 a trace finds each form of an SSCC, whichever form the document and the tower gave", function*() {
    const tracing = yield* Effect.provide(Tracing, Tracing.layer)
    const pallets = yield* Effect.provide(Pallets, Pallets.layer())
    const [one, other] = [assert.at(formsOf(sscc), 0), assert.at(formsOf(sscc), 1)]
    for (const [lot, otherLot] of [[one, other], [other, one]] as const) {
      const business = yield* aBusiness
      const client = clientOf(business)
      yield* write(aDocument({ business }, orderOf("O1", "APPEND", [anItem(lot, "S1")])))
      const { answer } = yield* pallets.record(
        aPalletEvent({
          business,
          labels: labelsOf(["lpn", otherLot]),
          occurredAt: recently("08:00:00.000Z")
        }),
        client
      )
      for (const form of formsOf(sscc)) {
        const { items } = yield* tracing.trace({ business, lpn: form }, client)
        assert.deepStrictEqual(
          items.map(({ lpn, palletId }) => [lpn, palletId]),
          [[lot, answer.servicePalletId]],
          form
        )
      }
    }
  })
})
