/**
 * Pallets as the view `pallet_body` shows them.
 */
import type { LocatedPallet } from "@dockline/core/LocatedPallet"
import type { Label } from "@dockline/core/MessageField"
import type { Place } from "@dockline/core/Place"
import type { Verdict } from "@dockline/core/Verdict"
import type { PalletDirection } from "@dockline/core/Vocabulary"

/** A row of the view `pallet_body`. */
export type PalletBody = readonly [
  business: Place,
  facility: Place,
  shipmentId: number,
  shipmentNumber: string,
  id: number,
  lpn: string,
  ordersWithLpn: ReadonlyArray<string>,
  onlyOrder: string | null,
  events: ReadonlyArray<
    readonly [
      direction: PalletDirection,
      occurredAt: string,
      dockId: number,
      dockSlug: string,
      messageId: number,
      labels: ReadonlyArray<Label>,
      verdict: Verdict
    ]
  >
]

/** Reads a pallet with its events. */
export const toLocatedPallet = (
  [business, facility, shipmentId, shipmentNumber, id, lpn, ordersWithLpn, onlyOrder, events]: PalletBody
): LocatedPallet => ({
  location: { business, facility },
  shipmentId,
  shipmentNumber,
  id,
  lpn,
  ordersWithLpn,
  onlyOrder,
  events: events.map(([direction, occurredAt, dockId, dockSlug, messageId, labels, verdict]) => ({
    direction,
    occurredAt,
    dock: { id: dockId, slug: dockSlug },
    messageId,
    labels,
    verdict
  }))
})
