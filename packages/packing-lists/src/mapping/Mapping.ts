/**
 * A mapping for a partner's packing lists: the field of each column, and the forms of numbers and dates (D25.2). A column may have any
 * field of shipments, orders or items that has a single value.
 */
import * as RequestInput from "@dockline/core/input/RequestInput"
import { filledOrUndefined } from "@dockline/core/places/ListQuery"
import {
  driverFieldNames,
  itemFields,
  orderFields,
  shipmentFieldNames
} from "@dockline/core/shipment/Shipment"
import * as Field from "@dockline/core/values/Field"
import type { Kind } from "@dockline/core/values/FieldTable"
import { Schema } from "effect"
import { lettersOf, limits, separators } from "../file/FileTable.ts"
import type { SeparatorName, Table } from "../file/FileTable.ts"

/** The level of a field: the document, one of its orders, or an item. */
export type Level = "shipment" | "order" | "item"

/** A field that a column may have. */
export interface MappedField {
  /** Its name in mappings. It is the name in documents, except for `itemPurchaseOrder`. */
  readonly name: string
  /** Its name in documents. */
  readonly path: string
  readonly level: Level
  readonly kind: Exclude<Kind, "list">
}

const field = (level: Level, path: string, kind: Kind = "text", name = path): ReadonlyArray<MappedField> =>
  kind === "list" ? [] : [{ name, path, level, kind }]

/** The fields: first of shipments, then of orders, then of items. */
export const mappedFields: ReadonlyArray<MappedField> = [
  ...[
    "shipmentNumber",
    "direction",
    "expectedArrivalAt",
    ...shipmentFieldNames,
    "dockSlug",
    ...driverFieldNames
  ]
    .flatMap((name) => field("shipment", name)),
  ...field("order", "orderNumber"),
  // An order has the carrier of its shipment.
  ...Object.entries(orderFields).filter(([name]) => name !== "carrier")
    .flatMap(([name, { kind }]) => field("order", name, kind)),
  ...Object.entries(itemFields).flatMap(([name, { kind }]) =>
    field("item", name, kind, name === "purchaseOrder" ? "itemPurchaseOrder" : name)
  )
]

/** The fields by their names. */
export const fieldsByName: ReadonlyMap<string, MappedField> = new Map(
  mappedFields.map((each) => [each.name, each])
)

/** The names of the fields. */
export const fieldNames: ReadonlyArray<string> = mappedFields.map(({ name }) => name)

/** A column of a file. */
export interface Column {
  /** From 0. */
  readonly index: number
  readonly letters: string
  /** Its name in the header, or its letters if it has none. */
  readonly name: string
}

/** A text without white space around it, and with a single space between words. */
export const trim = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** The columns of a table whose header is in the row with this number, including columns without a cell in the header. */
export const columnsOf = ({ rows, width }: Table, headerRow: number): ReadonlyArray<Column> => {
  const header = rows.find(({ number }) => number === headerRow)?.cells
  return Array.from({ length: width }, (_, index) => {
    const letters = lettersOf(index)
    return { index, letters, name: trim(header?.get(index)?.text ?? "") || letters }
  })
}

/** The decimal signs of numbers. */
export const decimals = ["POINT", "COMMA"] as const

/** The orders of year, month and day in dates. */
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
    }).annotate({ identifier: "GivenPackingListColumn", description: "A column with its field." })
  ).check(Field.atMost(limits.columns)).annotate({ description: "The columns that are read" }),
  values: optional(
    Schema.Array(
      Schema.Struct({
        field: fieldName("A field that no column has"),
        value: Field.requiredText("Its value in every line")
      }).annotate({
        identifier: "GivenPackingListValue",
        description: "A field with the same value in every line."
      })
    ).check(Field.atMost(limits.columns)).annotate({
      description: "Fields with the same value in every line"
    })
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
  /** `""` if numbers have no decimal sign. */
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
    }).annotate({ identifier: "PackingListColumn", description: "A column with its field." })
  ).annotate({ description: "The columns that are read" }),
  values: Schema.Array(
    Schema.Struct({
      field: Field.shownText("A field that no column has"),
      value: Field.shownText("Its value in every line")
    }).annotate({ identifier: "PackingListValue", description: "A field with the same value in every line." })
  ).annotate({ description: "Fields with the same value in every line" }),
  strategy: Field.shownText("The item strategy of the documents; empty for the default"),
  decimal: Field.shownText(
    "The sign before the fractions of numbers, POINT or COMMA; empty if they have no fractions"
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
