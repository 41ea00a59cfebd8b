/**
 * Reads warehouse shipping orders (940) as documents: an outbound order that a depositor wants shipped (D18.2).
 *
 * Guarantee: an order is a document as a whole or is rejected. Its lines are items where they name a pallet (MAN); of the other lines,
 * which are goods yet to be picked, the order expects the quantity.
 */
import type * as Slices from "@dockline/core/internal/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import { segmentCodes, SetFaults } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import { beginningOf, DocumentDraft, ItemDraft, OrderDraft } from "./Draft.ts"
import { readingOf } from "./Meaning.ts"
import type { Beginning, SetPlace, SetReading } from "./Meaning.ts"
import { references, setFields, setParty, setProduct } from "./Parties.ts"
import type { FieldRow } from "./Parties.ts"
import { setQuantity } from "./ShipNoticeLevels.ts"
import { betterMark } from "./Sscc.ts"
import type { Mark } from "./Sscc.ts"
import { setInstant } from "./Times.ts"

/** What an order is for (W0501). */
const beginning: Beginning = {
  id: "W05",
  what: "a warehouse order",
  purposes: "orders of the status",
  strategies: { N: "OVERWRITE", R: "OVERWRITE" },
  cancellation: "F",
  remedy: "Send N for a new order, R for a replacement, F for a cancellation."
}

/** Reads a warehouse order whose envelope has no faults. */
export function* readWarehouseOrder(
  { head, segments }: TransactionSet,
  place: SetPlace
): Slices.Steps<SetReading> {
  const faults = new SetFaults()
  yield* Dictionary.judge(segments, place.version, faults)
  const w05 = beginningOf(segments[0], head, beginning, faults)
  if (w05 === undefined || faults.isRejected) return readingOf(undefined, faults)
  const [status, number] = [elementOf(w05, 1), elementOf(w05, 2)]
  const draft = new DocumentDraft(w05, place, "OUTBOUND", beginning.strategies[status])
  const order = new OrderDraft(w05)
  draft.orders.push(order)
  order.set("orderNumber", w05, 2)
  order.set("purchaseOrder", w05, 3)
  yield* readLines(segments.slice(1), draft, order, place, faults)
  // Without a load of its own an order is the whole shipment, as with a document (D3.1).
  draft.set("shipmentNumber", w05, 2)
  return readingOf(
    status === beginning.cancellation
      ? {
        _tag: "Cancellation",
        shipmentNumber: String(draft.fields["shipmentNumber"]),
        source: draft.sourceOf("shipmentNumber"),
        order: { number, source: order.sourceOf("orderNumber") }
      }
      : { _tag: "Document", document: draft.document(), sourceAt: (path) => draft.sourceAt(path) },
    faults
  )
}

function* readLines(
  segments: ReadonlyArray<Segment>,
  draft: DocumentDraft,
  order: OrderDraft,
  place: SetPlace,
  faults: SetFaults
): Slices.Steps<void> {
  let isLine = false
  /** The pallet of the line, and the item of the goods that are being read; none while no pallet is named. */
  let mark: Mark | undefined
  let item: ItemDraft | undefined
  let ordered = 0
  /** Adds the item that was read, with all that the segments behind it said. */
  const end = (): void => {
    if (item !== undefined) draft.add(order, item, faults)
    item = undefined
  }
  for (const segment of segments) {
    yield 1
    if (segment.id === "LX") {
      end()
      isLine = true
      mark = undefined
    } else if (segment.id === "W01") {
      end()
      ordered += Number(elementOf(segment, 1))
      if (!isLine) {
        faults.add(segment, {
          code: segmentCodes.unexpected,
          detail: "a line of goods stands before LX",
          remedy: "Begin each line with LX."
        })
      }
      item = mark && goodsOf(segment, mark, faults)
    } else if (segment.id === "W76") {
      order.set("expectedQuantity", segment, 1, Number(elementOf(segment, 1)))
    } else if (isLine) {
      mark = betterMark(mark, segment)
      if (item !== undefined) setFields(item, segment, goodsFields)
    } else setHeader(draft, order, segment, place, faults)
  }
  end()
  const first = segments.find(({ id }) => id === "W01")
  if (first !== undefined && ordered > 0) order.set("expectedQuantity", first, 1, ordered)
}

const goodsFields: ReadonlyArray<FieldRow> = [["G69", "", 1, "description"], ["N9", "LT", 2, "lot"]]

/** The item of goods on a pallet. */
const goodsOf = (
  segment: Segment,
  { element, lpn, segment: marking }: Mark,
  faults: SetFaults
): ItemDraft => {
  const item = new ItemDraft(segment)
  item.set("lpn", marking, element, lpn)
  setProduct(item, segment, [4, 6, 15])
  item.set("upc", segment, 3)
  item.set("sku", segment, 3)
  setQuantity(item, segment, 1, 2, faults)
  return item
}

/** A load that is planned is a shipment with several orders. */
const loadFields: ReadonlyArray<FieldRow> = [
  ["N9", "LO", 2, "shipmentNumber"],
  ["W66", "", 10, "carrier"],
  ["W66", "", 5, "carrier"]
]

const orderFields = references("N9")

/** The date at which goods are to be picked up (G6201). */
const pickup = "10"

const setHeader = (
  draft: DocumentDraft,
  order: OrderDraft,
  segment: Segment,
  { timeZone }: SetPlace,
  faults: SetFaults
): void => {
  setFields(draft, segment, loadFields)
  setFields(order, segment, orderFields)
  setParty(order, segment)
  if (segment.id === "G62" && elementOf(segment, 1) === pickup) {
    setInstant(draft, segment, [2, 4], timeZone, faults)
  }
}
