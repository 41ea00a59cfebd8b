/**
 * Attempts as they are recorded.
 *
 * Guarantee: every text of an answer or an error can be stored, whatever a customer's server sent, and a delivery
 * that is tried for ever keeps a bounded record.
 */
import { attemptLimit, responseLimit } from "./Delivery.ts"
import type { Attempt } from "./Delivery.ts"

/** A text without what no storage keeps: NUL and halves of surrogate pairs become U+FFFD; cut to {@link responseLimit}. */
export const storable = (text: string): string =>
  text.slice(0, responseLimit).toWellFormed().replaceAll("\0", "\ufffd")

/** An attempt with storable texts. */
export const storableAttempt = (attempt: Attempt): Attempt => ({
  ...attempt,
  response: storable(attempt.response),
  error: storable(attempt.error)
})

/** The attempts of a delivery with new ones, the newest {@link attemptLimit} of them. */
export const withAttempts = (
  recorded: ReadonlyArray<Attempt>,
  added: ReadonlyArray<Attempt>
): ReadonlyArray<Attempt> => [...recorded, ...added.map(storableAttempt)].slice(-attemptLimit)
