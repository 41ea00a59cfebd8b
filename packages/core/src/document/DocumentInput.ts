/**
 * Reads a document as clients write it. One schema serves JSON, XML, GraphQL and the types of TypeScript programs.
 *
 * Guarantee: no part of an accepted document is dropped or guessed. Anything misspelt, of a wrong type or out of range is refused, with the
 * first `maxFaults` faults of the document and not only one (WIRE.md, D2.1–D2.4). Unless a document has too many items, its refusal has the
 * place and the numbers that it names, for the record of documents (D13.6). A storage can keep every name: one that is too long, or not
 * well-formed, is left empty.
 */
import { Predicate, Result, Schema } from "effect"
import { Faults } from "../input/Faults.ts"
import type { Path } from "../input/Faults.ts"
import { compile } from "../input/RequestInput.ts"
import * as Shape from "../input/Shape.ts"
import * as Slices from "../input/Slices.ts"
import {
  driverFieldNames,
  emptyOrderFields,
  emptyShipmentFields,
  itemFields,
  orderFields,
  shipmentFields,
  takeShipmentFields
} from "../shipment/Shipment.ts"
import type { AdditionalField, OrderItemDraft } from "../shipment/Shipment.ts"
import { InvalidDocument, MalformedDocument, TooManyItems } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import * as FieldTable from "../values/FieldTable.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { defaultVocabulary } from "../values/Vocabulary.ts"
import type { VocabularyWords, Word } from "../values/Vocabulary.ts"
import type { Document, DocumentOrder } from "./Document.ts"
import { recordedLimit } from "./DocumentRecord.ts"
import { defaultStrategies, defaultStrategyName } from "./Strategy.ts"
import type { Strategy, StrategyName } from "./Strategy.ts"

/** The words and strategies that documents may use, and whether an lpn is optional. */
export interface DocumentRules {
  readonly vocabulary: VocabularyWords
  readonly strategies: Strategies
  /**
   * Whether an item may lack parts of its key that strategies require, as long as it has an lpn, an identifier or an sku (D17.2). The wire
   * contract does not permit it.
   */
  readonly isLpnOptional?: boolean | undefined
}

/** Strategies by their names. */
export type Strategies = Readonly<Record<string, Strategy>>

const optional = Schema.optionalKey

/** The carrier of an order is always the carrier of the document (D2.1). */
const { carrier: _, ...ownOrderFields } = orderFields

/** The fields of an item; a part of its key may be empty where an lpn is optional. */
const fieldsOfItem = ({ isLpnOptional, vocabulary }: DocumentRules) => {
  const itemSchema = FieldTable.givenFields(itemFields, vocabulary)
  if (isLpnOptional !== true) return itemSchema
  const { lpn, sku } = itemFields
  return {
    ...itemSchema,
    lpn: optional(Field.lpn(lpn.description)),
    sku: optional(Field.identifier(sku.description))
  }
}

/**
 * The schema of a document's JSON form under the rules. It reads documents and describes them in OpenAPI, so that both have the same
 * fields, types, limits and texts.
 */
export const schema = (rules: DocumentRules) => {
  const { strategies, vocabulary } = rules
  const strategy = Field.name<StrategyName>(
    Object.keys(strategies),
    "What to do with the existing items"
  )
  const item = Schema.Struct(fieldsOfItem(rules)).annotate({
    identifier: "DocumentItem",
    description: "An item of an order."
  })
  const items = Schema.Array(item).annotate({ description: "The items of the order, each an lpn and a sku" })
  const ofOrder = FieldTable.givenFields(ownOrderFields, vocabulary)
  return Schema.Struct({
    business: Field.slug("Business slug"),
    facility: Field.slug("Facility slug"),
    direction: Field.name<Word<"directions">>(vocabulary.directions, "Direction of the order"),
    orderNumber: optional(Field.identifier("Order number; required unless orders is sent")),
    shipmentNumber: optional(Field.identifier("Shipment number; orderNumber when absent")),
    expectedArrivalAt: optional(
      Field.dateTime("Expected arrival; when absent, it stays, or is now for a new shipment")
    ),
    ...FieldTable.givenFields(shipmentFields, vocabulary),
    dockSlug: optional(Field.text("Slug of the dock")),
    driverName: optional(Field.text("Name of the driver; kept as an additional field")),
    driverLicenseNumber: optional(Field.text("License number of the driver; kept as an additional field")),
    driverLicensePlate: optional(Field.text("License plate of the vehicle; kept as an additional field")),
    additionalFields: optional(
      Schema.Array(
        Schema.Struct({ name: Field.requiredText("Name of the field"), value: Field.text("Its value") })
      ).check(Field.atMost(Field.maxAdditionalFields)).annotate({
        description: "Named values kept on the shipment, merged by name"
      })
    ),
    ...ofOrder,
    orderItemUpdateStrategy: optional(strategy),
    items: optional(items),
    orders: optional(
      Schema.Array(
        Schema.Struct({
          orderNumber: Field.requiredIdentifier("Order number"),
          ...ofOrder,
          orderItemUpdateStrategy: optional(strategy),
          items: optional(items)
        }).annotate({ identifier: "DocumentOrder", description: "One of several orders of a shipment." })
      ).annotate({ description: "Several orders of one shipment, instead of orderNumber and items" })
    )
  }).annotate({ identifier: "Document" })
}

