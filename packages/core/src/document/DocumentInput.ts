/**
 * The reading of a document as clients write it into a `Document`.
 *
 * Guarantee: a document that is accepted holds exactly what was sent; anything misspelt, of a wrong type or out of
 * range is refused, and every fault of the document is reported, not the first only (WIRE.md, D2.1–D2.4).
 */
import { Predicate, Result } from "effect"
import { Faults } from "../input/Faults.ts"
import type { Path } from "../input/Faults.ts"
import { compile } from "../input/internal/DocumentCheck.ts"
import * as Shape from "../input/Shape.ts"
import * as Slices from "../input/Slices.ts"
import { orderFields } from "../shipment/Order.ts"
import { itemFields } from "../shipment/OrderItem.ts"
import type { OrderItemDraft } from "../shipment/OrderItem.ts"
import { driverFieldNames, takeShipmentFields } from "../shipment/Shipment.ts"
import type { AdditionalField } from "../shipment/Shipment.ts"
import { InvalidDocument, MalformedDocument, TooManyItems } from "../values/Errors.ts"
import * as Row from "../values/FieldTable.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { defaultVocabulary } from "../values/Vocabulary.ts"
import type { Document, DocumentOrder } from "./Document.ts"
import { schema } from "./internal/DocumentJson.ts"
import type { DocumentRules, Input } from "./internal/DocumentJson.ts"

import { refuse } from "./internal/FaultyDocument.ts"
import type { FormRefusal } from "./internal/FaultyDocument.ts"
import { defaultStrategies } from "./Strategy.ts"

export { schema } from "./internal/DocumentJson.ts"
export type { DocumentRules } from "./internal/DocumentJson.ts"

/** The rules of the wire contract. */
export const defaultRules: DocumentRules = { vocabulary: defaultVocabulary, strategies: defaultStrategies }

/** The strategy of a document that has items and names none (WIRE.md, document intake). */
export const defaultStrategyName = "OVERWRITE"

/** A refusal that remembers what the document names (D13.6). */
export const refusalOf = <E extends FormRefusal>(refusal: E, raw: unknown): E =>
  refuse(refusal, raw, defaultStrategyName)

type InputOrder = NonNullable<Input["orders"]>[number]

/**
 * Reads an untyped value, as a JSON parser makes it. Fails with `TooManyItems` before anything else is looked at; with
 * `MalformedDocument` when a field has the wrong type or is unknown, else with `InvalidDocument` when a value is bad or
 * missing. Their `errors` name every fault, up to `maxFaults`.
 */
export type Reader = (input: unknown) => Reading

/** A document, or why the input is none. */
export type Reading = Result.Result<Document, TooManyItems | MalformedDocument | InvalidDocument>

/** The most items, and the most orders, that a document may hold by default (D2.7). */
export const defaultItemLimit = 10_000

/** Makes the {@link Reader} for the rules; make it once and keep it. */
export const reader = (rules: DocumentRules = defaultRules, itemLimit: number = defaultItemLimit): Reader => {
  const read = stepReader(rules, itemLimit)
  return (input) => Slices.atOnce(read(input, true))
}

/**
 * Makes the same reader in steps. For the beginning of an invalid input (`isWhole` is false) it reports too many items and
 * fields of a wrong type or name, but no missing fields.
 */
export const stepReader = (rules: DocumentRules = defaultRules, itemLimit: number = defaultItemLimit) => {
  const read = compile(schema(rules).ast)
  return function*(raw: unknown, isWhole: boolean): Slices.Steps<Reading> {
    if (hasTooManyItems(raw, itemLimit)) return Result.fail(new TooManyItems({ limit: itemLimit }))
    const faults = new Faults({ isPart: !isWhole })
    const input = yield* read(raw, faults)
    yield* addMissing(input, rules, faults)
    const { errors, malformed } = faults
    // What has no faults is as the schema says.
    if (errors.length === 0 && isWhole) return Result.succeed(yield* toDocument(input as Input))
    return Result.fail(
      refusalOf(malformed ? new MalformedDocument({ errors }) : new InvalidDocument({ errors }), raw)
    )
  }
}

/** The shape of a document. */
export const shape = (rules: DocumentRules, itemLimit: number): Shape.ObjectShape =>
  Shape.objectOf(schema(rules), { items: itemLimit, orders: itemLimit })

