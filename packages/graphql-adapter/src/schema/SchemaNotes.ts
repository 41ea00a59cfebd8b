/**
 * What the GraphQL schema says of core's types beyond their own declarations: names, scalars, descriptions.
 */
import type { DocumentRules } from "@dockline/core/DocumentInput"
import { defaultVocabulary, palletDirections } from "@dockline/core/Vocabulary"
import { GraphQLEnumType } from "graphql"
import { DateTime, MessageId } from "./Scalars.ts"
import type { Input, Output, TypeNotes } from "./SchemaTypes.ts"

/** Words as they are written in a document of GraphQL: in quotes, as those of no enum are. */
const words = (known: ReadonlyArray<string>): string => known.map((word) => JSON.stringify(word)).join(", ")

const { directions, quantityUnits, weightUnits, dimensionUnits } = defaultVocabulary

const item = {
  id: "Its id",
  identifier: "Item reference; not used for matching",
  lpn: "License plate of the pallet; part of the item key",
  sku: "Stock-keeping unit; part of the item key",
  quantity: "Quantity",
  quantityUnit: `Unit of quantity, as text: ${words(quantityUnits)}`,
  purchaseOrder: "Purchase order of the item",
  description: "What it is",
  upc: "Universal product code",
  weightPerUnit: "Weight of one unit",
  weightUnit: `Unit of weightPerUnit, as text: ${words(weightUnits)}`,
  height: "Height, in dimensionUnit",
  length: "Length, in dimensionUnit",
  width: "Width, in dimensionUnit",
  dimensionUnit: `Unit of height, length and width, as text: ${words(dimensionUnits)}`,
  isDangerousGood: "Whether it is a dangerous good",
  lot: "Lot number",
  expirationDate: "Date of expiration, YYYY-MM-DD, or empty",
  manufacturingDate: "Date of manufacturing, YYYY-MM-DD, or empty",
  caseSerials: "Serial numbers of the cases"
}

const order = {
  id: "Its id",
  orderNumber: "Order number",
  status: "How far it is",
  direction: `Text, not an enum, as a service can be given further words: ${words(directions)}`,
  orderType: "Kind of the order",
  purchaseOrder: "Purchase order",
  consigneeName: "Name of the consignee",
  consigneePhoneNumber: "Telephone number of the consignee",
  bolNumber: "Bill of lading number",
  expectedQuantity: "Expected quantity",
  carrier: "Carrier",
  sealNumber: "Seal number",
  supplier: "Supplier",
  client: "Client",
  destination: "Destination",
  items: "Its items, in id order"
}

const shipment = {
  id: "Its id; 0 in a dry run that would create it",
  shipmentNumber: "Shipment number",
  status: "How far it is",
  direction: order.direction,
  business: "The business it belongs to",
  facility: "The facility it visits",
  expectedArrivalAt: "When it is expected to arrive",
  scheduledAt: "When it was scheduled",
  trailerNumber: "Trailer number",
  dockId: "Id of its dock, or empty",
  dockSlug: "Slug of its dock, or empty",
  carrier: "Carrier",
  additionalFields: "Named values, those of the driver included",
  statusEvents: "SCHEDULED, ARRIVED, DEPARTED, in this order",
  orders: "All its orders, in id order"
}

const fieldsOf = (type: string, fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([field, description]) => [`${type}.${field}`, description]))

const place = { slug: "Its slug", name: "Its name" }

