/** What the compiler says of documents that a program submits; `npm run types` fails where an expected error is missing. */
import { describe, expectTypeOf, it } from "vitest"
import * as Dockline from "../../src/embed/Dockline.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { everything, place } from "./DocklineWorld.ts"

type Contract = Dockline.Dockline

const base = { ...place, direction: "OUTBOUND" } as const
const one = { ...base, orderNumber: "O-1" }
const item = { lpn: "L", sku: "S", quantity: 1, quantityUnit: "CASE" } as const

/** Never called: the compiler reads it. */
export const submitCompiled = async (dockline: Contract, value: unknown): Promise<void> => {
  const { submit } = dockline
  await submit({ ...base, orderNumber: "O-1", orderItemUpdateStrategy: "MERGE", items: [item] }, everything)
  await submit(
    { ...base, shipmentNumber: "S-1", orders: [{ orderNumber: "O-1", items: [item] }] },
    everything
  )
  await submit(value, everything)
  await submit(value, everything, { dryRun: true })
  await submit(JSON.parse("{}"), everything)

  // @ts-expect-error -- misspelt
  await submit({ ...one, itmes: [] }, everything)
  // @ts-expect-error -- misspelt in an item
  await submit({ ...one, items: [{ ...item, quantitty: 1 }] }, everything)
  // @ts-expect-error -- misspelt in an order
  await submit({ ...base, shipmentNumber: "S-1", orders: [{ orderNumber: "O-1", suplier: "" }] }, everything)
  // @ts-expect-error -- no strategy of the contract
  await submit({ ...one, orderItemUpdateStrategy: "UPSERT" }, everything)
  // @ts-expect-error -- no word of the contract
  await submit({ ...one, items: [{ ...item, quantityUnit: "BOX" }] }, everything)
  // @ts-expect-error -- no direction of the contract
  await submit({ ...one, direction: "SIDEWAYS" }, everything)
  // @ts-expect-error -- without a business
  await submit({ facility: "east", direction: "OUTBOUND", orderNumber: "O-1" }, everything)
  // @ts-expect-error -- without an order
  await submit(base, everything)
  // @ts-expect-error -- several orders without a shipment number
  await submit({ ...base, orders: [{ orderNumber: "O-1" }] }, everything)
  // @ts-expect-error -- an order number beside orders
  await submit({ ...one, shipmentNumber: "S-1", orders: [{ orderNumber: "O-1" }] }, everything)
  // @ts-expect-error -- of the wrong type
  await submit({ ...one, expectedQuantity: "12" }, everything)
  // @ts-expect-error -- no document
  await submit("document", everything)
  // @ts-expect-error -- nothing
  await submit(undefined, everything)

  const own = await Dockline.open({ storage: Memory.layer, vocabulary: { quantityUnits: ["BOX"] } })
  await own.submit({ ...one, items: [{ ...item, quantityUnit: "BOX" }] }, everything)
  // @ts-expect-error -- misspelt, whatever the words are
  await own.submit({ ...one, itmes: [] }, everything)
}

describe("the type of documents", () => {
  it("names the words of the contract, and takes those of a service that has its own", () => {
    type Item = NonNullable<Dockline.DocumentJson["items"]>[number]
    expectTypeOf<NonNullable<Dockline.DocumentJson["orderItemUpdateStrategy"]>>().toEqualTypeOf<
      "APPEND" | "MERGE" | "DELETE" | "OVERWRITE"
    >()
    expectTypeOf<NonNullable<Item["quantityUnit"]>>().toEqualTypeOf<"PALLET" | "CASE" | "UNIT">()
    expectTypeOf<NonNullable<Item["lpn"]>>().toEqualTypeOf<string>()
    expectTypeOf<"UPSERT">().toExtend<NonNullable<Dockline.OwnDocumentJson["orderItemUpdateStrategy"]>>()
  })

  it("offers editors the fields of documents, orders and items", () => {
    type Member<T> = T extends object ? keyof T : never
    type Item = NonNullable<Dockline.DocumentJson["items"]>[number]
    type Order = NonNullable<Dockline.DocumentJson["orders"]>[number]
    expectTypeOf<"business" | "facility" | "direction" | "orderNumber" | "orders" | "driverName">()
      .toExtend<Member<Dockline.DocumentJson>>()
    expectTypeOf<"orderNumber" | "supplier" | "items">().toExtend<keyof Order>()
    expectTypeOf<"lpn" | "sku" | "quantityUnit" | "caseSerials">().toExtend<keyof Item>()
    expectTypeOf<"carrier">().not.toExtend<keyof Order>()
    expectTypeOf<string>().not.toExtend<Member<Dockline.DocumentJson>>()
  })
})
