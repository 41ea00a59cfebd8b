/**
 * The document as clients write it: one schema for JSON, XML and GraphQL.
 */
import { Schema } from "effect"
import * as Field from "../values/Field.ts"
import type { VocabularyWords } from "../values/Vocabulary.ts"
import type { Strategy } from "./Strategy.ts"

/** What a document is read against: the words it may use and the strategies it may name. */
export interface DocumentRules {
  readonly vocabulary: VocabularyWords
  readonly strategies: Strategies
}

/** Strategies by name. */
export type Strategies = Readonly<Record<string, Strategy>>

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

/** A document as it is written. */
export type Input = ReturnType<typeof schema>["Type"]
