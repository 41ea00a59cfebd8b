/**
 * What the model says of documents, written from the contract and D2, D3 of WIRE.md alone.
 */
import type { IntakeResult } from "../../document/Outcome.ts"
import { orderFields } from "../../shipment/Order.ts"
import { itemFields } from "../../shipment/OrderItem.ts"
import { shipmentFields } from "../../shipment/Shipment.ts"
import * as Row from "../../values/FieldTable.ts"
import type { Json } from "../generators/History.ts"
import {
  checkDock,
  listOf,
  memberOf,
  newId,
  ordersOf,
  placeOf,
  Refused,
  textOf,
  timeOf
} from "./ModelState.ts"
import type { Item, Order, Shipment, State } from "./ModelState.ts"
import { showShipment } from "./ModelView.ts"

type Reference = IntakeResult["created"][number]

/** What the document's answer lists. */
interface Touched {
  readonly created: Array<Reference>
  readonly updated: Array<Reference>
  readonly removed: Array<Item>
}

const requiredItemFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  APPEND: ["lpn", "sku", "quantity", "quantityUnit"],
  MERGE: ["lpn", "sku"],
  DELETE: ["lpn", "sku"],
  OVERWRITE: ["lpn", "sku", "quantity", "quantityUnit"]
}

// Which fields there are is known from their tables; what becomes of them is said here anew.
const orderTexts = Row.namesOfKinds(orderFields, ["text"]).filter((name) => name !== "carrier")

const itemTexts = Row.namesOfKinds(itemFields, ["text", "key", "word", "date"])

const itemNumbers = Row.namesOfKinds(itemFields, ["amount", "wholeAmount"])

const itemFlags = Row.namesOfKinds(itemFields, ["flag"])

const driverNames = ["driverName", "driverLicenseNumber", "driverLicensePlate"]

/** Whether a value says something: `""`, 0, false and `[]` leave what is there (D3.6, D3.7). */
const saysSomething = (value: unknown): boolean =>
  value !== "" && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0)

/** The orders of a document: its entries, or itself (D2.1). */
export const entriesOf = (document: Json): ReadonlyArray<Json> =>
  memberOf(document, "orders") === undefined ? [document] : listOf(document, "orders")

/** What an entry says of its items: its own strategy, else that of the document, else OVERWRITE (D2.1). */
export const strategyOf = (document: Json, entry: Json): string =>
  textOf(entry, "orderItemUpdateStrategy") || textOf(document, "orderItemUpdateStrategy") || "OVERWRITE"

/** Processes a document; returns its answer, with ids that are higher than `lastId` left out if asked for. */
export const submit = (state: State, document: Json, dryRun: boolean, now: string): IntakeResult => {
  checkItemFields(document)
  const { facility } = placeOf(state, document["business"], document["facility"])
  const dockSlug = textOf(document, "dockSlug")
  if (dockSlug !== "") checkDock(facility, dockSlug)
  checkDuplicates(document)
  const lastId = state.lastId
  const number = textOf(document, "shipmentNumber") || textOf(document, "orderNumber")
  const direction = textOf(document, "direction")
  const found = state.shipments.find((each) =>
    each.business === document["business"] && each.facility === document["facility"] && each.number === number
  )
  if (found?.status === "CANCELLED") throw new Refused("SHIPMENT_CANCELLED")
  if (found !== undefined && found.direction !== direction) throw conflict(number, "DIRECTION")
  const before = found === undefined ? "" : contentOf(state, found)
  const shipment = found ?? createShipment(state, document, number, now)
  updateShipment(shipment, document)
  const touched: Touched = { created: [], updated: [], removed: [] }
  const list = found === undefined ? touched.created : touched.updated
  list.push({ type: "SHIPMENT", id: String(shipment.id), reference: number })
  for (const entry of entriesOf(document)) processOrder(state, document, entry, shipment, touched)
  // A departed shipment is final (D3.2).
  if (found?.status === "DEPARTED" && contentOf(state, found) !== before) throw conflict(number, "DEPARTED")
  // A dry run shows no ids of what it would create (D5.3).
  const shownId = (id: number): string => (dryRun && id > lastId ? "" : String(id))
  const shown = (reference: Reference): Reference => ({ ...reference, id: shownId(Number(reference.id)) })
  return {
    created: touched.created.map(shown),
    updated: touched.updated,
    removed: touched.removed.sort((left, right) => left.id - right.id).map(itemReference),
    shipment: showShipment(state, shipment, shownId)
  }
}

