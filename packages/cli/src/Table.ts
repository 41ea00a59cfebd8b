/**
 * Tables and records for people: aligned columns, by the width that a terminal gives each character.
 *
 * Guarantee: one line for each row, whatever the cells hold; a line is never wider than the width asked for, unless its
 * columns are too many for it.
 */
import { CliOutput } from "effect/cli"
import { printable } from "./Printable.ts"

/** One column of a table, or one line of a record. */
export interface Column<A> {
  readonly title: string
  readonly text: (item: A) => string
}

/** What stands between two columns. */
const gap = "  "

/** A column is not cut below this. */
const narrowest = 8

const widthOf = CliOutput.displayWidth

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The text, or as much of its beginning as fits, with a mark that something is missing. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let kept = ""
  let room = width - 1
  for (const { segment } of segmenter.segment(text)) {
    room -= widthOf(segment)
    if (room < 0) break
    kept += segment
  }
  return `${kept}…`
}

/** The cells of a row. */
export const cells = <A>(columns: ReadonlyArray<Column<A>>, item: A): ReadonlyArray<string> =>
  columns.map(({ text }) => printable(text(item)))

/** The width of each column, for all rows to fit. */
export const widths = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  (rows[0] ?? []).map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), 0)
  )

/** Narrows the widest columns until all fit the width. */
export const fit = (columns: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const narrowed = [...columns]
  let over = columns.reduce((sum, column) => sum + column, gap.length * (columns.length - 1)) - width
  while (over > 0) {
    const widest = Math.max(...narrowed)
    if (widest <= narrowest) break
    narrowed[narrowed.lastIndexOf(widest)] = widest - 1
    over -= 1
  }
  return narrowed
}

/** One row, its cells cut to their columns where these were narrowed. */
export const line = (
  row: ReadonlyArray<string>,
  columns: ReadonlyArray<number>,
  isNarrowed: boolean
): string =>
  row
    .map((cell, index) => pad(isNarrowed ? cut(cell, columns[index] ?? 0) : cell, columns[index] ?? 0))
    .join(gap)
    .trimEnd()

/** One item with each column on a line of its own. */
export const record = <A>(columns: ReadonlyArray<Column<A>>, item: A, width: number | undefined): string => {
  const title = Math.max(...columns.map((column) => widthOf(column.title)))
  const room = width === undefined ? undefined : Math.max(narrowest, width - title - gap.length)
  return cells(columns, item)
    .map((cell, index) =>
      `${pad(columns[index]?.title ?? "", title)}${gap}${room === undefined ? cell : cut(cell, room)}`
        .trimEnd()
    )
    .join("\n")
}
