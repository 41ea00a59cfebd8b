/**
 * Reads a shipment for its page: one request for the shipment with its pallets, then one for the data that belongs to it. Changed items,
 * and lists of more than one page, take further requests.
 *
 * The items may be very many: the page reads the first items of all orders, more items of an order on demand, and all items for printing.
 * Cursors are ids of items, so reading an order continues where reading all orders ended.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { useEffect, useMemo, useState } from "preact/hooks"
import {
  belongings,
  discrepanciesOfShipment,
  items as itemsOperation,
  itemsOfShipment,
  palletsOfShipment,
  readPages,
  shipment
} from "../../api/operations.ts"
import type {
  Discrepancy,
  DocumentRow,
  Item,
  OrderedItem,
  Page,
  Read,
  SeenPallet,
  Shipment
} from "../../api/operations.ts"
import { faultOf, run } from "../../api/request.ts"
import type { Fault } from "../../api/request.ts"
import type { HistoryEntry } from "../../capability.ts"
import { historyAdded } from "../../capability.ts"
import { query } from "../../router.ts"
import { session, slugsOf, thingAt } from "../../session.ts"
import { isFound } from "../Search.tsx"

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

/** The pallets of a shipment that were seen. */
export interface SeenPallets {
  /** The pallets by the keys of their LPNs: an item may have the same SSCC in another form (D22). */
  readonly byLpn: ReadonlyMap<string, SeenPallet>
  readonly pallets: ReadonlyArray<SeenPallet>
  readonly isWhole: boolean
}

/** Indexes the pallets of a shipment: all of them if `isWhole`, else the first ones. */
const seenPalletsOf = (pallets: ReadonlyArray<SeenPallet>, isWhole: boolean): SeenPallets => ({
  byLpn: new Map(pallets.map((pallet) => [lpnKey(pallet.lpn), pallet])),
  pallets,
  isWhole
})

export interface Whole {
  readonly shipment: Shipment
  readonly seenPallets: SeenPallets
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
  seenPallets: seenPalletsOf(shipment.pallets.nodes, !shipment.pallets.pageInfo.hasNextPage),
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
  const isSeenOnly = subject.status !== "DEPARTED"
  const ask = (withItems: boolean) =>
    run(belongings, {
      id,
      ...slugsOf(subject),
      shipmentNumber: subject.shipmentNumber,
      shipmentId: String(id),
      // Before the departure, missing pallets may still come, so only discrepancies of seen pallets are read.
      seen: isSeenOnly,
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
      (after) => run(discrepanciesOfShipment, { id, seen: isSeenOnly, after }),
      shipment?.discrepancies
    ),
    isKnown
      ? previous.items
      : shipment?.items && shipment.unseen && itemsOf(id, shipment.items, shipment.unseen)
  ])
  return {
    shipment: subject,
    seenPallets: seenPalletsOf(pallets.rows, !pallets.hasMore),
    discrepancies,
    documents: { rows: documents.nodes, hasMore: documents.pageInfo.hasNextPage },
    history: historyAdded(subject, page),
    items,
    itemsReadWith
  }
}

/** Items that were read, and the cursor of the next items. */
export interface Part {
  readonly items: ReadonlyArray<Item>
  /** The cursor of the items after these; `null` when these are all. */
  readonly next: string | null
}

export interface Items {
  readonly byOrder: ReadonlyMap<string, Part>
  /** The cursor at which reading all orders continues; `null` when these are all. */
  readonly next: string | null
  /** Items with an LPN that had not been seen when they were read. */
  readonly unseen: ReadonlyArray<OrderedItem>
  readonly hasMoreUnseen: boolean
}

const nextOf = ({ pageInfo: { endCursor, hasNextPage } }: Page<unknown>): string | null =>
  hasNextPage ? endCursor : null

