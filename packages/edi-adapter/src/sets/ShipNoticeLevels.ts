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
import { references, setFields, setParty, setProduct } from "./Parties.ts"
import type { FieldRow } from "./Parties.ts"
import { betterMark, hasCheckDigit, isSscc } from "./Sscc.ts"
import type { Mark } from "./Sscc.ts"
import { dayOf } from "./Times.ts"
import { unitCodes, unitOf } from "./Units.ts"

const orderFields: ReadonlyArray<FieldRow> = [
  ["PRF", "", 1, "orderNumber"],
  ["PRF", "", 1, "purchaseOrder"],
  ["TD1", "", 2, "expectedQuantity", Number],
  ...references("REF")
]

/** The order of a level, without its items. */
export const orderOf = ({ head, segments }: Level): OrderDraft => {
  const order = new OrderDraft(head)
  // The number that the service wrote, or that partners agreed on, comes before that of the purchase order.
  for (const segment of segments) setFields(order, segment, [["REF", "OQ", 2, "orderNumber"]])
  for (const segment of segments) {
    setFields(order, segment, orderFields)
    setParty(order, segment)
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
      detail: "another order of the notice has the number",
      remedy: "Send one level O for each order, or tell them apart by REF*OQ."
    })
  }
  numbers.add(number)
}

/** The marks of the levels of a notice: each is found once, as a level may have many segments and many items below it. */
export class Marks {
  readonly #known = new Map<Level, Mark | undefined>()

  of(level: Level): Mark | undefined {
    if (!this.#known.has(level)) {
      this.#known.set(level, level.segments.reduce<Mark | undefined>(betterMark, undefined))
    }
    return this.#known.get(level)
  }
}

const itemFields: ReadonlyArray<FieldRow> = [
  ["PID", "", 5, "description"],
  ["PRF", "", 1, "purchaseOrder"],
  ["TD4", "", 3, "isDangerousGood", () => true],
  ["REF", "LT", 2, "lot"],
  ["DTM", "036", 2, "expirationDate", dayOf],
  ["DTM", "094", 2, "manufacturingDate", dayOf]
]

/** The item of a level. What is missing of it is for the rules of documents to say. */
export const itemOf = (level: Level, marks: Marks, faults: SetFaults): ItemDraft => {
  const item = new ItemDraft(level.head)
  setMarks(item, level, marks, faults)
  const product = level.segments.find(({ id }) => id === "LIN")
  for (const segment of level.segments) {
    if (segment === product) setProduct(item, segment, linPairs)
    if (segment.id === "SN1") setQuantity(item, segment, 2, 3, faults)
    setFields(item, segment, itemFields)
  }
  if (item.fields["sku"] === undefined) {
    faults.add(product ?? level.head, {
      code: segmentCodes.missing,
      detail: "the item has no SKU",
      remedy: "Send LIN with a qualifier SK, VN, VP, VC, IN, BP, CB, UP, EN, UK, UI or UA."
    })
  }
  return item
}

/** Where the qualifiers of LIN stand. */
const linPairs = Array.from({ length: 15 }, (_, index) => 2 + 2 * index)

export const setQuantity = (
  item: Draft,
  segment: Segment,
  quantity: number,
  unit: number,
  faults: SetFaults
): void => {
  const [amount, code] = [elementOf(segment, quantity), elementOf(segment, unit)]
  if (amount !== "") item.set("quantity", segment, quantity, Number(amount))
  const word = unitOf(code)
  if (word !== undefined) item.set("quantityUnit", segment, unit, word)
  else if (code !== "") {
    faults.add(segment, {
      element: unit,
      code: elementCodes.code,
      detail: `quantities in ${code} are not taken`,
      remedy: `Send one of ${unitCodes}.`
    })
  }
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
  item.set("lpn", lpn.segment, lpn.element, lpn.lpn)
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
    detail: "the check digit of the SSCC does not fit",
    remedy: "Send the SSCC as it stands on the label.",
    isNoted: true
  })
}
