/**
 * What the docks of a facility see, as a value (D13.15).
 */
import * as Operation from "../../access/Operation.ts"
import { placeErrors } from "../../places/Authorize.ts"
import { DockBoard } from "../../shipment/DockBoard.ts"

export const dockBoard = Operation.read("dockBoard", {
  rest: "GET /v1/dock-boards/:business/:facility",
  params: {
    business: Operation.id("Slug of the business"),
    facility: Operation.id("Slug of the facility")
  },
  view: DockBoard,
  entity: "What the docks of a facility see.",
  errors: placeErrors,
  summary: "Read the docks of a facility",
  description:
    "Each dock with the shipments that are there, their progress and the pallet that was seen last; what is expected next, and what departed today, by the \
clocks of the facility. Shipments come without orders and items."
})
