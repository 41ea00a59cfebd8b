/**
 * The SKU master of a facility: data about stock-keeping units, independent of orders (D17.4), and the readers and decisions of its
 * changes.
 *
 * Guarantee: the rules have no clock and no I/O. A change replaces the fields for which it has a value, and keeps the others.
 */
import { Result, Schema } from "effect"
import { Faults } from "../input/Faults.ts"
import * as RequestInput from "../input/RequestInput.ts"
import { unknownPlace } from "../places/Authorize.ts"
import type { NamedPlace } from "../places/Place.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import * as FieldTable from "../values/FieldTable.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { defaultVocabulary } from "../values/Vocabulary.ts"

/** The fields of a SKU that hold one value. */
export const skuFields = {
  description: FieldTable.text("What it is"),
  unitOfMeasure: FieldTable.text("Unit of its quantities, such as CASE or EACH"),
  unitOfWeight: FieldTable.text("Unit of its weight, such as LB or KG"),
  casesPerPallet: FieldTable.wholeAmount("How many cases a pallet holds"),
  casesPerLayer: FieldTable.wholeAmount("How many cases a layer of a pallet holds"),
  layersPerPallet: FieldTable.wholeAmount("How many layers a pallet has")
} satisfies FieldTable.Table

/** The data of a SKU; absent values are empty. */
export interface SkuFacts extends FieldTable.Values<typeof skuFields> {
  /** Other numbers and barcodes of the SKU. */
  readonly alternateIds: ReadonlyArray<string>
  /** Further data, as the text of a JSON value, or `""`. */
  readonly metadata: string
}

/** A SKU in a change; absent or empty fields stay as they are. */
export interface GivenSku extends Partial<SkuFacts> {
  readonly id: string
}

/** A SKU of the master. */
export interface Sku extends SkuFacts {
  /** The SKU itself, compared exactly. */
  readonly id: string
  readonly createdAt: Timestamp
  /** `null` until it is changed. */
  readonly updatedAt: Timestamp | null
}

/** The most characters of all texts of a SKU together. They are limited because a page and an answer show many SKUs. */
export const longestSkuText = 8192

/** The most SKUs of a facility. */
export const skusAtMost = 100_000

/** The most SKUs of one change. */
export const skusInChange = 1000

/** A SKU of the master as clients see it. */
export const SkuView = Schema.Struct({
  id: ViewField.text("The SKU"),
  business: ViewField.text("Slug of the business"),
  facility: ViewField.text("Slug of the facility"),
  ...FieldTable.shownFields(skuFields),
  alternateIds: ViewField.list(Schema.String, "Other numbers and barcodes of the SKU"),
  metadata: ViewField.text("Further data, as the text of a JSON value, or empty"),
  createdAt: ViewField.text("When it was added, RFC 3339 in UTC"),
  updatedAt: ViewField.text("When it was changed last, RFC 3339 in UTC, or empty")
}).annotate({ identifier: "Sku", description: "The data of a stock-keeping unit at a facility." })

/** A SKU of the master as clients see it. */
export type SkuView = typeof SkuView.Type

/** The place of a SKU. */
export interface SkuPlace {
  readonly business: string
  readonly facility: string
}

/** Shows a SKU of a place. */
export const skuView = ({ business, facility }: SkuPlace) => (sku: Sku): SkuView => ({
  ...sku,
  business,
  facility,
  updatedAt: sku.updatedAt ?? ""
})

/** The data that a change of the master depends on, read under its lock. */
export interface SkuSnapshot extends NamedPlace {
  readonly now: Timestamp
  /** The SKUs of the master that the change names, in any order. */
  readonly rows: ReadonlyArray<Sku>
  /** The number of SKUs of the facility. */
  readonly count: number
}

/** The writes of a change. */
export interface SkuPlan {
  /** The SKUs that are new or changed. */
  readonly writes: ReadonlyArray<Sku>
  /** The ids of SKUs to delete, all of which exist. */
  readonly deletes: ReadonlyArray<string>
}

/** The plan of a change that sets SKUs. */
export interface SetPlan extends SkuPlan {
  readonly added: number
  /** The number of SKUs of the change that existed before, changed or not. */
  readonly updated: number
  /** The SKUs of the change in their new state. */
  readonly skus: ReadonlyArray<Sku>
}

