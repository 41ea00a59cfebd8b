/**
 * The operations on documents and their record, as values (D2, D13.6).
 */
import { Schema, Struct } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { DocumentNotFound, InvalidParameter, StorageUnavailable } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { documentReadErrors, intakeErrors } from "./Document.ts"
import { DocumentCounts, documentOutcomes, DocumentRecordView } from "./DocumentRecord.ts"
import { IntakeResult } from "./Outcome.ts"

const optional = Schema.optionalKey

/** Creates or updates a shipment with its orders and items (D2, D3). */
export const submitDocument = Operation.upload("submitDocument", {
  rest: "POST /v1/documents",
  params: {},
  view: IntakeResult,
  versionOf: ({ shipment }) => shipment.version,
  creates: ({ created }) => created.length > 0,
  errors: [...documentReadErrors, ...intakeErrors],
  may: ["documents:write"],
  summary: "Submit a document",
  description: "Creates or updates a shipment, its orders and their items in one call, all of it or nothing."
})

const countOf = (name: keyof DocumentCounts) => ({ counts }: DocumentRecordView): number => counts[name]

/** Lists the record of documents (D13.6). */
export const listDocuments = Operation.list("listDocuments", {
  rest: "GET /v1/documents",
  params: {},
  filters: {
    ...placeFilters,
    shipmentNumber: optional(Field.text("Only documents of the shipment with this number.")),
    orderNumber: optional(Field.text("Only documents that name an order with this number.")),
    correlationId: optional(Field.text("Only documents whose request had this correlation id.")),
    outcome: optional(
      Operation.word("DocumentOutcome", documentOutcomes, "Only documents with this outcome.")
    ),
    removed: optional(
      Field.flag("With true, only documents that removed something without creating it again.")
    ),
    lpn: optional(
      Field.text("Only documents that removed an item with this LPN without creating it again.")
    ),
    from: optional(Field.dateTime("Only documents received at this time or later.")),
    to: optional(Field.dateTime("Only documents received before this time."))
  },
  cursor: "position",
  row: DocumentRecordView,
  page: "DocumentPage",
  holds: ["recorded documents", "order, newest first"],
  columns: [
    ...Operation.columns(
      ...Struct.keys(Struct.omit(DocumentRecordView.fields, ["remedy", "counts", "changes"]))
    ),
    ...Struct.keys(DocumentCounts.fields).map((name) => [name, countOf(name)] as const),
    // New columns follow all earlier ones (D13).
    ...Operation.columns<"remedy">("remedy")
  ],
  errors: [InvalidParameter, ...placeErrors],
  summary: "List the record of documents",
  description:
    "Which client sent which document when, and what it changed, newest first. The record leaves out dry runs, documents \
that cannot be parsed, have too many items or name no place, and documents at places that their client may not see. It never holds the body of a document."
})

/** Reads the record of one document; `DocumentNotFound` also if the client may not see it (D13.6). */
export const getDocument = Operation.read("getDocument", {
  rest: "GET /v1/documents/:id",
  params: { id: Operation.id("The document's id in the record") },
  view: DocumentRecordView,
  entity: "The record of a document. A document that the client may not see counts as missing.",
  errors: [DocumentNotFound, StorageUnavailable],
  summary: "Read the record of a document",
  description:
    "Which client sent the document and when, and what it changed or why it was refused. The body is not stored."
})
