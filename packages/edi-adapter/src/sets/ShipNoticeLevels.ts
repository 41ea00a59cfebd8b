/**
 * Reads the orders and items of ship notices (856): what a level O says, and a level I with the marks of the levels above it.
 */
import { elementCodes, segmentCodes } from "../x12/Fault.ts"
import type { SetFaults } from "../x12/Fault.ts"
import type { Level } from "../x12/Hierarchy.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import { ItemDraft, OrderDraft } from "./Draft.ts"
import type { Draft } from "./Draft.ts"
import { productOf, setParty, setProduct, setReference } from "./Parties.ts"
import { betterMark, hasCheckDigit, isSscc } from "./Sscc.ts"
import type { Mark } from "./Sscc.ts"
import { dayOf } from "./Times.ts"
import { unitCodes, unitOf } from "./Units.ts"

/** The order of a level, without its items. */
export const orderOf = ({ head, segments }: Level): OrderDraft => {
  const order = new OrderDraft(head)
  let whose = ""
  // The number that the service wrote, or that partners agreed on, comes before that of the purchase order.
  for (const segment of segments) {
    if (segment.id === "REF" && elementOf(segment, 1) === "OQ") {
      order.set("orderNumber", elementOf(segment, 2), segment, 2)
    }
  }
  for (const segment of segments) {
    switch (segment.id) {
      case "PRF":
        order.set("orderNumber", elementOf(segment, 1), segment, 1)
        order.set("purchaseOrder", elementOf(segment, 1), segment, 1)
        break
      case "TD1":
        if (elementOf(segment, 2) !== "") {
          order.set("expectedQuantity", Number(elementOf(segment, 2)), segment, 2)
        }
        break
      case "REF":
        setReference(order, segment)
        break
      default:
        whose = setParty(order, segment, whose)
    }
  }
  return order
}

/** Checks that an order has a number that no other of the notice has. */
export const checkNumber = (order: OrderDraft, numbers: Set<unknown>, faults: SetFaults): void => {
  const number = order.fields["orderNumber"]
  const { element, segment } = order.sourceOf("orderNumber")
  if (number === undefined) {
    faults.add(segment, {
      code: segmentCodes.missing,
      detail: "the order has no number",
      remedy: "Send PRF with its number, or REF*OQ."
    })
  } else if (numbers.has(number)) {
    faults.add(segment, {
      element,
      code: elementCodes.code,
      value: String(number),
      detail: "another order of the notice has the number",
      remedy: "Send one level O for each order, or tell them apart by REF*OQ."
    })
  }
  numbers.add(number)
}

/** The marks of the levels of a notice: each is found once, as a level may have many segments and many items below it. */
export class Marks {
  readonly #known = new Map<Level, Mark | undefined>()

  /** The best mark of a level. */
  of(level: Level): Mark | undefined {
    if (!this.#known.has(level)) {
      this.#known.set(level, level.segments.reduce<Mark | undefined>(betterMark, undefined))
    }
    return this.#known.get(level)
  }
}

/** The item of a level. What is missing of it is for the rules of documents to say. */
export const itemOf = (level: Level, marks: Marks, faults: SetFaults): ItemDraft => {
  const item = new ItemDraft(level.head)
  setMarks(item, level, marks, faults)
  let isFirstProduct = true
  for (const segment of level.segments) {
    switch (segment.id) {
      case "LIN":
        if (isFirstProduct) setProduct(item, segment, productOf(segment, linPairs))
        isFirstProduct = false
        break
      case "SN1":
        setQuantity(item, segment, 2, 3, faults)
        break
      case "PID":
        item.set("description", elementOf(segment, 5), segment, 5)
        break
      case "PRF":
        item.set("purchaseOrder", elementOf(segment, 1), segment, 1)
        break
      case "TD4":
        if (elementOf(segment, 3) !== "") item.set("isDangerousGood", true, segment, 3)
        break
      case "REF":
        if (elementOf(segment, 1) === "LT") item.set("lot", elementOf(segment, 2), segment, 2)
        break
      case "DTM":
        setDate(item, segment)
    }
  }
  if (item.fields["sku"] === undefined) {
    faults.add(level.segments.find(({ id }) => id === "LIN") ?? level.head, {
      code: segmentCodes.missing,
      detail: "the item has no SKU",
      remedy: "Send LIN with a qualifier SK, VN, VP, VC, IN, BP, CB, UP, EN, UK, UI or UA."
    })
  }
  return item
}

/** Where the qualifiers of LIN stand. */
const linPairs = Array.from({ length: 15 }, (_, index) => 2 + 2 * index)

/** Sets a quantity and its unit from elements of a segment. */
export const setQuantity = (
  item: Draft,
  segment: Segment,
  quantity: number,
  unit: number,
  faults: SetFaults
): void => {
  const [amount, code] = [elementOf(segment, quantity), elementOf(segment, unit)]
  if (amount !== "") item.set("quantity", Number(amount), segment, quantity)
  const word = unitOf(code)
  if (word !== undefined) item.set("quantityUnit", word, segment, unit)
  else if (code !== "") {
    faults.add(segment, {
      element: unit,
      code: elementCodes.code,
      value: code,
      detail: `quantities in ${code} are not taken`,
      remedy: `Send one of ${unitCodes}.`
    })
  }
}

/** The dates of an item by their qualifiers (DTM01). */
const dates: Readonly<Record<string, string>> = { "036": "expirationDate", "094": "manufacturingDate" }

const setDate = (item: Draft, segment: Segment): void => {
  const field = dates[elementOf(segment, 1)]
  const date = elementOf(segment, 2)
  if (field !== undefined && date !== "") item.set(field, dayOf(date), segment, 2)
}

/** Sets the LPN: the mark of the tare, else of the pack. The mark of a pack on a marked tare is the serial of a case. */
const setMarks = (item: ItemDraft, level: Level, marks: Marks, faults: SetFaults): void => {
  const byCode = new Map<string, Mark>()
  for (let above: Level | undefined = level; above !== undefined; above = above.parent) {
    const mark = marks.of(above)
    if (mark !== undefined) byCode.set(above.code, mark)
  }
  const [tare, pack] = [byCode.get("T"), byCode.get("P")]
  const lpn = tare ?? pack ?? byCode.get("I")
  if (lpn === undefined) {
    faults.add(level.head, {
      code: segmentCodes.missing,
      detail: "the item stands on no marked pallet",
      remedy: "Send MAN*GM with the SSCC of the pallet below its level T, or P."
    })
    return
  }
  item.set("lpn", lpn.lpn, lpn.segment, lpn.element)
  noteCheckDigit(lpn, faults)
  if (tare !== undefined && pack !== undefined) {
    const quantity = level.segments.find(({ id }) => id === "SN1")
    const units = Number(quantity === undefined ? 0 : elementOf(quantity, 2))
    item.serials.push({ id: pack.lpn, ...(Number.isInteger(units) && units > 0 ? { quantity: units } : {}) })
  }
}

/** Notes an SSCC whose check digit does not fit: the label may have the same, so that it is taken (D18.4). */
const noteCheckDigit = ({ element, lpn, segment }: Mark, faults: SetFaults): void => {
  const isTold = faults.faults.some((fault) =>
    fault.segment === segment.position && fault.element === element
  )
  if (elementOf(segment, element - 1) === "W" || !isSscc(lpn) || hasCheckDigit(lpn) || isTold) return
  faults.add(segment, {
    element,
    code: elementCodes.code,
    value: elementOf(segment, element),
    detail: "the check digit of the SSCC does not fit",
    remedy: "Send the SSCC as it stands on the label.",
    isNoted: true
  })
}
