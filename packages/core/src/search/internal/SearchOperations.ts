/**
 * The search for numbers and LPNs (D13.11) as a value.
 */
import * as Operation from "../../access/Operation.ts"
import { placeErrors } from "../../places/Authorize.ts"
import { placeFilters } from "../../places/ListQuery.ts"
import { endingLength, searchDepth } from "../../shipment/Found.ts"
import * as Field from "../../values/Field.ts"
import { SearchHit } from "../SearchHit.ts"

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
