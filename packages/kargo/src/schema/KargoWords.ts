/**
 * The words, numbers and dates of Kargo's schema, and ours for them (D17.2, D17.3).
 */
import type { ShipmentView } from "@dockline/core/shipment/View"
import * as Timestamp from "@dockline/core/values/Timestamp"

/** A word for the direction of a shipment. */
export type ShippingDirection = "SHIPPING" | "RECEIVING" | "MIXED" | "UNKNOWN"

/** A direction of an order, which both sides call the same. */
export type OrderDirection = "OUTBOUND" | "INBOUND"

const directions = { SHIPPING: "OUTBOUND", RECEIVING: "INBOUND" } as const

/** The direction that a word means; `undefined` for `MIXED` and `UNKNOWN`, of which the orders tell it. */
export const directionOf = (word: ShippingDirection | undefined): OrderDirection | undefined =>
  word === "SHIPPING" || word === "RECEIVING" ? directions[word] : undefined

/** The word for a direction of a shipment. A service may have others than the two. */
export const wordOf = (direction: string): ShippingDirection =>
  direction === "OUTBOUND" ? "SHIPPING" : direction === "INBOUND" ? "RECEIVING" : "UNKNOWN"

/** How far a shipment is; `null` when it is cancelled, for which there is no word. */
export const statusOf = ({ direction, progress, status, statusEvents }: ShipmentView): string | null => {
  if (status === "CANCELLED") return null
  if (status === "DEPARTED") return status
  if (status === "SCHEDULED") return statusEvents.findLast(({ completed }) => completed)?.status ?? status
  const verb = direction === "OUTBOUND" ? "LOAD" : "UNLOAD"
  if (progress.passedPallets === 0) return "DOCKED"
  return progress.expectedPallets > 0 && progress.missingPallets === 0 ? `${verb}ED` : `${verb}ING`
}

/**
 * A number for slugs, from 0 to 2^31 - 1: places have none of their own here. It is the hash FNV-1a, so a place keeps it.
 */
export const numberOf = (...slugs: ReadonlyArray<string>): number => {
  let hash = 0x811c9dc5
  for (const char of slugs.join("/")) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 1
}

/** Text that is there, or `null`. */
export const textOrNull = (text: string | undefined): string | null => text || null

const dayMillis = 86_400_000

/**
 * The instant that a date, or a date and time, begins at; where `isEnd`, the first instant after it: what it names counts.
 * `undefined` for other text.
 */
export const instantOf = (text: string, isEnd = false): Timestamp.Timestamp | undefined => {
  const isDay = Timestamp.isCalendarDate(text)
  const begin = Timestamp.parse(isDay ? `${text}T00:00:00Z` : text)
  if (begin === undefined || !isEnd) return begin
  return Timestamp.fromMillis(Date.parse(begin) + (isDay ? dayMillis : 1))
}

/** What is wrong with a text that {@link instantOf} does not take. */
export const instantFault = (text: string): string =>
  Timestamp.fault(text, "a date, or a date and time") ?? "must be a date, YYYY-MM-DD"

/** The date of a date and time; other text as it is, for the reader of documents to judge. */
export const dateOf = (text: string): string => Timestamp.parse(text) === undefined ? text : text.slice(0, 10)

/** The largest number that clients take for an `Int`: they hold it in 32 bits. */
const maxInt = 2_147_483_647

/** A quantity as an `Int`: a whole number, and no larger than one can be. */
export const intOf = (quantity: number): number => Math.min(Math.round(quantity), maxInt)
