/**
 * Drafts of the document that a set describes. Each field has its source, a segment and an element, so that faults of the document can name
 * it.
 */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import { maxAdditionalFields } from "@dockline/core/values/Field"
import { elementCodes, elementOf, segmentCodes } from "../x12/Fault.ts"
import type { Segment } from "../x12/Fault.ts"
import type { Beginning, OrderWording, SetContent, SetPlace, Source } from "./SetContent.ts"
import { isSame, orderWords } from "./Words.ts"
import type { ItemWords } from "./Words.ts"

/** The first segment of a set. If it is the wrong segment or has an unknown purpose, adds a fault and returns `undefined`. */
export const beginningOf = (
  first: Segment | undefined,
  head: Segment,
  { cancellation, id, purposes, remedy, strategies, what }: Beginning,
  content: SetContent
): Segment | undefined => {
  const { faults } = content
  if (first?.id !== id) {
    const detail = `${id} is missing: ${what} begins with it`
    faults.add(first ?? head, { code: segmentCodes.missing, detail, remedy: `Send ${id} behind ST.` })
    return undefined
  }
  const purpose = content.text(first, 1)
  if (purpose !== "" && purpose !== cancellation && !Object.hasOwn(strategies, purpose)) {
    const detail = `${purposes} ${purpose} are not taken`
    faults.add(first, { element: 1, code: elementCodes.code, detail, remedy })
  }
  return first
}

const textOf = (value: unknown): string => value === undefined ? "" : String(value)

/** The fields of a shipment, an order or an item, with their sources. */
export class Draft {
  readonly fields: Record<string, unknown>
  /** The code of the party whose names are being read (N101). */
  party = ""
  readonly #sources = new Map<string, Source>()
  /** The content of the set. */
  readonly content: SetContent
  /** The segment at which the described entity begins. */
  readonly head: Segment

  constructor(content: SetContent, head: Segment, fields: Record<string, unknown> = {}) {
    this.content = content
    this.head = head
    this.fields = fields
  }

  /**
   * Sets a field to the text of an element, or to `value`, unless it is empty or the field already has a value. The element counts as read
   * if it has the same value as the field.
   */
  set(
    name: string,
    segment: Segment,
    element: number,
    value: string | number | boolean = elementOf(segment, element)
  ): void {
    const present = this.fields[name]
    if (value === "" || (present !== undefined && present !== value)) return
    this.content.read(segment, element)
    if (present !== undefined) return
    this.fields[name] = value
    this.#sources.set(name, { segment, element })
  }

  /** Notes the source of a value that is stored outside the fields. */
  protected comesFrom(name: string, source: Source): void {
    this.#sources.set(name, source)
  }

  /** Adopts the fields of another draft that this draft lacks. */
  complete(other: Draft): void {
    for (const [name, value] of Object.entries(other.fields)) {
      if (this.fields[name] !== undefined) continue
      this.fields[name] = value
      this.#sources.set(name, other.sourceOf(name))
    }
  }

  /** Adopts the fields of another draft that this draft lacks, and notes the fields in which the two differ. */
  merge(other: Draft): void {
    this.complete(other)
    for (const [name, value] of Object.entries(other.fields)) {
      if (this.fields[name] !== value) {
        const { element, segment } = other.sourceOf(name)
        this.content.faults.add(segment, {
          element,
          code: elementCodes.code,
          detail: `${name} differs from its earlier value, which is kept`,
          remedy: "Say it once, or the same each time.",
          isNoted: true
        })
      }
    }
  }

  /** The source of a field; the segment at which the entity begins if the field is absent. */
  sourceOf(name: string): Source {
    return this.#sources.get(name) ?? { segment: this.head, element: 0 }
  }
}

/** An item of a document under construction. */
export class ItemDraft extends Draft {
  /** The serials of the cases that contain the item. */
  readonly serials: Array<{ readonly id: string; readonly quantity?: number }> = []
  /** The code of the unit and the qualifier of the SKU, as in the set. */
  unitCode = ""
  skuQualifier = ""
  /** The number of the line. It distinguishes items without a pallet that have the same SKU. */
  line = ""

  /** The words that the set uses for the item. */
  words(): ItemWords {
    return [this.unitCode, this.skuQualifier, textOf(this.fields["quantityUnit"])]
  }

