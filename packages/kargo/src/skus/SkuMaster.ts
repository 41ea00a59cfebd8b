/**
 * `/v1/sku_master`: the SKU master in the form of Kargo's service (D17.4), over the operations on SKUs.
 */
import type { Principal } from "@dockline/core/access/Access"
import { OperationRegistry, writing } from "@dockline/core/capability/OperationRegistry"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { skusInChange } from "@dockline/core/skus/Sku"
import type { SkuPlace, SkuView } from "@dockline/core/skus/Sku"
import type { SetSkusInput } from "@dockline/core/skus/SkuInput"
import { addRepeated } from "@dockline/core/skus/SkuInput"
import type { SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { pageBudget } from "@dockline/core/values/Page"
import type { HttpConfig } from "@dockline/http-adapter/HttpConfig"
import { bodyReader, documentForm, makeWrite, textQuery } from "@dockline/http-adapter/RestPart"
import type { Answering, Texts } from "@dockline/http-adapter/RestPart"
import { Context, Effect, Predicate, Struct } from "effect"
import { SkuMasterUpsert, upsertOfTexts } from "./SkuMasterApi.ts"
import type { SkuMaster } from "./SkuMasterApi.ts"

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

/** The most entries of the lists of a body. */
const most = { skus: skusInChange }

const readUpsert: RequestInput.Reader<SetSkusInput> = RequestInput.map(
  RequestInput.reader(upsertOfTexts, "a change of SKUs", ({ skus }, faults) =>
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

/** The value with the further facts of each SKU as the text of their JSON. */
const withTexts = (raw: unknown): unknown => {
  if (!Predicate.isObject(raw) || !("skus" in raw) || !Array.isArray(raw.skus)) return raw
  const skus = raw.skus.map((sku: unknown) =>
    Predicate.isObject(sku) && Object.hasOwn(sku, metadata) && Reflect.get(sku, metadata) !== null
      ? { ...sku, [metadata]: JSON.stringify(Reflect.get(sku, metadata)) }
      : sku
  )
  return { ...raw, skus }
}

const read = bodyReader(SkuMasterUpsert, most, (value, isWhole) => readUpsert(withTexts(value), isWhole))

const refuse = (errors: ReadonlyArray<FieldError>) => Effect.fail(new InvalidRequest({ errors }))

/** The place and the SKU of a query, `""` where none is named. */
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

/** Makes what answers the endpoints. */
export const make = Effect.fnUntraced(function*(config: HttpConfig) {
  const registry = yield* OperationRegistry
  const handle = yield* makeWrite(config)
  const run = writing(registry)
  // The part is served where the service has the SKU master, whose services the registry has.
  const skus = Context.getUnsafe(registry.services, Skus)
  const upsert: Answering = () =>
    handle<object>({
      operation: ["POST /v1/sku_master"],
      body: documentForm,
      run: ({ bytes, principal, type }, once) =>
        run("setSkus", { params: {}, body: read(bytes, type), principal, once }),
      rootName: "SkuMasterUpsertResult",
      // What sets SKUs answers those, by its declaration.
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
