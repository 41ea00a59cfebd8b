/**
 * The fields that ship notices (856) and warehouse orders (940) express with the same segments (marks of pallets, references, names,
 * products, quantities), and the elements that both skip.
 *
 * Guarantee: an LPN that is written as a mark is read back as an LPN with the same key (D22). An SSCC with a wrong check digit is never
 * refused; it is noted, unless it is marked as a pallet number (W) (D18.4).
 */
import { checkDigitNote, lpnKey, ssccOf } from "@dockline/core/labels/Lpn"
import { elementCodes, elementOf, segment } from "../x12/Fault.ts"
import type { Segment, SegmentDraft, SetFaults } from "../x12/Fault.ts"
import type { Draft, ItemDraft } from "./Draft.ts"
import type { SetContent, SetPlace } from "./SetContent.ts"
import { unitCodes, unitOf } from "./Words.ts"

/** Whether a text has the form of a serial shipping container code (SSCC): 18 digits. */
export const isSscc = (text: string): boolean => /^\d{18}$/.test(text)

/**
 * The qualifiers of marks (MAN01 and MAN04, N901) that name a package, in order of preference: GM and AA are SSCCs, as on the label; W is a
 * pallet number; CP is assigned by the carrier; LV is a license plate. All other qualifiers mark something else (D23.3).
 */
const qualifiers = ["GM", "AA", "W", "CP", "LV"]

/** The numbers of the elements that contain qualifiers of marks, by the ids of segments. */
const places: Readonly<Record<string, ReadonlyArray<number>>> = { MAN: [1, 4], N9: [1] }

/**
 * The LPN that a mark names; `undefined` for a mark of another kind. An SSCC (GM or AA) in any of the forms of scanners becomes its 18
 * digits (D22).
 */
export const lpnOfMark = (qualifier: string, mark: string): string | undefined => {
  if (!qualifiers.includes(qualifier)) return undefined
  return qualifier === "GM" || qualifier === "AA" ? lpnKey(mark) : mark
}

/** A mark that names a package, with its segment. */
export interface Mark {
  readonly lpn: string
  readonly segment: Segment
  readonly element: number
  /** The rank of its qualifier among those that name a package: 0 is the best. */
  readonly rank: number
}

/** The marks in a segment (MAN, N9*LV). */
export const marksIn = (segment: Segment): ReadonlyArray<Mark> => {
  if (!Object.hasOwn(places, segment.id)) return []
  return (places[segment.id] ?? []).flatMap((place) => {
    const qualifier = elementOf(segment, place)
    const lpn = (segment.id === "MAN") === (qualifier !== "LV")
      ? lpnOfMark(qualifier, elementOf(segment, place + 1))
      : undefined
    if (lpn === undefined || lpn === "") return []
    return [{ lpn, segment, element: place + 1, rank: qualifiers.indexOf(qualifier) }]
  })
}

/** The best of an earlier mark and the marks of a segment; among marks with the same qualifier, the first. */
export const betterMark = (mark: Mark | undefined, segment: Segment): Mark | undefined => {
  let best = mark
  for (const mark of marksIn(segment)) {
    if (best === undefined || mark.rank < best.rank) best = mark
  }
  return best
}

/** Notes an LPN that is an SSCC with a wrong check digit. It is accepted, because the label may have the same digit (D18.4). */
export const noteCheckDigit = ({ element, lpn, segment }: Mark, faults: SetFaults): void => {
  const isTold = faults.faults.some((fault) =>
    fault.segment === segment.position && fault.element === element
  )
  const note = elementOf(segment, element - 1) === "W" ? undefined : checkDigitNote(lpn)
  if (note === undefined || isTold) return
  faults.add(segment, {
    element,
    code: elementCodes.code,
    detail: note,
    remedy: "Send the SSCC as it stands on the label.",
    isNoted: true
  })
}

/** Writes the mark of an LPN. */
export const markOf = (lpn: string): SegmentDraft => {
  const sscc = ssccOf(lpn)
  return sscc === undefined ? segment("MAN", "W", lpn) : segment("MAN", "GM", `00${sscc}`)
}

/** A field set by an element: the id of the segment, its qualifier (element 1; `""` for any), the number of the element, the field. */
export type FieldRow = readonly [
  segment: string,
  qualifier: string,
  element: number,
  field: string,
  valueOf?: (text: string) => string | number | boolean
]

/** Sets the fields whose values a segment contains. */
export const setFields = (draft: Draft, segment: Segment, rows: ReadonlyArray<FieldRow>): void => {
  for (const [id, qualifier, element, field, valueOf] of rows) {
    if (segment.id !== id || (qualifier !== "" && elementOf(segment, 1) !== qualifier)) continue
    const text = elementOf(segment, element)
    if (text !== "") draft.set(field, segment, element, valueOf?.(text) ?? text)
  }
}

/** The fields set by references: REF in ship notices, N9 in warehouse orders. */
export const references = (id: "REF" | "N9"): ReadonlyArray<FieldRow> => [
  [id, "BM", 2, "bolNumber"],
  [id, "SN", 2, "sealNumber"],
  [id, "PO", 2, "purchaseOrder"]
]

const names: ReadonlyArray<FieldRow> = [
  ["N1", "ST", 2, "consigneeName"],
  ["N1", "SU", 2, "supplier"],
  ["N1", "SF", 2, "supplier"],
  ["N1", "DE", 2, "client"]
]

