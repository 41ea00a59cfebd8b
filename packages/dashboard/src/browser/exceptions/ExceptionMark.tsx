/** Says how many exceptions are open, for boards. */
import { amount } from "../ui/amounts.ts"
import { Alert } from "../ui/Parts.tsx"

/** Open exceptions, as the service counts them: of a shipment or of a facility. */
interface OpenCounts {
  readonly openExceptions: number
  readonly urgentExceptions: number
}

const priorityOf = ({ openExceptions, urgentExceptions }: OpenCounts): string => {
  if (urgentExceptions === 0) return ""
  return urgentExceptions === openExceptions ? ", high priority" : `, ${urgentExceptions} high priority`
}

/** The most that the service counts. */
const countedAtMost = 1000

/** Says that exceptions are open, how many, and whether one is urgent; `null` where none is. */
export const markOf = ({ openExceptions = 0, urgentExceptions = 0 }: Partial<OpenCounts>) =>
  openExceptions === 0 ? null : (
    <Alert tone={urgentExceptions > 0 ? "bad" : "warn"}>
      {amount(openExceptions)}
      {openExceptions >= countedAtMost ? " or more" : ""} {openExceptions === 1 ? "exception" : "exceptions"}
      {priorityOf({ openExceptions, urgentExceptions })}
    </Alert>
  )
