/**
 * Reads a shipment for its page, in two requests: first what it is, with what was seen and reported of it; then what is asked for by
 * what it is. What a page of each does not hold takes further ones.
 */
import {
  belongings,
  discrepanciesOfShipment,
  exceptionsOfShipment,
  palletsOfShipment,
  shipment
} from "../../api/operations.ts"
import { Fault, run } from "../../api/request.ts"
import { locate, session } from "../../session.ts"
import { readPages } from "../../ui/pages.ts"
import type { Rows } from "../../ui/pages.ts"
import type { Row as RecordedDocument } from "../Documents.tsx"
import type { Discrepancy } from "./Discrepancies.tsx"
import type { Shown as Exception } from "./ExceptionForms.tsx"
import { seenOf } from "./OrderCard.tsx"
import type { Seen, Shown } from "./OrderCard.tsx"
import { itemsOf } from "./ShipmentItems.ts"
import type { Items } from "./ShipmentItems.ts"

/** The most pages of pallets that the page names; beyond them it counts. */
const palletPages = 10

/** The most pages of exceptions: a shipment has at most 1,000. */
const exceptionPages = 10

/** The most pages of discrepancies that are read. */
const discrepancyPages = 3

/** The shipment without its items; a fault in words where it is not there. */
export const load = async (id: string): Promise<Shown> => {
  const found = await run(shipment, { id: Number(id) }).catch((thrown) => {
    if (!(thrown instanceof Fault) || thrown.code !== "SHIPMENT_NOT_FOUND") throw thrown
    return { shipment: null }
  })
  if (found.shipment !== null) {
    locate(`/shipments/${id}`, found.shipment)
    return found.shipment
  }
  throw new Fault(
    `There is no shipment ${id} that you may see. It may be at a facility where ${session.value?.name} has no rights.`,
    "SHIPMENT_NOT_FOUND"
  )
}

/** All that is read of a shipment. */
export interface Whole {
  readonly shown: Shown
  readonly seen: Seen
  readonly discrepancies: Rows<Discrepancy>
  readonly exceptions: ReadonlyArray<Exception>
  readonly documents: Rows<RecordedDocument>
  /** `undefined` until they are read. */
  readonly items: Items | undefined
  /** What the items were read with; see {@link itemsDependOn}. */
  readonly itemsReadWith?: string | undefined
}

const none = { rows: [], hasMore: false, pages: 1 }

/** A shipment while no more is known of it. */
export const alone = (shown: Shown): Whole => ({
  shown,
  seen: seenOf(shown.pallets.nodes, !shown.pallets.pageInfo.hasNextPage),
  discrepancies: none,
  exceptions: shown.exceptions.nodes,
  documents: none,
  items: undefined
})

/**
 * What the items depend on: documents alone change them, so they are read again once another document is the newest or other orders
 * are there. Where no document is recorded they are always read again.
 */
const itemsDependOn = ({ orders }: Shown, [newest]: ReadonlyArray<RecordedDocument>): string | undefined =>
  newest && `${newest.id} ${orders.map(({ id }) => id).join()}`

/** All that belongs to a shipment; what was read `before` is read again only if it may have changed. */
export const rest = async (shown: Shown, before: Whole | undefined): Promise<Whole> => {
  const { id } = shown
  const seen = shown.status !== "DEPARTED"
  const ask = (withItems: boolean) =>
    run(belongings, {
      id,
      business: shown.business.slug,
      facility: shown.facility.slug,
      shipmentNumber: shown.shipmentNumber,
      // Until it has departed, what is short is still to come.
      seen,
      withItems
    })
  const known = before?.itemsReadWith === undefined ? undefined : before
  let found = await ask(known === undefined)
  const itemsReadWith = itemsDependOn(shown, found.documents.nodes)
  const isKnown = known !== undefined && known.itemsReadWith === itemsReadWith
  if (known !== undefined && !isKnown) found = await ask(true)
  const { documents, shipment } = found
  const [pallets, exceptions, discrepancies, items] = await Promise.all([
    readPages(
      palletPages,
      async (after) => (await run(palletsOfShipment, { id, after })).shipment?.pallets,
      shown.pallets
    ),
    readPages(
      exceptionPages,
      async (after) => (await run(exceptionsOfShipment, { id, after })).shipment?.exceptions,
      shown.exceptions
    ),
    readPages(
      discrepancyPages,
      async (after) => (await run(discrepanciesOfShipment, { id, seen, after })).shipment?.discrepancies,
      shipment?.discrepancies
    ),
    isKnown
      ? known.items
      : shipment?.items && shipment.unseen && itemsOf(id, shipment.items, shipment.unseen)
  ])
  return {
    shown,
    seen: seenOf(pallets.rows, !pallets.hasMore),
    discrepancies,
    exceptions: exceptions.rows,
    documents: { rows: documents.nodes, hasMore: documents.pageInfo.hasNextPage, pages: 1 },
    items,
    itemsReadWith
  }
}