/** Sets the fields of a loop of names: N1 and the segments after it. */
export const setParty = (draft: Draft, segment: Segment): void => {
  setFields(draft, segment, names)
  if (segment.id === "N1") draft.party = elementOf(segment, 1)
  if (draft.party !== "ST") return
  if (segment.id === "N4") {
    const place = [elementOf(segment, 1), elementOf(segment, 2)].filter((text) => text !== "").join(", ")
    draft.set("destination", segment, 1, place)
    draft.content.read(segment, 2)
  }
  const phone = segment.id === "PER"
    ? [3, 5, 7].find((number) => elementOf(segment, number) === "TE")
    : undefined
  if (phone !== undefined) draft.set("consigneePhoneNumber", segment, phone + 1)
}

/** The qualifiers of SKUs, in order of preference: numbers of the stock, the vendor and the buyer. */
const skuQualifiers = ["SK", "VN", "VP", "VC", "IN", "BP", "CB"]

/** The qualifiers of UPCs and similar codes of trade items. */
export const upcQualifiers: ReadonlyArray<string> = ["UP", "EN", "UK", "UI", "UA"]

/**
 * Sets the fields of a product from pairs of a qualifier and an id (data elements 235 and 234). `qualifierPlaces` has the numbers of the
 * elements with qualifiers. The UPC is also the SKU if there is no other SKU.
 */
export const setProduct = (
  draft: ItemDraft,
  segment: Segment,
  qualifierPlaces: ReadonlyArray<number>
): void => {
  const placeOf = (qualifiers: ReadonlyArray<string>): number | undefined => {
    const pairs = qualifiers.flatMap((qualifier) =>
      qualifierPlaces.filter((at) => elementOf(segment, at) === qualifier)
    )
    const place = pairs.find((at) => elementOf(segment, at + 1) !== "")
    return place === undefined ? undefined : place + 1
  }
  const upc = placeOf(upcQualifiers)
  const places = { sku: placeOf(skuQualifiers) ?? upc, upc, lot: placeOf(["LT"]) }
  for (const [field, place] of Object.entries(places)) {
    if (place !== undefined) draft.set(field, segment, place)
  }
  if (places.sku !== undefined) draft.skuQualifier = elementOf(segment, places.sku - 1)
}

/** Sets the quantity and the unit of an item, unless it has a quantity. An unknown unit is noted, and becomes `UNIT`. */
export const setQuantity = (
  draft: ItemDraft,
  segment: Segment,
  [quantity, unit]: readonly [quantity: number, unit: number],
  units: SetPlace["units"]
): void => {
  const { content, fields } = draft
  if (fields["quantity"] !== undefined) return
  const [amount, code] = [content.text(segment, quantity), content.text(segment, unit)]
  if (amount !== "") draft.set("quantity", segment, quantity, Number(amount))
  const word = unitOf(code, units)
  draft.unitCode = code
  if (code !== "") draft.set("quantityUnit", segment, unit, word ?? "UNIT")
  if (code === "" || word !== undefined) return
  content.faults.add(segment, {
    element: unit,
    code: elementCodes.code,
    detail: `the unit ${code} is not known, and is taken for UNIT`,
    remedy: `Send one of ${unitCodes}, or agree with the warehouse on what it means.`,
    isNoted: true
  })
}

/**
 * The qualifiers of references that distinguish goods (lot, batch, serial number, license plate) or name the order (in a notice) or the
 * load (in a warehouse order) of the goods. Those for which documents have no field are noted.
 */
const goodsReferences: Readonly<Record<"REF" | "N9", ReadonlySet<string>>> = {
  REF: new Set(["LT", "BT", "SE", "LV", "OQ"]),
  N9: new Set(["LT", "BT", "SE", "LV", "LO"])
}

/** Skips a reference (REF, N9), except those with the qualifiers in `goodsReferences`. A date in a reference stays unread. */
export const passReference = ({ content }: Draft, segment: Segment): void => {
  if (segment.id !== "REF" && segment.id !== "N9") return
  const isPassed = !goodsReferences[segment.id].has(elementOf(segment, 1))
  if (isPassed) content.pass(segment, 2)
  if (isPassed || content.isRead(segment, 2)) content.pass(segment, ...segment.id === "REF" ? [3, 4] : [3, 7])
}

/** The qualifiers of other numbers of a product, and of its appearance. */
const productWords = new Set([
  ...skuQualifiers,
  ...upcQualifiers,
  ..."BO CL SZ IZ ST PU PO BL CG CM MF MG MN UC PI PN GC GT UD".split(" ")
])

/** Whether the id of a product is skipped, because another number of the product was read. */
export const isPassedProduct = (segment: Segment, element: number, content: SetContent): boolean => {
  const qualifier = elementOf(segment, element - 1)
  const read = segment.elements.flatMap((_, index) =>
    content.isRead(segment, index + 1) ? [elementOf(segment, index)] : []
  )
  return productWords.has(qualifier) && read.length > 0 && !read.includes(qualifier)
}

/** The segments of names, remarks, money and transport, which are skipped as a whole. */
export const asides =
  "N1 N2 N3 N4 PER G61 NTE PID PKG G69 MSG MTX FOB SAC CUR ITD TXI ITA TD3 TD4 TD5 W66 W09 W10 W6 R4 LS LE"
    .split(" ").map((id) => [id, "ALL"] as const)
