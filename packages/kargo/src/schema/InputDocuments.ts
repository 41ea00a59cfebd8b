/**
 * Makes documents in the form of `POST /v1/documents` from the inputs of Kargo's mutations (D17.1, D17.2). The reader of documents then
 * checks them, and each fault names the field of the input from which the value comes.
 *
 * Guarantee: no part of an input is lost. A value for which documents have no field is stored as an additional field, or refused.
 */
import type { Alongside } from "@dockline/core/document/Decision"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { errorOf, unreadable } from "@dockline/core/document/DocumentInput"
import type * as Slices from "@dockline/core/input/Slices"
import type { CheckInNote } from "@dockline/core/shipment/CheckIn"
import { changeableItemFields, itemKey } from "@dockline/core/shipment/Shipment"
import type { OrderItemDraft } from "@dockline/core/shipment/Shipment"
import type { ShipmentView } from "@dockline/core/shipment/View"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidDocument, InvalidRequest, MalformedDocument } from "@dockline/core/values/Errors"
import { Effect, Record, Result, Struct } from "effect"
import { dateOf, directionOf } from "./KargoWords.ts"
import type { ShippingDirection } from "./KargoWords.ts"

/** Named values, as in documents and answers. */
export type NamedValues = ShipmentView["additionalFields"]

/** A value to be stored as an additional field, with the path of its field in the input. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly path: string
}

type FactFields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

/** The facts in the named fields of an input at `path`. Absent and false fields are left out. */
export const keep = (
  fields: FactFields,
  names: ReadonlyArray<string>,
  { owner = "", path }: { readonly owner?: string; readonly path: string }
): ReadonlyArray<Fact> =>
  names.flatMap((name) => {
    const value = fields[name] ?? ""
    return value === "" || value === false
      ? []
      : [{ name: nameOf(owner, name), value: textOf(value), path: `${path}.${name}` }]
  })

/**
 * The name of the additional field for a fact. `owner` is empty for a fact of the shipment; otherwise it begins with the number of the
 * order.
 */
export const nameOf = (owner: string, name: string): string => owner === "" ? name : `${owner}.${name}`

const byName = new WeakMap<NamedValues, ReadonlyMap<string, string>>()

/** The first value of each name. The map is cached, because each order of a shipment looks up some names. */
const valuesOf = (fields: NamedValues): ReadonlyMap<string, string> => {
  const cachedValues = byName.get(fields)
  if (cachedValues !== undefined) return cachedValues
  const values = new Map<string, string>()
  for (const { name, value } of fields) if (!values.has(name)) values.set(name, value)
  byName.set(fields, values)
  return values
}

/** The stored value of a fact; `null` without one. */
export const keptOf = (fields: NamedValues, name: string, owner = ""): string | null =>
  valuesOf(fields).get(nameOf(owner, name)) ?? null

/**
 * The facts in Kargo's inputs for which our documents have no field. They are stored as additional fields of the shipment, and shown from
 * there (D17.1). The name of a fact of the shipment is the name of its field. The name of a fact of an order begins with the number of the
 * order, as in `PO-1.requestedShipDate`. The name of a fact of an item begins with the number of the order and the item's distinct
 * identifier, LPN and SKU.
 */
export const shipmentFacts = [
  "carrierService",
  "driverEmailAddress",
  "equipmentType",
  "serviceType",
  "shipmentType",
  "sealNumber"
] as const

export const orderFacts = [
  "requestedShipDate",
  "requestedDeliveryDate",
  "shipperName",
  "shipperAddress",
  "shipperEmail",
  "carrier",
  "carrierService",
  "isASN"
] as const

export const itemFacts = ["itemMetadata"] as const

/** An input of GraphQL, in which absent fields may be null. */
type Fields = Readonly<Record<string, unknown>>

/** The fields of an item of an order that are read. */
export interface ItemGiven extends Fields {
  readonly identifier?: string | null
  readonly lpn?: string | null
  readonly sku?: string | null
  readonly quantity?: number | null
  readonly expirationDate?: string | null
  readonly manufacturingDate?: string | null
  readonly subUnits?:
    | ReadonlyArray<{ readonly id: string; readonly quantity: number; readonly unit_type: string }>
    | null
}

/** The fields of an order that are read. */
export interface OrderGiven extends Fields {
  readonly orderNumber?: string | null
  readonly direction: string
  readonly items: ReadonlyArray<ItemGiven>
}

/** The fields of a shipment that are read. */
export interface ShipmentGiven extends Fields {
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly shipmentNumber?: string | null
  readonly direction?: ShippingDirection | null
  readonly carrier?: string | null
  readonly status?: "SCHEDULED" | CheckInNote["step"] | null
  readonly statusOccurredAt?: string | null
  readonly additionalFields?: ReadonlyArray<{ readonly name: string; readonly value: string }> | null
}

/** An order of a document, with its path in the input: `input`, or `input.orders[2]`. */
interface OrderAt {
  readonly order: OrderGiven
  readonly path: string
}

