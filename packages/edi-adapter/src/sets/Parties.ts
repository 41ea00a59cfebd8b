/**
 * The fields that ship notices (856) and warehouse orders (940) say with the same segments: carriers, equipment, references, names.
 */
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import type { Draft } from "./Draft.ts"

/** The fields that references set (REF and N9), by their qualifiers. */
const references: Readonly<Record<string, string>> = {
  BM: "bolNumber",
  SN: "sealNumber",
  PO: "purchaseOrder"
}

/** Sets what a reference says (REF, N9). */
export const setReference = (draft: Draft, segment: Segment): void => {
  const field = references[elementOf(segment, 1)]
  if (field !== undefined) draft.set(field, elementOf(segment, 2), segment, 2)
}

/** The fields that names set (N1), by the codes of who they are. */
const names: Readonly<Record<string, string>> = {
  ST: "consigneeName",
  SU: "supplier",
  SF: "supplier",
  DE: "client"
}

/** Sets what a loop of names says (N1 with what follows it), and returns the code of who it is, for the segments that follow. */
export const setParty = (draft: Draft, segment: Segment, whose: string): string => {
  switch (segment.id) {
    case "N1": {
      const code = elementOf(segment, 1)
      const field = names[code]
      if (field !== undefined) draft.set(field, elementOf(segment, 2), segment, 2)
      return code
    }
    case "N4": {
      const place = [elementOf(segment, 1), elementOf(segment, 2)].filter((text) => text !== "").join(", ")
      if (whose === "ST") draft.set("destination", place, segment, 1)
      return whose
    }
    case "PER": {
      const place = [3, 5, 7].find((number) => elementOf(segment, number) === "TE")
      if (whose === "ST" && place !== undefined) {
        draft.set("consigneePhoneNumber", elementOf(segment, place + 1), segment, place + 1)
      }
      return whose
    }
    default:
      return whose
  }
}

/** A product of pairs of qualifiers and ids (data elements 235 and 234). */
export interface Product {
  readonly sku: string
  readonly upc: string
  readonly lot: string
  /** The elements of the ids. */
  readonly places: { readonly sku: number; readonly upc: number; readonly lot: number }
}

/** The qualifiers of a stock-keeping unit, the first that is there counts: stock, vendor's and buyer's numbers. */
const skuQualifiers = ["SK", "VN", "VP", "VC", "IN", "BP", "CB"]

/** The qualifiers of a code of trade items. */
const upcQualifiers = ["UP", "EN", "UK", "UI", "UA"]

/** The product of pairs whose qualifiers stand at the elements. The code of trade items is the SKU where there is no other. */
export const productOf = (segment: Segment, places: ReadonlyArray<number>): Product => {
  const placeOf = (qualifiers: ReadonlyArray<string>): number => {
    for (const qualifier of qualifiers) {
      const place = places.find((place) =>
        elementOf(segment, place) === qualifier && elementOf(segment, place + 1) !== ""
      )
      if (place !== undefined) return place + 1
    }
    return 0
  }
  const upc = placeOf(upcQualifiers)
  const sku = placeOf(skuQualifiers) || upc
  const lot = placeOf(["LT"])
  const text = (place: number): string => place === 0 ? "" : elementOf(segment, place)
  return { sku: text(sku), upc: text(upc), lot: text(lot), places: { sku, upc, lot } }
}

/** Sets the fields of a product. */
export const setProduct = (draft: Draft, segment: Segment, { lot, places, sku, upc }: Product): void => {
  draft.set("sku", sku, segment, places.sku)
  draft.set("upc", upc, segment, places.upc)
  draft.set("lot", lot, segment, places.lot)
}