/** The items for which the reader searched to find this page, unless the first page of items contains them. */
const readFound = async (id: number, first: Page<OrderedItem>): Promise<ReadonlyArray<OrderedItem>> => {
  const find = query.value.get("q") ?? ""
  if (find === "" || !first.pageInfo.hasNextPage || first.nodes.some(({ lpn }) => isFound(lpn))) return []
  return (await run(itemsOperation, { id, find }))?.nodes.filter(({ lpn }) => isFound(lpn)) ?? []
}

/** The items of a shipment by order, from the first page of all items and the first page of unseen items. */
const itemsOf = async (
  id: number,
  first: Page<OrderedItem>,
  unseen: Page<OrderedItem>
): Promise<Items> => {
  const next = nextOf(first)
  const byOrder = Map.groupBy([...await readFound(id, first), ...first.nodes], ({ orderId }) => orderId)
  return {
    byOrder: new Map(Array.from(byOrder, ([orderId, items]) => [orderId, { items, next }])),
    next,
    unseen: unseen.nodes.filter(({ lpn }) => lpn !== ""),
    hasMoreUnseen: unseen.pageInfo.hasNextPage
  }
}

/** The pause in typing after which the page searches. */
const pauseMillis = 250

/** The state before the first read: an empty cursor requests the first page. */
const begin: Part = { items: [], next: "" }

export const useFirst = (items: Items | undefined, orderId: string): Part =>
  useMemo(() => items?.byOrder.get(orderId) ?? { items: [], next: items?.next ?? null }, [items, orderId])

/** Joins items that were read one after another; each item occurs once. */
export const together = (before: ReadonlyArray<Item>, after: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const ids = new Set(before.map(({ id }) => id))
  return [...before, ...after.filter(({ id }) => !ids.has(id))]
}

/** The items of an order that were read, with the search text, and the items at which reading began. */
interface Results extends Part {
  readonly first: Part
  readonly find: string
  readonly pages: number
}

interface OrderItems extends Part {
  readonly isReading: boolean
  readonly fault: Fault | undefined
  readonly readMore: () => void
}

/**
 * The items of an order that contain a text, or all items without one, as far as the reader has requested them. Loaded items stay until
 * the next ones are loaded, even when the first items are read again. An answer to an outdated question is dropped.
 */
export const useOrderItems = (id: number, orderId: string, first: Part, find: string): OrderItems => {
  const [question, setQuestion] = useState({ find, pages: 0 })
  const [results, setResults] = useState<Results>()
  const [fault, setFault] = useState<Fault>()
  const start = find === "" ? first : begin
  const pages = Math.max(find === "" ? 0 : 1, question.find === find ? question.pages : 0)
  const isSame = results !== undefined && results.first === first && results.find === find
  const isThere = pages === 0 || (isSame && results.pages >= pages)

  useEffect(() => {
    if (isThere) return undefined
    let isCurrent = true
    const go = async (): Promise<void> => {
      let { items, next } = isSame ? results : start
      for (let page = isSame ? results.pages : 0; page < pages && next !== null; page++) {
        const more = await run(itemsOperation, { id, orderId, find, after: next })
        items = together(items, more?.nodes ?? [])
        next = more === undefined ? null : nextOf(more)
      }
      if (isCurrent) setResults({ items, next, first, find, pages })
    }
    const timer = setTimeout(
      () =>
        void go().then(
          () => isCurrent && setFault(undefined),
          (error) => isCurrent && setFault(faultOf(error))
        ),
      find === "" || isSame ? 0 : pauseMillis
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [first, find, pages])

  const part = pages > 0 && results !== undefined && (find !== "" || results.find === "") ? results : first
  return {
    items: part.items,
    next: part.next,
    isReading: !isThere && fault === undefined,
    fault,
    readMore: () => {
      setFault(undefined)
      setQuestion({ find, pages: pages + 1 })
    }
  }
}

/** All items of a shipment by their orders, for its printed sheet. */
export const loadAll = async (id: number): Promise<ReadonlyMap<string, ReadonlyArray<Item>>> => {
  const orders = await run(itemsOfShipment, { id })
  return new Map((orders ?? []).map((order) => [order.id, order.items]))
}
