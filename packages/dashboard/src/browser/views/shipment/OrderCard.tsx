/** An order of a shipment with its items, and what has become of their pallets. */
import { signal } from "@preact/signals"
import { useState } from "preact/hooks"
import type { Item, SeenPallet, Shipment } from "../../api/operations.ts"
import { href } from "../../router.ts"
import { calendarDate } from "../../time.ts"
import { Alert, Facts, FaultNote, Heads, More, Status, Time } from "../../ui/Parts.tsx"
import { isFound } from "../Search.tsx"
import { useFirst, useOrderItems } from "./ShipmentItems.ts"
import type { Items } from "./ShipmentItems.ts"

type Order = Shipment["orders"][number]

/** From so many items on, an order has a field to find them by. */
const manyItems = 100

/** What people look for in an item, as it is on paper. */
const textOf = ({ description, lot, lpn, purchaseOrder, sku }: Item): string =>
  [lpn, sku, description, lot, purchaseOrder].join("\n").toLowerCase()

/** The items that hold a text. */
const found = (items: ReadonlyArray<Item>, text: string): ReadonlyArray<Item> => {
  const wanted = text.trim().toLowerCase()
  return wanted === "" ? items : items.filter((item) => textOf(item).includes(wanted))
}

/** Whether the page is being printed: then all loaded items are shown. */
const isPrinted = signal(false)
addEventListener("beforeprint", () => isPrinted.value = true)
addEventListener("afterprint", () => isPrinted.value = false)

/** The pallets that towers have seen, by LPN. */
export interface Seen {
  readonly byLpn: ReadonlyMap<string, SeenPallet>
  readonly pallets: ReadonlyArray<SeenPallet>
  readonly isWhole: boolean
}

/** The pallets of a shipment, all of them or the first. */
export const seenOf = (pallets: ReadonlyArray<SeenPallet>, isWhole: boolean): Seen => ({
  byLpn: new Map(pallets.map((pallet) => [pallet.lpn, pallet])),
  pallets,
  isWhole
})

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  PALLET: ["pallet", "pallets"],
  CASE: ["case", "cases"],
  UNIT: ["unit", "units"]
}

const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })

const Quantity = ({ item: { quantity, quantityUnit } }: { readonly item: Item }) => {
  const [one, many] = units[quantityUnit] ?? [quantityUnit.toLowerCase(), quantityUnit.toLowerCase()]
  return (
    <>
      {amount.format(quantity)} <span class="soft">{quantity === 1 ? one : many}</span>
    </>
  )
}

/** The LPN of an item, which leads to its pallet once that was seen. */
const Lpn = ({ item: { identifier, lpn }, seen, shown }: {
  readonly item: Item
  readonly seen: Seen
  readonly shown: Shipment
}) => {
  const pallet = seen.byLpn.get(lpn)
  const text = isFound(lpn) ? <mark>{lpn}</mark> : lpn
  if (lpn === "") {
    return <span class="soft">No LPN{identifier === "" ? null : <span class="sub">{identifier}</span>}</span>
  }
  if (pallet === undefined) return <>{text}</>
  return <a href={href(`/shipments/${shown.id}/pallets/${pallet.id}`)}>{text}</a>
}

/** What an item is, by itself or else by the SKU master, and how many cases of it a pallet holds. */
const About = (
  { item: { casesPerPallet = 0, description, skuDescription = "" } }: { readonly item: Item }
) => {
  const words = [
    description || skuDescription,
    ...(casesPerPallet === 0 ? [] : [`${casesPerPallet} cases a pallet`])
  ].filter((each) => each !== "")
  return words.length === 0 ? null : <span class="sub">{words.join(" · ")}</span>
}

