/**
 * Reads changes of the SKU master as clients send them (D17.4).
 */
import { Schema } from "effect"
import type { Faults } from "../input/Faults.ts"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import * as Row from "../values/FieldTable.ts"
import { defaultVocabulary } from "../values/Vocabulary.ts"
import { skuFields, skusInChange } from "./Sku.ts"
import type { GivenSku, SkuPlace } from "./Sku.ts"

/** The longest SKU of the master, in characters: each is a key of an index. */
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
  ...Row.givenFields(skuFields, defaultVocabulary),
  alternateIds: optional(
    Schema.Array(number("A number or barcode", longestAlternate)).check(Field.atMost(alternatesAtMost))
      .annotate({
        description: "Other numbers and barcodes by which it is known; they replace those that are there"
      })
  ),
  metadata: optional(
    Schema.String.check(
      Schema.makeFilter(metadataFault, { toJsonSchema: () => ({ maxLength: longestMetadata }) })
    ).annotate({ description: "Further facts, as the text of a JSON value" })
  )
}).annotate({ identifier: "GivenSku", description: "A SKU; what is absent or empty stays as it is." })

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

/**
 * Adds a fault for each id that an earlier entry has, at `list[index]`, or at `list[index].name` (D17.4: a SKU twice is
 * 422).
 */
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

/** Reads an untyped value into a change that adds or updates SKUs; a SKU that is given twice is a fault. */
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

/** Reads an untyped value into a change that deletes SKUs; a SKU that is given twice is deleted once. */
export const readDelete: RequestInput.Reader<DeleteSkusInput> = RequestInput.map(
  RequestInput.reader(deleteSchema, "a deletion of SKUs", undefined, { ids: skusInChange }),
  ({ ids, ...place }) => ({ ...place, ids: Array.from(new Set(ids)) })
)
