/**
 * A document as a set describes it, with the segment and element that each field comes from: faults of the document name them.
 */
import type { DocumentJson } from "@dockline/core/Dockline"
import { elementCodes, segmentCodes } from "../x12/Fault.ts"
import type { SetFaults } from "../x12/Fault.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import type { Beginning, SetPlace, Source } from "./Meaning.ts"

/** The segment that begins a set, if it does. */
export const beginningOf = (
  first: Segment | undefined,
  head: Segment,
  { cancellation, id, purposes, remedy, strategies, what }: Beginning,
  faults: SetFaults
): Segment | undefined => {
  if (first?.id !== id) {
    const detail = `${id} is missing: ${what} begins with it`
    faults.add(first ?? head, { code: segmentCodes.missing, detail, remedy: `Send ${id} behind ST.` })
    return undefined
  }
  const purpose = elementOf(first, 1)
  if (purpose !== "" && purpose !== cancellation && !Object.hasOwn(strategies, purpose)) {
    const detail = `${purposes} ${purpose} are not taken`
    faults.add(first, { element: 1, code: elementCodes.code, detail, remedy })
  }
  return first
}

/** The fields of a shipment, an order or an item, and where they come from. */
export class Draft {
  readonly fields: Record<string, unknown>
  /** The code of whom the names that are being read are of (N101). */
  party = ""
  readonly #sources = new Map<string, Source>()
  /** The segment that begins what the draft is of. */
  readonly head: Segment

  constructor(head: Segment, fields: Record<string, unknown> = {}) {
    this.head = head
    this.fields = fields
  }

  /** Sets a field to the text of an element, or to another value, unless that is empty or the field has one. */
  set(
    name: string,
    segment: Segment,
    element: number,
    value: string | number | boolean = elementOf(segment, element)
  ): void {
    if (value === "" || this.fields[name] !== undefined) return
    this.fields[name] = value
    this.#sources.set(name, { segment, element })
  }

  /** Where a field comes from: the segment of the whole if it is absent. */
  sourceOf(name: string): Source {
    return this.#sources.get(name) ?? { segment: this.head, element: 0 }
  }
}

/** An item of a document that is being made. */
export class ItemDraft extends Draft {
  /** The serials of the cases that hold it. */
  readonly serials: Array<{ readonly id: string; readonly quantity?: number }> = []

  /** The item, as clients write it. */
  item(): Readonly<Record<string, unknown>> {
    return this.serials.length === 0 ? this.fields : { ...this.fields, caseSerials: this.serials }
  }
}

/** An order of a document that is being made. */
export class OrderDraft extends Draft {
  readonly items: Array<ItemDraft> = []
}

/** The fields in which two items differ, but for the quantity. */
const differences = (left: ItemDraft, right: ItemDraft): ReadonlyArray<string> =>
  Array.from(new Set([...Object.keys(left.fields), ...Object.keys(right.fields)])).filter((name) =>
    name !== "quantity" && left.fields[name] !== right.fields[name]
  )

/** The sum of two quantities without the noise of binary fractions: X12 has at most 15 digits. */
const sum = (left: number, right: number): number => Number((left + right).toPrecision(15))

/** A document that is being made. */
export class DocumentDraft extends Draft {
  readonly orders: Array<OrderDraft> = []
  /** The items by their pallets and SKUs: a document has each of them once (D3.5). */
  readonly #known = new Map<string, { readonly order: OrderDraft; readonly item: ItemDraft }>()

  constructor(head: Segment, { business, facility }: SetPlace, direction: string, strategy?: string) {
    super(head, { business, facility, direction, orderItemUpdateStrategy: strategy })
  }

  /**
   * Adds an item that is complete to an order. One that differs from an earlier one in quantity and cases only is more of the same, such
   * as the goods of another pack on the same pallet. Goods that differ otherwise cannot be told apart, which is a fault.
   */
  add(order: OrderDraft, item: ItemDraft, faults: SetFaults): void {
    const { lpn, quantity, sku } = item.fields
    const key = JSON.stringify([lpn, sku])
    const known = this.#known.get(key)
    // What has no pallet or no SKU is rejected as such.
    if (known === undefined || lpn === undefined || sku === undefined) {
      this.#known.set(key, { order, item })
      order.items.push(item)
      return
    }
    const { quantity: before } = known.item.fields
    const differing = known.order === order ? differences(known.item, item) : ["order"]
    if (differing.length === 0 && typeof quantity === "number" && typeof before === "number") {
      known.item.fields["quantity"] = sum(before, quantity)
      known.item.serials.push(...item.serials)
      return
    }
    faults.add(item.head, {
      code: segmentCodes.elements,
      detail: `an earlier item has the SKU on the same pallet, with another ${
        differing.length === 0 ? "quantity" : differing.join(", ")
      }`,
      remedy: "Send goods that differ in their quantity only, or on pallets of their own."
    })
  }

  /** The document, as clients write it. What reads it judges whether it is one. */
  document(): DocumentJson {
    const document: unknown = {
      ...this.fields,
      orders: this.orders.map(({ fields, items }) => ({
        ...fields,
        ...(items.length === 0 ? {} : { items: items.map((item) => item.item()) })
      }))
    }
    return document as DocumentJson
  }

  /** Where the field of a path comes from, such as `orders[0].items[2].quantity`. */
  sourceAt(path: string): Source {
    const [, order, item] = /^orders\[(\d+)\](?:\.items\[(\d+)\])?/.exec(path) ?? []
    const drafted = order === undefined ? undefined : this.orders[Number(order)]
    const of = item === undefined ? drafted : drafted?.items[Number(item)]
    return (of ?? drafted ?? this).sourceOf(path.slice(path.lastIndexOf(".") + 1))
  }
}
