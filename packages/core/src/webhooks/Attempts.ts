/**
 * Attempts as they are recorded.
 *
 * Guarantee: every text of an answer or an error can be stored, whatever a customer's server sent, and a delivery
 * that is tried for ever keeps a bounded record.
 */
import { attemptLimit, responseLimit } from "./Delivery.ts"
import type { Attempt, Delivery } from "./Delivery.ts"

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

/** Characters of the answers and errors of attempts. */
export const textOf = (attempts: ReadonlyArray<Attempt>): number =>
  attempts.reduce((sum, { error, response }) => sum + response.length + error.length, 0)

/** How many of these deliveries, from the first on, hold no more characters of answers and errors; one at least. */
export const fitting = (deliveries: ReadonlyArray<Pick<Delivery, "attempts">>, textLimit: number): number => {
  let text = 0
  const beyond = deliveries.findIndex(({ attempts }, place) => {
    text += textOf(attempts)
    return place > 0 && text > textLimit
  })
  return beyond < 0 ? deliveries.length : beyond
}
