/**
 * The columns for fields of documents, derived from core's tables of fields, so that a new field does not break the peer. A column has
 * the name of its field in snake case.
 */
import { itemFields, orderFields, shipmentFields } from "@dockline/core/shipment/Shipment"

type Fields = typeof orderFields & typeof itemFields & typeof shipmentFields

type Kind = Fields[keyof Fields]["kind"]

export interface Column {
  readonly field: string
  readonly name: string
  /** The type in the plan and of the column, except for dates: an empty date is null in the table and "" elsewhere. */
  readonly type: "text" | "bigint" | "float8" | "boolean" | "jsonb"
  readonly isDate: boolean
  /** Whether the value never changes. */
  readonly isFixed: boolean
}

const types: Readonly<Record<Kind, Column["type"]>> = {
  text: "text",
  identifier: "text",
  key: "text",
  word: "text",
  amount: "float8",
  wholeAmount: "bigint",
  flag: "boolean",
  date: "text",
  list: "jsonb"
}

const nameOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const columnsOf = (fields: Readonly<Record<string, { readonly kind: Kind }>>): ReadonlyArray<Column> =>
  Object.entries(fields).map(([field, { kind }]) => ({
    field,
    name: nameOf(field),
    type: types[kind],
    isDate: kind === "date",
    isFixed: kind === "key"
  }))

export const shipmentColumns: ReadonlyArray<Column> = columnsOf(shipmentFields)

export const orderColumns: ReadonlyArray<Column> = columnsOf(orderFields)

export const itemColumns: ReadonlyArray<Column> = columnsOf(itemFields)

/** The names of columns: `lot, expiration_date`. */
export const names = (columns: ReadonlyArray<Column>): string => columns.map(({ name }) => name).join(", ")

const valueOf = ({ field, isDate }: Column, row: string): string =>
  isDate ? `nullif(${row}."${field}", '')::date` : `${row}."${field}"`

/** The values of columns in a row of a plan. */
export const values = (columns: ReadonlyArray<Column>, row: string): string =>
  columns.map((column) => valueOf(column, row)).join(", ")

/** The columns that may change, each set to the value in a row of a plan. */
export const changes = (columns: ReadonlyArray<Column>, row: string): string =>
  columns.flatMap((column) => column.isFixed ? [] : [`${column.name} = ${valueOf(column, row)}`]).join(", ")

/** The fields of a row of a plan with their types, for `jsonb_to_recordset`. */
export const typed = (columns: ReadonlyArray<Column>): string =>
  columns.map(({ field, type }) => `"${field}" ${type}`).join(", ")
