/** The columns of a table, by the names in its header. */
import { lettersOf } from "../file/FileTable.ts"
import type { Table } from "../file/FileTable.ts"

/** A column of a file. */
export interface Column {
  /** From 0. */
  readonly index: number
  readonly letters: string
  /** Its name in the header, or its letters if it has none. */
  readonly name: string
}

/** A text in which any white space between two words is one space, and there is none around them. */
export const trim = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** The columns of a table whose header is in the row with this number, including columns that only lines have. */
export const columnsOf = ({ rows, width }: Table, headerRow: number): ReadonlyArray<Column> => {
  const header = rows.find(({ number }) => number === headerRow)?.cells
  return Array.from({ length: width }, (_, index) => {
    const letters = lettersOf(index)
    return { index, letters, name: trim(header?.get(index)?.text ?? "") || letters }
  })
}