/** A document as its schema reads it. */
export type Input = ReturnType<typeof schema>["Type"]

type EncodedDocument = ReturnType<typeof schema>["Encoded"]

/** A literal type stays; `string` becomes `never`. */
type Literal<T> = T extends string ? string extends T ? never : T : never

/** The types of fields restricted to the words of the wire contract, without those that a service adds. */
type OfContract<T> = [Literal<T>] extends [never] ? MembersOfContract<T> : Literal<T> | Exclude<T, string>

type MembersOfContract<T> = T extends ReadonlyArray<infer Entry> ? ReadonlyArray<OfContract<Entry>>
  : T extends object ? { readonly [Name in keyof T]: OfContract<T[Name]> }
  : T

/** One order with its items, or several orders of one shipment. */
type JsonOf<Fields extends EncodedDocument> = Flat<
  & Omit<Fields, "orderNumber" | "shipmentNumber" | "items" | "orders">
  & (
    | (Pick<Fields, "shipmentNumber" | "items"> & { readonly orderNumber: string; readonly orders?: never })
    | {
      readonly shipmentNumber: string
      readonly orders: NonNullable<Fields["orders"]>
      readonly orderNumber?: never
      readonly items?: never
    }
  )
>

/** The same members as one flat type, for completion in editors and readable compiler errors. */
type Flat<T> = T extends object ? { readonly [Name in keyof T]: T[Name] } : never

/** A document with the words and strategies of the wire contract. */
export type DocumentJson = JsonOf<OfContract<EncodedDocument>>

/** A document for a service with its own words or strategies, which are plain strings to the compiler. */
export type OwnDocumentJson = JsonOf<EncodedDocument>

/** The rules of the wire contract. */
export const defaultRules: DocumentRules = { vocabulary: defaultVocabulary, strategies: defaultStrategies }

type InputOrder = NonNullable<Input["orders"]>[number]

/**
 * Reads an untyped value from a JSON parser. It fails with `TooManyItems` before any other check, with `MalformedDocument` when a field is
 * unknown or has the wrong type, and otherwise with `InvalidDocument` when a value is bad or missing. `errors` names every fault, up to
 * `maxFaults`.
 */
export type Reader = (input: unknown) => Result.Result<Document, DocumentInputError>

/** The errors of an input that is not a document. */
export type DocumentInputError = TooManyItems | MalformedDocument | InvalidDocument

/** A document, or the failure to read it, with the place and the numbers that the input names. */
export type DocumentReadResult = Result.Result<Document, DocumentReadFailure<DocumentInputError>>

/** The most items, and the most orders, that a document may hold by default (D2.7). */
export const defaultItemLimit = 10_000

/** Makes the {@link Reader} for the rules. Make it once: this is expensive. */
export const reader = (rules: DocumentRules = defaultRules, itemLimit: number = defaultItemLimit): Reader => {
  const read = stepReader(rules, itemLimit)
  return (input) => Result.mapError(Slices.atOnce(read(input, true)), errorOf)
}

/**
 * Makes the same reader in steps, for callers that record unreadable documents. If the input is only the beginning of a document (`isWhole`
 * is false), it reports too many items and fields of a wrong type or name, but no missing fields.
 */
