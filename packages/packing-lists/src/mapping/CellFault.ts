/** Faults of cells, with their positions. */
import { Schema } from "effect"

/** A fault of a cell, or a note. */
export const CellFault = Schema.Struct({
  sheet: Schema.String.annotate({ description: "The sheet; empty in CSV" }),
  row: Schema.Int.annotate({
    description: "The row of the sheet, or the line of CSV, from 1; 0 for the whole file"
  }),
  column: Schema.String.annotate({ description: "The letters of the column; empty for the whole row" }),
  name: Schema.String.annotate({ description: "The name of the column; empty for the whole row" }),
  field: Schema.String.annotate({ description: "The field of documents in the cell; empty for none" }),
  value: Schema.String.annotate({ description: "The content of the cell, shortened" }),
  detail: Schema.String.annotate({ description: "The fault, and the expected content" })
}).annotate({ identifier: "PackingListFault", description: "A fault of a cell of a packing list." })

/** A fault of a cell, or a note. */
export type CellFault = typeof CellFault.Type
