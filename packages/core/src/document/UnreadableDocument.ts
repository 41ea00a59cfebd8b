/**
 * A document that cannot be read: the error for its client, and the place and numbers that it names, for the record of documents (D13.6).
 *
 * Guarantee: a storage can keep every name. A name that is too long, or not well-formed, is left empty.
 */
import { Predicate } from "effect"
import { emptyOrderFields, emptyShipmentFields } from "../shipment/Shipment.ts"
import type { Document } from "./Document.ts"
import { recordedLimit } from "./DocumentRecord.ts"
import { defaultStrategyName } from "./Strategy.ts"

/** The failure to read a document that names a place. */
export class UnreadableDocument<out E> {
  /** The error that the client sees. */
  readonly error: E
  /** A document with only its place and numbers. */
  readonly names: Document

  constructor(error: E, names: Document) {
    this.error = error
    this.names = names
  }
}

/** The failure to read a document; only the error if the document names no place. */
export type ReadingFailure<E> = E | UnreadableDocument<E>

/** The failure to read an untyped value. */
export const unreadable = <E>(error: E, raw: unknown): ReadingFailure<E> => {
  try {
    const names = namesIn(raw)
    return names === undefined ? error : new UnreadableDocument(error, names)
  } catch {
    // An accessor or a proxy threw: such a document names nothing.
    return error
  }
}

/** The error that the client sees. */
export const errorOf = <E>(failure: ReadingFailure<E>): E =>
  failure instanceof UnreadableDocument ? failure.error : failure

/** The most UTF-16 code units of a name. */
const longest = 1024

const textOf = (value: unknown): string =>
  Predicate.isString(value) && value.length <= longest && value.isWellFormed() && !value.includes("\0")
    ? value
    : ""

const membersOf = (value: unknown): Record<string, unknown> => Predicate.isObject(value) ? value : {}

/** `undefined` for a value that names no place. */
const namesIn = (raw: unknown): Document | undefined => {
  const members = membersOf(raw)
  const [business, facility] = [textOf(members["business"]), textOf(members["facility"])]
  if (business === "" || facility === "") return undefined
  const { orders } = members
  const entries = Array.isArray(orders) ? orders.slice(0, recordedLimit).map(membersOf) : [members]
  const strategyOf = ({ orderItemUpdateStrategy: own }: Record<string, unknown>): string =>
    textOf(own ?? members["orderItemUpdateStrategy"] ?? defaultStrategyName)
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
