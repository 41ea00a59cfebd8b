/**
 * The operations of clients on the exchanged files, as values (D18.3).
 */
import * as Operation from "@dockline/core/access/Operation"
import { placeErrors } from "@dockline/core/places/Authorize"
import { placeFilters } from "@dockline/core/places/ListQuery"
import {
  CursorAhead,
  HistoryExpired,
  InvalidParameter,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Schema } from "effect"
import { EdiFileNotFound } from "./EdiErrors.ts"
import { ediDirections, ediOutcomes } from "./EdiFile.ts"
import { EdiFileEntryView, EdiFileView, EdiOutgoingView } from "./EdiFile.ts"

const optional = Schema.optionalKey

const partner = Field.text("Only files of this partner.")

/** Lists the files exchanged with partners, newest first (D18.3). */
export const listEdiFiles = Operation.list("listEdiFiles", {
  rest: "GET /v1/edi/files",
  params: {},
  filters: {
    ...placeFilters,
    partner: optional(partner),
    direction: optional(
      Operation.word(
        "EdiDirection",
        ediDirections,
        "Only received files (IN), or files written for partners (OUT)."
      )
    ),
    outcome: optional(Operation.word("EdiOutcome", ediOutcomes, "Only files of this outcome.")),
    shipmentId: optional(
      Field.text("Only files about this shipment; without partner, direction and outcome.")
    )
  },
  cursor: "position",
  row: EdiFileEntryView,
  page: "EdiFilePage",
  holds: ["files that were exchanged", "order, newest first"],
  columns: Operation.columnsOf(EdiFileEntryView),
  errors: [InvalidParameter, ...placeErrors],
  summary: "List EDI files",
  description:
    "The X12 interchanges that were received from partners and written for them, with their outcomes, newest first. They are kept for 90 days."
})

/** Reads a file in either direction, with its text if the client may read it (D18.3). */
export const getEdiFile = Operation.read("getEdiFile", {
  rest: "GET /v1/edi/files/:id",
  params: { id: Operation.id("The file's id in the record") },
  view: EdiFileView,
  entity: "What was exchanged with an EDI partner; a file that the client may not see is not there.",
  errors: [EdiFileNotFound, Overloaded, StorageUnavailable],
  summary: "Read an EDI file",
  description: "The text of an interchange, its acknowledgment, and the outcome of each of its sets."
})

/** Lists the interchanges to be sent to partners, in the order of their ids (D18.3). */
export const readEdiOutbox = Operation.list("readEdiOutbox", {
  rest: "GET /v1/edi/outbox",
  params: {},
  filters: {
    business: Field.slug("Business slug"),
    facility: optional(
      Field.text("Facility slug; without it, the client needs permission for the whole business.")
    ),
    partner: optional(partner)
  },
  cursor: "id",
  row: EdiOutgoingView,
  page: "EdiOutboxPage",
  holds: ["interchanges to be sent"],
  columns: Operation.columnsOf(EdiOutgoingView, "direction"),
  errors: [...placeErrors, HistoryExpired, CursorAhead, Overloaded],
  summary: "Read the outbox for EDI partners",
  description:
    "The interchanges that tell partners of departed shipments, in the order of their ids. Store the id of the last one that you have \
sent, and request those after it: so you miss none. Each can be read for 90 days. It requires the permission messages:read."
})
