/**
 * Lays out tables and records. A row takes one line, whatever its cells hold, and is never wider than the requested
 * width, unless there are too many columns for it. A record shows all of its values.
 */
import { CliOutput } from "effect/cli"
import { printable } from "./Printable.ts"

export type Columns<A> = Readonly<Record<string, (item: A) => string>>

export type Line = readonly [title: string, text: string]

const gap = "  "

/** The least width to which a column is cut. */
const narrowest = 8

const timeForm = /^(\d{4}-)(\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$/

/** The shorter forms of a time in UTC: to the minute, and that without the year. A text that is no time has none. */
const shorterTimes = (text: string): ReadonlyArray<string> => {
  const [, year, minute] = timeForm.exec(text) ?? []
  return minute === undefined ? [] : [`${year}${minute}Z`, `${minute}Z`]
}

const widthOf = CliOutput.displayWidth

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The text; a time too long for the width in a shorter form, and any other text cut, with a mark. */
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

/** The width of each column below which its cells say too little: that of a time's shortest form. */
export const leasts = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  widths(rows.map((row) => row.map((cell) => shorterTimes(cell).at(-1) ?? " ".repeat(narrowest))))

/** Narrows the widest columns until all columns fit the width; a column goes below its least width only when all others have. */
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

/** The lines of a text of the width; a longer word stays whole, so that people can copy it. */
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

/** A record; lines that are wider than the terminal are wrapped. */
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