/** The refusals of a decision about a change. */
export type SkuRefusal = BusinessNotFound | FacilityNotFound | InvalidRequest

const noFacts: SkuFacts = { ...FieldTable.emptyOf(skuFields), alternateIds: [], metadata: "" }

const factNames = Object.keys(noFacts) as ReadonlyArray<keyof SkuFacts>

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || value === 0 || (Array.isArray(value) && value.length === 0)

/** Overwrites fields of a SKU with the fields of a change that have a value; returns the same SKU when nothing changes. */
const overlaid = <A extends SkuFacts>(present: A, news: GivenSku): A => {
  const changes = factNames.filter((name) =>
    !isEmpty(news[name]) && JSON.stringify(news[name]) !== JSON.stringify(present[name])
  )
  return changes.length === 0
    ? present
    : { ...present, ...Object.fromEntries(changes.map((name) => [name, news[name]])) }
}

/** The characters of all texts of a SKU. */
export const textOfSku = (sku: SkuFacts & Pick<Sku, "id">): number =>
  sku.id.length + sku.metadata.length +
  sku.alternateIds.reduce((sum, id) => sum + id.length, 0) +
  skuTexts.reduce((sum, name) => sum + sku[name].length, 0)

const skuTexts = FieldTable.namesOfKinds(skuFields, ["text"])

/** The approximate number of characters of a SKU in JSON beside its texts. */
const skuText = JSON.stringify(noFacts).length + 160

/** The approximate number of characters of SKUs in JSON. */
export const answerTextOf = (skus: ReadonlyArray<Sku>): number =>
  skus.reduce((sum, sku) => sum + skuText + textOfSku(sku) + 3 * sku.alternateIds.length, 0)

/** Decides a change that sets SKUs: it adds new ones and changes the given fields of existing ones. */
export const decideSet = (
  place: SkuPlace,
  inputs: ReadonlyArray<GivenSku>,
  snapshot: SkuSnapshot
): Result.Result<SetPlan, SkuRefusal> => {
  const unknown = unknownPlace(snapshot, place)
  if (unknown !== undefined) return Result.fail(unknown)
  const { count, now, rows } = snapshot
  const there = new Map(rows.map((sku) => [sku.id, sku]))
  const newCount = inputs.filter(({ id }) => !there.has(id)).length
  if (newCount > 0 && count + newCount > skusAtMost) {
    const detail = `would be more than the ${skusAtMost} SKUs that a facility may have; delete some first`
    return Result.fail(new InvalidRequest({ errors: [{ path: "skus", detail }] }))
  }
  const writes: Array<Sku> = []
  const skus = inputs.map((each): Sku => {
    const before = there.get(each.id)
    const after = before === undefined
      ? overlaid({ ...noFacts, id: each.id, createdAt: now, updatedAt: null }, each)
      : overlaid(before, each)
    if (after === before) return before
    const sku = before === undefined ? after : { ...after, updatedAt: now }
    writes.push(sku)
    return sku
  })
  const faults = new Faults()
  const changes = new Set(writes)
  for (const [index, sku] of skus.entries()) {
    const text = textOfSku(sku)
    if (!changes.has(sku) || text <= longestSkuText) continue
    faults.add(
      `would have texts of ${text} characters, more than the ${longestSkuText} that all texts of a SKU may have; shorten them`,
      "skus",
      index
    )
  }
  if (faults.errors.length > 0) return Result.fail(new InvalidRequest({ errors: faults.errors }))
  return Result.succeed({ writes, deletes: [], added: newCount, updated: inputs.length - newCount, skus })
}

/** Decides a change that deletes SKUs. Ids of SKUs that do not exist have no effect. */
export const decideDelete = (
  place: SkuPlace,
  ids: ReadonlyArray<string>,
  snapshot: SkuSnapshot
): Result.Result<SkuPlan, SkuRefusal> => {
  const unknown = unknownPlace(snapshot, place)
  if (unknown !== undefined) return Result.fail(unknown)
  const there = new Set(snapshot.rows.map(({ id }) => id))
  return Result.succeed({ writes: [], deletes: ids.filter((id) => there.has(id)) })
}

/** The most characters (UTF-16 code units) of a SKU, which is a key of an index. */
export const longestSku = 256

