/** A fault of a cell: its place, its description, and the expected content. */
import { Schema } from "effect"

/** A fault of a cell, or a note. */
export const CellFault = Schema.Struct({
  sheet: Schema.String.annotate({ description: "The sheet; empty in CSV" }),
  row: Schema.Int.annotate({
    description: "The row of the sheet, or the line of CSV, from 1; 0 for the whole file"
  }),
  column: Schema.String.annotate({ description: "The letters of the column; empty for the whole row" }),
  name: Schema.String.annotate({ description: "The name of the column; empty for the whole row" }),
  field: Schema.String.annotate({ description: "The field of documents that it is about; empty for none" }),
  value: Schema.String.annotate({ description: "What the cell has, cut short" }),
  detail: Schema.String.annotate({ description: "What is wrong, and what is expected" })
}).annotate({ identifier: "PackingListFault", description: "What is wrong with a cell of a packing list." })

/** A fault of a cell, or a note. */
export type CellFault = typeof CellFault.Type
