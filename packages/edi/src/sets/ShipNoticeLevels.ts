/**
 * Reads the orders and items of ship notices (856) from the levels O and I, and the LPNs of items from the marks of the levels around them.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { elementCodes, elementOf, segmentCodes } from "../x12/Fault.ts"
import type { Level } from "../x12/Hierarchy.ts"
import { ItemDraft, OrderDraft } from "./Draft.ts"
import {
  betterMark,
  noteCheckDigit,
  passReference,
  references,
  setFields,
  setParty,
  setProduct,
  setQuantity
} from "./Parties.ts"
import type { FieldRow, Mark } from "./Parties.ts"
import type { SetContent, SetPlace } from "./SetContent.ts"
import { isoDateOf } from "./Times.ts"

const orderFields: ReadonlyArray<FieldRow> = [
  ["PRF", "", 1, "orderNumber"],
  ["PRF", "", 1, "purchaseOrder"],
  // A document cannot express an expected total of 0.
  ["TD1", "", 2, "expectedQuantity", (text) => Number(text) || ""],
  ...references("REF")
]

/** The order of a level, without its items. */
export const orderOf = ({ head, segments }: Level, content: SetContent): OrderDraft => {
  const order = new OrderDraft(content, head)
  // The order number in REF*OQ, which the service writes and partners may agree on, takes precedence over the purchase order in PRF.
  for (const segment of segments) setFields(order, segment, [["REF", "OQ", 2, "orderNumber"]])
  for (const segment of segments) {
    setFields(order, segment, orderFields)
    setParty(order, segment)
    passReference(order, segment)
  }
  return order
}

/**
 * The earlier order with the same number, if any: an order below pallets is repeated below each pallet with its goods. Directly below the
 * shipment, an order may occur only once.
 */
export const knownOrder = (
  { parent }: Level,
  order: OrderDraft,
  orders: ReadonlyMap<unknown, OrderDraft>
): OrderDraft | undefined => {
  const number = order.fields["orderNumber"]
  const { element, segment } = order.sourceOf("orderNumber")
  const { faults } = order.content
  if (number === undefined) {
    faults.add(segment, {
      code: segmentCodes.missing,
      detail: "the order has no number",
      remedy: "Send PRF with its number, or REF*OQ."
    })
  } else if (orders.has(number)) {
    if (parent?.code !== "S") return orders.get(number)
    faults.add(segment, {
      element,
      code: elementCodes.code,
      detail: "another order of the notice has the number",
      remedy: "Send one level O for each order, or tell them apart by REF*OQ."
    })
  }
  return undefined
}

/** Notes an item that names another order than the order above it. Its goods are expected on the order above it. */
export const noteOrder = ({ segments }: Level, order: OrderDraft): void => {
  const { content, fields } = order
  const names = new Set<unknown>([fields["orderNumber"], fields["purchaseOrder"]])
  for (const segment of segments) {
    const [first, second] = [elementOf(segment, 1), elementOf(segment, 2)]
    if (segment.id === "REF" && first === "OQ" && second === fields["orderNumber"]) content.pass(segment, 2)
    if (segment.id !== "PRF" || first === "" || names.has(first)) continue
    content.faults.add(segment, {
      element: 1,
      code: elementCodes.code,
      detail: `the item names ${first}, and stands below ${
        String(fields["purchaseOrder"] ?? fields["orderNumber"])
      }: it is expected on the order below which it stands`,
      remedy: "Send each item below the level O of its order.",
      isNoted: true
    })
  }
}

/** The marks of the levels of a notice. Each level is searched once, because it may have many segments and many items below it. */
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
  ["DTM", "036", 2, "expirationDate", isoDateOf],
  ["DTM", "094", 2, "manufacturingDate", isoDateOf]
]

/**
 * The items of a level: one item for each pack below the level if their quantities are known, otherwise one item. The rules of documents
 * report missing fields.
 */
export function* itemsOf(
  level: Level,
  marks: Marks,
  place: SetPlace,
  content: SetContent
): Slices.Steps<ReadonlyArray<ItemDraft>> {
  const item = itemOf(level, place, content)
  const packs = level.children.filter(({ code }) => code === "T" || code === "P")
  if (packs.length === 0) {
    setMarks(item, level, marks)
    return [item]
  }
  const parts = yield* partsOf(packs, item, place, content)
  if (parts !== undefined) {
    const items: Array<ItemDraft> = []
    for (const [index, pack] of packs.entries()) {
      yield 4
      const part = partOf(item, parts[index])
      setMarks(part, pack, marks)
      items.push(part)
    }
    return items
  }
  for (const pack of packs) {
    yield 1
    const mark = marks.of(pack)
    if (mark === undefined) continue
    content.read(mark.segment, mark.element)
    item.serials.push({ id: mark.lpn })
  }
  content.faults.add(level.head, {
    code: segmentCodes.elements,
    detail:
      "nothing says how much of the item is in each pack below it: it is expected without a pallet, with the packs as its cases",
    remedy: "Send SN1 in each pack.",
    isNoted: true
  })
  return [item]
}

