/**
 * The SKU master in the form of Kargo's service as a part of REST (D17.4): `HttpAdapter` serves `/v1/sku_master` if the service has the
 * capabilities `kargo` and `skus`.
 *
 * ```ts
 * HttpAdapter.layer(config, [kargoSkuMaster])
 * ```
 */
import type { Principal } from "@dockline/core/access/Access"
import { OperationRegistry, writing } from "@dockline/core/capability/OperationRegistry"
import * as RequestInput from "@dockline/core/input/RequestInput"
import * as Sku from "@dockline/core/skus/Sku"
import { addRepeated, skusInChange } from "@dockline/core/skus/Sku"
import type { SetSkusInput, SkuPlace, SkuView } from "@dockline/core/skus/Sku"
import type { SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import type { FieldError } from "@dockline/core/values/CatalogueError"
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
import { textFault } from "@dockline/core/values/Field"
import { pageBudget } from "@dockline/core/values/Page"
import { BodyAlreadyRead, PayloadTooLarge, UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import type { HttpConfig } from "@dockline/http-adapter/HttpConfig"
import {
  about,
  bodyReader,
  count,
  documentForm,
  makeWrite,
  problems,
  repeatable,
  secured,
  securedGroup,
  text,
  textQuery,
  writeHeaders
} from "@dockline/http-adapter/RestPart"
import type { Answering, RestPart, Texts } from "@dockline/http-adapter/RestPart"
import { Context, Effect, Predicate, Schema, Struct } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { kargo } from "../KargoCapability.ts"
import recorded from "./answers.json" with { type: "json" }

const optional = Schema.optionalKey

/** A field that is null in JSON is absent in XML. */
const shownText = (description: string) => optional(Schema.NullOr(Schema.String).annotate({ description }))

const shownCount = (description: string) => optional(Schema.NullOr(Schema.Int).annotate({ description }))

const { fields } = Sku.skuSchema

/** The schema of a request that adds and changes SKUs, given the schema of their metadata. */
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
  }).annotate({
    identifier: "SkuMasterInput",
    description: "A SKU; absent or empty fields stay as they are."
  })
  return Schema.Struct({
    business: Field.slug("Business slug"),
    facility: Field.slug("Facility slug"),
    skus: Schema.Array(sku).check(Field.atMost(skusInChange)).annotate({ description: "The SKUs, each once" })
  }).annotate({ identifier: "SkuMasterUpsertRequest", description: "SKUs of a facility to add or change." })
}

/** The schema of a request to add or change SKUs (D17.4). Its fields have the names of Kargo's contract. */
export const SkuMasterUpsert = upsertWith(
  optional(Schema.Json.annotate({ description: "Further facts: any JSON value of at most 4096 characters" }))
)

/** The schema of the same request after its metadata were converted to JSON texts. */
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
      description: "Other numbers and barcodes of the SKU"
    })
  ),
  cases_per_pallet: shownCount("How many cases a pallet holds"),
  cases_per_layer: shownCount("How many cases a layer of a pallet holds"),
  layers_per_pallet: shownCount("How many layers a pallet has"),
  sku_metadata: optional(Schema.Json.annotate({ description: "Further facts, as they were sent" })),
  created_at: text("When it was added, RFC 3339 in UTC"),
  updated_at: shownText("When it was changed last, RFC 3339 in UTC")
}).annotate({ identifier: "SkuMaster", description: "The data of a SKU at a facility." })

/** A SKU in the form of Kargo's service. */
export type SkuMaster = typeof SkuMaster.Type

const SkuMasterUpserted = Schema.Struct({
  numRecordsAdded: count("How many SKUs are new"),
  numRecordsUpdated: count("The number of existing SKUs, changed or not"),
  skus: Schema.Array(SkuMaster).annotate({ description: "The SKUs of the request in their present state" })
}).annotate({ identifier: "SkuMasterUpsertResult", description: "What became of SKUs." })

const SkuMasterList = Schema.Struct({
  skus: Schema.Array(SkuMaster).annotate({ description: "The SKUs" }),
  total: count("The number of all SKUs that the query selects"),
  limit: shownCount("The size of a page; null without a requested page"),
  offset: shownCount("The number of SKUs before the page; null without a requested page"),
  next_offset: shownCount("The offset of the next page; null on the last page")
}).annotate({ identifier: "SkuMasterListResult", description: "SKUs of a facility." })

const SkuMasterDeleted = Schema.Struct({
  numRecordsDeleted: count("1 if the SKU existed, else 0")
}).annotate({ identifier: "SkuMasterDeleteResult", description: "What became of a SKU." })

const refusals = [
  BusinessNotFound,
  FacilityNotFound,
  Forbidden,
  InvalidParameter,
  InvalidRequest,
  StorageUnavailable
] as const

/** The handler checks these parameters, because Kargo's service answers a missing or invalid parameter with 422. */
const query = {
  business: optional(text("Slug of the business; required.")),
  facility: optional(text("Slug of the facility; required.")),
  sku_id: optional(text("The SKU."))
}

