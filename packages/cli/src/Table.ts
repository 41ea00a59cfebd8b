/**
 * Lays out tables and records. A row is one line, whatever its cells contain, and never wider than the requested width,
 * unless the table has too many columns. A record shows all of its values.
 */
import type { Grant } from "@dockline/core/access/Access"
import type * as Operation from "@dockline/core/access/Operation"
import { Predicate } from "effect"
import { CliOutput } from "effect/cli"
import { printable } from "./Failure.ts"
import * as FieldText from "./FieldText.ts"

export type Columns<A> = Readonly<Record<string, (item: A) => string>>

export type Line = readonly [title: string, text: string]

const gap = "  "

/** The least width to which a column is cut. */
const narrowest = 8

const timeForm = /^(\d{4}-)(\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$/

/** The shorter forms of a time in UTC: without seconds, and without seconds and year. Other texts have none. */
const shorterTimes = (text: string): ReadonlyArray<string> => {
  const [, year, minute] = timeForm.exec(text) ?? []
  return minute === undefined ? [] : [`${year}${minute}Z`, `${minute}Z`]
}

const widthOf = CliOutput.displayWidth

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Fits a text to a width: shortens a time, and cuts any other text, which then ends in an ellipsis. */
export const truncate = (text: string, width: number): string => {
  const whole = [text, ...shorterTimes(text)].find((form) => widthOf(form) <= width)
  if (whole !== undefined) return whole
  let start = ""
  let room = width - 1
  for (const { segment } of segmenter.segment(text)) {
    room -= widthOf(segment)
    if (room < 0) break
    start += segment
  }
  return `${start}…`
}

export const cells = <A>(columns: Columns<A>, item: A): ReadonlyArray<string> =>
  Object.values(columns).map((text) => printable(text(item)))

/** The width of each column at which all rows fit. */
export const widths = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  (rows[0] ?? []).map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0)
  )

/** The least useful width of each column: the width of the shortest form of a time, or else {@link narrowest}. */
export const leasts = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  widths(rows.map((row) => row.map((cell) => shorterTimes(cell).at(-1) ?? " ".repeat(narrowest))))

/** Narrows the widest columns until all columns fit. A column goes below its least width only after all have reached theirs. */
export const fit = (
  columns: ReadonlyArray<number>,
  width: number,
  least: ReadonlyArray<number> = []
): ReadonlyArray<number> => {
  const widths = [...columns]
  let over = columns.reduce((sum, column) => sum + column, gap.length * (columns.length - 1)) - width
  for (const floor of [least, []]) {
    while (over > 0) {
      const widest = Math.max(...widths.filter((column, index) => column > (floor[index] ?? narrowest)))
      if (widest === -Infinity) break
      const index = widths.findLastIndex((column, index) =>
        column === widest && column > (floor[index] ?? narrowest)
      )
      widths[index] = widest - 1
      over -= 1
    }
  }
  return widths
}

export const line = (
  row: ReadonlyArray<string>,
  columns: ReadonlyArray<number>,
  isNarrowed: boolean
): string =>
  row
    .map((cell, index) => pad(isNarrowed ? truncate(cell, columns[index] ?? 0) : cell, columns[index] ?? 0))
    .join(gap)
    .trimEnd()

/** Breaks a text into lines of the width. A longer word stays whole, so that people can copy it. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const [first = "", ...words] = text.split(" ")
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The lines of a record; lines that are wider than the terminal are wrapped. */
export const record = (lines: ReadonlyArray<Line>, width: number | undefined): string => {
  const widest = Math.max(...lines.map(([title]) => widthOf(title)))
  const room = width === undefined ? Infinity : Math.max(narrowest, width - widest - gap.length)
  return lines
    .flatMap(([title, text]) =>
      wrap(printable(text), room).map((part, n) =>
        `${pad(n === 0 ? printable(title) : "", widest)}${gap}${part}`.trimEnd()
      )
    )
    .join("\n")
}

/** A column by its declared name, or by a title with a declared name or a function for its cells. Chosen columns have short titles. */
export type Column<Row> = string | readonly [title: string, cell: string | ((row: Row) => Operation.Cell)]

/** The chosen columns of a list, or all declared columns if none are chosen. */
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

/** The text of a cell: the slug of a place, a dash for nothing. */
export const cellText = (cell: unknown): string => {
  if (isList(cell)) return cellText(cell.length)
  if (Array.isArray(cell)) return cellText(cell.map(cellText).join(" "))
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  if (Predicate.hasProperty(cell, "slug")) return cellText(cell.slug)
  if (isGrant(cell)) return FieldText.writeGrant(cell)
  return cell === null || cell === undefined || cell === "" ? "-" : String(cell)
}

/** An entry of a list in one line, without empty fields. */
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

/** `lastSeenAt` as `lastSeen`, and `orderNumber` as `order`: the cells show what kind of text they contain. */
const shortOf = (name: string): string => name.replace(/(At|Id|Number|Slug)$/, "")

/** `lastSeenAt` as words; names of headers stay. */
const words = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
