/** The cost of reading long lists in Kargo's schema grows linearly: neither with their product nor with their square. */
import type { Principal } from "@dockline/core/access/Access"
import type { PalletView } from "@dockline/core/movement/PalletOperations"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { GraphqlEngine } from "@dockline/graphql-adapter/engine/Engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import { isShown } from "../src/schema/KargoReads.ts"
import { cargoOf, shipmentOf } from "../src/schema/ShipmentAnswers.ts"
import { makeSubmissions } from "../src/schema/Submissions.ts"
import { submit, test } from "./KargoSetup.ts"

const counter = () => {
  let reads = 0
  return {
    reads: () => reads,
    /** The value, with a count of the reads of the named members. */
    counted: <A extends object>(value: A, isCounted: (name: string | symbol) => boolean): A =>
      new Proxy(value, {
        get: (target, name, receiver) => {
          if (isCounted(name)) reads++
          return Reflect.get(target, name, receiver)
        }
      })
  }
}

type Counter = ReturnType<typeof counter>

const isIndex = (name: string | symbol): boolean => typeof name === "string" && /^\d+$/.test(name)

const list = <A>(length: number, entry: (index: number) => A) => Array.from({ length }, (_, at) => entry(at))

const growsEvenly = (reads: (size: number) => number): void => {
  const [small, large] = [reads(30), reads(300)]
  expect(small).toBeGreaterThan(0)
  expect(large / small).toBeLessThan(15)
}

const shipment = (
  { additionalFields = [], orders }: Pick<Partial<ShipmentView>, "additionalFields" | "orders">
) =>
  ({
    id: 1,
    business: { slug: "acme" },
    facility: { slug: "east", name: "East" },
    direction: "INBOUND",
    dockId: "",
    dockSlug: "D-none",
    carrier: "",
    statusEvents: [],
    shipmentNumber: "T-1",
    trailerNumber: "",
    expectedArrivalAt: null,
    status: "SCHEDULED",
    additionalFields,
    orders: orders ?? []
  }) as unknown as ShipmentView

const order = (number: string, items: ReadonlyArray<object>) =>
  ({
    id: number,
    orderNumber: number,
    direction: "INBOUND",
    status: "CREATED",
    items
  }) as unknown as ShipmentView["orders"][number]

const fieldsOf = ({ counted }: Counter, size: number) =>
  list(size, (at) => counted({ name: `O-${at}.shipperName`, value: "S" }, (name) => name === "name"))

describe("the work of a list", () => {
  // @threat requests.18
  it("of filters grows with the shipments and the docks, not with their product", () => {
    growsEvenly((size) => {
      const { counted, reads } = counter()
      const dockSlugs = counted(list(size, (at) => `D-${at}`), isIndex)
      const shows = isShown({ dockSlugs })
      for (const each of list(size, () => shipment({}))) expect(shows(each)).toBe(false)
      return reads()
    })
  })

  it("of orders grows with them and with what is kept beside them", () => {
    growsEvenly((size) => {
      const count = counter()
      const view = shipmentOf(
        shipment({
          additionalFields: fieldsOf(count, size),
          orders: list(size, (at) => order(`O-${at}`, []))
        })
      )
      expect(view.orders.every(({ shipperName }) => shipperName === "S")).toBe(true)
      return count.reads()
    })
  })

  it("of pallets grows with them and with the items", () => {
    growsEvenly((size) => {
      const { counted, reads } = counter()
      const items = list(
        size,
        (at) =>
          counted(
            { id: `${at}`, lpn: `P-${at}`, sku: "S", description: "", quantity: 2 },
            (name) => name === "lpn"
          )
      )
      const pallets = list(
        size,
        (at) =>
          ({
            id: `${at}`,
            lpn: `P-${at}`,
            labels: [],
            lastSeenAt: "",
            state: "LOADED"
          }) as unknown as PalletView
      )
      const cargo = cargoOf(shipment({ orders: [order("O", items)] }), pallets)
      expect(cargo.items.every(({ quantity }) => quantity === 2)).toBe(true)
      return reads()
    })
  })

  it("D22 is what is expected of a pallet, in whichever form of its SSCC the scanner reads it", () => {
    const items = [{ id: "1", lpn: "(00)106141411234567897", sku: "S", description: "", quantity: 5 }]
    const pallet = {
      id: "1",
      lpn: "106141411234567897",
      labels: [{ name: "lpn", value: "]C100106141411234567897" }],
      lastSeenAt: "",
      state: "LOADED"
    } as unknown as PalletView
    const [view] = cargoOf(shipment({ orders: [order("O", items)] }), [pallet]).items
    expect([view?.quantity, view?.label.licensePlateNumbers.length]).toEqual([5, 1])
  })

  test("of identifiers grows with them and with the items of the order", function*() {
    const { services } = yield* GraphqlEngine
    const { principal }: { readonly principal: Principal } = sessionOf("acme-client")
    const readsOf = Effect.fnUntraced(function*(size: number) {
      const items = list(size, (at) => ({ lpn: `P-${at}`, sku: "S", quantity: 1, quantityUnit: "CASE" }))
      const { shipment } = yield* submit({ direction: "INBOUND", orderNumber: `O-${size}`, items })
      const { counted, reads } = counter()
      const identifiers = counted(list(size, (at) => `none-${at}`), isIndex)
      const id = shipment.orders[0]!.id
      yield* Effect.exit(makeSubmissions(services).ofDeletedItems({ id, identifiers }, principal))
      return reads()
    })
    const [small, large] = [yield* readsOf(30), yield* readsOf(300)]
    growsEvenly((size) => size === 30 ? small : large)
  })
})
