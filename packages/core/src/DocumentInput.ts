/**
 * The document as clients write it: one schema for JSON, XML and GraphQL, and its reading into a `Document`.
 *
 * Guarantee: a document that is accepted holds exactly what was sent; anything misspelt, of a wrong type or out of
 * range is refused, and every fault of the document is reported, not the first only (WIRE.md, D2.1–D2.4).
 */
import { Predicate, Result, Schema } from "effect"
import type { Document, DocumentOrder } from "./Document.ts"
import * as DocumentCheck from "./DocumentCheck.ts"
import { InvalidDocument, MalformedDocument, TooManyItems } from "./Errors.ts"
import * as Field from "./Field.ts"
import type { OrderFields } from "./Order.ts"
import { emptyOrderItem } from "./OrderItem.ts"
import type { OrderItemDraft } from "./OrderItem.ts"
import { driverFieldNames } from "./Shipment.ts"
import type { AdditionalField } from "./Shipment.ts"
import { defaultStrategies } from "./Strategy.ts"
import type { Strategy } from "./Strategy.ts"
import * as Timestamp from "./Timestamp.ts"
import { defaultVocabulary } from "./Vocabulary.ts"
import type { VocabularyWords } from "./Vocabulary.ts"

/** What a document is read against: the words it may use and the strategies it may name. */
export interface DocumentRules {
  readonly vocabulary: VocabularyWords
  readonly strategies: Readonly<Record<string, Strategy>>
}

/** The rules of the wire contract. */
export const defaultRules: DocumentRules = { vocabulary: defaultVocabulary, strategies: defaultStrategies }

/** The strategy of a document that has items and names none (WIRE.md, document intake). */
export const defaultStrategyName = "OVERWRITE"

const optional = Schema.optionalKey

const itemSchema = (vocabulary: VocabularyWords) =>
  Schema.Struct({
    identifier: optional(Field.text("Item reference; not used for matching")),
    lpn: optional(Field.requiredText("License plate of the pallet; part of the item key")),
    sku: optional(Field.requiredText("Stock-keeping unit; part of the item key")),
    quantity: optional(Field.amount("Quantity, at least 0")),
    quantityUnit: optional(Field.word(vocabulary.quantityUnits, "Unit of quantity")),
    purchaseOrder: optional(Field.text("Purchase order of the item")),
    description: optional(Field.text("What it is")),
    upc: optional(Field.text("Universal product code")),
    weightPerUnit: optional(Field.amount("Weight of one unit")),
    weightUnit: optional(Field.word(vocabulary.weightUnits, "Unit of weightPerUnit")),
    height: optional(Field.amount("Height, in dimensionUnit")),
    length: optional(Field.amount("Length, in dimensionUnit")),
    width: optional(Field.amount("Width, in dimensionUnit")),
    dimensionUnit: optional(Field.word(vocabulary.dimensionUnits, "Unit of height, length and width")),
    isDangerousGood: optional(Field.flag("Whether it is a dangerous good")),
    lot: optional(Field.text("Lot number")),
    expirationDate: optional(Field.calendarDate("Date of expiration")),
    manufacturingDate: optional(Field.calendarDate("Date of manufacturing")),
    caseSerials: optional(
      Schema.Array(
        Schema.Struct({
          id: Field.requiredText("Serial number of the case"),
          quantity: optional(Field.wholeAmount("How many units the case holds"))
        })
      ).check(Field.atMost(Field.maxCaseSerials)).annotate({ description: "Serial numbers of the cases" })
    )
  }).annotate({ identifier: "DocumentItem" })

const orderFieldSchemas = {
  orderType: optional(Field.text("Kind of the order")),
  purchaseOrder: optional(Field.text("Purchase order")),
  consigneeName: optional(Field.text("Name of the consignee")),
  consigneePhoneNumber: optional(Field.text("Telephone number of the consignee")),
  bolNumber: optional(Field.text("Bill of lading number")),
  expectedQuantity: optional(Field.wholeAmount("Expected quantity; 0 leaves what is there")),
  sealNumber: optional(Field.text("Seal number")),
  supplier: optional(Field.text("Supplier")),
  client: optional(Field.text("Client")),
  destination: optional(Field.text("Destination"))
}

