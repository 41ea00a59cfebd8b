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
      Operation.word("EdiDirection", ediDirections, "Only what came (IN), or went (OUT).")
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
  summary: "List what was exchanged with EDI partners",
  description:
    "The interchanges of X12 that came from partners and went to them, with what became of them, newest first. They are kept for 90 days."
})

/** Reads a file in either direction, with its text if the client may read it (D18.3). */
export const getEdiFile = Operation.read("getEdiFile", {
  rest: "GET /v1/edi/files/:id",
  params: { id: Operation.id("The file's id in the record") },
  view: EdiFileView,
  entity: "What was exchanged with an EDI partner; a file that the client may not see is not there.",
  errors: [EdiFileNotFound, Overloaded, StorageUnavailable],
  summary: "Read what was exchanged with an EDI partner",
  description: "An interchange as it came or went, its acknowledgment, and what became of each of its sets."
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
  summary: "Read what is to be sent to EDI partners",
  description:
    "The interchanges that tell partners of shipments that departed, in the order of their ids. Store the id of the last one that \
you have sent, and ask for what follows it: none is missed, and each may be read again for 90 days. It takes the permission messages:read."
})