/** Whether an untyped value holds more items, or orders, than a document may, however wrong it is otherwise. */
export const hasTooManyItems = (raw: unknown, limit: number): boolean => {
  try {
    const document = membersOf(raw)
    const orders = listOf(document["orders"])
    if (orders.length > limit) return true
    return orders.reduce<number>((sum, order) => sum + listOf(membersOf(order)["items"]).length, 0) +
        listOf(document["items"]).length > limit
  } catch {
    // An accessor or a proxy threw: the reading names its place.
    return false
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === ""

const membersOf = (value: unknown): Record<string, unknown> => Predicate.isObject(value) ? value : {}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Adds the faults of missing fields beside the faults of other fields: those that the shape of the document requires
 * (D2.1), and the item fields that its strategy requires (WIRE.md, item strategies).
 */
function* addMissing(input: unknown, rules: DocumentRules, faults: Faults): Slices.Steps<void> {
  if (!Predicate.isObject(input)) return
  const document = membersOf(input)
  const require = (name: string, ...path: Path): void => faults.add("is required", ...path, name)
  for (const name of ["business", "facility", "direction"]) if (isAbsent(document[name])) require(name)
  const strategyOf = (order: Record<string, unknown>): unknown =>
    order["orderItemUpdateStrategy"] ?? document["orderItemUpdateStrategy"] ?? defaultStrategyName
  if (isOfOneOrder(document)) {
    if (isAbsent(document["orderNumber"])) require("orderNumber")
    yield* addMissingItemFields([], document, rules, strategyOf(document), faults)
    return
  }
  addShapeFaults(document, faults)
  for (const [index, entry] of listOf(document["orders"]).entries()) {
    if (faults.isFull) return
    const order = membersOf(entry)
    if (isAbsent(order["orderNumber"])) require("orderNumber", "orders", index)
    yield* addMissingItemFields(["orders", index], order, rules, strategyOf(order), faults)
  }
}

/** Clients of some generators send a list that is not set as an empty one: beside an order number it counts as absent (D2.4). */
const isOfOneOrder = (
  { orderNumber, orders }: { readonly orderNumber?: unknown; readonly orders?: unknown }
): boolean => orders === undefined || (Array.isArray(orders) && orders.length === 0 && !isAbsent(orderNumber))

const addShapeFaults = (document: Record<string, unknown>, faults: Faults): void => {
  if (isAbsent(document["shipmentNumber"])) faults.add("is required with orders", "shipmentNumber")
  if (!isAbsent(document["orderNumber"])) {
    faults.add("cannot be sent beside orders; move it into an entry of orders", "orderNumber")
  }
  if (document["items"] !== undefined) {
    faults.add("cannot be sent beside orders; move them into an entry of orders", "items")
  }
  if (Array.isArray(document["orders"]) && document["orders"].length === 0) {
    faults.add("must hold at least one order", "orders")
  }
}

/** The fields of which an item without an lpn needs one (D17.2). */
const keyFields: ReadonlyArray<string> = ["identifier", "lpn", "sku"]

function* addMissingItemFields(
  path: Path,
  order: Record<string, unknown>,
  { isLpnOptional = false, strategies }: DocumentRules,
  strategyName: unknown,
  faults: Faults
): Slices.Steps<void> {
  if (!Predicate.isString(strategyName) || !Object.hasOwn(strategies, strategyName)) return
  const requiredFields = strategies[strategyName]?.requiredFields ?? []
  for (const [index, entry] of listOf(order["items"]).entries()) {
    if (faults.isFull) return
    yield 1
    if (!Predicate.isObject(entry)) continue
    const item = membersOf(entry)
    const require = (name: string, detail = `is required by ${strategyName}`): void =>
      faults.add(detail, ...path, "items", index, name)
    const isKeyed = !keyFields.every((name) => isAbsent(item[name]))
    if (isLpnOptional && !isKeyed) require("lpn", "is required where neither identifier nor sku is given")
    for (const name of requiredFields) {
      if (isAbsent(item[name]) && !(isLpnOptional && keyFields.includes(name))) require(name)
    }
  }
}

function* toDocument(input: Input): Slices.Steps<Document> {
  const shipmentNumber = input.shipmentNumber || input.orderNumber || ""
  const entries: ReadonlyArray<Omit<InputOrder, "orderNumber"> & { readonly orderNumber?: string }> =
    isOfOneOrder(input) ? [input] : (input.orders ?? [])
  const orders: Array<DocumentOrder> = []
  for (const entry of entries) {
    const items: Array<OrderItemDraft> = []
    for (const item of entry.items ?? []) {
      items.push(toItem(item))
      yield 4 + (item.caseSerials?.length ?? 0)
    }
    orders.push({
      orderNumber: entry.orderNumber ?? "",
      strategy: entry.orderItemUpdateStrategy ?? input.orderItemUpdateStrategy ?? defaultStrategyName,
      fields: toOrderFields(entry, input),
      items
    })
  }
  return {
    business: input.business,
    facility: input.facility,
    direction: input.direction,
    shipmentNumber,
    expectedArrivalAt: input.expectedArrivalAt ? (Timestamp.parse(input.expectedArrivalAt) ?? null) : null,
    ...takeShipmentFields(input),
    dockSlug: input.dockSlug ?? "",
    additionalFields: toAdditionalFields(input),
    orders
  }
}

const toAdditionalFields = (input: Input): ReadonlyArray<AdditionalField> => [
  ...(input.additionalFields ?? []),
  ...driverFieldNames.map((name) => ({ name, value: input[name] ?? "" }))
]

/** An entry's own value, else the document's, else the empty one; the carrier is always the document's (D2.1). */
const toOrderFields = Row.take(orderFields)

const toItem = Row.complete(itemFields)
