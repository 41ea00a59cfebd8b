/**
 * The SKU master in Kargo's schema (D17.4): its views, and the inputs of its mutations as inputs of the operations.
 */
import type { SkuView } from "@dockline/core/skus/Sku"
import { InvalidRequest, MalformedRequest } from "@dockline/core/values/Errors"
import { textOrNull } from "../schema/KargoWords.ts"

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
