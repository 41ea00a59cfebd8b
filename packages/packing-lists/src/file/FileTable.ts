/**
 * A file as a table: its rows, each with the cells that hold something. A cell is what the file says, not what a field means by it.
 */
import { Data } from "effect"

/** What a cell holds: a text, a number as it is written, a date of a spreadsheet, a truth value, or an error of a formula. */
export type CellKind = "text" | "number" | "date" | "flag" | "error"

/** A cell that holds something. */
export interface Cell {
  readonly kind: CellKind
  /**
   * A text as it is; a number in digits, padded with the zeros that its format shows; a date as `YYYY-MM-DD`, with `THH:MM:SS` where it
   * has a time; `TRUE` or `FALSE`; an error such as `#N/A`.
   */
  readonly text: string
  /** Whether a formula made it: the text is what the formula came to when the file was saved, as nothing is computed. */
  readonly isFormula: boolean
}

/** A row of a file. */
export interface Row {
  /** Its number in the sheet, or the line of a CSV file at which it begins; from 1. */
  readonly number: number
  /** Its cells by their columns, from 0; a column without a cell is empty. */
  readonly cells: ReadonlyMap<number, Cell>
}

/** A table. */
export interface Table {
  /** The name of the sheet; `""` of a CSV file. */
  readonly sheet: string
  /** The names of all sheets; none of a CSV file. */
  readonly sheets: ReadonlyArray<string>
  /** What is between the columns of a CSV file; `""` of a sheet. */
  readonly separator: string
  /** How many columns it has, up to the last cell of any row. */
  readonly width: number
  /** The rows that have a cell, in their order. */
  readonly rows: ReadonlyArray<Row>
}

/** What may be between columns. */
export const separators = { COMMA: ",", SEMICOLON: ";", TAB: "\t", BAR: "|" } as const

/** The name of what is between columns. */
export type SeparatorName = keyof typeof separators

/** What a file may hold at most. */
export const limits = {
  /** Bytes of a file. */
  fileBytes: 8 * 1024 * 1024,
  /** Lines below the header. */
  lines: 10_000,
  /** Lines of a CSV file, those without a cell included. */
  records: 20_000,
  /** Columns. */
  columns: 200,
  /** Characters of the name of a column. */
  columnName: 1024,
  /** Characters of the name of a sheet. */
  sheetName: 255,
  /** Bytes of all that an XLSX file holds when it is inflated. */
  inflatedBytes: 64 * 1024 * 1024,
  /** How much larger than its share of the file a part of an XLSX file may be, once it exceeds `smallBytes`. */
  ratio: 200,
  /** The size up to which a part of an XLSX file may have any ratio. */
  smallBytes: 1024 * 1024,
  /** Parts of an XLSX file. */
  parts: 1000
} as const

/** Why a file cannot be read: where, and what its sender does about it. */
export class FileFault extends Data.TaggedError("FileFault")<{
  /** The row, from 1; 0 where it is about the whole file. */
  readonly row: number
  readonly detail: string
  readonly remedy: string
}> {}

/** What its sender does about a file that is too large. */
export const inSeveralFiles = "Send it in several files, each with all lines of its orders."

/** A fault of the whole file. */
export const fileFault = (detail: string, remedy: string, row = 0): FileFault =>
  new FileFault({ row, detail, remedy })

/** The letters of a column, from 0: `A` to `Z`, `AA` and so on. */
export const lettersOf = (column: number): string => {
  let letters = ""
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  }
  return letters
}

/** The column of letters, from 0; `undefined` if they name none that a sheet may have. */
export const columnOf = (letters: string): number | undefined => {
  if (!/^[A-Z]{1,3}$/.test(letters)) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
