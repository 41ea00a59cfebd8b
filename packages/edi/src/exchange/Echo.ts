/**
 * Checks whether the sets that a partner gets about a shipment later can hold the numbers of its received document, which they repeat
 * (D18.2).
 *
 * Guarantee: values that a later set could not hold are noted on receipt, each at the segment that contains it, at most `maxSetFaults`. The
 * received set is accepted nevertheless, because the dock needs it.
 */
import type * as Slices from "@dockline/core/input/Slices"
import type { AdviceKind, EdiTerms } from "../domain/EdiPartner.ts"
import { markOf } from "../sets/Parties.ts"
import type { DocumentMeaning } from "../sets/SetContent.ts"
import { elementCodes, faultOf, maxSetFaults, segment } from "../x12/Fault.ts"
import type { Fault, SegmentDraft } from "../x12/Fault.ts"
import { fits, segmentFaults } from "../x12/X12Writer.ts"
import type { WriteFault } from "../x12/X12Writer.ts"

/** The element that will hold a value. */
interface Echo {
  readonly id: string
  readonly element: number
  readonly draftOf: (value: string) => SegmentDraft
}

const at = (id: string, element: number): Echo => ({
  id,
  element,
  draftOf: (value) => segment(id, ...Array.from({ length: element - 1 }, () => ""), value)
})

const mark: Echo = { id: "MAN", element: 2, draftOf: markOf }

/** The fields of documents that each kind of set repeats unchanged. */
const echoes: Readonly<
  Record<AdviceKind, {
    readonly direction: string
    readonly fields: Readonly<Record<string, Echo>>
  }>
> = {
  "856": {
    direction: "OUTBOUND",
    fields: {
      shipmentNumber: at("BSN", 2),
      orderNumber: at("REF", 2),
      lpn: mark,
      sku: at("LIN", 3),
      upc: at("LIN", 3),
      lot: at("LIN", 3)
    }
  },
  "945": {
    direction: "OUTBOUND",
    fields: { orderNumber: at("W06", 2), lpn: mark, sku: at("W12", 8) }
  },
  "944": {
    direction: "INBOUND",
    fields: { orderNumber: at("W17", 4), lpn: at("N9", 2), sku: at("W07", 5) }
  }
}

/** The values of a document, with their paths. */
function* valuesOf(
  document: DocumentMeaning["document"]
): Generator<readonly [path: string, field: string, value: string], void, void> {
  const { orders = [], shipmentNumber = "" } = document
  yield ["shipmentNumber", "shipmentNumber", shipmentNumber]
  for (const [index, { items = [], orderNumber }] of orders.entries()) {
    yield [`orders[${index}].orderNumber`, "orderNumber", orderNumber]
    for (const [place, item] of items.entries()) {
      for (const field of ["lpn", "sku", "upc", "lot"] as const) {
        yield [`orders[${index}].items[${place}].${field}`, field, item[field] ?? ""]
      }
    }
  }
}

const whyOf = ({ detail }: WriteFault): string =>
  detail.startsWith("cannot be written: ") ? detail.slice("cannot be written: ".length) : `it ${detail}`

/** The values of a document that the later sets could not hold, in steps. */
export function* echoFaults(
  { document, sourceAt }: DocumentMeaning,
  { release, tells }: EdiTerms
): Slices.Steps<ReadonlyArray<Fault>> {
  const kinds = tells.filter((kind) => echoes[kind].direction === document.direction)
  const faults: Array<Fault> = []
  for (const [path, field, value] of valuesOf(document)) {
    if (value === "" || faults.length >= maxSetFaults) continue
    for (const kind of kinds) {
      const echo = echoes[kind].fields[field]
      if (echo === undefined) continue
      const { draftOf, element, id } = echo
      yield 1
      // Nearly all values fit.
      if (fits(id, element, value, release)) continue
      const place = `${id}${String(element).padStart(2, "0")}`
      const fault = (yield* segmentFaults([draftOf(value)], release)).find((fault) => fault.place === place)
      if (fault === undefined) continue
      const source = sourceAt(path)
      faults.push(faultOf(source.segment, {
        element: source.element,
        code: elementCodes.character,
        value,
        detail: `the ${kind} that is to tell of it cannot say it in ${place}: ${whyOf(fault)}`,
        remedy: `Send one that ${place} can hold; without it no ${kind} tells of it.`,
        isNoted: true
      }))
      break
    }
  }
  return faults
}
