/** Reads a file of a packing list as a table, whatever its format. */
import { Effect } from "effect"
import { readCsv } from "./CsvReader.ts"
import type { FileFault, SeparatorName, Table } from "./FileTable.ts"
import { fileFault, inSeveralFiles, limits } from "./FileTable.ts"
import { readXlsx } from "./XlsxReader.ts"

/** A received file: the text of CSV, or the bytes of XLSX. */
export type PackingListFile =
  | { readonly format: "csv"; readonly text: string }
  | { readonly format: "xlsx"; readonly bytes: Uint8Array }

/** The settings by which a file is read. */
export interface FileSettings {
  /** The name of the sheet in XLSX; by default the first sheet that is not hidden. */
  readonly sheet?: string | undefined
  /** The separator of columns in CSV; by default the most frequent separator in the first line. */
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