const upsertSkuMaster = HttpApiEndpoint.post("upsertSkuMaster", "/v1/sku_master", {
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
  "The same as POST /v1/skus, with the names of Kargo's contract, in JSON or XML. sku_metadata may be any JSON value."
))

const getSkuMaster = HttpApiEndpoint.get("getSkuMaster", "/v1/sku_master", {
  query: {
    ...query,
    limit: optional(
      text("The size of a page, at most 100 SKUs; all SKUs when absent, up to 1000.")
    ),
    offset: optional(text("With limit, the number of SKUs before the page; 0 when absent."))
  },
  success: SkuMasterList,
  error: problems(...refusals, ...secured)
}).annotateMerge(about(
  "Read SKUs, in Kargo's form",
  "The SKU master of a facility, in the order of the SKUs. More than 1000 SKUs are read in pages."
))

const deleteSkuMaster = HttpApiEndpoint.make("DELETE")("deleteSkuMaster", "/v1/sku_master", {
  query,
  success: SkuMasterDeleted,
  error: problems(...refusals, ...secured)
}).annotateMerge(about(
  "Delete a SKU, in Kargo's form",
  "Deletes the SKU sku_id from the master of a facility; a missing SKU is no error."
))

const orNull = <A extends string | number>(value: A): A | null => (value === "" || value === 0 ? null : value)

const show = (sku: SkuView): SkuMaster => ({
  business: sku.business,
  facility: sku.facility,
  sku_id: sku.id,
  description: orNull(sku.description),
  unit_of_measure: orNull(sku.unitOfMeasure),
  unit_of_weight: orNull(sku.unitOfWeight),
  alternate_sku_ids: sku.alternateIds.length === 0 ? null : sku.alternateIds,
  cases_per_pallet: orNull(sku.casesPerPallet),
  cases_per_layer: orNull(sku.casesPerLayer),
  layers_per_pallet: orNull(sku.layersPerPallet),
  sku_metadata: sku.metadata === "" ? null : JSON.parse(sku.metadata),
  created_at: sku.createdAt,
  updated_at: orNull(sku.updatedAt)
})

const viewOf = ({ added, skus, updated }: SetSkusAnswer) => ({
  numRecordsAdded: added,
  numRecordsUpdated: updated,
  skus: skus.map(show)
})

/** The name of a body in the texts of errors. */
const whole = "a change of SKUs"

/** The most entries of the lists in a body. */
const most = { skus: skusInChange }

const readUpsert: RequestInput.Reader<SetSkusInput> = RequestInput.map(
  RequestInput.reader(upsertOfTexts, whole, ({ skus }, faults) =>
    addRepeated(
      (Array.isArray(skus) ? skus : []).map((sku) => (sku as { readonly sku_id?: unknown } | null)?.sku_id),
      "skus",
      faults,
      "sku_id"
    ), most),
  ({ skus, ...place }) => ({
    ...place,
    skus: skus.map(Struct.renameKeys({
      sku_id: "id",
      unit_of_measure: "unitOfMeasure",
      unit_of_weight: "unitOfWeight",
      alternate_sku_ids: "alternateIds",
      cases_per_pallet: "casesPerPallet",
      cases_per_layer: "casesPerLayer",
      layers_per_pallet: "layersPerPallet",
      sku_metadata: "metadata"
    }))
  })
)

const metadata = "sku_metadata"

/** Converts the metadata of each SKU to a JSON text. */
const withTexts = (raw: unknown): unknown => {
  if (!Predicate.isObject(raw) || !("skus" in raw) || !Array.isArray(raw.skus)) return raw
  const skus = raw.skus.map((sku: unknown) =>
    Predicate.isObject(sku) && Object.hasOwn(sku, metadata) && Reflect.get(sku, metadata) !== null
      ? { ...sku, [metadata]: JSON.stringify(Reflect.get(sku, metadata)) }
      : sku
  )
  return { ...raw, skus }
}

const read = bodyReader(
  SkuMasterUpsert,
  whole,
  most,
  (value, isWhole) => readUpsert(withTexts(value), isWhole)
)

const refuse = (errors: ReadonlyArray<FieldError>) => Effect.fail(new InvalidRequest({ errors }))

/** The place and the SKU of a query; `""` if the query names none. */
const namedIn = Effect.fnUntraced(function*(query: Texts, ...required: ReadonlyArray<string>) {
  const texts = { business: "", facility: "", sku_id: "", ...query }
  const faults = (["business", "facility", "sku_id"] as const).flatMap((path) => {
    const isMissing = texts[path] === "" && required.includes(path)
    const detail = isMissing ? "is required" : textFault(texts[path])
    return detail === undefined ? [] : [{ path, detail }]
  })
  if (faults.length > 0) return yield* refuse(faults)
  return {
    place: { business: texts.business, facility: texts.facility } satisfies SkuPlace,
    id: texts.sku_id
  }
})