  /** Adopts the words of another item with the same goods, and notes the difference, because an item has one code and one qualifier. */
  sayAs(other: ItemDraft): void {
    const { element, segment } = other.sourceOf(this.unitCode === other.unitCode ? "sku" : "quantityUnit")
    const wordings = [this, other].map(({ skuQualifier, unitCode }) => `${unitCode} ${skuQualifier}`.trim())
    this.content.faults.add(segment, {
      element,
      code: elementCodes.code,
      detail: `an earlier line says the same goods as ${wordings[0]}: all of them are told as ${wordings[1]}`,
      remedy: "Say a SKU on a pallet with one code of the unit and one qualifier.",
      isNoted: true
    })
    this.unitCode = other.unitCode
    this.skuQualifier = other.skuQualifier
  }

  /** The item in the form in which clients write it. */
  item(): Readonly<Record<string, unknown>> {
    return this.serials.length === 0 ? this.fields : { ...this.fields, caseSerials: this.serials }
  }
}

/** An order of a document under construction. */
export class OrderDraft extends Draft {
  readonly items: Array<ItemDraft> = []

  /** Sets the total expected quantity if it is a positive whole number. A document cannot express any other total (D3.7). */
  expect(segment: Segment, element: number, quantity: number): void {
    if (Number.isSafeInteger(quantity) && quantity > 0) {
      this.set("expectedQuantity", segment, element, quantity)
    }
  }

  /**
   * Sets the total expected quantity to the sum of the lines, unless the order has one, and notes a sum that is not a whole number. Returns
   * the sum.
   */
  expectSum(quantities: ReadonlyArray<number>, { element, segment }: Source): number {
    const total = sumOf(quantities)
    if (this.fields["expectedQuantity"] !== undefined) return total
    this.expect(segment, element, total)
    if (!Number.isInteger(total)) {
      this.content.faults.add(segment, {
        element,
        code: elementCodes.code,
        detail:
          `the lines are ${total} in all, and what an order expects in all is a whole number: it is not said`,
        remedy: "Send whole quantities, or a total of whole ones (W76, TD1).",
        isNoted: true
      })
    }
    return total
  }

  /** Whether the order expects nothing: it has no expected quantity, and no item with a quantity other than 0. */
  isOfNothing(): boolean {
    return this.fields["expectedQuantity"] === undefined &&
      this.items.every(({ fields }) => Number(fields["quantity"] ?? 0) === 0)
  }
}

/** The sum of quantities without the rounding errors of binary fractions: X12 has at most 15 digits. */
export const sumOf = (quantities: ReadonlyArray<number>): number =>
  Number(quantities.reduce((sum, quantity) => sum + quantity, 0).toPrecision(15))

/** The fields, other than the quantity, in which two items differ. */
const differences = (left: ItemDraft, right: ItemDraft): ReadonlyArray<string> =>
  Array.from(new Set([...Object.keys(left.fields), ...Object.keys(right.fields)])).filter((name) =>
    name !== "quantity" && left.fields[name] !== right.fields[name]
  )

/** A document under construction. */
export class DocumentDraft extends Draft {
  readonly orders: Array<OrderDraft> = []
  /** Values for which documents have no field, by their names. */
  readonly #additional = new Map<string, string>()
  /**
   * The items by pallet and SKU, and items without a pallet by order, identifier and SKU: a document may contain each key only once (D3.5,
   * D17.2).
   */
  readonly #known = new Map<string, { readonly order: OrderDraft; readonly item: ItemDraft }>()

  constructor(
    content: SetContent,
    head: Segment,
    { business, facility }: SetPlace,
    direction: string,
    strategy?: string
  ) {
    super(content, head, { business, facility, direction, orderItemUpdateStrategy: strategy })
  }

