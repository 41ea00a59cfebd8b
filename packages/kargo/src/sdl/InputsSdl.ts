/**
 * What queries and mutations take, in the language of schemas (D17.1).
 */
import { orderTerms } from "./OrdersSdl.ts"

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

"An order. What has no field here is kept among the additional fields of its shipment."
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
  "The shipment of the order; without it, the shipment that has its number, or a new one."
  shipmentId: Int
  expectedQuantity: Int
  clientName: String
  appendItems: Boolean
  "Not taken: items are matched by LPN and SKU."
  updateByLineId: Boolean
  isASN: Boolean
}

"An item. Without an LPN it is expected, but not as a pallet."
input OrderItemInput {
  "The LPN where it is absent, else the SKU."
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

"Which orders, by the times of their shipments."
input OrdersFilter {
  direction: OrderDirection
  "A date, or a date and time as in RFC 3339."
  startDate: String!
  "A date, which counts too, or a date and time as in RFC 3339."
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

"Which shipments, by their times: when they departed, else docked, else are expected."
input ShipmentFilter {
  "Those whose time is then or later."
  since: String
  "Those whose time is then or earlier."
  before: String
  "Those whose number, carrier, trailer or order number holds this text, in any case."
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
  "It has checked in; it is not at its dock yet."
  AT_FACILITY
  "It has a dock."
  DOOR_ASSIGNED
  "It has checked out; only its departure at the dock completes it."
  CHECKED_OUT
}

"A shipment. What has no field here is kept among its additional fields."
input UpdateShipmentInput {
  businessSlug: String!
  facilitySlug: String!
  "Names the shipment; the order number where createShipmentAndOrder has one order."
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