/**
 * The schema of a document's JSON form, for the given rules. Used to read documents and to describe them (OpenAPI):
 * its fields, types, limits and texts are those of the service.
 */
export const schema = (rules: DocumentRules) => {
  const strategy = Field.name(Object.keys(rules.strategies), "What to do with the items that are there")
  const items = Schema.Array(itemSchema(rules.vocabulary))
  return Schema.Struct({
    business: Field.slug("Business slug"),
    facility: Field.slug("Facility slug"),
    direction: Field.name(rules.vocabulary.directions, "Direction of the order"),
    orderNumber: optional(Field.text("Order number; required unless orders is sent")),
    shipmentNumber: optional(Field.text("Shipment number; orderNumber when absent")),
    expectedArrivalAt: optional(Field.dateTime("Expected arrival; now when absent")),
    trailerNumber: optional(Field.text("Trailer number")),
    dockSlug: optional(Field.text("Slug of the dock")),
    driverName: optional(Field.text("Name of the driver; kept as an additional field")),
    driverLicenseNumber: optional(Field.text("License number of the driver; kept as an additional field")),
    driverLicensePlate: optional(Field.text("License plate of the vehicle; kept as an additional field")),
    carrier: optional(Field.text("Carrier of the shipment and of its orders")),
    additionalFields: optional(
      Schema.Array(
        Schema.Struct({ name: Field.requiredText("Name of the field"), value: Field.text("Its value") })
      ).check(Field.atMost(Field.maxAdditionalFields)).annotate({
        description: "Named values kept on the shipment, merged by name"
      })
    ),
    ...orderFieldSchemas,
    orderItemUpdateStrategy: optional(strategy),
    items: optional(items),
    orders: optional(
      Schema.Array(
        Schema.Struct({
          orderNumber: Field.requiredText("Order number"),
          ...orderFieldSchemas,
          orderItemUpdateStrategy: optional(strategy),
          items: optional(items)
        }).annotate({ identifier: "DocumentOrder" })
      ).annotate({ description: "Several orders of one shipment, instead of orderNumber and items" })
    )
  }).annotate({ identifier: "Document" })
}

type Input = ReturnType<typeof schema>["Type"]
type InputOrder = NonNullable<Input["orders"]>[number]
type InputItem = NonNullable<Input["items"]>[number]

/**
 * Reads an untyped value, as a JSON parser makes it, into a {@link Document}.
 *
 * Fails with `TooManyItems` before anything else is looked at; with `MalformedDocument` when a field has the wrong
 * type or is unknown, else with `InvalidDocument` when a value is bad or missing. Either way `errors` names every
 * fault, up to {@link DocumentCheck.maxFaults}.
 */
export type Reader = (
  input: unknown
) => Result.Result<Document, TooManyItems | MalformedDocument | InvalidDocument>

/** The most items, and the most orders, that a document may hold by default (D2.7). */
export const defaultItemLimit = 10_000

/** Makes the {@link Reader} for the rules; make it once and keep it. */
export const reader = (rules: DocumentRules = defaultRules, itemLimit: number = defaultItemLimit): Reader => {
  const read = DocumentCheck.compile(schema(rules).ast)
  const isInput = (input: unknown, faults: DocumentCheck.Faults): input is Input => {
    addMissing(input, rules.strategies, faults)
    return faults.errors.length === 0
  }
  return (raw) => {
    if (isTooLarge(raw, itemLimit)) return Result.fail(new TooManyItems({ limit: itemLimit }))
    const faults = new DocumentCheck.Faults()
    const input = read(raw, faults)
    if (isInput(input, faults)) return Result.succeed(toDocument(input))
    const { errors, malformed } = faults
    return Result.fail(malformed ? new MalformedDocument({ errors }) : new InvalidDocument({ errors }))
  }
}

