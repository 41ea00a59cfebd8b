/**
 * Reads CSV (RFC 4180) with `csv-parse`. Every cell is an unchanged text with its zeros and signs, only CRLF becomes LF: no cell is
 * interpreted as a number, a date or a formula.
 */
import * as Slices from "@dockline/core/input/Slices"
import { CsvError, parse } from "csv-parse"
import { Effect } from "effect"
import { FileFault, fileFault, inSeveralFiles, limits, separators } from "./FileTable.ts"
import type { Cell, Row, SeparatorName, Table } from "./FileTable.ts"

/** The most characters of a record, quotes included. */
const recordLength = 1024 * 1024

/** The number of bytes that the parser gets at a time. */
const pieceLength = 16 * 1024

/** The most characters between the last cell of a record and its end. */
const recordEnd = 4

/**
 * The separator that is most frequent outside quotes in the first line. It is the comma if the line has no separator, or if two separators
 * are equally frequent.
 */
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

/** The faults by the codes of the parser. */
const faults: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ["a quoted cell does not end", "Close its quotes, and double those inside it."],
  CSV_MAX_RECORD_SIZE: ["a line is too long", `Send lines of at most ${recordLength} characters.`]
}

const isCsvFault = (error: unknown): error is CsvError | FileFault =>
  error instanceof CsvError || error instanceof FileFault

/** Waits for a write to the parser. */
const performWrite = (write: (done: (error?: Error | null) => void) => void) =>
  Effect.callback<void, CsvError | FileFault>((resume) =>
    write((error) => {
      if (error === undefined || error === null) resume(Effect.void)
      else resume(isCsvFault(error) ? Effect.fail(error) : Effect.die(error))
    })
  )

/** Reads the text of a file, in slices. */
export const readCsv = Effect.fnUntraced(function*(
  text: string,
  separator?: SeparatorName
): Effect.fn.Return<Table, FileFault> {
  const delimiter = separator === undefined ? separatorOf(text) : separators[separator]
  const rows: Array<Row> = []
  let [line, records, width, start] = [1, 0, 0, 0]
  // Line ends get a single form, because the parser counts a CRLF inside quotes twice.
  const content = Buffer.from(text.replaceAll("\r\n", "\n"))
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    // Quotes inside a cell that does not begin with a quote are text, such as the sign for inches.
    relax_quotes: true,
    max_record_size: recordLength,
    on_record: (record: ReadonlyArray<string>, { bytes, lines }) => {
      const [number, from] = [line, start]
      line = lines + 1
      start = bytes
      if (++records > limits.records) throw tooManyLines()
      const row = rowOf(number, record)
      if (record.some(mayBeOpen) && isOpen(record, content.toString("utf8", from, bytes + recordEnd))) {
        throw fileFault(...faults["CSV_QUOTE_NOT_CLOSED"]!, number)
      }
      if (row.cells.size > 0) rows.push(row)
      for (const column of row.cells.keys()) width = Math.max(width, column + 1)
      if (rows.length > limits.lines + headerAllowance) throw tooManyLines()
      // The parser must not collect the records as well.
      return null
    }
  })
  // Each write reports its own fault.
  parser.on("error", () => {})
  const write = Effect.gen(function*() {
    for (let at = 0; at < content.length; at += pieceLength) {
      if (at > 0) yield* Slices.pause
      yield* performWrite((done) => parser.write(content.subarray(at, at + pieceLength), done))
    }
    yield* performWrite((done) => parser.end(done))
  })
  yield* Effect.mapError(write, (error) => {
    if (error instanceof FileFault) return error
    const [detail, remedy] = faults[error.code] ??
      ["it is not CSV", "Send values with separators between them, quoted where they hold any."]
    return fileFault(detail, remedy, line)
  })
  return { sheet: "", sheets: [], separator: delimiter, width, rows }
})

/** Whether a cell may contain a line of another record: it begins with a quote and contains a line break. */
const mayBeOpen = (cell: string): boolean => cell.startsWith("\"") && cell.includes("\n")

/** Whether a cell of a record contains a line of another record. This is so if the source does not have the whole cell in quotes. */
const isOpen = (record: ReadonlyArray<string>, source: string): boolean => {
  let at = 0
  for (const cell of record) {
    if (!mayBeOpen(cell)) continue
    const quote = `"${cell.replaceAll("\"", "\"\"")}"`
    at = source.indexOf(quote, at)
    if (at < 0) return true
    at += quote.length
  }
  return false
}

/** The most rows above the lines: titles and the header. */
export const headerAllowance = 100

/** The fault of a file with too many rows. */
export const tooManyLines = (): FileFault =>
  fileFault(`it has more than ${limits.lines} lines`, inSeveralFiles)

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
