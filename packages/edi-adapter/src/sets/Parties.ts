/**
 * The fields that ship notices (856) and warehouse orders (940) say with the same segments: references, names, products.
 */
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import type { Draft } from "./Draft.ts"

/** A field that an element sets: the id of the segment, its qualifier (element 1; `""` for any), the number of the element, the field. */
export type FieldRow = readonly [
  segment: string,
  qualifier: string,
  element: number,
  field: string,
  valueOf?: (text: string) => string | number | boolean
]

/** Sets the fields that a segment says. */
export const setFields = (draft: Draft, segment: Segment, rows: ReadonlyArray<FieldRow>): void => {
  for (const [id, qualifier, element, field, valueOf] of rows) {
    if (segment.id !== id || (qualifier !== "" && elementOf(segment, 1) !== qualifier)) continue
    const text = elementOf(segment, element)
    if (text !== "") draft.set(field, segment, element, valueOf?.(text) ?? text)
  }
}

/** The fields that references set: REF in ship notices, N9 in warehouse orders. */
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

/** Sets what a loop of names says: N1 with what follows it. */
export const setParty = (draft: Draft, segment: Segment): void => {
  setFields(draft, segment, names)
  if (segment.id === "N1") draft.party = elementOf(segment, 1)
  if (draft.party !== "ST") return
  if (segment.id === "N4") {
    const place = [elementOf(segment, 1), elementOf(segment, 2)].filter((text) => text !== "").join(", ")
    draft.set("destination", segment, 1, place)
  }
  const phone = segment.id === "PER"
    ? [3, 5, 7].find((number) => elementOf(segment, number) === "TE")
    : undefined
  if (phone !== undefined) draft.set("consigneePhoneNumber", segment, phone + 1)
}

/** The qualifiers of a stock-keeping unit, the first that is there counts: stock, vendor's and buyer's numbers. */
const skuQualifiers = ["SK", "VN", "VP", "VC", "IN", "BP", "CB"]

/** The qualifiers of a code of trade items. */
const upcQualifiers = ["UP", "EN", "UK", "UI", "UA"]

/**
 * Sets what pairs of qualifiers and ids say of a product (data elements 235 and 234), whose qualifiers stand at the elements. The code of
 * trade items is the SKU where there is no other.
 */
export const setProduct = (draft: Draft, segment: Segment, qualified: ReadonlyArray<number>): void => {
  const placeOf = (qualifiers: ReadonlyArray<string>): number | undefined => {
    const pairs = qualifiers.flatMap((qualifier) =>
      qualified.filter((at) => elementOf(segment, at) === qualifier)
    )
    const found = pairs.find((at) => elementOf(segment, at + 1) !== "")
    return found === undefined ? undefined : found + 1
  }
  const upc = placeOf(upcQualifiers)
  const places = { sku: placeOf(skuQualifiers) ?? upc, upc, lot: placeOf(["LT"]) }
  for (const [field, place] of Object.entries(places)) {
    if (place !== undefined) draft.set(field, segment, place)
  }
}
