/** Reads a shipment for its page: first what it is, then what belongs to it. `ShipmentItems.ts` reads its items. */
import { discrepanciesOfShipment, documents, palletsOfShipment, shipment } from "../../api/operations.ts"
import { Fault, run } from "../../api/request.ts"
import { locate, session } from "../../session.ts"
import { readPages } from "../../ui/pages.ts"
import type { Rows } from "../../ui/pages.ts"
import type { Row as RecordedDocument } from "../Documents.tsx"
import type { Discrepancy } from "./Discrepancies.tsx"
import type { Shown as Exception } from "./ExceptionForms.tsx"
import { seenOf } from "./OrderCard.tsx"
import type { Seen, Shown } from "./OrderCard.tsx"
import { loadExceptions } from "./ShipmentExceptions.tsx"

/** The most pallets that the page names; beyond them it counts. */
const namedAtMost = 1000

/** The pallets that were seen: all, or the first {@link namedAtMost}. */
const loadSeen = async (id: string): Promise<Seen> => {
  const { hasMore, rows } = await readPages(
    namedAtMost / 100,
    async (after) => (await run(palletsOfShipment, { id: Number(id), after })).shipment!.pallets
  )
  return seenOf(rows, !hasMore)
}

/** The most documents that the page names. */
const documentsAtMost = 5

const loadDocuments = ({ business, facility, shipmentNumber }: Shown): Promise<Rows<RecordedDocument>> =>
  readPages(1, async (after) =>
    (await run(documents, {
      business: business.slug,
      facility: facility.slug,
      shipmentNumber,
      first: documentsAtMost,
      after
    })).documents)

/** The most pages of discrepancies that are read. */
const discrepancyPages = 3

/** Where it differs from what was expected. Until it has departed, what is short is still to come. */
const loadDiscrepancies = (id: string, { status }: Shown): Promise<Rows<Discrepancy>> =>
  readPages(
    discrepancyPages,
    async (after) =>
      (await run(discrepanciesOfShipment, { id: Number(id), seen: status !== "DEPARTED", after })).shipment!
        .discrepancies
  )

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

/** All that is read of a shipment but its items. */
export interface Whole {
  readonly shown: Shown
  readonly seen: Seen
  readonly discrepancies: Rows<Discrepancy>
  readonly exceptions: ReadonlyArray<Exception>
  readonly documents: Rows<RecordedDocument>
}

const none = { rows: [], hasMore: false, pages: 1 }

/** A shipment while no more is known of it. */
export const alone = (shown: Shown): Whole => ({
  shown,
  seen: seenOf([], false),
  discrepancies: none,
  exceptions: [],
  documents: none
})

/** All that belongs to a shipment but its items; what cannot be read is left out. */
export const rest = async (id: string, shown: Promise<Shown>): Promise<Whole> => {
  const [seen, discrepancies, exceptions, documents] = await Promise.all([
    loadSeen(id).catch(() => seenOf([], false)),
    shown.then((shown) => loadDiscrepancies(id, shown)).catch(() => none),
    loadExceptions(id).catch(() => []),
    shown.then(loadDocuments).catch(() => none)
  ])
  return { shown: await shown, seen, discrepancies, exceptions, documents }
}
