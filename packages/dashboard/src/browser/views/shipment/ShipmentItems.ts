/**
 * Reads the items of a shipment, which may be very many: the first items of all orders, more items of an order on demand, and all items for
 * printing. Cursors are ids of items, so reading an order continues where reading all orders ended.
 */
import { useEffect, useMemo, useState } from "preact/hooks"
import { items as itemsOperation, itemsOfShipment } from "../../api/operations.ts"
import type { Item, OrderedItem, Page } from "../../api/operations.ts"
import { faultOf, run } from "../../api/request.ts"
import type { Fault } from "../../api/request.ts"
import { query } from "../../router.ts"
import { isFound } from "../Search.tsx"

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
export const itemsOf = async (
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
