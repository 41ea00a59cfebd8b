/**
 * The document as clients write it: one schema for JSON, XML and GraphQL.
 */
import { Schema } from "effect"
import { orderFields } from "../../shipment/Order.ts"
import { itemFields } from "../../shipment/OrderItem.ts"
import { shipmentFields } from "../../shipment/Shipment.ts"
import * as Field from "../../values/Field.ts"
import * as Row from "../../values/FieldTable.ts"
import type { VocabularyWords, Word } from "../../values/Vocabulary.ts"
import type { Strategy, StrategyName } from "../Strategy.ts"

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