/** What has become of the pallet of an item. */
const Passed = ({ item: { lpn }, seen, shown }: {
  readonly item: Item
  readonly seen: Seen
  readonly shown: Shipment
}) => {
  const pallet = lpn === "" ? undefined : seen.byLpn.get(lpn)
  if (pallet !== undefined) {
    return (
      <span class="passed">
        <span class="badge" data-tone={pallet.state === endOf(shown) ? "ok" : "warn"}>
          {stateWord(pallet)}
        </span>{" "}
        <Time time={pallet.lastSeenAt} />
      </span>
    )
  }
  if (lpn === "") return <span class="soft">–</span>
  if (!seen.isWhole) return null
  if (shown.status === "CANCELLED") return null
  return shown.status === "DEPARTED"
    ? <span class="badge" data-tone="bad">Missing</span>
    : <span class="soft">Not yet</span>
}

const stateWord = ({ state }: SeenPallet): string => state === "LOADED" ? "Loaded" : "Unloaded"

/** The state that the direction of a shipment leads to. */
const endOf = ({ direction }: Shipment): SeenPallet["state"] =>
  direction === "OUTBOUND" ? "LOADED" : "UNLOADED"

/** Whether the pallets are loaded, and with them everything above the items. */
const isLoaded = ({ isWhole, pallets }: Seen): boolean => isWhole || pallets.length > 0

/** Scrolls to an item that was searched for, once. */
const intoView = (row: HTMLTableRowElement | null): void => {
  if (row?.className === "found") row.scrollIntoView({ block: "center" })
}

/** The items, with those that were searched for first. */
const foundFirst = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const found = items.filter(({ lpn }) => isFound(lpn))
  return found.length === 0 ? items : [...found, ...items.filter(({ lpn }) => !isFound(lpn))]
}

