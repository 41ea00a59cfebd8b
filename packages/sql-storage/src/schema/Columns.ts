/**
 * The columns of documents' fields, derived from core's tables of fields, and what bodies show of rows. A column has the name of
 * its field in snake case.
 */
import { orderFields } from "@dockline/core/shipment/Order"
import { itemFields } from "@dockline/core/shipment/OrderItem"
import { shipmentFields } from "@dockline/core/shipment/Shipment"
import { sql } from "./Plans.ts"

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

export const nameOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

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

const given = ({ field, isDate }: Column, row: string): string =>
  isDate ? `nullif(${row}."${field}", '')::date` : `${row}."${field}"`

/** The values of columns in a row of a plan. */
export const values = (columns: ReadonlyArray<Column>, row: string): string =>
  columns.map((column) => given(column, row)).join(", ")

/** The columns that may change, each set to the value in a row of a plan. */
export const changes = (columns: ReadonlyArray<Column>, row: string): string =>
  columns.flatMap((column) => column.isFixed ? [] : [`${column.name} = ${given(column, row)}`]).join(", ")

/** The fields of a row of a plan with their types, for `jsonb_to_recordset`. */
export const typed = (columns: ReadonlyArray<Column>): string =>
  columns.map(({ field, type }) => `"${field}" ${type}`).join(", ")

/** What a body shows of the columns of a row. */
export const shown = (columns: ReadonlyArray<Column>, row: string): string =>
  columns.map(({ isDate, name }) =>
    isDate ? `coalesce(to_char(${row}.${name}, 'YYYY-MM-DD'), '')` : `${row}.${name}`
  ).join(", ")

const placeShown = (table: "business" | "facility") => (id: string): string =>
  `(select json_build_object('slug', x.slug, 'name', x.name) from dockline.${table} x where x.id = ${id})`

export const businessShown = placeShown("business")

export const facilityShown = placeShown("facility")

/** The members of a location. */
export const locationOf = (business: string, facility: string): string =>
  `'business', ${businessShown(business)}, 'facility', ${facilityShown(facility)}`

export const dockShown = (id: string): string =>
  `(select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = ${id})`

/** The business of a row, null if there is no such row: requests name some rows by their ids only. */
export const businessOf = (name: string, table: string): string =>
  sql`
create or replace function dockline.${name}_business(p_id bigint) returns bigint
language plpgsql stable as $$
begin
  return (select t.business_id from dockline.${table} t where t.id = p_id);
end $$`
