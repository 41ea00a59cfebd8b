/**
 * Prepares attempts for the delivery record, so that every text can be stored, whatever the customer's server sent.
 */
import { attemptLimit, responseLimit } from "./Delivery.ts"
import type { Attempt, Delivery } from "./Delivery.ts"

/** A text that every storage can keep: NUL and halves of surrogate pairs become U+FFFD; cut to {@link responseLimit}. */
export const storable = (text: string): string =>
  text.slice(0, responseLimit).toWellFormed().replaceAll("\0", "\ufffd")

/** The attempts of a delivery with new attempts, whose texts become storable; the newest {@link attemptLimit} are kept. */
export const withAttempts = (
  record: ReadonlyArray<Attempt>,
  news: ReadonlyArray<Attempt>
): ReadonlyArray<Attempt> => {
  const attempts = news.map((attempt): Attempt => ({
    ...attempt,
    response: storable(attempt.response),
    error: storable(attempt.error)
  }))
  return [...record, ...attempts].slice(-attemptLimit)
}

/** The characters of the answers and errors of attempts. */
export const textOf = (attempts: ReadonlyArray<Attempt>): number =>
  attempts.reduce((sum, { error, response }) => sum + response.length + error.length, 0)

/** How many deliveries, from the first on, have answers and errors that fit into `textLimit` characters; at least one. */
export const fitting = (deliveries: ReadonlyArray<Pick<Delivery, "attempts">>, textLimit: number): number => {
  let text = 0
  const beyond = deliveries.findIndex(({ attempts }, place) => {
    text += textOf(attempts)
    return place > 0 && text > textLimit
  })
  return beyond < 0 ? deliveries.length : beyond
}