/** The most characters (UTF-16 code units) of another number of a SKU (D17.4). */
export const longestAlternate = 256

/** The most other numbers of a SKU (D17.4). */
export const alternatesAtMost = 100

/** The most characters (UTF-16 code units) of the metadata of a SKU, which is the text of a JSON value (D17.4). */
export const longestMetadata = 4096

const optional = Schema.optionalKey

const number = (description: string, longest: number) =>
  Field.stringField(description, (text) => {
    if (text === "") return "is required"
    return text.length > longest ? `must be at most ${longest} characters long` : undefined
  }, { minLength: 1, maxLength: longest })

const skuId = (description: string) => number(description, longestSku)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const metadataFault = (text: string): string | undefined => {
  if (text === "") return undefined
  if (text.length > longestMetadata) return `must be at most ${longestMetadata} characters long, as JSON`
  return isJson(text) && !text.includes("\\u0000") && !text.includes("\0") && text.isWellFormed()
    ? undefined
    : "must be the text of a JSON value, without the character NUL and lone surrogates"
}

const place = { business: Field.slug("Business slug"), facility: Field.slug("Facility slug") }

/** The JSON form of a SKU in a change (D17.4). */
export const skuSchema = Schema.Struct({
  id: skuId("The SKU"),
  ...FieldTable.givenFields(skuFields, defaultVocabulary),
  alternateIds: optional(
    Schema.Array(number("A number or barcode", longestAlternate)).check(Field.atMost(alternatesAtMost))
      .annotate({
        description: "Other numbers and barcodes of the SKU; they replace the existing ones"
      })
  ),
  metadata: optional(
    Schema.String.check(
      Schema.makeFilter(metadataFault, { toJsonSchema: () => ({ maxLength: longestMetadata }) })
    ).annotate({ description: "Further data, as the text of a JSON value" })
  )
}).annotate({ identifier: "GivenSku", description: "A SKU; absent or empty fields stay as they are." })

/** The JSON form of a change that adds or updates SKUs (D17.4). */
export const setSchema = Schema.Struct({
  ...place,
  skus: Schema.Array(skuSchema).check(Field.atMost(skusInChange)).annotate({
    description: "The SKUs, each once"
  })
}).annotate({ identifier: "SetSkus", description: "SKUs of a facility to add or change." })

/** The JSON form of a change that deletes SKUs (D17.4). */
export const deleteSchema = Schema.Struct({
  ...place,
  ids: Schema.Array(skuId("A SKU")).check(Field.atMost(skusInChange)).annotate({ description: "The SKUs" })
}).annotate({ identifier: "DeleteSkus", description: "SKUs of a facility to delete." })

export interface SetSkusInput extends SkuPlace {
  readonly skus: ReadonlyArray<GivenSku>
}

export interface DeleteSkusInput extends SkuPlace {
  readonly ids: ReadonlyArray<string>
}

/** Adds a fault for each id that an earlier entry also has, at `list[index]`, or at `list[index].name` (D17.4: a repeated SKU is a 422). */
export const addRepeated = (
  ids: ReadonlyArray<unknown>,
  list: string,
  faults: Faults,
  name?: string
): void => {
  const seenIds = new Set<unknown>()
  for (const [index, id] of ids.entries()) {
    if (id !== undefined && seenIds.has(id)) {
      faults.add("is given twice", list, index, ...(name === undefined ? [] : [name]))
    }
    seenIds.add(id)
  }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Reads an untyped value into a change that adds or updates SKUs; a repeated SKU is a fault. */
export const readSet: RequestInput.Reader<SetSkusInput> = RequestInput.reader(
  setSchema,
  "a change of SKUs",
  ({ skus }, faults) =>
    addRepeated(
      listOf(skus).map((sku) => (sku as { readonly id?: unknown } | null)?.id),
      "skus",
      faults,
      "id"
    ),
  { skus: skusInChange }
)

/** Reads an untyped value into a change that deletes SKUs; a repeated SKU is deleted once. */
export const readDelete: RequestInput.Reader<DeleteSkusInput> = RequestInput.map(
  RequestInput.reader(deleteSchema, "a deletion of SKUs", undefined, { ids: skusInChange }),
  ({ ids, ...place }) => ({ ...place, ids: Array.from(new Set(ids)) })
)
