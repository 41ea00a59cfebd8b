/** A mapping for a partner's packing lists: the field of each column, and the form of numbers and dates (D25.2). */
import * as RequestInput from "@dockline/core/input/RequestInput"
import { filledOrUndefined } from "@dockline/core/places/ListQuery"
import * as Field from "@dockline/core/values/Field"
import { Schema } from "effect"
import { limits, separators } from "../file/FileTable.ts"
import type { SeparatorName } from "../file/FileTable.ts"
import { fieldNames } from "./Fields.ts"

/** The characters before the fractions of numbers. */
export const decimals = ["POINT", "COMMA"] as const

/** The orders of the parts of a date. */
export const dateOrders = ["YEAR_MONTH_DAY", "DAY_MONTH_YEAR", "MONTH_DAY_YEAR"] as const

/** The last row that may be the header. */
export const maxHeaderRow = 100

const optional = Schema.optionalKey

/** The names of separators of columns. */
export const separatorNames = Object.keys(separators) as ReadonlyArray<SeparatorName>

const fieldName = (description: string) => Field.name<string>(fieldNames, description)

/** A mapping, as clients write it. */
export const MappingInput = Schema.Struct({
  columns: Schema.Array(
    Schema.Struct({
      column: Field.requiredText("The name of the column in the header, or its letter (C) where it has none"),
      field: fieldName("The field of documents that it has")
    }).annotate({ identifier: "GivenPackingListColumn", description: "A column that is read." })
  ).check(Field.atMost(limits.columns)).annotate({ description: "The columns that are read" }),
  values: optional(
    Schema.Array(
      Schema.Struct({
        field: fieldName("A field that no column has"),
        value: Field.requiredText("Its value in every line")
      }).annotate({ identifier: "GivenPackingListValue", description: "What is the same in every line." })
    ).check(Field.atMost(limits.columns)).annotate({ description: "What is the same in every line" })
  ),
  strategy: optional(Field.text("The item strategy of the documents; OVERWRITE when absent")),
  decimal: optional(
    Field.word<(typeof decimals)[number]>(
      decimals,
      "What is before the fractions of numbers in texts; numbers have none when absent"
    )
  ),
  dates: optional(
    Field.word<(typeof dateOrders)[number]>(
      dateOrders,
      "The order of the parts of dates in texts; YEAR_MONTH_DAY when absent"
    )
  ),
  separator: optional(
    Field.word<SeparatorName>(
      separatorNames,
      "What is between the columns of CSV; what the first line has most when absent"
    )
  ),
  sheet: optional(Field.text("The sheet of XLSX; the first that is not hidden when absent")),
  headerRow: optional(Field.wholeBetween(1, maxHeaderRow, "The row that names the columns; 1 when absent"))
}).annotate({
  identifier: "GivenPackingListMapping",
  description: "How the columns of packing lists are read."
})

/** A mapping for the columns of packing lists. */
export interface Mapping {
  readonly columns: ReadonlyArray<{ readonly column: string; readonly field: string }>
  readonly values: ReadonlyArray<{ readonly field: string; readonly value: string }>
  /** `""` for the default strategy of documents. */
  readonly strategy: string
  /** `""` if numbers have no fractions. */
  readonly decimal: (typeof decimals)[number] | ""
  readonly dates: (typeof dateOrders)[number]
  readonly separator: SeparatorName | ""
  readonly sheet: string
  readonly headerRow: number
}

/** A mapping, as clients see it. */
export const MappingView = Schema.Struct({
  columns: Schema.Array(
    Schema.Struct({
      column: Field.shownText("The name of the column, or its letter"),
      field: Field.shownText("The field that it has")
    }).annotate({ identifier: "PackingListColumn", description: "A column, and what it has." })
  ).annotate({ description: "The columns that are read" }),
  values: Schema.Array(
    Schema.Struct({
      field: Field.shownText("A field that no column has"),
      value: Field.shownText("Its value in every line")
    }).annotate({ identifier: "PackingListValue", description: "What is the same in every line." })
  ).annotate({ description: "What is the same in every line" }),
  strategy: Field.shownText("The item strategy of the documents, or empty for theirs"),
  decimal: Field.shownText(
    "POINT or COMMA: what is before the fractions of numbers; empty where they have none"
  ),
  dates: Field.shownText("The order of the parts of dates"),
  separator: Field.shownText("What is between the columns of CSV, or empty"),
  sheet: Field.shownText("The sheet of XLSX, or empty for the first"),
  headerRow: Field.shownWhole("The row that names the columns")
}).annotate({ identifier: "PackingListMapping", description: "How the columns of packing lists are read." })

/** A mapping without columns. */
export const emptyMapping: Mapping = {
  columns: [],
  values: [],
  strategy: "",
  decimal: "",
  dates: "YEAR_MONTH_DAY",
  separator: "",
  sheet: "",
  headerRow: 1
}

/** Reads a mapping. */
export const readMapping: RequestInput.Reader<Mapping> = RequestInput.map(
  RequestInput.reader(MappingInput, "a mapping"),
  (input): Mapping => ({
    ...emptyMapping,
    ...input,
    dates: filledOrUndefined(input.dates) ?? emptyMapping.dates
  })
)
