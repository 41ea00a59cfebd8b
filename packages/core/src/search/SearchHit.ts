/** The search for numbers and LPNs (D13.11) as an operation, and the view of its hits. */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { endingLength, searchDepth, searchKinds } from "../shipment/ShipmentItem.ts"
import { PlaceView } from "../shipment/View.ts"
import * as Field from "../values/Field.ts"
import * as ViewField from "../values/ViewField.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"

/** A hit of a search, as clients see it. */
export const SearchHit = Schema.Struct({
  id: ViewField.text("Its kind and its id, unique among the hits"),
  kind: Schema.Literals(searchKinds).annotate({
    description: "Where the text was found",
    identifier: "SearchKind"
  }),
  text: ViewField.text("The number or the LPN that was found, as it is stored"),
  exact: Field.flag("Whether it is exactly the requested text"),
  business: PlaceView,
  facility: PlaceView,
  shipmentId: ViewField.whole("Id of the shipment that it leads to; 0 if none"),
  shipmentNumber: ViewField.text("Number of the shipment"),
  status: ViewField.text(`Status of the shipment: ${shipmentStatuses.join(", ")}; empty for a removal`),
  missingPallets: ViewField.whole(
    "How many expected pallets of the shipment have not passed; 0 for a removal"
  ),
  unexpectedPallets: ViewField.whole(
    "How many unexpected pallets of the shipment have passed; 0 for a removal"
  ),
  orderNumber: ViewField.text("Number of the order, or of the order of the item, or empty"),
  palletId: ViewField.text("Id of the pallet that was seen, or empty"),
  documentId: ViewField.whole("Id of the document that removed the LPN in the record; 0 if it is no removal"),
  removedAt: ViewField.text("When that document was received, RFC 3339 in UTC, or empty"),
  removedBy: ViewField.text(
    "Who sent that document: the id of a client, or `person:` and the id of a person, or empty"
  )
}).annotate({
  identifier: "SearchHit",
  description: "A number or an LPN that a search found, with its shipment, pallet or document."
})

/** A hit of a search, as clients see it. */
export type SearchHit = typeof SearchHit.Type

/** Searches by a number or an LPN (D13.11). */
export const search = Operation.list("search", {
  rest: "GET /v1/search",
  params: {},
  filters: {
    ...placeFilters,
    text: Field.requiredText(
      `A number of a shipment, an order or a trailer, or an LPN, in any case; with ${endingLength} characters or more, its end is enough.`
    )
  },
  cursor: "count",
  row: SearchHit,
  page: "SearchPage",
  holds: ["hits", "the order of similarity, kind and age"],
  columns: Operation.columns(
    "kind",
    "text",
    "exact",
    "shipmentNumber",
    "status",
    "missingPallets",
    "unexpectedPallets",
    "orderNumber",
    "business",
    "facility",
    "shipmentId",
    "palletId",
    "documentId",
    "removedAt",
    "removedBy"
  ),
  errors: placeErrors,
  summary: "Find numbers and LPNs",
  description:
    `Finds the entities with a number or an LPN: shipments, trailers, orders, pallets that were seen, items that are \
expected, and documents that removed an LPN. Surrounding spaces and case are ignored; a text of ${endingLength} or more characters \
also finds numbers that end with it. An SSCC may have any form that scanners send. Exact matches come first, \
then those that differ in case, then those with the same end; among these the newest of each kind. Only ${searchDepth} inexact matches of each kind \
at a facility are examined: the newest, and for items any.`
})
