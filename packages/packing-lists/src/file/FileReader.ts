/** Reads a file of a packing list as a table, whatever its format. */
import { Effect } from "effect"
import { readCsv } from "./CsvReader.ts"
import type { FileFault, SeparatorName, Table } from "./FileTable.ts"
import { fileFault, inSeveralFiles, limits } from "./FileTable.ts"
import { readXlsx } from "./XlsxReader.ts"

/** A file as it came: the text of CSV, or the bytes of XLSX. */
export type PackingListFile =
  | { readonly format: "csv"; readonly text: string }
  | { readonly format: "xlsx"; readonly bytes: Uint8Array }

/** What tells how a file is read. */
export interface FileSettings {
  /** The sheet of XLSX; the first that is not hidden where none is named. */
  readonly sheet?: string | undefined
  /** What is between the columns of CSV; what the first line has most where none is named. */
  readonly separator?: SeparatorName | undefined
}

/** Reads a file. */
export const readFile = (
  file: PackingListFile,
  { separator, sheet }: FileSettings = {}
): Effect.Effect<Table, FileFault> => {
  const length = file.format === "csv" ? Buffer.byteLength(file.text) : file.bytes.byteLength
  if (length > limits.fileBytes) {
    return Effect.fail(
      fileFault(`it is larger than ${limits.fileBytes / 1024 / 1024} MiB`, inSeveralFiles)
    )
  }
  return file.format === "csv"
    ? readCsv(file.text, separator)
    : readXlsx(file.bytes, sheet)
}
