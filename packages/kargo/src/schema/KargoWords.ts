/** The words, numbers and dates of Kargo's schema, and their counterparts in ours (D17.1, D17.3). */
import type { ShipmentView } from "@dockline/core/shipment/View"
import * as Timestamp from "@dockline/core/values/Timestamp"

/** A word for the direction of a shipment. */
export type ShippingDirection = "SHIPPING" | "RECEIVING" | "MIXED" | "UNKNOWN"

/** A direction of an order; both sides use the same words. */
export type OrderDirection = "OUTBOUND" | "INBOUND"

const directions = { SHIPPING: "OUTBOUND", RECEIVING: "INBOUND" } as const

/** The direction that a word means; `undefined` for `MIXED` and `UNKNOWN`, where the orders determine it. */
export const directionOf = (word: ShippingDirection | undefined): OrderDirection | undefined =>
  word === "SHIPPING" || word === "RECEIVING" ? directions[word] : undefined

/** The word for a direction of a shipment. A service may have more directions than the two. */
export const wordOf = (direction: string): ShippingDirection =>
  direction === "OUTBOUND" ? "SHIPPING" : direction === "INBOUND" ? "RECEIVING" : "UNKNOWN"

/** The word for the progress of a shipment; `null` for a cancelled shipment, for which Kargo has no word. */
export const statusOf = ({ direction, progress, status, statusEvents }: ShipmentView): string | null => {
  if (status === "CANCELLED") return null
  if (status === "DEPARTED") return status
  if (status === "SCHEDULED") return statusEvents.findLast(({ completed }) => completed)?.status ?? status
  const verb = direction === "OUTBOUND" ? "LOAD" : "UNLOAD"
  if (progress.passedPallets === 0) return "DOCKED"
  return progress.expectedPallets > 0 && progress.missingPallets === 0 ? `${verb}ED` : `${verb}ING`
}

/**
 * A number for slugs, from 0 to 2^31 - 1: Kargo's places have numbers, and ours have only slugs. It is derived only from the slugs
 * (FNV-1a without the lowest bit), so a place always has the same number.
 */
export const idOfPlace = (...slugs: ReadonlyArray<string>): number => {
  let hash = 0x811c9dc5
  for (const char of slugs.join("/")) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 1
}

/** A text, or `null` if it is absent or empty. */
export const textOrNull = (text: string | undefined): string | null => text || null

const dayMillis = 86_400_000

const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** The instant at which a date begins, or the instant of a date and time. `undefined` for any other text. */
export const instantOf = (text: string): Timestamp.Timestamp | undefined =>
  Timestamp.parse(Timestamp.isCalendarDate(text) ? `${text}T00:00:00Z` : text)

/**
 * The first instant after a date, or after a date and time, so that a filter for earlier times includes the date or time itself. `undefined`
 * for any other text, and at the end of the year 9999, after which there is no timestamp.
 */
export const endOf = (text: string): Timestamp.Timestamp | undefined => {
  const begin = instantOf(text)
  if (begin === undefined) return undefined
  const end = Date.parse(begin) + (Timestamp.isCalendarDate(text) ? dayMillis : 1)
  return end > lastMillis ? undefined : Timestamp.fromMillis(end)
}

/** The fault of a text that {@link instantOf} does not accept; `undefined` for an accepted text. */
export const instantFault = (text: string): string | undefined =>
  Timestamp.isCalendarDate(text) ? undefined : Timestamp.fault(text, "a date, or a date and time")

/** The date of a date and time. Any other text is unchanged, so that the reader of documents can refuse it. */
export const dateOf = (text: string): string => Timestamp.parse(text) === undefined ? text : text.slice(0, 10)

/** The largest number that clients accept for an `Int`: they store it in 32 bits. */
const maxInt = 2_147_483_647

/** A quantity as an `Int`: rounded to a whole number, and limited to the largest one. */
export const intOf = (quantity: number): number => Math.min(Math.round(quantity), maxInt)
