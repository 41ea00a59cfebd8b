/**
 * Chooses the existing order that a document refers to when the target shipment has no order of that number (WIRE.md, processing rules 3
 * and 4; D3.3). A storage may repeat the rule in SQL to load fewer candidates; the law `leavesOutOnlyWhatIsNotChosen` fails when the two
 * differ.
 */
import type { Order } from "../shipment/Shipment.ts"
import type { ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"

/** An order of the document's business, facility and number that is on another shipment than the target. */
export interface Candidate {
  readonly order: Order
  readonly createdAt: Timestamp
  readonly shipmentId: ShipmentId
  readonly shipmentStatus: ShipmentStatus
  readonly shipmentIsLinked: boolean
}

/** Whether the order may be moved: its direction fits, and its shipment has not arrived and is not linked. */
const isEligible = (candidate: Candidate, direction: string): boolean =>
  candidate.order.direction === direction &&
  candidate.shipmentStatus === "SCHEDULED" &&
  !candidate.shipmentIsLinked

/** Chooses the most recently created eligible order of a number; if two were created at the same time, the one with the higher id. */
export const choose = (
  candidates: ReadonlyArray<Candidate>
): (orderNumber: string, direction: string) => Candidate | undefined => {
  const byNumber = Map.groupBy(candidates, ({ order }) => order.number)
  return (orderNumber, direction) =>
    byNumber.get(orderNumber)
      ?.filter((candidate) => isEligible(candidate, direction))
      .reduce<Candidate | undefined>(
        (best, candidate) => (best === undefined || isLater(candidate, best) ? candidate : best),
        undefined
      )
}

const isLater = (left: Candidate, right: Candidate): boolean =>
  left.createdAt === right.createdAt
    ? BigInt(left.order.id) > BigInt(right.order.id)
    : left.createdAt > right.createdAt
