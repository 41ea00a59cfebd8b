/**
 * Reads the orders of ship notices (856): what a level O says.
 */
import { elementCodes, segmentCodes } from "../x12/Fault.ts"
import type { SetFaults } from "../x12/Fault.ts"
import type { Level } from "../x12/Hierarchy.ts"
import { elementOf } from "../x12/Segment.ts"
import { OrderDraft } from "./Draft.ts"
import { setParty, setReference } from "./Parties.ts"

/** The order of a level, without its items. */
export const orderOf = ({ head, segments }: Level): OrderDraft => {
  const order = new OrderDraft(head)
  let whose = ""
  // The number that the service wrote, or that partners agreed on, comes before that of the purchase order.
  for (const segment of segments) {
    if (segment.id === "REF" && elementOf(segment, 1) === "OQ") {
      order.set("orderNumber", elementOf(segment, 2), segment, 2)
    }
  }
  for (const segment of segments) {
    switch (segment.id) {
      case "PRF":
        order.set("orderNumber", elementOf(segment, 1), segment, 1)
        order.set("purchaseOrder", elementOf(segment, 1), segment, 1)
        break
      case "TD1":
        if (elementOf(segment, 2) !== "") {
          order.set("expectedQuantity", Number(elementOf(segment, 2)), segment, 2)
        }
        break
      case "REF":
        setReference(order, segment)
        break
      default:
        whose = setParty(order, segment, whose)
    }
  }
  return order
}

/** Checks that an order has a number that no other of the notice has. */
export const checkNumber = (order: OrderDraft, numbers: Set<unknown>, faults: SetFaults): void => {
  const number = order.fields["orderNumber"]
  const { element, segment } = order.sourceOf("orderNumber")
  if (number === undefined) {
    faults.add(segment, {
      code: segmentCodes.missing,
      detail: "the order has no number",
      remedy: "Send PRF with its number, or REF*OQ."
    })
  } else if (numbers.has(number)) {
    faults.add(segment, {
      element,
      code: elementCodes.code,
      value: String(number),
      detail: "another order of the notice has the number",
      remedy: "Send one level O for each order, or tell them apart by REF*OQ."
    })
  }
  numbers.add(number)
}
