/**
 * What a document with faults names: its place and numbers, as far as they can be read and stored, so that the record tells of its
 * refusal (D13.6).
 */
import { Predicate } from "effect"
import { emptyOrderFields, emptyShipmentFields } from "../../shipment/Shipment.ts"
import type { InvalidDocument, MalformedDocument } from "../../values/Errors.ts"
import type { Document } from "../Document.ts"
import { recordedLimit } from "../DocumentRecord.ts"

/** Why a document with faults is refused. */
export type FormRefusal = MalformedDocument | InvalidDocument

/** The documents that were refused, by their refusals: these are the answers of clients, and show nothing of a document. */
const documents = new WeakMap<FormRefusal, Document>()

/** The most UTF-16 units of a text that is kept. */
const longest = 1024

const textOf = (value: unknown): string =>
  Predicate.isString(value) && value.length <= longest && value.isWellFormed() && !value.includes("\0")
    ? value
    : ""

const membersOf = (value: unknown): Record<string, unknown> => Predicate.isObject(value) ? value : {}

/** A document without items, of what an untyped value names; `undefined` when it names no place. */
const namedBy = (raw: unknown, defaultStrategy: string): Document | undefined => {
  const members = membersOf(raw)
  const [business, facility] = [textOf(members["business"]), textOf(members["facility"])]
  if (business === "" || facility === "") return undefined
  const { orders } = members
  const entries = Array.isArray(orders) ? orders.slice(0, recordedLimit).map(membersOf) : [members]
  const strategyOf = ({ orderItemUpdateStrategy: own }: Record<string, unknown>): string =>
    textOf(own ?? members["orderItemUpdateStrategy"] ?? defaultStrategy)
  return {
    business,
    facility,
    direction: textOf(members["direction"]),
    shipmentNumber: textOf(members["shipmentNumber"]) || textOf(members["orderNumber"]),
    expectedArrivalAt: null,
    ...emptyShipmentFields,
    dockSlug: "",
    additionalFields: [],
    orders: entries.map((entry) => ({
      orderNumber: textOf(entry["orderNumber"]),
      strategy: strategyOf(entry),
      fields: emptyOrderFields,
      items: []
    }))
  }
}

/** Remembers what a document names with the refusal that its reader makes. */
export const refuse = <E extends FormRefusal>(refusal: E, raw: unknown, defaultStrategy: string): E => {
  try {
    const document = namedBy(raw, defaultStrategy)
    if (document !== undefined) documents.set(refusal, document)
  } catch {
    // An accessor or a proxy threw: such a document names nothing.
  }
  return refusal
}

/** The document of a refusal; `undefined` when it names no place, or is a refusal of another kind. */
export const refusedBy = (refusal: object): Document | undefined => documents.get(refusal as FormRefusal)
