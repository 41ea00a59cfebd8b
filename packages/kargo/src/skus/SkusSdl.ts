/** The SKU master in the language of schemas (D17.4). */
export const skusSdl = `
extend type Facility {
  SKUs: [SKU!]!
  SKU(id: String!): SKU
}

extend type Mutation {
  "Creates SKUs, or changes what is given of those that are there."
  upsertSKUs(input: UpsertSKUInput!): UpsertSKUResult!
  "Deletes SKUs."
  deleteSKUs(input: DeleteSKUInput!): DeleteSKUResult!
}

"What is known of an SKU at a facility."
type SKU {
  business_slug: String!
  facility_slug: String!
  sku_id: String!
  description: String
  created_at: String
  updated_at: String
  unit_of_measure: String
  alternate_sku_ids: [String!]
  sku_metadata: String
}

type DeleteSKUResult {
  numRecordsDeleted: Int!
}

type UpsertSKUResult {
  numRecordsAdded: Int!
  numRecordsUpdated: Int!
}

input DeleteSKUInput {
  business_slug: String!
  facility_slug: String!
  SKUIDs: [String!]!
}

input SKUEntry {
  sku_id: String!
  description: String
  unit_of_measure: String
  alternate_sku_ids: [String!]
  sku_metadata: String
}

input UpsertSKUInput {
  business_slug: String!
  facility_slug: String!
  SKUs: [SKUEntry!]!
}
`
