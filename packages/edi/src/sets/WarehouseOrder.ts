/**
 * Reads warehouse shipping orders (940) as documents: outbound orders that a depositor wants to be shipped (D18.2).
 *
 * Guarantee: an order becomes a document or a cancellation as a whole, or is rejected. A line that names one pallet becomes an item on this
 * pallet. Any other line becomes an item without an LPN (D23.3), with a note if it names several. Elements of a document that the reader
 * does not understand are noted.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { isSameLpn } from "@dockline/core/labels/Lpn"
import { elementCodes, elementOf, segmentCodes } from "../x12/Fault.ts"
import type { Segment } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { beginningOf, DocumentDraft, ItemDraft, OrderDraft, sumOf } from "./Draft.ts"
import {
  asides,
  betterMark,
  isPassedProduct,
  marksIn,
  noteCheckDigit,
  passReference,
  references,
  setFields,
  setParty,
  setProduct,
  setQuantity
} from "./Parties.ts"
import type { FieldRow, Mark } from "./Parties.ts"
import { readingOf, SetContent } from "./SetContent.ts"
import type { Aside, Beginning, SetPlace, SetReading } from "./SetContent.ts"
import { keepTime, setArrival } from "./Times.ts"

/** The purposes of an order (W0501). */
const beginning: Beginning = {
  id: "W05",
  what: "a warehouse order",
  purposes: "orders of the status",
  strategies: { N: "OVERWRITE", R: "OVERWRITE" },
  cancellation: "F",
  remedy: "Send N for a new order, R for a replacement, F for a cancellation."
}

/** The elements of a warehouse order that are skipped unless the reader reads them. Weights and volumes only concern the transport. */
const orderAsides: ReadonlyMap<string, Aside> = new Map<string, Aside>([
  ...asides,
  ["W05", [4, 5, 6, 7]],
  ["W76", [2, 3, 4, 5, 6]],
  ["G62", [3]],
  ["LX", [1]],
  // The UPC code, and the elements about packing and stacking.
  [
    "W01",
    (segment, element, content) =>
      element === 3 || (element >= 8 && element <= 12) || isPassedProduct(segment, element, content)
  ]
])

/** Reads a warehouse order whose envelope has no faults. */
export function* readWarehouseOrder(
  { head, segments }: TransactionSet,
  place: SetPlace
): Slices.Steps<SetReading> {
  const content = new SetContent(segments, place.version, orderAsides)
  yield* content.judge()
  const w05 = beginningOf(segments[0], head, beginning, content)
  if (w05 === undefined) return yield* readingOf(undefined, content)
  const [status, number] = [elementOf(w05, 1), content.text(w05, 2)]
  if (content.faults.isRejected) return yield* readingOf(undefined, content)
  const draft = new DocumentDraft(content, w05, place, "OUTBOUND", beginning.strategies[status])
  const order = new OrderDraft(content, w05)
  draft.orders.push(order)
  order.set("orderNumber", w05, 2)
  order.set("purchaseOrder", w05, 3)
  yield* readLines(segments.slice(1), draft, order, place)
  // An order without a load is a shipment with the order's number, as in a document (D3.1).
  draft.set("shipmentNumber", w05, 2)
  return yield* readingOf(
    status === beginning.cancellation
      ? {
        _tag: "Cancellation",
        direction: "OUTBOUND",
        shipmentNumber: String(draft.fields["shipmentNumber"]),
        source: draft.sourceOf("shipmentNumber"),
        order: { number, source: order.sourceOf("orderNumber") }
      }
      : {
        _tag: "Document",
        document: draft.document(),
        words: draft.words(),
        sourceAt: (path) => draft.sourceAt(path),
        replaces: order.isOfNothing()
          ? {
            source: { segment: w05, element: 1 },
            isWhole: false,
            remedy: "Send its lines, or cancel it (W05*F)."
          }
          : undefined
      },
    content
  )
}

/** The goods of a line under construction, with the marks of pallets in the segments after them. */
interface Goods {
  readonly item: ItemDraft
  readonly marks: Array<Mark>
}

function* readLines(
  segments: ReadonlyArray<Segment>,
  draft: DocumentDraft,
  order: OrderDraft,
  place: SetPlace
): Slices.Steps<void> {
  const { content } = draft
  let line = ""
  /** The mark of the line's pallet, and the goods under construction. */
  let mark: Mark | undefined
  let goods: Goods | undefined
  const quantities: Array<number> = []
  const totals: Array<Segment> = []
  /** Completes the goods under construction, and adds their item to the order. */
  const end = (): void => {
    if (goods !== undefined) {
      setPlate(goods, mark)
      draft.add(order, goods.item)
    }
    goods = undefined
  }
  for (const segment of segments) {
    yield 1
    if (segment.id === "LX") {
      end()
      // The number only distinguishes lines. If it is unreadable, the position of the segment replaces it.
      line = (content.isSound(segment, 1) ? elementOf(segment, 1) : "") || String(segment.inSet)
      mark = undefined
    } else if (segment.id === "W01") {
      end()
      if (line === "") {
        content.faults.add(segment, {
          code: segmentCodes.unexpected,
          detail: "a line of goods stands before LX",
          remedy: "Begin each line with LX."
        })
      }
      goods = { item: goodsOf(draft, segment, line, place), marks: [] }
      quantities.push(Number(elementOf(segment, 1)))
    } else if (segment.id === "W76") {
      totals.push(segment)
    } else if (line === "") setHeader(draft, order, segment, place)
    else if (goods === undefined) {
      mark = betterMark(mark, segment)
      passLoad(draft, segment)
      passReference(draft, segment)
    } else {
      goods.marks.push(...marksIn(segment))
      setFields(goods.item, segment, goodsFields)
      passLoad(draft, segment)
      passReference(draft, segment)
    }
  }
  end()
  expectTotal(order, totals, segments.find(({ id }) => id === "W01"), quantities)
}

