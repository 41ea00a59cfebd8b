/** Counts the open exceptions of a facility by shipment, for boards. */
import { exceptionCounts } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { amount } from "../ui/amounts.ts"
import { Alert } from "../ui/Parts.tsx"

export interface Reported {
  readonly count: number
  readonly urgent: number
}

export interface OpenExceptions {
  readonly of: ReadonlyMap<number, Reported>
  readonly all: Reported
  readonly hasMore: boolean
}

const noException: Reported = { count: 0, urgent: 0 }

export const loadExceptions = async (place: Place): Promise<OpenExceptions> => {
  const open = { ...slugsOf(place), status: "OPEN" } as const
  const [high, low] = await Promise.all([
    run(exceptionCounts, { ...open, priority: "HIGH" }),
    run(exceptionCounts, { ...open, priority: "LOW" })
  ])
  const of = new Map<number, Reported>()
  for (const [{ nodes }, urgent] of [[high, 1], [low, 0]] as const) {
    for (const { shipmentId } of nodes) {
      const before = of.get(shipmentId) ?? noException
      of.set(shipmentId, { count: before.count + 1, urgent: before.urgent + urgent })
    }
  }
  return {
    of,
    all: { count: high.nodes.length + low.nodes.length, urgent: high.nodes.length },
    hasMore: high.pageInfo.hasNextPage || low.pageInfo.hasNextPage
  }
}

const priorityOf = ({ count, urgent }: Reported): string => {
  if (urgent === 0) return ""
  return urgent === count ? ", high priority" : `, ${urgent} high priority`
}

/** Says that exceptions are open, how many, and whether one is urgent. */
export const ExceptionBadge = ({ hasMore = false, reported = noException }: {
  readonly reported: Reported | undefined
  readonly hasMore?: boolean
}) =>
  reported.count === 0 ? null : (
    <Alert tone={reported.urgent > 0 ? "bad" : "warn"}>
      {amount(reported.count)}
      {hasMore ? " or more" : ""} {reported.count === 1 ? "exception" : "exceptions"}
      {priorityOf(reported)}
    </Alert>
  )