/** The part of an item in a pack: its quantity, and the draft with the values of the pack. */
interface Part {
  readonly quantity: unknown
  readonly draft: ItemDraft
}

/** Makes the item for a part: it has the values of the pack, and all other values of the whole item. */
const partOf = (item: ItemDraft, part: Part | undefined): ItemDraft => {
  const partDraft = new ItemDraft(item.content, item.head)
  if (part !== undefined) partDraft.complete(part.draft)
  if (part?.quantity !== undefined) partDraft.fields["quantity"] ??= part.quantity
  partDraft.complete(item)
  partDraft.unitCode = (part?.draft.unitCode ?? "") || item.unitCode
  partDraft.skuQualifier = item.skuQualifier
  partDraft.line = item.line
  return partDraft
}

/**
 * The quantity of an item in each pack. It is known if the pack states it, if there is only one pack, or if there is one pack for each
 * unit; otherwise returns `undefined`.
 */
function* partsOf(
  packs: ReadonlyArray<Level>,
  item: ItemDraft,
  { units }: SetPlace,
  content: SetContent
): Slices.Steps<ReadonlyArray<Part> | undefined> {
  const { quantity, quantityUnit } = item.fields
  const parts: Array<Part> = []
  for (const pack of packs) {
    yield 1 + pack.segments.length
    const draft = new ItemDraft(content, pack.head)
    for (const segment of pack.segments) {
      if (segment.id === "SN1") setQuantity(draft, segment, [2, 3], units)
    }
    parts.push({ draft, quantity: draft.fields["quantity"] })
  }
  const isSaid = ({ draft, quantity }: Part): boolean =>
    quantity !== undefined && (draft.fields["quantityUnit"] ?? quantityUnit) === quantityUnit
  if (parts.every(isSaid)) return parts
  if (parts.some((part) => part.quantity !== undefined)) return undefined
  const share = packs.length === 1 ? quantity : packs.length === quantity ? 1 : undefined
  return share === undefined ? undefined : parts.map(({ draft }) => ({ draft, quantity: share }))
}

/** The item of a level, without its pallet. */
const itemOf = ({ head, segments }: Level, { units }: SetPlace, content: SetContent): ItemDraft => {
  const item = new ItemDraft(content, head)
  const product = segments.find(({ id }) => id === "LIN")
  item.line = (product && elementOf(product, 1)) || elementOf(head, 1)
  for (const segment of segments) {
    if (segment === product) setProduct(item, segment, linPairs)
    if (segment.id === "SN1") setQuantity(item, segment, [2, 3], units)
    setFields(item, segment, itemFields)
    passReference(item, segment)
  }
  if (item.fields["sku"] === undefined) {
    content.faults.add(product ?? head, {
      code: segmentCodes.missing,
      detail: "the item has no SKU",
      remedy: "Send LIN with a qualifier SK, VN, VP, VC, IN, BP, CB, UP, EN, UK, UI or UA."
    })
  }
  return item
}

/** The numbers of the elements of LIN that contain qualifiers. */
const linPairs = Array.from({ length: 15 }, (_, index) => 2 + 2 * index)

/**
 * Sets the LPN of an item: the mark of its tare, else of its pack, else of the item. The mark of a pack on a marked tare becomes the serial
 * of a case.
 */
const setMarks = (item: ItemDraft, level: Level, marks: Marks): void => {
  const { content } = item
  const byCode = new Map<string, Mark>()
  for (let above: Level | undefined = level; above !== undefined; above = above.parent) {
    const mark = marks.of(above)
    if (mark !== undefined && !byCode.has(above.code)) byCode.set(above.code, mark)
  }
  const [tare, pack] = [byCode.get("T"), byCode.get("P")]
  const lpn = tare ?? pack ?? byCode.get("I")
  if (lpn === undefined) return
  item.set("lpn", lpn.segment, lpn.element, lpn.lpn)
  noteCheckDigit(lpn, content.faults)
  if (tare !== undefined && pack !== undefined) {
    content.read(pack.segment, pack.element)
    const units = Number(item.fields["quantity"] ?? 0)
    item.serials.push({ id: pack.lpn, ...(Number.isInteger(units) && units > 0 ? { quantity: units } : {}) })
  }
}