  /** Stores a value as an additional field, unless the document has the maximum number of them, or another value with this name. */
  keep(name: string, value: string, segment: Segment, ...elements: ReadonlyArray<number>): void {
    const before = this.#additional.get(name)
    if (before !== undefined ? before !== value : this.#additional.size >= maxAdditionalFields) return
    this.content.read(segment, ...elements)
    if (before !== undefined) return
    this.comesFrom(`additionalFields[${this.#additional.size}]`, { segment, element: elements[0] ?? 0 })
    this.#additional.set(name, value)
  }

  /**
   * Adds a complete item to an order. If it differs from an earlier item with the same key only in quantity and cases, such as the same
   * goods in another pack on the same pallet, its quantity is added to that item. Lines without a pallet that differ in other fields or in
   * their words are distinguished by their numbers. Any other item that differs in other fields is a fault.
   */
  add(order: OrderDraft, item: ItemDraft): void {
    const same = this.#sameAs(order, item)
    if (same === undefined || this.#addTo(same, order, item)) return
    if (item.fields["lpn"] === undefined && item.line !== "") {
      item.fields["identifier"] = item.line
      const again = this.#sameAs(order, item)
      if (again === undefined || this.#addTo(again, order, item)) return
    }
    const differing = same.order === order ? differences(same.item, item) : ["order"]
    this.content.faults.add(item.head, {
      code: segmentCodes.elements,
      detail: `an earlier item has the SKU on the same pallet, with another ${
        differing.length === 0 ? "quantity" : differing.join(", ")
      }`,
      remedy: "Send goods that differ in their quantity only, or on pallets of their own."
    })
  }

  /** The earlier item with the same key. If there is none, adds the item, and returns `undefined`. */
  #sameAs(
    order: OrderDraft,
    item: ItemDraft
  ): { readonly order: OrderDraft; readonly item: ItemDraft } | undefined {
    const { identifier, lpn, sku } = item.fields
    const key = JSON.stringify(lpn === undefined ? [order.head.inSet, identifier, sku] : [lpn, sku])
    const match = this.#known.get(key)
    // The rules of documents reject an item without a SKU.
    if (match !== undefined && sku !== undefined) return match
    this.#known.set(key, { order, item })
    order.items.push(item)
    return undefined
  }

  /** Adds the quantity of an item to an earlier item, if they have the same order and differ in no other field. Returns whether it did. */
  #addTo(
    match: { readonly order: OrderDraft; readonly item: ItemDraft },
    order: OrderDraft,
    item: ItemDraft
  ): boolean {
    const [before, quantity] = [match.item.fields["quantity"], item.fields["quantity"]]
    const isSameItem = match.order === order && differences(match.item, item).length === 0
    if (!isSameItem || typeof quantity !== "number" || typeof before !== "number") return false
    if (!isSame(match.item.words(), item.words())) {
      const { identifier, lpn } = item.fields
      if (lpn === undefined && identifier === undefined && item.line !== "") return false
      match.item.sayAs(item)
    }
    match.item.fields["quantity"] = sumOf([before, quantity])
    match.item.serials.push(...item.serials)
    return true
  }

  /** The document in the form in which clients write it. The reader of documents checks it. */
  document(): DocumentJson {
    const additional = Array.from(this.#additional, ([name, value]) => ({ name, value }))
    const document: unknown = {
      ...this.fields,
      ...(additional.length === 0 ? {} : { additionalFields: additional }),
      orders: this.orders.map(({ fields, items }) => ({
        ...fields,
        ...(items.length === 0 ? {} : { items: items.map((item) => item.item()) })
      }))
    }
    return document as DocumentJson
  }

  /** Whether the set contains only the differences from an earlier set. */
  isChange(): boolean {
    return this.fields["orderItemUpdateStrategy"] === "MERGE"
  }

  /** Notes the quantities of 0 in a set that is a change: 0 in such a document changes nothing (D3.6). */
  noteZeros(): void {
    if (!this.isChange()) return
    for (const item of this.orders.flatMap(({ items }) => items)) {
      if (item.fields["quantity"] !== 0) continue
      const { element, segment } = item.sourceOf("quantity")
      this.content.faults.add(segment, {
        element,
        code: elementCodes.code,
        detail: "a change cannot make a quantity 0: what is expected of the item stays as it is",
        remedy: "Replace what the order expects by what is left of it (BSN*05).",
        isNoted: true
      })
    }
  }

  /** The words that the set uses for the goods of its orders (D23.5). */
  words(): ReadonlyArray<OrderWording> {
    return this.orders.filter(({ items }) => items.length > 0).map(({ fields, items }) => ({
      orderNumber: textOf(fields["orderNumber"]),
      isChange: this.isChange(),
      words: orderWords(
        items.map((item) => ({
          identifier: textOf(item.fields["identifier"]),
          lpn: textOf(item.fields["lpn"]),
          sku: textOf(item.fields["sku"]),
          words: item.words()
        }))
      )
    }))
  }

  /** The source of the field with a path such as `orders[0].items[2].quantity`. */
  sourceAt(path: string): Source {
    const [, order, item] = /^orders\[(\d+)\](?:\.items\[(\d+)\])?/.exec(path) ?? []
    const orderDraft = order === undefined ? undefined : this.orders[Number(order)]
    const of = item === undefined ? orderDraft : orderDraft?.items[Number(item)]
    const [field] = /^additionalFields\[\d+\]/.exec(path) ?? [path.slice(path.lastIndexOf(".") + 1)]
    return (of ?? orderDraft ?? this).sourceOf(field)
  }
}
