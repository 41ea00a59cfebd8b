/**
 * Reads a shipment for its page: one request for the shipment with its pallets, then one for the data that belongs to it. Changed items,
 * and lists of more than one page, take further requests.
 */
import {
  belongings,
  discrepanciesOfShipment,
  palletsOfShipment,
  readPages,
  shipment
} from "../../api/operations.ts"
import type { Discrepancy, DocumentRow, Read, Shipment } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import type { HistoryEntry } from "../../capability.ts"
import { historyAdded } from "../../extensions.ts"
import { session, slugsOf, thingAt } from "../../session.ts"
import { seenOf } from "./OrderCard.tsx"
import type { Seen } from "./OrderCard.tsx"
import { itemsOf } from "./ShipmentItems.ts"
import type { Items } from "./ShipmentItems.ts"

/** The most pages of pallets that are read; the view only counts further pallets. */
const palletPages = 10

const discrepancyPages = 3

/** Reads the shipment without its items; fails with a message for the reader if the shipment does not exist. */
export const load = (id: string): Promise<Shipment> =>
  thingAt(
    `/shipments/${id}`,
    run(shipment, { id: Number(id) }),
    `There is no shipment ${id} that you may see. It may be at a facility where ${session.value?.name} has no rights.`
  )

export interface Whole {
  readonly shipment: Shipment
  readonly seen: Seen
  readonly discrepancies: Read<Discrepancy>
  readonly documents: Read<DocumentRow>
  /** The history entries of the service's capabilities. */
  readonly history: ReadonlyArray<HistoryEntry>
  readonly items: Items | undefined
  /** The state with which the items were read; see {@link itemsDependOn}. */
  readonly itemsReadWith?: string | undefined
}

const none = { rows: [], hasMore: false }

/** A shipment without the data that belongs to it. */
export const alone = (shipment: Shipment): Whole => ({
  shipment,
  seen: seenOf(shipment.pallets.nodes, !shipment.pallets.pageInfo.hasNextPage),
  discrepancies: none,
  documents: none,
  history: [],
  items: undefined
})

/**
 * The state on which the items depend. Only documents change items, so the items are read again once another document is the newest or the
 * orders have changed. Without recorded documents, the items are always read again.
 */
const itemsDependOn = ({ orders }: Shipment, [newest]: ReadonlyArray<DocumentRow>): string | undefined =>
  newest && `${newest.id} ${orders.map(({ id }) => id).join()}`

/** Reads all data that belongs to a shipment, but keeps the items of `before` unless they may have changed. */
export const rest = async (subject: Shipment, before: Whole | undefined): Promise<Whole> => {
  const { id } = subject
  const seen = subject.status !== "DEPARTED"
  const ask = (withItems: boolean) =>
    run(belongings, {
      id,
      ...slugsOf(subject),
      shipmentNumber: subject.shipmentNumber,
      shipmentId: String(id),
      // Before the departure, missing pallets may still come, so only discrepancies of seen pallets are read.
      seen,
      withItems
    })
  const previous = before?.itemsReadWith === undefined ? undefined : before
  let page = await ask(previous === undefined)
  const itemsReadWith = itemsDependOn(subject, page.documents.nodes)
  const isKnown = previous !== undefined && previous.itemsReadWith === itemsReadWith
  if (previous !== undefined && !isKnown) page = await ask(true)
  const { documents, shipment } = page
  const [pallets, discrepancies, items] = await Promise.all([
    readPages(palletPages, (after) => run(palletsOfShipment, { id, after }), subject.pallets),
    readPages(
      discrepancyPages,
      (after) => run(discrepanciesOfShipment, { id, seen, after }),
      shipment?.discrepancies
    ),
    isKnown
      ? previous.items
      : shipment?.items && shipment.unseen && itemsOf(id, shipment.items, shipment.unseen)
  ])
  return {
    shipment: subject,
    seen: seenOf(pallets.rows, !pallets.hasMore),
    discrepancies,
    documents: { rows: documents.nodes, hasMore: documents.pageInfo.hasNextPage },
    history: historyAdded(subject, page),
    items,
    itemsReadWith
  }
}