/**
 * Sets the total expected quantity of an order to its total (W76), or else to the sum of its lines. A total that differs from the sum is
 * noted.
 */
const expectTotal = (
  order: OrderDraft,
  totals: ReadonlyArray<Segment>,
  first: Segment | undefined,
  quantities: ReadonlyArray<number>
): void => {
  const { content } = order
  const sum = sumOf(quantities)
  const sound = totals.filter((segment) => content.isSound(segment, 1))
  for (const segment of sound) {
    const total = Number(elementOf(segment, 1))
    order.expect(segment, 1, total)
    // Any other total that a document cannot express stays unread, and so is noted.
    if (total === 0) content.pass(segment, 1)
    if (first === undefined || total === sum || !content.isRead(segment, 1)) continue
    content.faults.add(segment, {
      element: 1,
      code: elementCodes.code,
      detail: `the lines are ${sum} in all`,
      remedy: "Send the total of the lines, or none.",
      isNoted: true
    })
  }
  const isSaid = sound.some((segment) => Number(elementOf(segment, 1)) === sum)
  if (first !== undefined && !isSaid) order.expectSum(quantities, { segment: first, element: 1 })
}

/** Skips the load number of a line if it repeats the load number of the order. */
const passLoad = ({ content, fields }: DocumentDraft, segment: Segment): void => {
  const isLoad = segment.id === "N9" && elementOf(segment, 1) === "LO"
  if (isLoad && elementOf(segment, 2) === fields["shipmentNumber"]) content.pass(segment, 2)
}

/**
 * Sets the LPN of goods: their own, or else the LPN of their line. Goods with several LPNs get none, because the quantity on each pallet is
 * unknown.
 */
const setPlate = ({ item, marks }: Goods, ofLine: Mark | undefined): void => {
  const { content } = item
  const own = marks.reduce<Mark | undefined>(
    (best, mark) => best === undefined || mark.rank < best.rank ? mark : best,
    undefined
  )
  const others = marks.filter(({ lpn, rank }) => rank === own?.rank && !isSameLpn(lpn, own.lpn))
  if (own !== undefined && others.length > 0) {
    for (const { element, lpn, segment } of [own, ...others]) {
      content.pass(segment, element)
      content.faults.add(segment, {
        element,
        code: elementCodes.code,
        detail:
          `the goods stand on ${lpn} and others, and nothing says how much on each: they are expected without a pallet`,
        remedy: "Send a line (LX, W01) for each pallet.",
        isNoted: true
      })
    }
    return
  }
  const mark = own ?? ofLine
  if (mark === undefined) return
  item.set("lpn", mark.segment, mark.element, mark.lpn)
  noteCheckDigit(mark, content.faults)
}

const goodsFields: ReadonlyArray<FieldRow> = [["G69", "", 1, "description"], ["N9", "LT", 2, "lot"]]

/** The item of a line, without its LPN. */
const goodsOf = (
  { content }: DocumentDraft,
  segment: Segment,
  line: string,
  { units }: SetPlace
): ItemDraft => {
  const item = new ItemDraft(content, segment)
  item.line = line
  setProduct(item, segment, [4, 6, 15])
  item.set("upc", segment, 3)
  item.set("sku", segment, 3)
  item.set("lot", segment, 13)
  setQuantity(item, segment, [1, 2], units)
  if (item.fields["sku"] === undefined) {
    content.faults.add(segment, {
      code: segmentCodes.missing,
      detail: "the line has no SKU",
      remedy: "Send W0103, or W0104 with a qualifier SK, VN, VP, VC, IN, BP, CB, UP, EN, UK, UI or UA."
    })
  }
  return item
}

/** The fields of the shipment. The number of a load becomes the number of its shipment, which may have several orders. */
const loadFields: ReadonlyArray<FieldRow> = [
  ["N9", "LO", 2, "shipmentNumber"],
  ["W66", "", 10, "carrier"],
  ["W66", "", 5, "carrier"]
]

const orderFields = references("N9")

/** The qualifier (G6201) of the date on which goods are to be picked up. */
const pickup = "10"

const setHeader = (
  draft: DocumentDraft,
  order: OrderDraft,
  segment: Segment,
  { timeZone }: SetPlace
): void => {
  setFields(draft, segment, loadFields)
  setFields(order, segment, orderFields)
  setParty(order, segment)
  passReference(draft, segment)
  if (segment.id !== "G62") return
  const isPickup = elementOf(segment, 1) === pickup && draft.fields["expectedArrivalAt"] === undefined
  const set = isPickup ? setArrival : keepTime
  set(draft, segment, [2, 4, 5], timeZone)
}
