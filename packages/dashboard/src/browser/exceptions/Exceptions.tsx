/** What exceptions have on the dashboard: their page, and parts of boards and of the page of a shipment (D13.5, D13.15). */
import type { DashboardCapability } from "../capability.ts"
import { href } from "../router.ts"
import { slugOf } from "../session.ts"
import { WarningIcon } from "../ui/Icons.tsx"
import { extension } from "./ExceptionExtension.ts"
import { markOf } from "./ExceptionMark.tsx"
import { ExceptionPage } from "./ExceptionPage.tsx"
import { ShipmentExceptions } from "./ShipmentExceptions.tsx"

export const exceptions: DashboardCapability = {
  name: "exceptions",
  pages: [{
    target: "/exceptions",
    label: "Exceptions",
    key: "e",
    List: ExceptionPage,
    keepsFilters: true,
    tab: { Icon: WarningIcon, after: "/shipments" }
  }],
  ...extension,
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
