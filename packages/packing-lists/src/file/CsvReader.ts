/**
 * Reads CSV (RFC 4180) by `csv-parse`. Every cell is text as it stands, zeros and signs included: nothing is taken for a number, a date or
 * a formula.
 */
import { CsvError, parse } from "csv-parse/sync"
import { Result } from "effect"
import { FileFault, fileFault, limits, separators } from "./FileTable.ts"
import type { Cell, Row, SeparatorName, Table } from "./FileTable.ts"

/** The most characters of a record, quotes included. */
const recordLength = 1024 * 1024

/** What is between the columns of the first line: the one that it has most often outside quotes; the comma where none is ahead. */
export const separatorOf = (text: string): string => {
  const counts = new Map(Object.values(separators).map((each) => [String(each), 0]))
  let isQuoted = false
  for (let at = 0; at < text.length && at < recordLength; at++) {
    const character = text[at]!
    if (character === "\"") isQuoted = !isQuoted
    else if (!isQuoted && (character === "\n" || character === "\r")) break
    else if (!isQuoted && counts.has(character)) counts.set(character, counts.get(character)! + 1)
  }
  const most = Math.max(...counts.values())
  const ahead = Array.from(counts).filter(([, count]) => count === most)
  return most > 0 && ahead.length === 1 ? ahead[0]![0] : separators.COMMA
}

/** What is wrong, by the codes of the parser. */
const faults: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ["a quoted cell does not end", "Close its quotes, and double those inside it."],
  CSV_MAX_RECORD_SIZE: ["a line is too long", `Send lines of at most ${recordLength} characters.`]
}

/** Reads the text of a file. */
export const readCsv = (text: string, separator?: SeparatorName): Result.Result<Table, FileFault> => {
  const delimiter = separator === undefined ? separatorOf(text) : separators[separator]
  const rows: Array<Row> = []
  let line = 1
  try {
    // A line end has one form, as the parser counts two of those inside quotes.
    parse(text.replaceAll("\r\n", "\n"), {
      bom: true,
      delimiter,
      relax_column_count: true,
      // Inches and the like: quotes inside a cell that does not begin with them are text.
      relax_quotes: true,
      max_record_size: recordLength,
      on_record: (record, { lines }) => {
        const number = line
        line = lines + 1
        const row = rowOf(number, record)
        if (row.cells.size > 0) rows.push(row)
        if (rows.length > limits.lines + headerAllowance) throw tooManyLines()
        // Nothing is gathered by the parser as well.
        return null
      }
    })
  } catch (error) {
    if (error instanceof FileFault) return Result.fail(error)
    if (!(error instanceof CsvError)) throw error
    const [detail, remedy] = faults[error.code] ??
      ["it is not CSV", "Send values with separators between them, quoted where they hold any."]
    return Result.fail(fileFault(detail, remedy, line))
  }
  return Result.succeed({ sheet: "", sheets: [], separator: delimiter, rows })
}

/** How many rows may be above the lines: titles, and the header. */
export const headerAllowance = 100

/** The fault of a file with too many rows. */
export const tooManyLines = (): FileFault =>
  fileFault(`it has more than ${limits.lines} lines`, "Send it in several files.")

/** The fault of a row with too many columns. */
export const tooManyColumns = (row: number): FileFault =>
  fileFault(
    `a row has more than ${limits.columns} columns`,
    "Leave out the columns that are not needed.",
    row
  )

const rowOf = (number: number, record: ReadonlyArray<string>): Row => {
  const cells = new Map<number, Cell>()
  for (const [column, text] of record.entries()) {
    if (text.trim() === "") continue
    if (column >= limits.columns) throw tooManyColumns(number)
    cells.set(column, { kind: "text", text, isFormula: false })
  }
  return { number, cells }
}
