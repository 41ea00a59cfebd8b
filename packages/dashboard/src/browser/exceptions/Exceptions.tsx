/** The part of exceptions on the dashboard: their page, and parts of boards and of the page of a shipment (D13.5, D13.15). */
import type { DashboardCapability, HistoryEntry } from "../capability.ts"
import { href } from "../router.ts"
import { slugOf } from "../session.ts"
import { lazy } from "../ui/Frame.tsx"
import { Alert, WarningIcon } from "../ui/Parts.tsx"
import { amount } from "../ui/words.ts"
import { kinds } from "./ExceptionList.tsx"
import { extension } from "./ExceptionReads.ts"
import type { Exception } from "./ExceptionReads.ts"
import { ShipmentExceptions } from "./ShipmentExceptions.tsx"

/** Numbers of open exceptions of a shipment or of a facility. */
interface OpenCounts {
  readonly openExceptions: number
  readonly urgentExceptions: number
}

const priorityOf = ({ openExceptions, urgentExceptions }: OpenCounts): string => {
  if (urgentExceptions === 0) return ""
  return urgentExceptions === openExceptions ? ", high priority" : `, ${urgentExceptions} high priority`
}

/** The highest number to which the service counts. */
const countedAtMost = 1000

/** A badge with the number of open exceptions, which shows whether one is urgent; `null` without any. */
export const markOf = ({ openExceptions = 0, urgentExceptions = 0 }: Partial<OpenCounts>) =>
  openExceptions === 0 ? null : (
    <Alert tone={urgentExceptions > 0 ? "bad" : "warn"}>
      {amount(openExceptions)}
      {openExceptions >= countedAtMost ? " or more" : ""} {openExceptions === 1 ? "exception" : "exceptions"}
      {priorityOf({ openExceptions, urgentExceptions })}
    </Alert>
  )

/** A shipment, with its first exceptions if they were read. */
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

const ExceptionPage = lazy(() => import("./ExceptionPage.tsx").then(({ ExceptionPage }) => ExceptionPage))

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
