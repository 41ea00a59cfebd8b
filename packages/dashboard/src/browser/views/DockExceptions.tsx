/** What people have reported of the shipments of a facility and nobody has resolved, as boards show it: counted. */
import { openExceptions } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { Place } from "../session.ts"
import { Alert } from "../ui/Parts.tsx"

/** The open exceptions of a shipment, or of several. */
export interface Reported {
  readonly count: number
  readonly urgent: number
}

/** The open exceptions of a facility by shipment. */
export interface OpenExceptions {
  readonly of: ReadonlyMap<number, Reported>
  readonly all: Reported
  /** Whether there are more than were counted. */
  readonly hasMore: boolean
}

export const noException: Reported = { count: 0, urgent: 0 }

/** Counts them. */
export const loadExceptions = async (place: Place): Promise<OpenExceptions> => {
  const { high, low } = await run(openExceptions, {
    business: place.business.slug,
    facility: place.facility.slug
  })
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

/** Says that exceptions are open, how many, and whether one is urgent. */
export const ExceptionBadge = ({ reported: { count, urgent }, hasMore = false }: {
  readonly reported: Reported
  readonly hasMore?: boolean
}) =>
  count === 0
    ? null
    : (
      <Alert tone={urgent > 0 ? "bad" : "warn"}>
        {count}
        {hasMore ? " or more" : ""} {count === 1 ? "exception" : "exceptions"}
        {urgent === 0 ? "" : urgent === count ? ", high priority" : `, ${urgent} high priority`}
      </Alert>
    )
