import { orderTerms } from "./ReadsSdl.ts"

/**
 * The mutations and their answers, in the GraphQL schema language (D17.1).
 */
export const mutationsSdl = `
"The mutations. Each is all or nothing."
type Mutation {
  "Creates or updates a shipment with its orders and their items, and its check-in if the input has a status."
  createShipmentAndOrder(input: CreateShipmentAndOrderInput!): CreateShipmentAndOrderResult!
  "Creates or updates a shipment without changing its orders, and checks it in if the input has a status."
  updateShipment(input: UpdateShipmentInput!): UpdateShipmentResult!
  "Creates an order; the number of an existing order is refused."
  createOrder(input: OrderInput!): CreateOrderResult!
  "Creates the order with this number, or updates it on its shipment: its items are replaced; with appendItems, the items are added."
  createOrUpdateOrder(input: OrderInput!): CreateOrUpdateOrderResult!
  "Adds items to an order; existing items are refused."
  addItemsToOrder(input: AddItemsToOrderInput!): AddItemsToOrderResult!
  "Removes the items with these identifiers from an order; the order stays."
  deleteItemsFromOrder(input: DeleteItemsFromOrderInput!): DeleteItemsFromOrderResult!
  "Accepts an image, and reads nothing from it: there are no templates."
  parseImage(input: ParseImageInput!): ParseImageResult!
  "Submits a document in the form of POST /v1/documents; for a refused document, success is false and message is the reason."
  processPayload(input: ProcessPayloadInput!): ProcessPayloadResult!
}

type AddItemsToOrderResult {
  success: Boolean!
}

type Coordinate {
  x: Float!
  y: Float!
}

type CreateOrUpdateOrderResult {
  success: Boolean!
  id: ID!
  type: String!
}

type CreateOrderResult {
  success: Boolean!
  id: ID!
}

type CreateShipmentAndOrderResult {
  shipment: Shipment!
}

type DeleteItemsFromOrderResult {
  success: Boolean!
  deletedIdentifiers: [String!]!
  orderDeleted: Boolean!
}

type ParseImageMetadataEntry {
  key: String!
  value: String!
}

type ParseImageResult {
  readResults: [ResultField!]
  requestId: String
  templateIds: [Int!]
  metadata: [ParseImageMetadataEntry!]
}

type ProcessPayloadResult {
  success: Boolean!
  message: String
  loggingId: String!
}

type ResultField {
  name: String!
  value: String!
  confidence: Float
  locations: [Coordinate!]
}

type UpdateShipmentResult {
  success: Boolean!
  id: Int!
}
`

/**
 * The arguments of queries and mutations, in the GraphQL schema language (D17.1).
 */
export const inputsSdl = `
input AddItemsToOrderInput {
  id: ID!
  items: [OrderItemInput!]!
}

input AddressInput {
  addressOne: String!
  addressTwo: String
  city: String!
  state: String!
  zip: String!
}

"A case with its serial number."
input CaseSubUnitInput {
  id: String!
  quantity: Int!
  "CASE."
  unit_type: ShipperUnitType!
}

input CreateShipmentAndOrderInput {
  shipment: UpdateShipmentInput!
  orders: [PostShipmentCreateOrderInput!]!
}

input DeleteItemsFromOrderInput {
  id: ID!
  identifiers: [String!]!
}

enum EquipmentType {
  TRAILER
  CONTAINER
  AIR
  BOX_TRUCK
}

"Any JSON value."
scalar JSON

"An order. Values for which orders have no field are kept as additional fields of its shipment."
input OrderInput {
  businessSlug: String!
  facilitySlug: String!
  "Required: it names the order."
  orderNumber: String
  direction: OrderDirection!
  orderType: String
  purchaseOrder: String
${orderTerms("AddressInput")}
  items: [OrderItemInput!]!
  "The shipment of the order; when absent, the shipment of the open order with this number, or a shipment with the number of the order, which is created if necessary."
  shipmentId: Int
  expectedQuantity: Int
  clientName: String
  appendItems: Boolean
  "Not supported: items are matched by LPN and SKU."
  updateByLineId: Boolean
  isASN: Boolean
}

"An item. Without an LPN it is expected, but not as a pallet."
input OrderItemInput {
  "When absent, the LPN, else the SKU."
  identifier: String
  lpn: String
  sku: String
  quantity: Int
  quantityUnit: ShipperUnitType!
  purchaseOrder: String
  description: String
  upc: String
  weightPerUnit: Float
  weightUnit: WeightUnit
  height: Float
  length: Float
  dimensionUnit: DimensionUnit
  isDangerousGood: Boolean
  lot: String
  expirationDate: String
  manufacturingDate: String
  subUnits: [CaseSubUnitInput!]
  itemMetadata: JSON
}

"Selects orders by the times of their shipments."
input OrdersFilter {
  direction: OrderDirection
  "A date, or a date and time as in RFC 3339."
  startDate: String!
  "The last date, which is included, or a date and time as in RFC 3339."
  endDate: String!
}

input ParseImageInput {
  businessSlug: String!
  facilitySlug: String!
  file: Upload!
  metadata: [ParseImageInputMetadataEntry!]!
}

input ParseImageInputMetadataEntry {
  key: String!
  value: String!
}

"An order of a shipment."
input PostShipmentCreateOrderInput {
  direction: OrderDirection!
  orderType: String
  purchaseOrder: String
  "Required: it names the order."
  orderNumber: String
${orderTerms("AddressInput")}
  items: [OrderItemInput!]!
  expectedQuantity: Int
  clientName: String
}

input ProcessPayloadInput {
  businessSlug: String!
  facilitySlug: String!
  payload: JSON!
}

enum ServiceType {
  AIR_LOOSE
  AIR_INTACT
  AIR_EXPORT
}

input ShipmentAdditionalField {
  name: String!
  value: String!
}

"Selects shipments by their times: when they departed, else docked, else are expected."
input ShipmentFilter {
  "Only shipments whose time is this time or later."
  since: String
  "Only shipments whose time is this time or earlier."
  before: String
  "Only shipments whose number, carrier, trailer or order number contains this text, in any case."
  query: String
  dockSlugs: [String!]
  "RECEIVING or SHIPPING; no shipment is MIXED or UNKNOWN."
  shippingDirection: ShippingDirection
  withDiscrepancies: Boolean
}

enum ShipmentType {
  GATEWAY
  GATEWAY_LOOP
  DOCK_DOOR
}

"How far a shipment is, as people outside of the dock know it."
enum ShipmentUpdateStatus {
  "It is expected."
  SCHEDULED
  "It has checked in, and is not at its dock yet."
  AT_FACILITY
  "It has a dock."
  DOOR_ASSIGNED
  "It has checked out; only its departure at the dock completes it."
  CHECKED_OUT
}

"A shipment. Values for which shipments have no field are kept as additional fields."
input UpdateShipmentInput {
  businessSlug: String!
  facilitySlug: String!
  "The number of the shipment; when absent in createShipmentAndOrder with one order, the order number."
  shipmentNumber: String
  expectedArrivalAt: String
  direction: ShippingDirection
  carrier: String
  carrierService: String
  trailerNumber: String
  status: ShipmentUpdateStatus
  statusOccurredAt: String
  dockSlug: String
  driverName: String
  driverLicenseNumber: String
  driverLicensePlate: String
  driverEmailAddress: String
  equipmentType: EquipmentType
  serviceType: ServiceType
  shipmentType: ShipmentType
  sealNumber: String
  additionalFields: [ShipmentAdditionalField!]
}

"A file of a multipart request."
scalar Upload
`
