/**
 * Reads warehouse shipping orders (940) as documents: an outbound order that a depositor wants shipped (D18.2).
 *
 * Guarantee: an order is a document as a whole or is rejected. Its lines are items where they name a pallet (MAN); of the other lines,
 * which are goods yet to be picked, the order expects the quantity.
 */
import * as Dictionary from "../x12/Dictionary.ts"
import { elementCodes, segmentCodes, SetFaults } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import { DocumentDraft, ItemDraft, OrderDraft } from "./Draft.ts"
import type { SetPlace, SetReading } from "./Meaning.ts"
import { productOf, setParty, setProduct, setReference } from "./Parties.ts"
import { setQuantity } from "./ShipNoticeLevels.ts"
import { betterMark } from "./Sscc.ts"
import type { Mark } from "./Sscc.ts"
import { setInstant } from "./Times.ts"

/** What an order is for (W0501). */
const strategies: Readonly<Record<string, string>> = { N: "OVERWRITE", R: "OVERWRITE" }

const cancellation = "F"

/** Reads a warehouse order whose envelope has no faults. */
export function* readWarehouseOrder(
  { head, segments }: TransactionSet,
  place: SetPlace
): Generator<number, SetReading, void> {
  const faults = new SetFaults()
  for (const segment of segments) {
    yield Dictionary.judgeCost
    Dictionary.judge(segment, place.version, faults)
  }
  const w05 = beginningOf(segments[0], head, faults)
  if (w05 === undefined || faults.isRejected) return { meaning: undefined, faults: faults.faults }
  const order = new OrderDraft(w05)
  const draft = new DocumentDraft(w05)
  draft.orders.push(order)
  order.set("orderNumber", elementOf(w05, 2), w05, 2)
  order.set("purchaseOrder", elementOf(w05, 3), w05, 3)
  const { business, facility } = place
  Object.assign(draft.fields, { business, facility, direction: "OUTBOUND" })
  draft.fields["orderItemUpdateStrategy"] = strategies[elementOf(w05, 1)]
  yield* readLines(segments.slice(1), draft, order, place, faults)
  // Without a load of its own an order is the whole shipment, as with a document (D3.1).
  draft.set("shipmentNumber", elementOf(w05, 2), w05, 2)
  if (elementOf(w05, 1) === cancellation) {
    const source = draft.sourceOf("shipmentNumber")
    const shipmentNumber = String(draft.fields["shipmentNumber"])
    const cancelled = { number: elementOf(w05, 2), source: order.sourceOf("orderNumber") }
    return {
      meaning: faults.isRejected
        ? undefined
        : { _tag: "Cancellation", shipmentNumber, source, order: cancelled },
      faults: faults.faults
    }
  }
  return {
    meaning: faults.isRejected ? undefined : {
      _tag: "Document",
      document: draft.document(),
      sourceAt: (path) => draft.sourceAt(path)
    },
    faults: faults.faults
  }
}

/** The segment that begins the order. */
const beginningOf = (w05: Segment | undefined, head: Segment, faults: SetFaults): Segment | undefined => {
  if (w05?.id !== "W05") {
    faults.add(w05 ?? head, {
      code: segmentCodes.missing,
      detail: "W05 is missing: a warehouse order begins with it",
      remedy: "Send W05 behind ST."
    })
    return undefined
  }
  const status = elementOf(w05, 1)
  if (status !== "" && status !== cancellation && !Object.hasOwn(strategies, status)) {
    faults.add(w05, {
      element: 1,
      code: elementCodes.code,
      value: status,
      detail: `orders of the status ${status} are not taken`,
      remedy: "Send N for a new order, R for a replacement, F for a cancellation."
    })
  }
  return w05
}

/** The date at which goods are to be picked up (G6201). */
const pickup = "10"

function* readLines(
  segments: ReadonlyArray<Segment>,
  draft: DocumentDraft,
  order: OrderDraft,
  place: SetPlace,
  faults: SetFaults
): Generator<number, void, void> {
  let whose = ""
  let line: Line | undefined
  let ordered = 0
  for (const segment of segments) {
    yield 1
    switch (segment.id) {
      case "LX":
        line?.end(faults)
        line = new Line(draft, order)
        whose = ""
        break
      case "MAN":
        line?.mark(segment)
        break
      case "W01":
        ordered += Number(elementOf(segment, 1))
        if (line === undefined) {
          faults.add(segment, {
            code: segmentCodes.unexpected,
            detail: "a line of goods stands before LX",
            remedy: "Begin each line with LX."
          })
        } else line.begin(segment, faults)
        break
      case "G69":
        line?.item?.set("description", elementOf(segment, 1), segment, 1)
        break
      case "W76":
        order.set("expectedQuantity", Number(elementOf(segment, 1)), segment, 1)
        break
      default:
        if (line === undefined) whose = setHeader(draft, order, segment, whose, place, faults)
        else line.detail(segment)
    }
  }
  line?.end(faults)
  const first = segments.find(({ id }) => id === "W01")
  if (first !== undefined && ordered > 0) order.set("expectedQuantity", ordered, first, 1)
}

/** A line of an order: its mark, and the item of each of its goods. */
class Line {
  readonly #draft: DocumentDraft
  readonly #order: OrderDraft
  #mark: Mark | undefined
  /** The item of the goods that are being read; none while no pallet is named. */
  item: ItemDraft | undefined

  constructor(draft: DocumentDraft, order: OrderDraft) {
    this.#draft = draft
    this.#order = order
  }

  mark(segment: Segment): void {
    this.#mark = betterMark(this.#mark, segment)
  }

  begin(segment: Segment, faults: SetFaults): void {
    this.end(faults)
    if (this.#mark === undefined) return
    const item = new ItemDraft(segment)
    item.set("lpn", this.#mark.lpn, this.#mark.segment, this.#mark.element)
    setProduct(item, segment, productOf(segment, [4, 6, 15]))
    item.set("upc", elementOf(segment, 3), segment, 3)
    item.set("sku", elementOf(segment, 3), segment, 3)
    setQuantity(item, segment, 1, 2, faults)
    this.item = item
  }

  /** Adds the item that was read, with all that the segments behind it said. */
  end(faults: SetFaults): void {
    if (this.item !== undefined) this.#draft.add(this.#order, this.item, faults)
    this.item = undefined
  }

  detail(segment: Segment): void {
    if (segment.id === "N9" && elementOf(segment, 1) === "LT") {
      this.item?.set("lot", elementOf(segment, 2), segment, 2)
    }
  }
}

const setHeader = (
  draft: DocumentDraft,
  order: OrderDraft,
  segment: Segment,
  whose: string,
  { timeZone }: SetPlace,
  faults: SetFaults
): string => {
  switch (segment.id) {
    case "N9":
      // A load that is planned is a shipment with several orders.
      if (elementOf(segment, 1) === "LO") draft.set("shipmentNumber", elementOf(segment, 2), segment, 2)
      setReference(order, segment)
      return whose
    case "G62":
      if (elementOf(segment, 1) === pickup) setInstant(draft, segment, [2, 4], timeZone, faults)
      return whose
    case "W66":
      draft.set("carrier", elementOf(segment, 10), segment, 10)
      draft.set("carrier", elementOf(segment, 5), segment, 5)
      return whose
    default:
      return setParty(order, segment, whose)
  }
}
