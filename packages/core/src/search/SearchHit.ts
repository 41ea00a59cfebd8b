/** The search for numbers and LPNs (D13.11) as an operation, and what clients see of its hits. */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { endingLength, searchDepth, searchKinds } from "../shipment/ShipmentItem.ts"
import { PlaceView } from "../shipment/View.ts"
import * as Field from "../values/Field.ts"
import * as ViewField from "../values/ViewField.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"

/** What a search finds, as clients see it. */
export const SearchHit = Schema.Struct({
  id: ViewField.text("Its kind and its id, which differs among the hits"),
  kind: Schema.Literals(searchKinds).annotate({
    description: "Where the text was found",
    identifier: "SearchKind"
  }),
  text: ViewField.text("The number or the LPN that was found, as it is stored"),
  exact: Field.flag("Whether it is exactly what was asked for"),
  business: PlaceView,
  facility: PlaceView,
  shipmentId: ViewField.whole("Id of the shipment that it leads to; 0 if none"),
  shipmentNumber: ViewField.text("Number of the shipment"),
  status: ViewField.text(`Status of the shipment: ${shipmentStatuses.join(", ")}; empty for a removal`),
  missingPallets: ViewField.whole(
    "How many expected pallets of the shipment have not passed; 0 for a removal"
  ),
  unexpectedPallets: ViewField.whole(
    "How many pallets have passed that the shipment does not expect; 0 for a removal"
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
  description: "A number or an LPN that a search found, and what it leads to."
})

/** What a search finds, as clients see it. */
export type SearchHit = typeof SearchHit.Type

/** Finds what a number or an LPN leads to (D13.11). */
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
  holds: ["hits", "the order of how exactly they are meant, of kinds, and of age"],
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
    `What a number or an LPN on paper leads to: shipments, trailers, orders, pallets that were seen, items that are \
expected, and documents that removed an LPN. The text is compared without spaces around it and without regard to case; from ${endingLength} characters \
on, whatever ends with it is found too. An SSCC may be given in each form that scanners send. What is exactly the same comes first, however much is similar, \
then what differs by its case, then what has the same end; among these the newest of each kind. For what is similar, ${searchDepth} of each kind \
at a facility are looked at: the newest, and of items any.`
})
