/**
 * Mappings that a business saves by name, such as one for each partner that sends packing lists (D25.7), and the operations of clients on
 * them.
 *
 * Guarantee: the rules have no clock and no I/O.
 */
import { everything } from "@dockline/core/access/Access"
import * as Operation from "@dockline/core/access/Operation"
import type { Faults } from "@dockline/core/input/Faults"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { placeErrors } from "@dockline/core/places/Authorize"
import type { NamedPlace } from "@dockline/core/places/Place"
import { slugFault } from "@dockline/core/places/Place"
import { BusinessNotFound, InvalidRequest } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import * as ViewField from "@dockline/core/values/ViewField"
import { Equal, Result, Schema } from "effect"
import { separators } from "../file/FileTable.ts"
import type { Table } from "../file/FileTable.ts"
import { columnsOf, emptyMapping, MappingInput, MappingView, trim } from "../mapping/Mapping.ts"
import type { Mapping } from "../mapping/Mapping.ts"

/** A saved mapping. */
export interface SavedMapping {
  /** Unique within the business. */
  readonly name: string
  readonly mapping: Mapping
  readonly savedAt: Timestamp
}

const isFor = (table: Table, { columns, headerRow, separator, sheet }: Mapping): boolean => {
  if (sheet !== "" && sheet !== table.sheet) return false
  if (separator !== "" && separators[separator] !== table.separator) return false
  const names = new Set(columnsOf(table, headerRow).map(({ name }) => name))
  return columns.length > 0 && columns.every(({ column }) => names.has(trim(column)))
}

/**
 * The mapping that fits a table: the table has all of its columns, and the sheet and the separator that it names. If several mappings fit,
 * the one with the most columns; `undefined` if none fits.
 */
export const matchOf = (table: Table, mappings: ReadonlyArray<SavedMapping>): SavedMapping | undefined =>
  mappings.filter(({ mapping }) => isFor(table, mapping)).toSorted((one, other) =>
    other.mapping.columns.length - one.mapping.columns.length
  )[0]

/** The most mappings of a business. */
export const mappingLimit = 100

/** The most characters of a mapping, as JSON. */
export const longestMapping = 16_384

/** A saved mapping, as clients see it. */
export const SavedMappingView = Schema.Struct({
  business: ViewField.text("Business slug"),
  name: ViewField.text("Its name, such as that of the partner"),
  mapping: MappingView,
  savedAt: ViewField.text("When it was changed last, RFC 3339 in UTC")
}).annotate({
  identifier: "SavedPackingListMapping",
  description: "A stored mapping: how the columns of a partner's packing lists are read."
})

/** A saved mapping, as clients see it. */
export type SavedMappingView = typeof SavedMappingView.Type

/** Shows a mapping of a business. */
export const savedMappingView = (business: string) => (entry: SavedMapping): SavedMappingView => ({
  business,
  ...entry
})

const name = Field.stringField("Its name, such as that of the partner", slugFault, {
  minLength: 1,
  maxLength: 63,
  examples: ["nordwind"]
})

const business = Field.slug("Business slug")

const saveSchema = Schema.Struct({
  business,
  name,
  mapping: MappingInput.annotateKey({ description: "How the columns are read" })
}).annotate({
  identifier: "SavePackingListMapping",
  description: "A mapping to store under a name."
})

const deleteSchema = Schema.Struct({ business, name }).annotate({
  identifier: "DeletePackingListMapping",
  description: "A mapping to delete."
})

/** The name of a mapping, with its business. */
export interface MappingName {
  readonly business: string
  readonly name: string
}

/** A mapping to be saved. */
export interface SaveInput extends MappingName {
  readonly mapping: Mapping
}

const checkMapping = (
  { mapping }: { readonly mapping?: { readonly columns?: unknown } },
  faults: Faults
): void => {
  const columns = mapping?.columns
  if (Array.isArray(columns) && columns.length === 0) {
    faults.add("must have at least one column", "mapping", "columns")
  }
  if ((JSON.stringify(mapping) ?? "").length > longestMapping) {
    faults.add(`must be at most ${longestMapping} characters long, as JSON`, "mapping")
  }
}

/** Reads a mapping to be saved. */
export const readSave: RequestInput.Reader<SaveInput> = RequestInput.map(
  RequestInput.reader(saveSchema, "a mapping to keep", checkMapping),
  ({ business, mapping, name }): SaveInput => ({ business, name, mapping: { ...emptyMapping, ...mapping } })
)

const columnsText = ({ mapping }: SavedMappingView): ReadonlyArray<string> =>
  mapping.columns.map(({ column, field }) => `${column}: ${field}`)

const placeOf = (_done: unknown, { business }: MappingName) => ({ business, facility: everything })

