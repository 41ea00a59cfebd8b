/** Parts of exceptions in the pages of the contract: at boards, and on the page of a shipment (D13.5, D13.15). */
import type { PageParts } from "../capability.ts"
import { href } from "../router.ts"
import { slugOf } from "../session.ts"
import { markOf } from "./ExceptionMark.tsx"
import { ShipmentExceptions } from "./ShipmentExceptions.tsx"

export const parts: PageParts = {
  name: "exceptions",
  markOf,
  attentionOf: (board, place) => {
    const mark = markOf(board)
    return mark === null ? null : (
      <a class="attention" href={href(`/exceptions?at=${slugOf(place)}`)}>
        {mark}
        <span class="unseen">{" "}open</span>
      </a>
    )
  },
  ShipmentPart: ShipmentExceptions
}
