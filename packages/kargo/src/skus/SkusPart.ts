/** The SKU master as a part of Kargo's schema (D17.4): its views, and the conversion of its inputs to bodies of the operations. */
import type { SkuView } from "@dockline/core/skus/Sku"
import { deleteSkus, setSkus } from "@dockline/core/skus/SkuOperations"
import type { DeleteSkusAnswer, SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import { InvalidRequest, MalformedRequest } from "@dockline/core/values/Errors"
import { Context, Effect, Result } from "effect"
import { textOrNull } from "../schema/KargoWords.ts"
import type { SchemaPart } from "../schema/SchemaPart.ts"
import type { PlaceSource } from "../schema/ShipmentAnswers.ts"

/** The place in an input of this part of the schema. */
export interface SkuPlaceGiven {
  readonly business_slug: string
  readonly facility_slug: string
}

export interface SkusGiven extends SkuPlaceGiven {
  readonly SKUs: ReadonlyArray<{
    readonly sku_id: string
    readonly description?: string | null
    readonly unit_of_measure?: string | null
    readonly alternate_sku_ids?: ReadonlyArray<string> | null
    readonly sku_metadata?: string | null
  }>
}

export interface SkusGone extends SkuPlaceGiven {
  readonly SKUIDs: ReadonlyArray<string>
}

export const skuOf = (sku: SkuView) => ({
  business_slug: sku.business,
  facility_slug: sku.facility,
  sku_id: sku.id,
  description: textOrNull(sku.description),
  created_at: sku.createdAt,
  updated_at: textOrNull(sku.updatedAt),
  unit_of_measure: textOrNull(sku.unitOfMeasure),
  alternate_sku_ids: sku.alternateIds,
  sku_metadata: textOrNull(sku.metadata)
})

const placeOf = ({ business_slug: business, facility_slug: facility }: SkuPlaceGiven) => ({
  business,
  facility
})

/** The body of the operation that adds or changes SKUs; absent fields stay unchanged. */
export const setOf = (input: SkusGiven) => ({
  ...placeOf(input),
  skus: input.SKUs.map((sku) => ({
    id: sku.sku_id,
    description: sku.description ?? "",
    unitOfMeasure: sku.unit_of_measure ?? "",
    alternateIds: sku.alternate_sku_ids ?? [],
    metadata: sku.sku_metadata ?? ""
  }))
})

/** The body of the operation that deletes SKUs. */
export const deletionOf = (input: SkusGone) => ({ ...placeOf(input), ids: input.SKUIDs })

const names: Readonly<Record<string, string>> = {
  business: "business_slug",
  facility: "facility_slug",
  skus: "SKUs",
  ids: "SKUIDs",
  id: "sku_id",
  unitOfMeasure: "unit_of_measure",
  alternateIds: "alternate_sku_ids",
  metadata: "sku_metadata"
}

/** The refusal of a body, with the names of the input's fields. */
export const ofSkus = (refusal: InvalidRequest | MalformedRequest): InvalidRequest | MalformedRequest => {
  const errors = refusal.errors.map(({ detail, path }) => ({
    path: `input.${path.replaceAll(/[A-Za-z]+/g, (name) => names[name] ?? name)}`,
    detail
  }))
  return refusal._tag === "InvalidRequest" ? new InvalidRequest({ errors }) : new MalformedRequest({ errors })
}

/** The SKU master in the GraphQL schema language (D17.4). */
export const skusSdl = `
extend type Facility {
  SKUs: [SKU!]!
  SKU(id: String!): SKU
}

extend type Mutation {
  "Creates SKUs, or changes the given fields of existing SKUs."
  upsertSKUs(input: UpsertSKUInput!): UpsertSKUResult!
  "Deletes SKUs."
  deleteSKUs(input: DeleteSKUInput!): DeleteSKUResult!
}

"The data of an SKU at a facility."
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
    // The part is in the schema only if the service has the SKU master, whose services are then in the registry.
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