const conflict = (number: string, reason: string): Refused =>
  new Refused("SHIPMENT_CONFLICT", `SHIPMENT_CONFLICT: shipmentNumber=${number}, reason=${reason}`)

/** All that a document could change of a shipment. */
const contentOf = (state: State, shipment: Shipment): string =>
  JSON.stringify([shipment, ordersOf(state, shipment)])

const checkItemFields = (document: Json): void => {
  for (const entry of entriesOf(document)) {
    for (const item of listOf(entry, "items")) {
      const missing = requiredItemFields[strategyOf(document, entry)]!.some((name) =>
        textOf(item, name) === ""
      )
      if (missing) throw new Refused("INVALID_DOCUMENT")
    }
  }
}

/** No order twice, no lpn + sku twice in the whole document (D2.1, D3.5). */
const checkDuplicates = (document: Json): void => {
  const numbers: Array<string> = []
  const keys: Array<string> = []
  for (const entry of entriesOf(document)) {
    const number = textOf(entry, "orderNumber")
    if (numbers.includes(number)) throw new Refused("DUPLICATE_ORDER_IN_REQUEST")
    numbers.push(number)
    for (const item of listOf(entry, "items")) {
      const key = keyOf(item)
      if (keys.includes(key)) throw duplicate("DUPLICATE_ITEM_IN_REQUEST", item)
      keys.push(key)
    }
  }
}

const keyOf = (item: Json): string => JSON.stringify([textOf(item, "lpn"), textOf(item, "sku")])

const duplicate = (code: string, item: Json): Refused =>
  new Refused(code, `${code}: lpn=${textOf(item, "lpn")}, sku=${textOf(item, "sku")}`)

const createShipment = (state: State, document: Json, number: string, now: string): Shipment => {
  const shipment: Shipment = {
    id: newId(state),
    business: textOf(document, "business"),
    facility: textOf(document, "facility"),
    number,
    direction: textOf(document, "direction"),
    scheduledAt: now,
    status: "SCHEDULED",
    arrivedAt: "",
    departedAt: "",
    fields: {
      ...Object.fromEntries(Row.namesOf(shipmentFields).map((name) => [name, ""])),
      expectedArrivalAt: now,
      dockSlug: ""
    },
    additionalFields: [],
    linked: [],
    discrepancies: []
  }
  state.shipments.push(shipment)
  return shipment
}

/** Given values replace; the driver is kept among the additional fields (D3.7). */
const updateShipment = (shipment: Shipment, document: Json): void => {
  const expectedArrivalAt = timeOf(document, "expectedArrivalAt")
  if (expectedArrivalAt !== "") shipment.fields.expectedArrivalAt = expectedArrivalAt
  for (const name of [...Row.namesOf(shipmentFields), "dockSlug"]) {
    const value = textOf(document, name)
    if (value !== "") shipment.fields[name] = value
  }
  const drivers = driverNames.map((name) => ({ name, value: textOf(document, name) }))
  for (const given of [...listOf(document, "additionalFields"), ...drivers]) {
    const [name, value] = [textOf(given, "name"), textOf(given, "value")]
    if (value === "") continue
    const known = shipment.additionalFields.find((field) => field.name === name)
    if (known === undefined) shipment.additionalFields.push({ name, value })
    else known.value = value
  }
}

