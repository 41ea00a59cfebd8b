/**
 * The queries and subscriptions, with the types of places and shipments, in the GraphQL schema language (D17.1).
 */
export const shipmentsSdl = `
"The queries."
type Query {
  "True for a client that has signed in."
  ping: Boolean!
  "The businesses in which the client may see a facility, with these facilities."
  businesses: [Business!]!
  "The shipment with this id. A shipment that the client may not see counts as missing."
  shipment(id: Int!): Shipment!
  "The messages about pallets and completed shipments since a time, ascending by id; an error if there are more than one answer holds."
  pushMessages(input: PushMessageFilter!): [PushMessage!]!
  "Null: there is no agent to download."
  kargoAgent: KargoAgentDownloadToken
}

"The subscriptions."
type Subscription {
  "Each message about a pallet or a completed shipment as it is published."
  pushMessage(filter: PushMessageSubscriptionFilter!): PushMessage!
}

"A customer, with its facilities."
type Business {
  slug: String!
  name: String
  facilities: [Facility!]!
}

"A door of a facility."
type Dock {
  "A number that is derived from the slugs of the facility, and never changes."
  facilityId: Int!
  "A number that is derived from the slug of the business, and never changes."
  businessId: Int!
  slug: String!
  "Its slug."
  displayName: String!
  "The shipment that is at the dock: it has arrived and not departed. If there are several, the last to arrive."
  currentShipment: Shipment
}

"A site of a business."
type Facility {
  slug: String!
  name: String
  "Null: addresses are not kept."
  address: Address
  "Its shipments in the order of their times; more than 1,000 are refused."
  shipments(filter: ShipmentFilter): [Shipment!]! @deprecated
  shipment(id: Int!): Shipment!
  docks: [Dock!]!
  "The orders of its shipments of these days, including the last day."
  orders(filter: OrdersFilter!): [Order!]!
}

"What was read from the labels of a pallet; images are not kept."
type Label {
  palletId: Int!
  fields: [LabelField!]!
  licensePlateNumbers: [LabelField!]!
  palletContentIds: [LabelField!]!
  userUploadedImages: [UploadedImage!]!
  forkliftImages: [PalletImage!]!
  unclassifiedImages: [PalletImage!]!
}

"A value that was read from a label."
type LabelField {
  id: ID!
  displayName: String!
  managedFieldName: String!
  managedFieldFormatRegExp: String
  value: String!
  requiresAnnotationReason: Boolean
  imageIds: [Int!]!
  images: [PalletImage!]!
}

union PalletImage = TaggedImage | UploadedImage

enum PalletImageSource {
  FORKLIFT
  TOWER
}

"One visit of a truck or container at a facility."
type Shipment {
  id: Int!
  facility: Facility!
  dockId: Int
  dock: Dock
  "One unit, with the expected goods and the pallets that have passed."
  cargo: [ShippingUnit!]!
  item(partID: String!): ShippingItem
  shippingDirection: ShippingDirection
  "When it docked."
  arrivedAt: String
  "When its first pallet passed."
  loadingStartAt: String
  "When its last pallet passed."
  loadingEndAt: String
  departedAt: String
  "The purchase order of its first order that has one."
  purchaseOrder: String
  carrier: String
  carrierService: String
  statusEvents: [ShipmentStatusEvent!]!
  "Its status; null for a cancelled shipment."
  status: ShipmentStatus
  orders: [Order!]!
  "Its shipment number."
  customerShipmentIdentifier: String
  expectedArrivalAt: String
  "Empty: files are not kept."
  documents: [ShipmentDocument!]!
}

type ShipmentDocument {
  id: ID!
  type: String
  externalId: String!
  shipmentId: Int!
  fileName: String!
  fileUrl: String!
  uploadedAt: String!
}

enum ShipmentStatus {
  NEW
  SCHEDULED
  AT_FACILITY
  DOOR_ASSIGNED
  CHECKED_OUT
  DOCKED
  LOADING
  UNLOADING
  LOADED
  UNLOADED
  DEPARTED
}

type ShipmentStatusEvent {
  status: ShipmentStatus!
  displayName: String!
  completed: Boolean!
  completedAt: String
}

"RECEIVING is INBOUND, SHIPPING is OUTBOUND. A shipment that is sent as MIXED or UNKNOWN gets the direction of its orders."
enum ShippingDirection {
  SHIPPING
  RECEIVING
  MIXED
  UNKNOWN
}

"A pallet that a tower has seen."
type ShippingItem {
  "Its LPN, or its id if it has no LPN."
  partID: String!
  "The quantity on its label, else the quantities of the items with its LPN, else 1."
  quantity: Int!
  occurredAt: String!
  "SHIPPING if it was loaded, RECEIVING if it was unloaded."
  direction: ShippingDirection
  label: Label
}

"The items of an SKU."
type ShippingItemAggregation {
  name: String
  partID: String
  quantity: Int
}

"The expected goods of a shipment, and the pallets that have passed."
type ShippingUnit {
  manifest: [ShippingItemAggregation!]!
  items: [ShippingItem!]!
}

type TaggedImage {
  id: ID!
  url: String!
  brightness: Float
  identifier: String
  imageSource: PalletImageSource!
}

type UploadedImage {
  id: ID!
  url: String!
  identifier: String
  uploader: User
  uploadTime: String
}

type User {
  id: Int!
  externalId: ID!
  firstName: String!
  lastName: String!
  email: String!
}
`

/** The fields that orders and their inputs have in common, given the type of an address. */
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

/**
 * The types of orders and messages, in the GraphQL schema language (D17.1).
 */
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
  "Its id, for addItemsToOrder and deleteItemsFromOrder."
  externalId: ID!
  "A number that is derived from the slugs of the facility, and never changes."
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
  "The identifier that was sent, else its LPN, else its SKU."
  identifier: String!
  lpn: String
  sku: String
  "Its quantity, rounded."
  quantity: Int!
  "Its unit; UNIT in place of other units."
  quantityUnit: ShipperUnitType!
  purchaseOrder: String
  description: String
  upc: String
  "In weightUnit; null if it is kept in another unit."
  weightPerUnit: Float
  weightUnit: WeightUnit
  "In dimensionUnit; null if it is kept in another unit."
  height: Float
  "In dimensionUnit; null if it is kept in another unit."
  length: Float
  dimensionUnit: DimensionUnit
  isDangerousGood: Boolean
  lot: String
  expirationDate: String
  manufacturingDate: String
}

"The status of an order."
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
  "Messages sent at this time or later: a date and time as in RFC 3339."
  since: String!
  businessSlug: String!
  "When absent, messages of all facilities: the client needs permission for the whole business."
  facilitySlug: String
}

input PushMessageSubscriptionFilter {
  businessSlug: String!
  "When absent, messages of all facilities: the client needs permission for the whole business."
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
