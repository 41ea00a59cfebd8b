/** An order of a shipment with its items, and the state of their pallets. */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { Item, OrderedItem, SeenPallet, Shipment } from "../../api/operations.ts"
import { pageOfLot, wordsOfItem } from "../../capability.ts"
import { href } from "../../router.ts"
import { calendarDate } from "../../time.ts"
import { FaultNote, Part } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { Alert, Badge, Facts, More, over, Status, TextInput, Time } from "../../ui/Parts.tsx"
import { amount, countText } from "../../ui/words.ts"
import { isFound } from "../Search.tsx"
import { together, useFirst, useOrderItems } from "./ShipmentRead.ts"
import type { Items, SeenPallets } from "./ShipmentRead.ts"

type Order = Shipment["orders"][number]

/** An order with at least this many items has a search field. */
const manyItems = 100

/** The texts of an item that a search matches. */
const textOf = ({ description, lot, lpn, purchaseOrder, sku }: Item): string =>
  [lpn, sku, description, lot, purchaseOrder].join("\n").toLowerCase()

const matches = (items: ReadonlyArray<Item>, text: string): ReadonlyArray<Item> => {
  const words = text.trim().toLowerCase()
  return words === "" ? items : items.filter((item) => textOf(item).includes(words))
}

/** Whether the page is being printed, with all loaded items. */
const isPrinted = signal(false)
addEventListener("beforeprint", () => isPrinted.value = true)
addEventListener("afterprint", () => isPrinted.value = false)

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  PALLET: ["pallet", "pallets"],
  CASE: ["case", "cases"],
  UNIT: ["unit", "units"]
}

const quantityOf = ({ quantity, quantityUnit }: Item) => {
  const [one, many] = units[quantityUnit] ?? [quantityUnit.toLowerCase(), quantityUnit.toLowerCase()]
  return (
    <>
      {amount(quantity)} <span class="soft">{quantity === 1 ? one : many}</span>
    </>
  )
}

/** The LPN of an item; a link to its pallet once the pallet was seen. */
const lpnOf = ({ identifier, lpn }: Item, { byLpn }: SeenPallets, { id }: Shipment) => {
  if (lpn === "") return <span class="soft">{over("No LPN", identifier)}</span>
  const pallet = byLpn.get(lpnKey(lpn))
  const text = isFound(lpn) ? <mark>{lpn}</mark> : lpn
  return pallet === undefined ? text : <a href={href(`/shipments/${id}/pallets/${pallet.id}`)}>{text}</a>
}

/** The description of an item, with texts of the service's capabilities. */
const aboutOf = (item: Item): string =>
  [item.description, ...wordsOfItem(item)].filter((each) => each !== "").join(" · ")

const passedOf = ({ lpn }: Item, { byLpn, isWhole }: SeenPallets, shipment: Shipment) => {
  if (lpn === "") return <span class="soft">–</span>
  const pallet = byLpn.get(lpnKey(lpn))
  if (pallet !== undefined) {
    return (
      <span class="passed">
        <Badge of={[stateWord(pallet), pallet.state === endOf(shipment) ? "ok" : "warn"]} />{" "}
        <Time time={pallet.lastSeenAt} />
      </span>
    )
  }
  if (!isWhole || shipment.status === "CANCELLED") return null
  return shipment.status === "DEPARTED"
    ? <Badge of={["Missing", "bad"]} />
    : <span class="soft">Not yet</span>
}

const stateWord = ({ state }: SeenPallet): string => state === "LOADED" ? "Loaded" : "Unloaded"

const endOf = ({ direction }: Shipment): SeenPallet["state"] =>
  direction === "OUTBOUND" ? "LOADED" : "UNLOADED"

/** Whether the pallets are loaded, and with them everything above the items. */
const isLoaded = ({ isWhole, pallets }: SeenPallets): boolean => isWhole || pallets.length > 0

/** Orders items: first the ones that match the search, then the ones that have not passed, then all others. */
const inOrder = (items: ReadonlyArray<Item>, missing: ReadonlySet<string>): ReadonlyArray<Item> => {
  const rank = ({ lpn }: Item): number => isFound(lpn) ? 0 : missing.has(lpn) ? 1 : 2
  return items.toSorted((one, other) => rank(one) - rank(other))
}

const columnsOf = (seenPallets: SeenPallets, shipment: Shipment): ReadonlyArray<Column<Item>> => [
  ["LPN", (item) => lpnOf(item, seenPallets, shipment), "main mono"],
  ["Item", (item) => (
    <>
      {over(item.sku, aboutOf(item))}
      {item.isDangerousGood ? <Badge of={["Dangerous goods", "bad"]} /> : null}
    </>
  ), "wide"],
  [
    "Lot",
    ({ lot }) => {
      const page = lot === "" ? undefined : pageOfLot(lot)
      return page === undefined ? lot : <a href={href(...page)}>{lot}</a>
    },
    "",
    "Lot"
  ],
  ["Expires", (item) => item.expirationDate && calendarDate(item.expirationDate), "nowrap", "Expires"],
  ["Quantity", quantityOf, "number end quantity"],
  ["Pallet", (item) => passedOf(item, seenPallets, shipment), "wide"]
]

