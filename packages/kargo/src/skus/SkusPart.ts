/** The SKU master as a part of Kargo's schema (D17.4). */
import { deleteSkus, setSkus } from "@dockline/core/skus/SkuOperations"
import type { DeleteSkusAnswer, SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import { Context, Effect, Result } from "effect"
import type { SchemaPart } from "../schema/SchemaPart.ts"
import type { PlaceSource } from "../schema/ShipmentAnswers.ts"
import { deletionOf, ofSkus, setOf, skuOf } from "./SkuWords.ts"
import type { SkusGiven, SkusGone } from "./SkuWords.ts"

/** The SKU master in the GraphQL schema language (D17.4). */
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

/** The SKU master. */
export const skus: SchemaPart = {
  name: "skus",
  sdl: skusSdl,
  resolvers: ({ entity, list, lists, registry }, mutationOf) => {
    // The part belongs to the capability, whose services are then in the registry.
    const master = () => Context.getUnsafe(registry.services, Skus)
    return {
      Facility: {
        SKUs: list(({ business, slug: facility }: PlaceSource, _args: unknown, context) => {
          const page = (after: string) =>
            master().list({ business, facility, after }, context.session.principal)
          return Effect.map(lists.all(page, context), (rows) => rows.map(skuOf))
        }),
        SKU: entity(({ business, slug: facility }: PlaceSource, { id }: { readonly id: string }, context) =>
          Effect.map(
            master().slice({ business, facility }, { id, offset: 0, limit: 1 }, context.session.principal),
            ({ skus: [sku] }) => sku === undefined ? null : skuOf(sku)
          )
        )
      },
      Mutation: {
        upsertSKUs: mutationOf(
          "setSkus",
          (input: SkusGiven) => Result.mapError(setSkus.read(setOf(input)), ofSkus),
          ({ added, updated }: SetSkusAnswer) => ({ numRecordsAdded: added, numRecordsUpdated: updated })
        ),
        deleteSKUs: mutationOf(
          "deleteSkus",
          (input: SkusGone) => Result.mapError(deleteSkus.read(deletionOf(input)), ofSkus),
          ({ deleted }: DeleteSkusAnswer) => ({ numRecordsDeleted: deleted })
        )
      }
    }
  }
}
