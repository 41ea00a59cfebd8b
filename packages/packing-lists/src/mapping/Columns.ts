/** The columns of a table, as its header names them. */
import { lettersOf } from "../file/FileTable.ts"
import type { Table } from "../file/FileTable.ts"

/** A column of a file. */
export interface Column {
  /** From 0. */
  readonly index: number
  readonly letters: string
  /** Its name in the header, or its letters where it has none. */
  readonly name: string
}

/** White space of any kind between two words is one space, and around them none. */
export const trim = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** The columns of a table whose header is in the row of this number, and those that only lines have. */
export const columnsOf = ({ rows, width }: Table, headerRow: number): ReadonlyArray<Column> => {
  const header = rows.find(({ number }) => number === headerRow)?.cells
  return Array.from({ length: width }, (_, index) => {
    const letters = lettersOf(index)
    return { index, letters, name: trim(header?.get(index)?.text ?? "") || letters }
  })
}
