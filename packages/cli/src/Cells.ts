/**
 * The texts of tables and records: the columns that a list declares, and the fields of any other answer.
 */
import type { Grant } from "@dockline/core/access/Access"
import type * as Operation from "@dockline/core/access/Operation"
import { Predicate } from "effect"
import * as GrantText from "./GrantText.ts"
import type { Columns, Line } from "./Table.ts"

/** A column by its declared name, under a title of its own, or with cells of its own. Chosen columns have short titles. */
export type Column<Row> = string | readonly [title: string, cell: string | ((row: Row) => Operation.Cell)]

/** The columns of a list: those that are chosen, else all that are declared. */
export const tableOf = <Op extends Operation.AnyList>(
  { columns, name }: Op,
  selection?: ReadonlyArray<Column<Op["row"]["Type"]>>
): Columns<Op["row"]["Type"]> => {
  const cells = new Map<string, Operation.Method<Op["row"]["Type"], Operation.Cell>>(columns)
  return Object.fromEntries((selection ?? Array.from(cells.keys())).map((column) => {
    const [title, cell] = typeof column === "string"
      ? [words(selection === undefined ? column : shortOf(column)), column]
      : column
    const cellOf = typeof cell === "string" ? cells.get(cell) : cell
    if (cellOf === undefined) throw new Error(`${name} has no column ${String(cell)}`)
    // The declared cells take the rows of their own operation.
    return [title, (row) => cellText(cellOf(row))]
  }))
}

/** The columns of entries that no list declares: their fields. */
export const fieldsOf = (entry: object): Columns<object> =>
  Object.fromEntries(
    Object.keys(entry).map((name) => [words(name), (row) => cellText(Reflect.get(row, name))])
  )

/** The lines of a record: one for each field, for each field of an object in it, and for each object of a list. */
export const linesOf = (record: object, path = ""): ReadonlyArray<Line> =>
  Object.entries(record).flatMap(([name, value]): ReadonlyArray<Line> => {
    const title = `${path}${words(name)}`
    if (isList(value)) return value.map((entry, index): Line => [`${title} ${index + 1}`, entryText(entry)])
    return isCell(value) ? [[title, cellText(value)]] : linesOf(value as object, `${title} `)
  })

/** What a cell shows: of a place its slug, of what is empty a dash. */
export const cellText = (cell: unknown): string => {
  if (isList(cell)) return cellText(cell.length)
  if (Array.isArray(cell)) return cellText(cell.map(cellText).join(" "))
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  if (Predicate.hasProperty(cell, "slug")) return cellText(cell.slug)
  if (isGrant(cell)) return GrantText.write(cell)
  return cell === null || cell === undefined || cell === "" ? "-" : String(cell)
}

/** An entry of a list in one line, without what is empty. */
const entryText = (entry: object): string =>
  Object.entries(entry)
    .flatMap(([name, value]): ReadonlyArray<Line> =>
      isCell(value) ? [[words(name), cellText(value)]] : linesOf(value as object, `${words(name)} `)
    )
    .filter(([, text]) => text !== "-")
    .map((pair) => pair.join(" "))
    .join(", ")

const isGrant = (value: unknown): value is Grant => Predicate.hasProperty(value, "permissions")

const isCell = (value: unknown): boolean =>
  !Predicate.isObjectOrArray(value) || Array.isArray(value) || "slug" in value || isGrant(value)

const isList = (value: unknown): value is ReadonlyArray<object> =>
  Array.isArray(value) && !value.every(isCell)

/** `lastSeenAt` as `lastSeen`, and `orderNumber` as `order`: cells say what kind of text they hold. */
const shortOf = (name: string): string => name.replace(/(At|Id|Number|Slug)$/, "")

/** `lastSeenAt` as words; names of headers stay. */
const words = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
