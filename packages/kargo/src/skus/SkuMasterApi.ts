/**
 * The SKU master in the form of Kargo's service (D17.4): names of fields, answers and pages are those of its contract. The rules are
 * those of the operations on SKUs.
 */
import { skusInChange } from "@dockline/core/skus/Sku"
import * as SkuInput from "@dockline/core/skus/SkuInput"
import {
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  InvalidParameter,
  InvalidRequest,
  MalformedRequest,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { BodyAlreadyRead, PayloadTooLarge, UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import {
  about,
  count,
  problems,
  repeatable,
  secured,
  text,
  writeHeaders
} from "@dockline/http-adapter/RestPart"
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"

const optional = Schema.optionalKey

/** What is null in JSON is absent in XML. */
const shownText = (description: string) => optional(Schema.NullOr(Schema.String).annotate({ description }))

const shownCount = (description: string) => optional(Schema.NullOr(Schema.Int).annotate({ description }))

const { fields } = SkuInput.skuSchema

/** The schema of a request that adds and changes SKUs, by that of their further facts. */
const upsertWith = <Metadata extends Schema.Top>(sku_metadata: Metadata) => {
  const sku = Schema.Struct({
    sku_id: fields.id,
    description: fields.description,
    unit_of_measure: fields.unitOfMeasure,
    unit_of_weight: fields.unitOfWeight,
    alternate_sku_ids: fields.alternateIds,
    cases_per_pallet: fields.casesPerPallet,
    cases_per_layer: fields.casesPerLayer,
    layers_per_pallet: fields.layersPerPallet,
    sku_metadata
  }).annotate({ identifier: "SkuMasterInput", description: "A SKU; what is absent or empty stays as it is." })
  return Schema.Struct({
    business: Field.slug("Business slug"),
    facility: Field.slug("Facility slug"),
    skus: Schema.Array(sku).check(Field.atMost(skusInChange)).annotate({ description: "The SKUs, each once" })
  }).annotate({ identifier: "SkuMasterUpsertRequest", description: "SKUs of a facility to add or change." })
}

export const SkuMasterUpsert = upsertWith(
  optional(Schema.Json.annotate({ description: "Further facts: any JSON value of at most 4096 characters" }))
)

/** The schema of a request whose further facts have become the texts of their JSON. */
export const upsertOfTexts = upsertWith(fields.metadata)

const SkuMaster = Schema.Struct({
  business: text("Business slug"),
  facility: text("Facility slug"),
  sku_id: text("The SKU"),
  description: shownText("What it is"),
  unit_of_measure: shownText("Unit of its quantities"),
  unit_of_weight: shownText("Unit of its weight"),
  alternate_sku_ids: optional(
    Schema.NullOr(Schema.Array(Schema.String)).annotate({
      description: "Other numbers and barcodes by which it is known"
    })
  ),
  cases_per_pallet: shownCount("How many cases a pallet holds"),
  cases_per_layer: shownCount("How many cases a layer of a pallet holds"),
  layers_per_pallet: shownCount("How many layers a pallet has"),
  sku_metadata: optional(Schema.Json.annotate({ description: "Further facts, as they were sent" })),
  created_at: text("When it was added, RFC 3339 in UTC"),
  updated_at: shownText("When it was changed last, RFC 3339 in UTC")
}).annotate({ identifier: "SkuMaster", description: "What is known of a SKU at a facility." })

/** A SKU in the form of Kargo's service. */
export type SkuMaster = typeof SkuMaster.Type

export const SkuMasterUpserted = Schema.Struct({
  numRecordsAdded: count("How many SKUs are new"),
  numRecordsUpdated: count("How many SKUs were there"),
  skus: Schema.Array(SkuMaster).annotate({ description: "The SKUs that were given, as they are now" })
}).annotate({ identifier: "SkuMasterUpsertResult", description: "What became of SKUs." })

export const SkuMasterList = Schema.Struct({
  skus: Schema.Array(SkuMaster).annotate({ description: "The SKUs" }),
  total: count("How many there are before they are cut into pages"),
  limit: shownCount("The size of a page; null where none is asked for"),
  offset: shownCount("How many SKUs come before; null where no page is asked for"),
  next_offset: shownCount("The offset of the next page; null on the last")
}).annotate({ identifier: "SkuMasterListResult", description: "SKUs of a facility." })

export const SkuMasterDeleted = Schema.Struct({
  numRecordsDeleted: count("1 if the SKU was there, else 0")
}).annotate({ identifier: "SkuMasterDeleteResult", description: "What became of a SKU." })

const refusals = [
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  InvalidParameter,
  InvalidRequest,
  StorageUnavailable
] as const

/** What is missing or wrong among these is 422, as in Kargo's service, and found by the handler. */
const query = {
  business: optional(text("Slug of the business; required.")),
  facility: optional(text("Slug of the facility; required.")),
  sku_id: optional(text("The SKU."))
}

export const upsertSkuMaster = HttpApiEndpoint.post("upsertSkuMaster", "/v1/sku_master", {
  headers: writeHeaders,
  payload: SkuMasterUpsert,
  success: SkuMasterUpserted,
  error: problems(
    ...refusals,
    MalformedRequest,
    UnsupportedMediaType,
    PayloadTooLarge,
    BodyAlreadyRead,
    ...repeatable,
    ...secured
  )
}).annotateMerge(about(
  "Add or change SKUs, in Kargo's form",
  "As POST /v1/skus, with the names of Kargo's contract, in JSON or XML. sku_metadata may be any JSON value."
))

export const getSkuMaster = HttpApiEndpoint.get("getSkuMaster", "/v1/sku_master", {
  query: {
    ...query,
    limit: optional(
      text("The size of a page, of which 100 SKUs are the most; all SKUs without it, up to 1000.")
    ),
    offset: optional(text("With limit, how many SKUs come before; 0 when absent."))
  },
  success: SkuMasterList,
  error: problems(...refusals, ...secured)
}).annotateMerge(about(
  "Read SKUs, in Kargo's form",
  "The SKU master of a facility, in the order of the SKUs. More than 1000 SKUs are read in pages."
))

export const deleteSkuMaster = HttpApiEndpoint.make("DELETE")("deleteSkuMaster", "/v1/sku_master", {
  query,
  success: SkuMasterDeleted,
  error: problems(...refusals, ...secured)
}).annotateMerge(about(
  "Delete a SKU, in Kargo's manner",
  "Takes the SKU of sku_id out of the master of a facility; one that is not there is no error."
))