/** The order on the target, else the newest one that may be moved there, else a new one (D3.3). */
const processOrder = (
  state: State,
  document: Json,
  entry: Json,
  shipment: Shipment,
  touched: Touched
): void => {
  const number = textOf(entry, "orderNumber")
  const found = state.orders.find((order) => order.number === number && order.shipmentId === shipment.id) ??
    state.orders.findLast((order) => order.number === number && mayMove(state, order, shipment))
  const order = found ?? createOrder(state, number, shipment)
  order.shipmentId = shipment.id
  const list = found === undefined ? touched.created : touched.updated
  list.push({ type: "ORDER", id: String(order.id), reference: number })
  for (const [name, value] of Object.entries(orderFieldsOf(document, entry))) {
    if (saysSomething(value)) order.fields[name] = value
  }
  const items = listOf(entry, "items")
  if (items.length > 0) applyItems(state, order, strategyOf(document, entry), items, touched)
}

/** Of the same business, facility and direction, on a shipment that has not arrived and is not linked. */
const mayMove = (state: State, order: Order, to: Shipment): boolean => {
  const from = state.shipments.find(({ id }) => id === order.shipmentId)!
  return from.business === to.business && from.facility === to.facility && order.direction === to.direction &&
    from.status === "SCHEDULED" && from.linked.length === 0
}

const createOrder = (state: State, number: string, shipment: Shipment): Order => {
  const order: Order = {
    id: newId(state),
    number,
    direction: shipment.direction,
    shipmentId: shipment.id,
    status: "CREATED",
    fields: Object.fromEntries([...orderTexts, "carrier"].map((name) => [name, ""])),
    items: []
  }
  order.fields["expectedQuantity"] = 0
  state.orders.push(order)
  return order
}

/** An entry's own fields, else the document's; the carrier is always the document's (D2.1). */
const orderFieldsOf = (document: Json, entry: Json): Record<string, unknown> => ({
  ...Object.fromEntries(orderTexts.map((name) => [name, textOf(entry, name) || textOf(document, name)])),
  expectedQuantity: memberOf(entry, "expectedQuantity") ?? memberOf(document, "expectedQuantity") ?? 0,
  carrier: textOf(document, "carrier")
})

const itemFieldsOf = (item: Json): Record<string, unknown> => ({
  ...Object.fromEntries(itemTexts.map((name) => [name, textOf(item, name)])),
  ...Object.fromEntries(itemNumbers.map((name) => [name, memberOf(item, name) ?? 0])),
  ...Object.fromEntries(itemFlags.map((name) => [name, memberOf(item, name) ?? false])),
  caseSerials: listOf(item, "caseSerials").map((serial) => ({
    id: serial["id"],
    quantity: memberOf(serial, "quantity") ?? 0
  }))
})

/** Identifier, else lpn, else sku (reference rules). */
const itemReference = ({ id, fields }: Item): Reference => ({
  type: "ORDER_ITEM",
  id: String(id),
  reference: String(fields["identifier"] || fields["lpn"] || fields["sku"])
})

/** The item strategies of the contract, item by item. */
const applyItems = (
  state: State,
  order: Order,
  strategy: string,
  items: ReadonlyArray<Json>,
  touched: Touched
): void => {
  if (strategy === "OVERWRITE") {
    touched.removed.push(...order.items)
    order.items = []
  }
  for (const given of items) {
    const match = order.items.find(({ fields }) => keyOf(fields) === keyOf(given))
    if (match === undefined) {
      if (strategy === "DELETE") continue
      const item = { id: newId(state), fields: itemFieldsOf(given) }
      order.items.push(item)
      touched.created.push(itemReference(item))
    } else if (strategy === "DELETE") {
      order.items = order.items.filter((item) => item !== match)
      touched.removed.push(match)
    } else if (strategy === "MERGE") {
      for (const [name, value] of Object.entries(itemFieldsOf(given))) {
        if (saysSomething(value)) match.fields[name] = value
      }
      touched.updated.push(itemReference(match))
    } else {
      throw duplicate("DUPLICATE_ORDER_ITEM_KEY", given)
    }
  }
}
