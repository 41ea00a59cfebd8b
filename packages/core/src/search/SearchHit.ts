/**
 * What clients see of what a search finds (D13.11).
 */
import { Schema } from "effect"
import { searchKinds } from "../shipment/Found.ts"
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
