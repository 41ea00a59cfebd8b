/**
 * The types of documents as TypeScript programs write them, made of the schema that documents are read with. What they
 * refuse would be refused when it is read: a misspelt field, an unknown word, orders beside an order number (D2.1).
 */
import { Schema } from "effect"
import { orderFields } from "../../shipment/Order.ts"
import { itemFields } from "../../shipment/OrderItem.ts"
import { shipmentFields } from "../../shipment/Shipment.ts"
import * as Field from "../../values/Field.ts"
import * as Row from "../../values/FieldTable.ts"
import type { VocabularyWords, Word } from "../../values/Vocabulary.ts"
import type { Strategy, StrategyName } from "../Strategy.ts"

/*
 * The document as clients write it: one schema for JSON, XML and GraphQL.
 */

/** The words that documents may use, the strategies that they may name, and what their items may lack. */
export interface DocumentRules {
  readonly vocabulary: VocabularyWords
  readonly strategies: Strategies
  /**
   * Whether an item may lack what strategies require of its key, as long as it has an lpn, an identifier or an sku (D17.2).
   * Documents of the wire contract may not.
   */
  readonly isLpnOptional?: boolean | undefined
}

export type Strategies = Readonly<Record<string, Strategy>>

const optional = Schema.optionalKey

/** The carrier of an order is always that of the document (D2.1). */
const { carrier: _, ...ownOrderFields } = orderFields

/** The fields of an item; a part of its key may be empty where an lpn is optional. */
const fieldsOfItem = ({ isLpnOptional, vocabulary }: DocumentRules) => {
  const itemSchema = Row.givenFields(itemFields, vocabulary)
  if (isLpnOptional !== true) return itemSchema
  const { lpn, sku } = itemFields
  return {
    ...itemSchema,
    lpn: optional(Field.lpn(lpn.description)),
    sku: optional(Field.identifier(sku.description))
  }
}

/**
 * The schema of a document's JSON form, for the given rules. Used to read documents and to describe them (OpenAPI):
 * its fields, types, limits and texts are those of the service.
 */
export const schema = (rules: DocumentRules) => {
  const { strategies, vocabulary } = rules
  const strategy = Field.name<StrategyName>(
    Object.keys(strategies),
    "What to do with the items that are there"
  )
  const item = Schema.Struct(fieldsOfItem(rules)).annotate({
    identifier: "DocumentItem",
    description: "An item of an order."
  })
  const items = Schema.Array(item).annotate({ description: "The items of the order, each an lpn and a sku" })
  const ofOrder = Row.givenFields(ownOrderFields, vocabulary)
  return Schema.Struct({
    business: Field.slug("Business slug"),
    facility: Field.slug("Facility slug"),
    direction: Field.name<Word<"directions">>(vocabulary.directions, "Direction of the order"),
    orderNumber: optional(Field.identifier("Order number; required unless orders is sent")),
    shipmentNumber: optional(Field.identifier("Shipment number; orderNumber when absent")),
    expectedArrivalAt: optional(Field.dateTime("Expected arrival; now when absent")),
    ...Row.givenFields(shipmentFields, vocabulary),
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

export type Input = ReturnType<typeof schema>["Type"]

type EncodedDocument = ReturnType<typeof schema>["Encoded"]

/** A literal for itself, any other text for nothing. */
type Literal<T> = T extends string ? string extends T ? never : T : never

/** The words of the wire contract alone, where fields take those that a service adds as well. */
type OfContract<T> = [Literal<T>] extends [never] ? MembersOfContract<T> : Literal<T> | Exclude<T, string>

type MembersOfContract<T> = T extends ReadonlyArray<infer Entry> ? ReadonlyArray<OfContract<Entry>>
  : T extends object ? { readonly [Name in keyof T]: OfContract<T[Name]> }
  : T

/** One order with its items, or several orders of one shipment. */
type Shape<Fields extends EncodedDocument> = Flat<
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

/** The same members without the types that they were put together of, for completion and for the texts of errors. */
type Flat<T> = T extends object ? { readonly [Name in keyof T]: T[Name] } : never

/** A document with the words and strategies of the wire contract. */
export type DocumentJson = Shape<OfContract<EncodedDocument>>

/** A document for a service with words or strategies of its own, whose names no type knows. */
export type OwnDocumentJson = Shape<EncodedDocument>