/** The parts from which a document is made. */
export interface Parts {
  readonly business: string
  readonly facility: string
  readonly direction: string
  readonly shipmentNumber: string
  /** Fields of the shipment that have the same names in documents. */
  readonly shipment?: Fields
  /** The path of the shipment in the input; `input` by default. */
  readonly path?: string
  readonly orders: ReadonlyArray<OrderAt>
  readonly strategy: "OVERWRITE" | "APPEND" | "DELETE"
  readonly facts?: ReadonlyArray<Fact>
}

const present = (fields: Fields): Fields =>
  Record.filter(fields, (value) => value !== null && value !== undefined)

const take = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  present(Object.fromEntries(names.map((name) => [name, fields[name]])))

const itemNames = [
  "quantityUnit",
  "purchaseOrder",
  "description",
  "upc",
  "weightPerUnit",
  "weightUnit",
  "height",
  "length",
  "dimensionUnit",
  "isDangerousGood",
  "lot"
]

const orderNames = [
  "orderNumber",
  "orderType",
  "purchaseOrder",
  "consigneeName",
  "consigneePhoneNumber",
  "bolNumber",
  "sealNumber",
  "expectedQuantity"
]

/** The fields that documents themselves store among the additional fields. */
const driverNames = ["driverName", "driverLicenseNumber", "driverLicensePlate"]

const shipmentNames = ["expectedArrivalAt", "carrier", "trailerNumber", "dockSlug", ...driverNames]

const identifierOf = ({ identifier, lpn, sku }: ItemGiven): string => identifier || lpn || sku || ""

/** An item in the form of documents. Fields that the strategy requires may be missing. */
const itemOf = (item: ItemGiven): Fields => ({
  ...take(item, itemNames),
  ...present({
    identifier: identifierOf(item),
    lpn: item.lpn,
    sku: item.sku,
    quantity: item.quantity ?? 0,
    expirationDate: item.expirationDate && dateOf(item.expirationDate),
    manufacturingDate: item.manufacturingDate && dateOf(item.manufacturingDate),
    caseSerials: item.subUnits?.map(({ id, quantity }) => ({ id, quantity }))
  })
})

/** The fields of items that have another name in the input, with that name. */
const inputNames: Readonly<Record<string, keyof ItemGiven>> = { caseSerials: "subUnits" }

/**
 * Completes the items of a document from the existing items: a field that the input leaves out stays unchanged on an existing item, and is
 * empty on a new item.
 */
export const completing = (
  orders: ReadonlyArray<{ readonly items: ReadonlyArray<ItemGiven> }>
): NonNullable<Alongside["items"]> =>
(items, drafts, at) => {
  const existing = new Map(items.map((item) => [itemKey(item), item]))
  return drafts.map((item, index) => {
    const [before, input] = [existing.get(itemKey(item)), orders[at]?.items[index]]
    if (before === undefined || input === undefined) return item
    const isLeftOut = (name: keyof OrderItemDraft): boolean =>
      (input[inputNames[name] ?? name] ?? null) === null
    return { ...item, ...Struct.pick(before, changeableItemFields.filter(isLeftOut)) }
  })
}

const rawOrderOf = ({ order }: OrderAt, strategy: Parts["strategy"]): Fields => ({
  ...take(order, orderNames),
  ...present({ client: order["clientName"] }),
  orderItemUpdateStrategy: strategy,
  items: order.items.map(itemOf)
})

/** The name of an item within its order. */
const nameOfItem = (item: ItemGiven): string =>
  Array.from(new Set([identifierOf(item), item.lpn, item.sku])).filter(Boolean).join(".")

/**
 * The facts of an order and its items. They include the carrier of the order, because a document has only the carrier of the shipment.
 */
const factsOfOrder = ({ order, path }: OrderAt): ReadonlyArray<Fact> => {
  const owner = order.orderNumber ?? ""
  return [
    ...keep(order, orderFacts, { owner, path }),
    ...order.items.flatMap((item, index) =>
      keep(item, itemFacts, { owner: `${owner}.${nameOfItem(item)}`, path: `${path}.items[${index}]` })
    )
  ]
}

/** The faults of facts that would be lost, because an additional field has only one value. */
const repeatsOf = (facts: ReadonlyArray<Fact>): ReadonlyArray<FieldError> => {
  const first = new Map<string, Fact>()
  return facts.flatMap((each) => {
    const { name, path, value } = each
    const other = first.get(name)
    if (other === undefined) first.set(name, each)
    return other === undefined || other.value === value || value === "" || other.value === ""
      ? []
      : [{ path, detail: `would be kept under the same name as ${other.path}: leave out one of the two` }]
  })
}