/** Lists the mappings of a business. */
export const listPackingListMappings = Operation.list("listPackingListMappings", {
  rest: "GET /v1/packing-lists/mappings",
  params: {},
  filters: { business: Field.slug("Slug of the business.") },
  cursor: "name",
  row: SavedMappingView,
  page: "SavedPackingListMappingPage",
  holds: ["mappings", "the order of their names"],
  columns: [
    ...Operation.columns("business", "name"),
    ["columns", columnsText],
    ["headerRow", ({ mapping }) => mapping.headerRow],
    ["sheet", ({ mapping }) => mapping.sheet],
    ["savedAt", ({ savedAt }) => savedAt]
  ],
  errors: [...placeErrors],
  summary: "List the mappings of packing lists",
  description: "The stored mappings of the business, in the order of their names."
})

/** Saves a mapping. */
export const savePackingListMapping = Operation.write("savePackingListMapping", {
  rest: "POST /v1/packing-lists/mappings",
  params: {},
  body: saveSchema,
  read: readSave,
  isBodyOptional: false,
  view: SavedMappingView,
  success: "The mapping is kept.",
  creates: false,
  placeOf,
  errors: [...placeErrors, InvalidRequest, TooManyEntries],
  may: ["documents:write"],
  isRepeatable: true,
  summary: "Save a mapping of packing lists",
  description:
    "Stores how the columns of a partner's packing lists are read, and replaces a mapping of that name. All facilities of the business \
may send with it, so it requires documents:write at all of them."
})

/** The outcome of deleting a mapping. */
export const DeleteAnswer = Schema.Struct({ deleted: Field.flag("Whether there was one of the name") })
  .annotate({ identifier: "DeletePackingListMappingAnswer", description: "The result of the deletion." })

/** Deletes a mapping. */
export const deletePackingListMapping = Operation.write("deletePackingListMapping", {
  rest: "POST /v1/packing-lists/mappings/delete",
  params: {},
  body: deleteSchema,
  read: RequestInput.reader(deleteSchema, "a mapping to delete"),
  isBodyOptional: false,
  view: DeleteAnswer,
  creates: false,
  placeOf,
  errors: [...placeErrors, InvalidRequest],
  may: ["documents:write"],
  isRepeatable: true,
  summary: "Delete a mapping of packing lists",
  description: "It requires documents:write at all facilities of the business. A missing mapping is no error."
})

/** An example of a complete mapping. */
export const mappingExample = {
  columns: [
    { column: "Order", field: "orderNumber" },
    { column: "Pallet", field: "lpn" },
    { column: "Article", field: "sku" },
    { column: "Qty", field: "quantity" },
    { column: "Unit", field: "quantityUnit" },
    { column: "Best before", field: "expirationDate" }
  ],
  values: [{ field: "direction", value: "INBOUND" }],
  decimal: "COMMA",
  dates: "DAY_MONTH_YEAR"
} as const

/** The example requests, by operations and names. */
export const requests = {
  savePackingListMapping: {
    save: Operation.example("Of a partner that writes days before months", {
      business: "acme",
      name: "nordwind",
      mapping: mappingExample
    })
  },
  deletePackingListMapping: {
    delete: Operation.example("By its name", { business: "acme", name: "nordwind" })
  }
}

/** The state on which a change of a mapping depends, read under its lock. */
export interface MappingSnapshot extends Pick<NamedPlace, "business"> {
  readonly now: Timestamp
  readonly present: SavedMapping | null
  /** The number of mappings of the business. */
  readonly count: number
}

/** The mapping with a name before and after a change. */
export interface MappingPlan {
  readonly before: SavedMapping | null
  readonly after: SavedMapping | null
}

/** The plan to save a mapping. */
export interface SavePlan extends MappingPlan {
  readonly after: SavedMapping
}

/** Decides on saving a mapping. */
export const decideSave = (
  { business, mapping, name }: SaveInput,
  { business: place, count, now, present }: MappingSnapshot
): Result.Result<SavePlan, BusinessNotFound | TooManyEntries> => {
  if (place === null) return Result.fail(new BusinessNotFound({ business }))
  if (present === null && count >= mappingLimit) {
    return Result.fail(
      new TooManyEntries({ what: "mappings of packing lists of a business", limit: mappingLimit })
    )
  }
  const isSame = present !== null && Equal.equals(present.mapping, mapping)
  return Result.succeed({ before: present, after: isSame ? present : { name, mapping, savedAt: now } })
}

/** Decides on deleting a mapping. */
export const decideDelete = (
  { business }: MappingName,
  { business: place, present }: MappingSnapshot
): Result.Result<MappingPlan, BusinessNotFound> =>
  place === null
    ? Result.fail(new BusinessNotFound({ business }))
    : Result.succeed({ before: present, after: null })
