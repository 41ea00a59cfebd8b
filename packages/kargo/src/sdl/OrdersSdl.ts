/**
 * What is shown of orders and messages, in the language of schemas (D17.1).
 */

/** The fields that orders and their inputs have alike, with the type of an address. */
export const orderTerms = (address: string): string =>
  `\
  requestedShipDate: String
  requestedDeliveryDate: String
  shipperName: String
  shipperAddress: ${address}
  shipperEmail: String
  consigneeName: String
  consigneePhoneNumber: String
  carrier: String
  carrierService: String
  bolNumber: String
  sealNumber: String`

export const ordersSdl = `
type Address {
  addressOne: String!
  addressTwo: String
  city: String!
  state: String!
  zip: String!
}

enum DimensionUnit {
  INCH
}

type KargoAgentDownloadToken {
  version: Int!
  token: String!
}

"An order of a shipment."
type Order {
  "Its id, which addItemsToOrder and deleteItemsFromOrder take."
  externalId: ID!
  "A number made of the slugs of the facility; it stays as it is."
  facilityId: Int!
  facility: Facility!
  orderNumber: String
  direction: OrderDirection!
  orderType: String
  purchaseOrder: String
${orderTerms("Address")}
  items: [OrderItem!]!
  status: OrderStatus!
  shipmentId: Int
  clientName: String
}

enum OrderDirection {
  OUTBOUND
  INBOUND
}

"An item of an order."
type OrderItem {
  id: ID!
  "What it was called when it was sent, else its LPN, else its SKU."
  identifier: String!
  lpn: String
  sku: String
  "Its quantity, rounded."
  quantity: Int!
  "Its unit, UNIT where it is another."
  quantityUnit: ShipperUnitType!
  purchaseOrder: String
  description: String
  upc: String
  "In weightUnit; null where it is kept in another unit."
  weightPerUnit: Float
  weightUnit: WeightUnit
  "In dimensionUnit; null where it is kept in another unit."
  height: Float
  "In dimensionUnit; null where it is kept in another unit."
  length: Float
  dimensionUnit: DimensionUnit
  isDangerousGood: Boolean
  lot: String
  expirationDate: String
  manufacturingDate: String
}

"How far an order is."
enum OrderStatus {
  CREATED
  "Not used: orders are CREATED until they are COMPLETED."
  SCHEDULED
  "Its shipment has departed or was cancelled."
  COMPLETED
}

"A message, as webhooks of the profile kargo carry it."
type PushMessage {
  id: Int!
  messageType: PushMessageTypes!
  "The payload as JSON."
  message: String!
  sentAt: String!
  facilitySlug: String!
  businessSlug: String!
}

input PushMessageFilter {
  "Messages sent then or later: a date and time as in RFC 3339."
  since: String!
  businessSlug: String!
  "Without it, those of all facilities: the client needs permission for the whole business."
  facilitySlug: String
}

input PushMessageSubscriptionFilter {
  businessSlug: String!
  "Without it, those of all facilities: the client needs permission for the whole business."
  facilitySlug: String
}

enum PushMessageTypes {
  PALLET_EVENT
  SHIPMENT_COMPLETE
}

enum ShipperUnitType {
  PALLET
  CASE
  UNIT
}

enum WeightUnit {
  POUND
  KILOGRAM
}
`
