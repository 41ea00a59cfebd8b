/**
 * The ids of entities as distinct types: the compiler refuses the id of a pallet where a shipment's is needed.
 *
 * Guarantee: an id is the number or the text that the storage has given; the brand exists only for the compiler. A plain number is
 * assignable to every kind of id, so that decoders and tests need no casts.
 */

declare const kind: unique symbol

/** A value that identifies one kind of entity. */
export type Id<Kind extends string, Value extends number | string = number> = Value & {
  readonly [kind]?: Kind
}

/** The id of a shipment: a positive integer below 2^53, as are all ids that are numbers. */
export type ShipmentId = Id<"shipment">

/** The id of an order: a decimal number as a string. */
export type OrderId = Id<"order", string>

/** The id of an item: a decimal number as a string. */
export type ItemId = Id<"item", string>

/** The id of a pallet. */
export type PalletId = Id<"pallet">

/** The id of a dock. */
export type DockId = Id<"dock">

/** The id of a message of a log, or of an entry of an outbox, which share their numbers. */
export type MessageId = Id<"message">

/** The id of a webhook endpoint. */
export type EndpointId = Id<"endpoint">

/** The id of an exception. */
export type ExceptionId = Id<"exception">