const pageAtMost = 100

/** A whole number in a query; `undefined` when it is absent. */
const numberIn = Effect.fnUntraced(function*(query: Texts, name: "limit" | "offset", least: number) {
  const text = query[name] ?? ""
  if (text === "") return undefined
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  return yield* refuse([{ path: name, detail: `must be a whole number of at least ${least}` }])
})

const list = Effect.fnUntraced(function*(
  skus: Skus["Service"],
  query: Texts,
  principal: Principal
) {
  const { id, place } = yield* namedIn(query, "business", "facility")
  const limitGiven = yield* numberIn(query, "limit", 1)
  const limit = limitGiven === undefined ? undefined : Math.min(limitGiven, pageAtMost)
  const offsetGiven = yield* numberIn(query, "offset", 0)
  const offset = limit === undefined ? 0 : offsetGiven ?? 0
  const slice = { id: id === "" ? undefined : id, offset, limit: limit ?? skusInChange }
  const answer = yield* skus.slice(place, slice, principal)
  if (limit === undefined && answer.total > skusInChange) {
    return yield* refuse([{
      path: "limit",
      detail:
        `is required: the facility has ${answer.total} SKUs, more than the ${skusInChange} of one answer`
    }])
  }
  const end = offset + answer.skus.length
  if (limit === undefined && end < answer.total) {
    return yield* refuse([{
      path: "limit",
      detail:
        `is required: the ${answer.total} SKUs of the facility have more text than the ${pageBudget.text} characters of one answer`
    }])
  }
  return {
    skus: answer.skus.map(show),
    total: answer.total,
    limit: limit ?? null,
    offset: limit === undefined ? null : offset,
    next_offset: limit !== undefined && answer.skus.length > 0 && end < answer.total ? end : null
  }
})

const placeNames = ["business", "facility", "sku_id"]

/** Makes the handlers of the endpoints. */
const make = Effect.fnUntraced(function*(config: HttpConfig) {
  const registry = yield* OperationRegistry
  const handle = yield* makeWrite(config)
  const run = writing(registry)
  // The part is served only if the service has the SKU master, whose services are then in the registry.
  const skus = Context.getUnsafe(registry.services, Skus)
  const upsert: Answering = () =>
    handle<object>({
      identity: ["POST /v1/sku_master"],
      body: documentForm,
      run: ({ bytes, principal, type }, once) =>
        run("setSkus", { params: {}, body: read(bytes, type), principal, once }),
      rootName: "SkuMasterUpsertResult",
      // The declaration of `setSkus` gives its answer this type.
      show: (done) => ({ value: viewOf(done as SetSkusAnswer) })
    })
  return [
    ["upsertSkuMaster", upsert],
    [
      "getSkuMaster",
      textQuery(
        "SkuMasterListResult",
        [...placeNames, "limit", "offset"],
        (query, principal) => list(skus, query, principal)
      )
    ],
    [
      "deleteSkuMaster",
      textQuery(
        "SkuMasterDeleteResult",
        placeNames,
        Effect.fnUntraced(function*(query, principal) {
          const { id, place } = yield* namedIn(query, "business", "facility", "sku_id")
          const { deleted } = yield* skus.delete({ ...place, ids: [id] }, principal)
          return { numRecordsDeleted: deleted }
        })
      )
    ]
  ] as const
})

/** A SKU with all fields, as an example. */
const facts = {
  sku_id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unit_of_measure: "CASE",
  unit_of_weight: "KG",
  alternate_sku_ids: ["04012345678901"],
  cases_per_pallet: 60,
  cases_per_layer: 12,
  layers_per_pallet: 5,
  sku_metadata: { temperature: "ambient" }
}

/** A request that adds a SKU, and changes only the description of another SKU. */
export const upsert = {
  business: "acme",
  facility: "east",
  skus: [facts, { sku_id: "SKU-200", description: "Rye bread, sliced" }]
}

/** The SKU master in the form of Kargo's service. */
export const kargoSkuMaster: RestPart = {
  name: kargo.name,
  needs: ["skus"],
  group: securedGroup(
    "skuMaster",
    "SKU master in Kargo's form",
    "The SKU master with the paths and names of Kargo's contract, for its clients",
    upsertSkuMaster,
    getSkuMaster,
    deleteSkuMaster
  ),
  requests: {
    upsertSkuMaster: {
      schema: "SkuMasterUpsertRequest",
      description: "The SKUs, in JSON or XML, which may be sent as text/xml too.",
      name: "upsert",
      summary: "Two SKUs",
      value: upsert
    }
  },
  answers: {
    upsertSkuMaster: { schema: "SkuMasterUpsertResult", value: recorded.answers.upsertSkuMaster },
    getSkuMaster: { schema: "SkuMasterListResult", value: recorded.answers.getSkuMaster },
    deleteSkuMaster: { schema: "SkuMasterDeleteResult", value: recorded.answers.deleteSkuMaster }
  },
  handlers: make
}