/** The items that have not passed, of all orders or of one. */
export const unseenItems = (
  items: Pick<Items, "unseen">,
  { byLpn }: SeenPallets,
  orderId?: string
): ReadonlyArray<OrderedItem> =>
  items.unseen.filter((item) => !byLpn.has(lpnKey(item.lpn)) && (orderId ?? item.orderId) === item.orderId)

/** The status of an order, and the number of pallets that are missing after the departure or, before it, have not passed yet. */
const Missing = ({ count, isMore, order, shipment }: {
  readonly count: number
  readonly isMore: boolean
  readonly order: Order
  readonly shipment: Shipment
}) => {
  const hasDeparted = shipment.status === "DEPARTED"
  if (count === 0 || (!hasDeparted && shipment.progress.passedPallets === 0)) {
    return <Status status={order.status} />
  }
  const words = `${amount(count)}${isMore ? " or more" : ""} ${hasDeparted ? "missing" : "not yet"}`
  return (
    <>
      {hasDeparted ? <Badge of={["Completed", "none"]} /> : <Status status={order.status} />}
      {hasDeparted ? <Alert tone="bad">{words}</Alert> : <Badge of={[words, "warn"]} />}
    </>
  )
}

/** The number of loaded items of an order. */
const countOf = (count: number, isWhole: boolean): string => {
  const words = countText(count, "item")
  if (isWhole) return words
  return count === 0 ? "" : `First ${words}`
}

/** The note of a card without listed items. */
const noteOf = (isThere: boolean, isEmpty: boolean, isReading: boolean, text: string): string => {
  if (!isThere) return "The items could not be read."
  if (isEmpty) return "The documents of this order name no items."
  if (isReading) return "Loading the items…"
  return text === "" ? "" : "No item of this order matches."
}

export const OrderCard = ({ items, order, printItems, seenPallets, shipment }: {
  readonly order: Order
  /** The items of the shipment; `undefined` until they are loaded. */
  readonly items: Items | undefined
  /** All items of the order, while the page is being printed. */
  readonly printItems: ReadonlyArray<Item> | undefined
  readonly seenPallets: SeenPallets
  readonly shipment: Shipment
}) => {
  const [input, setInput] = useState("")
  const text = input.trim()
  const first = useFirst(items, order.id)
  const isWhole = first.next === null
  const listing = useOrderItems(shipment.id, order.id, first, isWhole ? "" : text)
  const part = text === "" ? listing : first
  const isPaper = isPrinted.value || printItems !== undefined
  // When all items are loaded, the seen pallets determine which are missing.
  const isKnown = items !== undefined && shipment.status !== "CANCELLED" &&
    (seenPallets.isWhole || items.next !== null)
  const unseen = isKnown ? unseenItems(items, seenPallets, order.id) : []
  const missing = new Set(unseen.map(({ lpn }) => lpn))
  // The page reads only some of very many missing pallets, but the service counts those of the shipment.
  const isCounted = isKnown && items.hasMoreUnseen && shipment.orders.length === 1
  const read = isWhole
    ? matches(first.items, text)
    : text === ""
    ? together(unseen, listing.items)
    : listing.items
  const lines = printItems ?? (isPrinted.value ? part.items : inOrder(read, missing))
  const note = noteOf(items !== undefined, isWhole && first.items.length === 0, listing.isReading, text)
  const hasFound = isLoaded(seenPallets) && lines.some(({ lpn }) => isFound(lpn))
  useEffect(() => {
    if (hasFound) document.querySelector("tr.found")?.scrollIntoView({ block: "center" })
  }, [hasFound])
  const details = [
    ["Supplier", order.supplier],
    ["Client", order.client],
    ["Destination", order.destination],
    ["Seal", order.sealNumber]
  ] as const
  return (
    <Part
      id={`order-${order.id}`}
      title={<>Order {isFound(order.orderNumber) ? <mark>{order.orderNumber}</mark> : order.orderNumber}</>}
      beside={
        <>
          <Missing
            count={isCounted ? shipment.progress.missingPallets : missing.size}
            isMore={!isCounted && items?.hasMoreUnseen === true}
            order={order}
            shipment={shipment}
          />
          <span class="soft count">
            {items === undefined
              ? ""
              : countOf((printItems ?? part.items).length, printItems !== undefined || part.next === null)}
          </span>
        </>
      }
    >
      {details.every(([, value]) => value === "") ? null : <Facts of={details} />}
      {isWhole && first.items.length < manyItems
        ? null
        : (
          <label class="within no-print">
            Find in this order
            <TextInput
              type="search"
              placeholder="LPN, SKU, description or lot"
              onInput={({ currentTarget: { value } }) => setInput(value)}
            />
          </label>
        )}
      {lines.length > 0
        ? (
          <Rows
            classes="rows cards items"
            rows={lines}
            columns={columnsOf(seenPallets, shipment)}
            mark={({ lpn }) => isFound(lpn) ? "found" : undefined}
          />
        )
        : note === ""
        ? null
        : <p class="order-empty soft" role="status">{note}</p>}
      <FaultNote fault={listing.fault} retry={listing.readMore} />
      {isPaper && printItems === undefined && part.next !== null
        ? (
          <p class="order-empty">
            The order has more items. Use the Print button of the page to print all of them.
          </p>
        )
        : null}
      {isPaper || listing.next === null || (text !== "" && listing.isReading)
        ? null
        : <More onClick={listing.readMore}>{lines.length === 0 ? "Show its items" : "Show more items"}</More>}
    </Part>
  )
}
