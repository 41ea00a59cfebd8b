/** What exceptions have on the dashboard: their page, and parts of boards and of the page of a shipment (D13.5, D13.15). */
import type { DashboardCapability, HistoryEntry } from "../capability.ts"
import { href } from "../router.ts"
import { slugOf } from "../session.ts"
import { WarningIcon } from "../ui/Icons.tsx"
import { extension } from "./ExceptionExtension.ts"
import { kinds } from "./ExceptionList.tsx"
import type { Exception } from "./ExceptionLists.ts"
import { markOf } from "./ExceptionMark.tsx"
import { ExceptionPage } from "./ExceptionPage.tsx"
import { ShipmentExceptions } from "./ShipmentExceptions.tsx"

/** A shipment with the first of its exceptions, or without. */
interface WithExceptions {
  readonly exceptions?: { readonly nodes: ReadonlyArray<Exception> }
}

/** The reports and the resolutions of the exceptions of a shipment. */
const historyOf = ({ exceptions }: WithExceptions): ReadonlyArray<HistoryEntry> =>
  (exceptions?.nodes ?? []).flatMap((
    { description, kind, lpn, note, reportedAt, reportedBy, resolvedAt, resolvedBy }
  ) => [
    {
      at: reportedAt,
      what: "Exception reported",
      details: [kinds[kind], lpn, description].filter((text) => text !== "").join(" · "),
      by: reportedBy
    },
    ...(resolvedAt === "" ? [] : [{
      at: resolvedAt,
      what: "Exception resolved",
      details: [lpn, note].filter((text) => text !== "").join(" · "),
      by: resolvedBy
    }])
  ])

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
  historyOf,
  ShipmentPart: ShipmentExceptions
}
