/** The errors of the exchange of files, as rows of the catalogue (D4.4). */
import { CatalogueError } from "@dockline/core/values/CatalogueError"

/** A file of X12 is refused: none of its sets was executed, except in earlier interchanges that are on record. */
export class EdiRefused extends CatalogueError("EDI_REFUSED", "malformed", {
  when:
    "the file is not X12, its envelope is damaged, or it comes from no partner; `detail` names the segment and the remedy",
  example: {
    segment: 1,
    segmentId: "ISA",
    element: 6,
    detail: "no partner sends as ZZ/SUPPLIER to ZZ/WAREHOUSE",
    remedy: "Send the qualifiers and ids that were agreed on in ISA05 to ISA08."
  },
  message: ({ detail, element, remedy, segment, segmentId }) =>
    `Segment ${segment}${segmentId === "" ? "" : ` (${segmentId})`}${
      element === 0 ? "" : `, element ${element}`
    }: ${detail}. ${remedy.replace(/\.$/, "")}`
}) {}

/** The service accepts no X12: it is embedded without an exchange. */
export class EdiNotServed extends CatalogueError("EDI_NOT_SERVED", "notImplemented", {
  when: "the service is embedded without the exchange of X12",
  example: {},
  message: "This service accepts no X12; add the exchange of @dockline/edi to it"
}) {}

/** No exchanged file has this id, or the client may not see it. */
export class EdiFileNotFound extends CatalogueError("EDI_FILE_NOT_FOUND", "notFound", {
  when: "no exchanged file has that id, or the client may not see it",
  example: { id: "4711" },
  message: ({ id }) => `Unknown EDI file: ${id}`
}) {}

/** No EDI partner of the business has this slug. */
export class EdiPartnerNotFound extends CatalogueError("EDI_PARTNER_NOT_FOUND", "notFound", {
  when: "the business has no EDI partner with that slug",
  example: { business: "acme", partner: "supplier" },
  message: ({ business, partner }) => `Unknown EDI partner: business=${business}, slug=${partner}`
}) {}

/** Another EDI partner of the business has this slug, or these ids in envelopes. */
export class EdiPartnerExists extends CatalogueError("EDI_PARTNER_EXISTS", "conflict", {
  when: "the business has an EDI partner with that slug, or with the same ids in ISA",
  example: { business: "acme", partner: "supplier" },
  message: ({ business, code, partner }) =>
    `${code}: business=${business}, slug=${partner}; change this one, or take another slug and other ids`
}) {}

/** The partner has not rejected this file, so it cannot be sent again (D23.6). */
export class EdiFileNotRejected extends CatalogueError("EDI_FILE_NOT_REJECTED", "conflict", {
  when: "the file did not go to a partner, or the partner rejected none of its sets or no longer gets any",
  example: { id: "4711", reason: "its partner has rejected none of its sets" },
  message: ({ code, id, reason }) => `${code}: file ${id} is not sent again, as ${reason}`
}) {}
