/**
 * The mutations and their answers, in the language of schemas (D17.1).
 */
export const mutationsSdl = `
"What can be done. Each mutation is all or nothing."
type Mutation {
  "Creates or updates a shipment with its orders and their items, and its check-in where a status is given."
  createShipmentAndOrder(input: CreateShipmentAndOrderInput!): CreateShipmentAndOrderResult!
  "Creates or updates a shipment without touching its orders, and checks it in where a status is given."
  updateShipment(input: UpdateShipmentInput!): UpdateShipmentResult!
  "Creates an order; a number that is there is refused."
  createOrder(input: OrderInput!): CreateOrderResult!
  "Creates the order of a number, or updates it where it is: its items are replaced, or added to with appendItems."
  createOrUpdateOrder(input: OrderInput!): CreateOrUpdateOrderResult!
  "Adds items to an order; those that are there are refused."
  addItemsToOrder(input: AddItemsToOrderInput!): AddItemsToOrderResult!
  "Removes the items of these identifiers from an order; the order stays."
  deleteItemsFromOrder(input: DeleteItemsFromOrderInput!): DeleteItemsFromOrderResult!
  "Takes an image, and reads nothing from it: there are no templates."
  parseImage(input: ParseImageInput!): ParseImageResult!
  "Submits a document as POST /v1/documents takes it; one that is refused has success false and the reason as message."
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