/** Notes to what is read. */
export const outputNotes: TypeNotes<Output> = {
  names: {
    "OrderItem.caseSerials": "CaseSerial",
    "Order.status": "OrderStatus",
    "LocatedOrder.status": "OrderStatus",
    "Shipment.status": "ShipmentStatus",
    "StatusEvent.status": "ShipmentStatus",
    "Shipment.additionalFields": "AdditionalField",
    "EntityReference.type": "EntityType"
  },
  types: {
    "Shipment.expectedArrivalAt": DateTime,
    "Shipment.scheduledAt": DateTime,
    "PalletAnswer.messageId": MessageId
  },
  descriptions: {
    OrderItem: "An item of an order: a pallet, or a part of one.",
    ...fieldsOf("OrderItem", item),
    CaseSerial: "The serial number of a case.",
    ...fieldsOf("CaseSerial", { id: "Serial number", quantity: "How many units the case holds" }),
    Order: "An order of a shipment.",
    ...fieldsOf("Order", order),
    LocatedOrder: "An order with the place and the shipment it belongs to.",
    ...fieldsOf("LocatedOrder", {
      ...order,
      business: "The business it belongs to",
      facility: "The facility of its shipment",
      shipmentId: "Id of its shipment",
      shipmentNumber: "Number of its shipment"
    }),
    OrderStatus: "How far an order is.",
    ...fieldsOf("OrderStatus", {
      CREATED: "Its shipment has not departed",
      COMPLETED: "Its shipment has departed"
    }),
    Shipment: "One visit of a truck or container at a facility.",
    ...fieldsOf("Shipment", shipment),
    ShipmentStatus: "How far a shipment is; it moves forward only.",
    ...fieldsOf("ShipmentStatus", {
      SCHEDULED: "It is expected",
      ARRIVED: "It is at the facility",
      DEPARTED: "It has left, and is final"
    }),
    StatusEvent: "One step of a shipment, completed or yet to come.",
    ...fieldsOf("StatusEvent", {
      status: "The status that the step leads to",
      displayName: "How it reads to a person",
      completed: "Whether the shipment has taken it",
      completedAt: "When it did, RFC 3339 in UTC, or empty"
    }),
    AdditionalField: "A named value.",
    ...fieldsOf("AdditionalField", { name: "Its name", value: "Its value" }),
    Place: "A business or facility.",
    ...fieldsOf("Place", place),
    IntakeResult: "What a document did.",
    ...fieldsOf("IntakeResult", {
      created: "What it created",
      updated: "What it updated, or found as it should be",
      removed: "What it removed",
      shipment: "The shipment afterwards"
    }),
    EntityReference: "A shipment, order or item that a document touched.",
    ...fieldsOf("EntityReference", { type: "What it is" }),
    EntityType: "The kinds of entities.",
    ...fieldsOf("EntityType", {
      SHIPMENT: "A shipment",
      ORDER: "An order",
      ORDER_ITEM: "An item of an order"
    }),
    PalletAnswer: "What a pallet event came to, the first time and at each repeat."
  }
}

const PalletDirection = new GraphQLEnumType({
  name: "PalletDirection",
  description: "The directions in which a pallet crosses a dock.",
  values: Object.fromEntries(
    palletDirections.map((word) => [
      word,
      { value: word, description: word === "LOADING" ? "Into the vehicle" : "Out of the vehicle" }
    ])
  )
})

/** Notes to what is sent. */
export const inputNotes: TypeNotes<Input> = {
  names: {
    "DocumentItemInput.caseSerials": "CaseSerial",
    "DocumentInput.additionalFields": "AdditionalField"
  },
  types: {
    "PalletEventInput.direction": PalletDirection,
    "PalletEventInput.occurredAt": DateTime,
    "ArriveShipmentInput.occurredAt": DateTime,
    "DepartShipmentInput.occurredAt": DateTime
  },
  descriptions: {
    DocumentInput: "A shipment, its orders, and what to do with their items; as POST /v1/documents takes it.",
    DocumentItemInput: "An item of an order.",
    "DocumentInput.direction": order.direction,
    "DocumentItemInput.quantityUnit": item.quantityUnit,
    "DocumentItemInput.weightUnit": item.weightUnit,
    "DocumentItemInput.dimensionUnit": item.dimensionUnit,
    "DocumentInput.items": "Items of the order; not beside orders",
    DocumentOrderInput: "One of several orders of a shipment.",
    "DocumentOrderInput.items": "Items of the order",
    CaseSerialInput: "The serial number of a case.",
    AdditionalFieldInput: "A named value to be kept on the shipment.",
    PalletEventInput: "A pallet seen at a dock, as a tower or lift camera reports it.",
    LabelInput: "One value read from a label of the pallet.",
    ArriveShipmentInput: "The arrival of a shipment.",
    DepartShipmentInput: "The departure of a shipment.",
    LinkShipmentsInput: "Two shipments that belong together."
  }
}

/** {@link inputNotes} with the strategies that a document may name, which an embedding service may have added to. */
export const documentNotes = ({ strategies }: Pick<DocumentRules, "strategies">): TypeNotes<Input> => {
  const strategy = `What to do with the items that are there, as text: ${words(Object.keys(strategies))}`
  return {
    ...inputNotes,
    descriptions: {
      ...inputNotes.descriptions,
      "DocumentInput.orderItemUpdateStrategy": strategy,
      "DocumentOrderInput.orderItemUpdateStrategy": strategy
    }
  }
}