const isTooLarge = (raw: unknown, limit: number): boolean => {
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

const membersOf = (value: unknown): Record<string, unknown> =>
  Predicate.isObject(value) ? (value as Record<string, unknown>) : {}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * What must be there, read from the raw value so that it is reported beside faults of other fields: the shape of
 * the document (D2.1) and the item fields that the strategy needs (WIRE.md, item strategies).
 */
const addMissing = (
  input: unknown,
  strategies: DocumentRules["strategies"],
  faults: DocumentCheck.Faults
): void => {
  if (!Predicate.isObject(input)) return
  const document = membersOf(input)
  const require = (name: string, ...path: DocumentCheck.Path): void =>
    faults.add("is required", ...path, name)
  for (const name of ["business", "facility", "direction"]) if (isAbsent(document[name])) require(name)
  const strategyOf = (order: Record<string, unknown>): unknown =>
    order["orderItemUpdateStrategy"] ?? document["orderItemUpdateStrategy"] ?? defaultStrategyName
  if (document["orders"] === undefined) {
    if (isAbsent(document["orderNumber"])) require("orderNumber")
    addMissingItemFields([], document, strategies, strategyOf(document), faults)
    return
  }
  addShapeFaults(document, faults)
  for (const [index, entry] of listOf(document["orders"]).entries()) {
    if (faults.isFull) return
    const order = membersOf(entry)
    if (isAbsent(order["orderNumber"])) require("orderNumber", "orders", index)
    addMissingItemFields(["orders", index], order, strategies, strategyOf(order), faults)
  }
}

const addShapeFaults = (document: Record<string, unknown>, faults: DocumentCheck.Faults): void => {
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

const addMissingItemFields = (
  path: DocumentCheck.Path,
  order: Record<string, unknown>,
  strategies: DocumentRules["strategies"],
  strategyName: unknown,
  faults: DocumentCheck.Faults
): void => {
  if (!Predicate.isString(strategyName) || !Object.hasOwn(strategies, strategyName)) return
  const requiredFields = strategies[strategyName]?.requiredFields ?? []
  for (const [index, entry] of listOf(order["items"]).entries()) {
    if (faults.isFull) return
    if (!Predicate.isObject(entry)) continue
    const item = membersOf(entry)
    for (const name of requiredFields) {
      if (isAbsent(item[name])) faults.add(`is required by ${strategyName}`, ...path, "items", index, name)
    }
  }
}

const toDocument = (input: Input): Document => {
  const shipmentNumber = input.shipmentNumber || input.orderNumber || ""
  const entries: ReadonlyArray<Omit<InputOrder, "orderNumber"> & { readonly orderNumber?: string }> =
    input.orders ??
      [input]
  return {
    business: input.business,
    facility: input.facility,
    direction: input.direction,
    shipmentNumber,
    expectedArrivalAt: input.expectedArrivalAt ? (Timestamp.parse(input.expectedArrivalAt) ?? null) : null,
    trailerNumber: input.trailerNumber ?? "",
    dockSlug: input.dockSlug ?? "",
    carrier: input.carrier ?? "",
    additionalFields: toAdditionalFields(input),
    orders: entries.map((entry): DocumentOrder => ({
      orderNumber: entry.orderNumber ?? "",
      strategy: entry.orderItemUpdateStrategy ?? input.orderItemUpdateStrategy ?? defaultStrategyName,
      fields: toOrderFields(entry, input),
      items: (entry.items ?? []).map(toItem)
    }))
  }
}

const toAdditionalFields = (input: Input): ReadonlyArray<AdditionalField> => [
  ...(input.additionalFields ?? []),
  ...driverFieldNames.map((name) => ({ name, value: input[name] ?? "" }))
]

/** An entry's own value, else the document's, else the empty one; the carrier is always the document's (D2.1). */
const toOrderFields = (entry: Omit<InputOrder, "orderNumber">, input: Input): OrderFields => {
  const own = (name: Exclude<keyof OrderFields, "carrier" | "expectedQuantity">): string =>
    entry[name] || input[name] || ""
  return {
    orderType: own("orderType"),
    purchaseOrder: own("purchaseOrder"),
    consigneeName: own("consigneeName"),
    consigneePhoneNumber: own("consigneePhoneNumber"),
    bolNumber: own("bolNumber"),
    expectedQuantity: entry.expectedQuantity ?? input.expectedQuantity ?? 0,
    carrier: input.carrier ?? "",
    sealNumber: own("sealNumber"),
    supplier: own("supplier"),
    client: own("client"),
    destination: own("destination")
  }
}

const toItem = (item: InputItem): OrderItemDraft => ({
  ...emptyOrderItem,
  ...item,
  caseSerials: (item.caseSerials ?? []).map(({ id, quantity }) => ({ id, quantity: quantity ?? 0 }))
})
