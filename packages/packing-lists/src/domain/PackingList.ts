/** The outcome of a packing list: the answer to a dry run, and to sending it (D25.6). */
import * as Field from "@dockline/core/values/Field"
import { Schema } from "effect"
import { CellFault } from "../mapping/CellFault.ts"
import { MappingView } from "../mapping/Mapping.ts"

/** The media type of XLSX. */
export const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** The media type of CSV. */
export const csvType = "text/csv"

/** The outcomes of an order. */
export const orderOutcomes = ["CREATED", "UPDATED", "REFUSED", "FAULTY"] as const

/** The outcome of an order. */
export type OrderOutcome = (typeof orderOutcomes)[number]

/** An order of a packing list, with its outcome. */
export const PackingListOrder = Schema.Struct({
  orderNumber: Field.shownText("Order number"),
  shipmentNumber: Field.shownText("Number of its shipment"),
  row: Field.shownWhole("Its first row in the file"),
  lines: Field.shownWhole("How many lines it has in the file"),
  outcome: Schema.Literals(orderOutcomes).annotate({
    description:
      "CREATED or UPDATED if it was accepted; REFUSED by the rules of documents; FAULTY if its cells have faults"
  }),
  created: Field.shownWhole("How many items were created"),
  updated: Field.shownWhole("How many items were updated"),
  removed: Field.shownWhole("How many items were removed"),
  shipmentId: Field.shownText(
    "Id of its shipment; empty where it was not taken, and where a dry run would create the shipment"
  ),
  faults: Schema.Array(CellFault).annotate({
    description: "Its faults: the first 100, and of all orders the first 1,000"
  }),
  notes: Schema.Array(Schema.String).annotate({ description: "The notes of its document" })
}).annotate({
  identifier: "PackingListOrder",
  description: "The outcome of an order, or its expected outcome in a dry run."
})

/** An order of a packing list, with its outcome. */
export type PackingListOrder = typeof PackingListOrder.Type

/** The outcome of a part of a packing list. */
export const PackingListAnswer = Schema.Struct({
  dryRun: Schema.Boolean.annotate({ description: "Whether nothing was written" }),
  sheet: Field.shownText("The sheet that was read; empty in CSV"),
  sheets: Schema.Array(Schema.String).annotate({ description: "All sheets of the file" }),
  mapping: MappingView,
  isSuggested: Schema.Boolean.annotate({
    description: "Whether the mapping is suggested, because the request has none with columns"
  }),
  mappingName: Field.shownText("The name of the mapping if it is stored; otherwise empty"),
  columns: Schema.Array(Schema.Struct({
    letters: Field.shownText("The letters of the column"),
    name: Field.shownText("Its name in the header, or its letters"),
    field: Field.shownText("The field that it has; empty for none"),
    examples: Schema.Array(Schema.String).annotate({ description: "Its cells in the first lines" })
  })).annotate({ description: "The columns of the file" }),
  lineCount: Field.shownWhole("How many lines the file has"),
  orderCount: Field.shownWhole("How many orders the file has"),
  shipmentCount: Field.shownWhole("How many shipments the file has"),
  faultCount: Field.shownWhole("How many faults the cells of the file have"),
  faults: Schema.Array(CellFault).annotate({
    description: "Faults of the header, and of lines without an order; the first 100"
  }),
  notes: Schema.Array(CellFault).annotate({ description: "Notes about cells, such as formulas" }),
  orders: Schema.Array(PackingListOrder).annotate({
    description: "The orders of this part of the file, by shipments, in the order of the file"
  }),
  next: Schema.NullOr(Schema.String).annotate({
    description:
      "The from of the next request with this file, which is refused with another file; null at the end of the file"
  })
}).annotate({ identifier: "PackingListAnswer", description: "The outcome of a part of a packing list." })

/** The outcome of a part of a packing list. */
export type PackingListAnswer = typeof PackingListAnswer.Type