/** The faults of values that documents cannot hold at all. */
const faultsOf = (
  { orders, path, shipment }: Required<Parts>,
  facts: ReadonlyArray<Fact>
): ReadonlyArray<FieldError> => [
  ...repeatsOf([...facts, ...keep(shipment, driverNames, { path })]),
  ...orders.flatMap(({ order, path }) => [
    ...(order["updateByLineId"] === true
      ? [{ path: `${path}.updateByLineId`, detail: "is not supported: items are matched by lpn and sku" }]
      : []),
    ...order.items.flatMap(({ subUnits }, index) =>
      (subUnits ?? []).flatMap(({ unit_type: unit }, number) =>
        unit === "CASE"
          ? []
          : [{
            path: `${path}.items[${index}].subUnits[${number}].unit_type`,
            detail: "must be CASE: only the serial numbers of cases are kept"
          }]
      )
    )
  ])
]

const names: Readonly<Record<string, string>> = {
  business: "businessSlug",
  facility: "facilitySlug",
  client: "clientName",
  caseSerials: "subUnits"
}

/** The path in the input of the value at a path of the document. */
const pathOf = (
  path: string,
  { orders, path: shipmentPath }: Required<Parts>,
  facts: ReadonlyArray<Fact>
): string => {
  const field = /^additionalFields\[(\d+)\]/.exec(path)
  if (field !== null) return facts[Number(field[1])]?.path ?? shipmentPath
  const order = /^orders\[(\d+)\](.*)$/.exec(path)
  const [, index = "", within = ""] = order ?? []
  const [root, rest] = order === null
    ? [shipmentPath, `.${path}`]
    : [orders[Number(index)]?.path ?? shipmentPath, within]
  return root + rest.replaceAll(/[A-Za-z]+/g, (name) => names[name] ?? name)
}

/** Makes the reader that reads the parts of a document in steps: it returns the document, or a refusal with the faults. */
export const reader = (rules: DocumentInput.DocumentRules, itemLimit: number) => {
  const read = DocumentInput.stepReader({ ...rules, isLpnOptional: true }, itemLimit)
  return function*(document: Parts): Slices.Steps<DocumentInput.DocumentReadResult> {
    const parts = { shipment: {}, path: "input", facts: [], ...document }
    const { business, direction, facility, orders, shipment, shipmentNumber, strategy } = parts
    const facts = [...parts.facts, ...orders.flatMap(factsOfOrder)]
    const raw = {
      ...present({ business, facility, direction, shipmentNumber }),
      ...shipment,
      additionalFields: facts.map(({ name, value }) => ({ name, value })),
      // A document needs at least one order. For a shipment without orders, an order is added here and removed after reading.
      ...(orders.length === 0
        ? { orderNumber: shipmentNumber }
        : { orders: orders.map((order) => rawOrderOf(order, strategy)) })
    }
    const refuse = (
      errors: ReadonlyArray<FieldError>,
      Refusal: typeof InvalidDocument | typeof MalformedDocument
    ) => Result.fail(unreadable(new Refusal({ errors }), raw))
    const faults = faultsOf(parts, facts)
    if (faults.length > 0) return refuse(faults, InvalidDocument)
    const reading = yield* read(raw, true)
    if (Result.isSuccess(reading)) {
      return orders.length === 0 ? Result.map(reading, (document) => ({ ...document, orders: [] })) : reading
    }
    const error = errorOf(reading.failure)
    if (error._tag === "TooManyItems") return reading
    const errors = error.errors.map(({ detail, path }) => ({ path: pathOf(path, parts, facts), detail }))
    return refuse(errors, error._tag === "InvalidDocument" ? InvalidDocument : MalformedDocument)
  }
}

/** The parts of a document from the shipment of an input at `path`, except its direction, its number and its orders. */
export const partsOfShipment = (shipment: ShipmentGiven, path: string) => ({
  business: shipment.businessSlug,
  facility: shipment.facilitySlug,
  shipment: take(shipment, shipmentNames),
  path,
  facts: [
    ...(shipment.additionalFields ?? []).map((field, index) => ({
      ...field,
      path: `${path}.additionalFields[${index}]`
    })),
    ...keep(shipment, shipmentFacts, { path }),
    // The other statuses are steps, which store this time themselves.
    ...(shipment.status === "SCHEDULED" ? keep(shipment, ["statusOccurredAt"], { path }) : [])
  ]
})

/**
 * The direction of a shipment at `path`: its own, or else the direction of its first order. Fails if there is neither, or if an order has
 * another direction.
 */
export const directionFor = (
  value: ShippingDirection | null | undefined,
  orders: ReadonlyArray<{ readonly direction: string }>,
  path: string
): Effect.Effect<string, InvalidRequest> => {
  const direction = directionOf(value ?? undefined) ?? orders[0]?.direction
  if (direction === undefined) {
    const detail = "must be RECEIVING or SHIPPING for a shipment that is new and has no orders"
    return Effect.fail(new InvalidRequest({ errors: [{ path, detail }] }))
  }
  const detail =
    `must be ${direction}, the direction of the shipment: send other orders with a shipment of their own`
  const errors = orders.flatMap((order, index) =>
    order.direction === direction ? [] : [{ path: `input.orders[${index}].direction`, detail }]
  )
  return errors.length === 0 ? Effect.succeed(direction) : Effect.fail(new InvalidRequest({ errors }))
}
