/**
 * A file as a table: its rows with their cells that are not empty. A cell has the content of the file, which is not yet the value of a
 * field.
 */
import { Data } from "effect"

/** The kind of a cell: a text, a number in its written form, a date of a spreadsheet, a truth value, or an error of a formula. */
export type CellKind = "text" | "number" | "date" | "flag" | "error"

/** A cell that is not empty. */
export interface Cell {
  readonly kind: CellKind
  /**
   * An unchanged text; the digits of a number, padded with zeros if its format requires it; a date as `YYYY-MM-DD`, with `THH:MM:SS` if it
   * has a time; `TRUE` or `FALSE`; an error such as `#N/A`.
   */
  readonly text: string
  /** Whether the cell has a formula. The text is then the result that was saved in the file, because formulas are not computed. */
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
  /** The name of the sheet; `""` for a CSV file. */
  readonly sheet: string
  /** The names of all sheets; empty for a CSV file. */
  readonly sheets: ReadonlyArray<string>
  /** The separator of columns in a CSV file; `""` for a sheet. */
  readonly separator: string
  /** The number of its columns, up to the last cell of any row. */
  readonly width: number
  /** The rows that have a cell, in their order. */
  readonly rows: ReadonlyArray<Row>
}

/** The possible separators of columns. */
export const separators = { COMMA: ",", SEMICOLON: ";", TAB: "\t", BAR: "|" } as const

/** The name of a separator of columns. */
export type SeparatorName = keyof typeof separators

/** The limits of a file. */
export const limits = {
  /** Bytes of a file. */
  fileBytes: 8 * 1024 * 1024,
  /** Lines below the header. */
  lines: 10_000,
  /** Lines of a CSV file, including empty ones. */
  records: 20_000,
  /** Columns. */
  columns: 200,
  /** Characters of the name of a column. */
  columnName: 1024,
  /** Characters of the name of a sheet. */
  sheetName: 255,
  /** Bytes of all parts of an XLSX file when they are inflated. */
  inflatedBytes: 64 * 1024 * 1024,
  /** The factor by which a part of an XLSX file may exceed its compressed size, if it is larger than `smallBytes`. */
  ratio: 200,
  /** The size up to which a part of an XLSX file may have any ratio. */
  smallBytes: 1024 * 1024,
  /** Parts of an XLSX file. */
  parts: 1000
} as const

/** The reason why a file cannot be read, and the remedy for the sender. */
export class FileFault extends Data.TaggedError("FileFault")<{
  /** The row, from 1; 0 for the whole file. */
  readonly row: number
  readonly detail: string
  readonly remedy: string
}> {}

/** The remedy for a file that is too large. */
export const inSeveralFiles = "Send it in several files, each with all lines of its orders."

/** Makes the fault of a file, by default of the whole file. */
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

/** The column with these letters, from 0; `undefined` if no column of a sheet has them. */
export const columnOf = (letters: string): number | undefined => {
  if (!/^[A-Z]{1,3}$/.test(letters)) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
