/**
 * The operations of operators on logs, as values: the record of operators' changes (D13.8), and advancing the ids of messages (D7.5).
 */
import { Schema } from "effect"
import * as Operation from "../../access/Operation.ts"
import { Forbidden, InvalidParameter } from "../../values/Errors.ts"
import * as Field from "../../values/Field.ts"
import { AdvanceTooFar } from "../../values/OperatorErrors.ts"
import { AdvanceView, AuditView } from "../OperatorView.ts"
import * as OperatorInput from "./OperatorInput.ts"

const optional = Schema.optionalKey

export const listAudit = Operation.list("listAudit", {
  rest: "GET /v1/operator/audit",
  params: {},
  filters: {
    business: optional(Field.text("Only changes of this business.")),
    clientId: optional(Field.text("Only changes by this client.")),
    subject: optional(
      Field.text("Only changes of this subject: a path below /v1/operator, such as clients/{id}.")
    ),
    from: optional(Field.dateTime("Only changes at this time or later.")),
    to: optional(Field.dateTime("Only changes at this time or earlier."))
  },
  cursor: "name",
  row: AuditView,
  page: "AuditPage",
  columns: [
    ...Operation.columns("id", "at", "clientId", "address", "action", "business", "subject"),
    ["details", ({ details }) => JSON.stringify(details)]
  ],
  errors: [InvalidParameter, Forbidden],
  summary: "Read the changes by operators",
  description:
    "Who changed what, when and from which address, newest first, for a year; for the businesses that the requesting client operates.",
  presentation: {
    lead: "Changes by operators, newest first. Entries are kept for a year.",
    empty: [
      "No change is recorded",
      "Changes to businesses, places, clients, people and endpoints appear here."
    ],
    fields: ["action", "at", "subject details", "clientId address"]
  }
})

export const advanceMessages = Operation.keylessWrite("advanceMessages", {
  rest: "POST /v1/operator/messages/advance",
  params: {},
  body: OperatorInput.advanceSchema,
  read: OperatorInput.readAdvance,
  view: AdvanceView,
  errors: [AdvanceTooFar, Forbidden],
  summary: "Advance the ids of messages",
  description:
    "Use it after a restore of the database from a backup or the promotion of a standby: lost ids are not \
given again, and cursors up to `beyond` become valid again. Ids never go back; a repetition does nothing. It needs the \
permission operator for the whole service."
})