export const stepReader = (rules: DocumentRules = defaultRules, itemLimit: number = defaultItemLimit) => {
  const read = compile(schema(rules).ast)
  return function*(raw: unknown, isWhole: boolean): Slices.Steps<DocumentReadResult> {
    if (hasTooManyItems(raw, itemLimit)) {
      return Result.fail(new TooManyItems({ limit: itemLimit }))
    }
    const faults = new Faults({ isPart: !isWhole })
    const input = yield* read(raw, faults)
    yield* addMissing(input, rules, faults)
    const { errors, malformed } = faults
    // A value without faults matches the schema.
    if (errors.length === 0 && isWhole) return Result.succeed(yield* toDocument(input as Input))
    return Result.fail(
      unreadable(malformed ? new MalformedDocument({ errors }) : new InvalidDocument({ errors }), raw)
    )
  }
}

/** The shape of a document. */
export const shape = (rules: DocumentRules, itemLimit: number): Shape.ObjectShape =>
  Shape.objectOf(schema(rules), { items: itemLimit, orders: itemLimit })

/** Whether an untyped value, which may be invalid, holds more items or orders than a document may. */
export const hasTooManyItems = (raw: unknown, limit: number): boolean => {
  try {
    const document = membersOf(raw)
    const orders = listOf(document["orders"])
    if (orders.length > limit) return true
    return orders.reduce<number>((sum, order) => sum + listOf(membersOf(order)["items"]).length, 0) +
        listOf(document["items"]).length > limit
  } catch {
    // An accessor or a proxy threw. The read after this check reports the path.
    return false
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === ""

const membersOf = (value: unknown): Record<string, unknown> => Predicate.isObject(value) ? value : {}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Adds the faults of missing fields: of fields that the shape of the document requires (D2.1), and of item fields that the strategy of the
 * order requires (WIRE.md, item strategies).
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

/** Some generated clients send an unset list as an empty one: beside an order number it counts as absent (D2.4). */
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

/** If the lpn is optional, an item needs at least one of these fields (D17.2). */
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
    if (isLpnOptional && !isKeyed) require("lpn", "is required if the item has neither identifier nor sku")
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

/** Each field has the value of the entry, else of the document, else the empty value. The carrier is always the document's (D2.1). */
const toOrderFields = FieldTable.take(orderFields)

const toItem = FieldTable.complete(itemFields)

/** The failure to read a document that names a place. */
export class UnreadableDocument<out E> {
  /** The error that the client sees. */
  readonly error: E
  /** A document with only its place and numbers. */
  readonly names: Document

  constructor(error: E, names: Document) {
    this.error = error
    this.names = names
  }
}

/** The failure to read a document; only the error if the document names no place. */
export type DocumentReadFailure<E> = E | UnreadableDocument<E>

/** The failure to read an untyped value. */
export const unreadable = <E>(error: E, raw: unknown): DocumentReadFailure<E> => {
  try {
    const names = namesIn(raw)
    return names === undefined ? error : new UnreadableDocument(error, names)
  } catch {
    // An accessor or a proxy threw, so the document names nothing.
    return error
  }
}

/** The error that the client sees. */
export const errorOf = <E>(failure: DocumentReadFailure<E>): E =>
  failure instanceof UnreadableDocument ? failure.error : failure

/** The most UTF-16 code units of a name. */
const longest = 1024

const textOf = (value: unknown): string =>
  Predicate.isString(value) && value.length <= longest && value.isWellFormed() && !value.includes("\0")
    ? value
    : ""

/** The place and the numbers that a value names; `undefined` if it names no place. */
const namesIn = (raw: unknown): Document | undefined => {
  const members = membersOf(raw)
  const [business, facility] = [textOf(members["business"]), textOf(members["facility"])]
  if (business === "" || facility === "") return undefined
  const { orders } = members
  const entries = Array.isArray(orders) ? orders.slice(0, recordedLimit).map(membersOf) : [members]
  const strategyOf = ({ orderItemUpdateStrategy: own }: Record<string, unknown>): string =>
    textOf(own ?? members["orderItemUpdateStrategy"] ?? defaultStrategyName)
  return {
    business,
    facility,
    direction: textOf(members["direction"]),
    shipmentNumber: textOf(members["shipmentNumber"]) || textOf(members["orderNumber"]),
    expectedArrivalAt: null,
    ...emptyShipmentFields,
    dockSlug: "",
    additionalFields: [],
    orders: entries.map((entry) => ({
      orderNumber: textOf(entry["orderNumber"]),
      strategy: strategyOf(entry),
      fields: emptyOrderFields,
      items: []
    }))
  }
}