const Lines = ({ items, seen, shown }: {
  readonly items: ReadonlyArray<Item>
  readonly seen: Seen
  readonly shown: Shipment
}) => (
  <table class="table rows cards items">
    <Heads names={["LPN", "Item", "Lot", "Expires", ["Quantity"], "Pallet"]} />
    <tbody>
      {items.map((item) => (
        <tr
          key={item.id}
          class={isFound(item.lpn) ? "found" : undefined}
          ref={isLoaded(seen) ? intoView : null}
        >
          <td class="main mono">
            <Lpn item={item} seen={seen} shown={shown} />
          </td>
          <td class="wide">
            {item.sku}
            <About item={item} />
            {item.isDangerousGood ? <span class="badge" data-tone="bad">Dangerous goods</span> : null}
          </td>
          <td data-label={item.lot === "" ? undefined : "Lot"}>
            {item.lot === ""
              ? ""
              : <a href={href(`/trace?${new URLSearchParams({ lot: item.lot }).toString()}`)}>{item.lot}</a>}
          </td>
          <td data-label={item.expirationDate === "" ? undefined : "Expires"} class="nowrap">
            {item.expirationDate === "" ? "" : calendarDate(item.expirationDate)}
          </td>
          <td class="number end quantity">
            <Quantity item={item} />
          </td>
          <td class="wide">
            <Passed item={item} seen={seen} shown={shown} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The different LPNs of items that nobody has seen. */
export const unseenLpns = (
  items: Pick<Items, "unseen">,
  { byLpn }: Seen,
  orderId?: string
): ReadonlySet<string> =>
  new Set(
    items.unseen.flatMap((item) =>
      byLpn.has(item.lpn) || (orderId ?? item.orderId) !== item.orderId ? [] : [item.lpn]
    )
  )

/** How many pallets of an order are missing, once its shipment has departed. */
const Missing = ({ items, order, seen, shown }: {
  readonly items: Items | undefined
  readonly order: Order
  readonly seen: Seen
  readonly shown: Shipment
}) => {
  // When all items are loaded, the pallets that were seen tell which are missing.
  const isKnown = items !== undefined && shown.status === "DEPARTED" && (seen.isWhole || items.next !== null)
  const missing = isKnown ? unseenLpns(items, seen, order.id).size : 0
  return missing === 0
    ? <Status status={order.status} />
    : (
      <>
        <span class="badge" data-tone="none">Completed</span>
        <Alert tone="bad">
          {amount.format(missing)}
          {items?.hasMoreUnseen === true ? " or more" : ""} missing
        </Alert>
      </>
    )
}

/** How many items an order has, as far as they are read. */
const countOf = (count: number, isWhole: boolean): string => {
  const words = count === 1 ? "1 item" : `${amount.format(count)} items`
  if (isWhole) return words
  return count === 0 ? "" : `First ${words}`
}

interface ContentProps {
  readonly isThere: boolean
  readonly isEmpty: boolean
  readonly isReading: boolean
  /** What is looked for. */
  readonly text: string
  readonly lines: ReadonlyArray<Item>
  readonly seen: Seen
  readonly shown: Shipment
}

/** The items of an order, or why there are none. */
const Content = ({ isEmpty, isReading, isThere, lines, seen, shown, text }: ContentProps) => {
  if (!isThere) return <p class="order-empty soft">The items could not be read.</p>
  if (isEmpty) return <p class="order-empty soft">The documents of this order name no items.</p>
  if (lines.length > 0) return <Lines items={lines} seen={seen} shown={shown} />
  if (isReading) return <p class="order-empty soft" role="status">Loading the items…</p>
  return text === "" ? null : <p class="order-empty soft" role="status">No item of this order has that.</p>
}

/** An order with its items. */
export const OrderCard = ({ items, order, printed, seen, shown }: {
  readonly order: Order
  /** Those of the shipment; `undefined` until they are loaded. */
  readonly items: Items | undefined
  /** All items of the order, while the page is being printed. */
  readonly printed: ReadonlyArray<Item> | undefined
  readonly seen: Seen
  readonly shown: Shipment
}) => {
  const [wanted, setWanted] = useState("")
  const text = wanted.trim()
  const first = useFirst(items, order.id)
  const isWhole = first.next === null
  const listed = useOrderItems(shown.id, order.id, first, isWhole ? "" : text)
  const counted = text === "" ? listed : first
  const isPaper = isPrinted.value || printed !== undefined
  const lines = printed ??
    (isPrinted.value ? counted.items : foundFirst(isWhole ? found(first.items, text) : listed.items))
  const isEmpty = first.next === null && first.items.length === 0
  const details = [
    ["Supplier", order.supplier],
    ["Client", order.client],
    ["Destination", order.destination],
    ["Seal", order.sealNumber]
  ] as const
  return (
    <section class="card order" aria-labelledby={`order-${order.id}`}>
      <header class="order-head">
        <h2 id={`order-${order.id}`}>
          Order {isFound(order.orderNumber) ? <mark>{order.orderNumber}</mark> : order.orderNumber}
        </h2>
        <Missing items={items} order={order} seen={seen} shown={shown} />
        <span class="soft count">
          {items === undefined
            ? ""
            : countOf((printed ?? counted.items).length, printed !== undefined || counted.next === null)}
        </span>
      </header>
      {details.every(([, value]) => value === "") ? null : <Facts of={details} />}
      {isWhole && first.items.length < manyItems
        ? null
        : (
          <label class="within no-print">
            Find in this order
            <input
              type="search"
              placeholder="LPN, SKU, description or lot"
              autocomplete="off"
              spellcheck={false}
              maxLength={1024}
              onInput={({ currentTarget: { value } }) => setWanted(value)}
            />
          </label>
        )}
      <Content
        isEmpty={isEmpty}
        isReading={listed.isReading}
        isThere={items !== undefined}
        lines={lines}
        seen={seen}
        shown={shown}
        text={text}
      />
      <FaultNote fault={listed.fault} retry={listed.readMore} />
      {isPaper && printed === undefined && counted.next !== null
        ? (
          <p class="order-empty">
            The order has more items. The button Print of the page prints all of them.
          </p>
        )
        : null}
      {isPaper || listed.next === null || (text !== "" && listed.isReading)
        ? null
        : <More onClick={listed.readMore}>{lines.length === 0 ? "Show its items" : "Show more items"}</More>}
    </section>
  )
}
