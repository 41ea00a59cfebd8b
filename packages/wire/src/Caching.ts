/**
 * Says who may store an answer (D12.9).
 *
 * Guarantee: an answer without its own rule is not stored, so no proxy, browser or library passes the answer for one client to another.
 * Answers that are the same for everybody and worth caching, such as parts of a page, have their own rule.
 */
import { HttpServerResponse } from "effect/http"

const name = "cache-control"

/** The header of an answer that must not be stored (D12.9). */
export const noStore = { [name]: "no-store" } as const

/** The default rule if the headers have none; the names of headers are in lower case. */
export const missingIn = (headers: object): Readonly<Record<string, string>> => name in headers ? {} : noStore

/** Adds the default rule to an answer without a rule. */
export const complete = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  name in response.headers ? response : HttpServerResponse.setHeaders(response, noStore)

/** Adds the default rule to an answer of a fetch-style handler without a rule. */
export const completeFetched = ({ headers }: Response): void => {
  if (!headers.has(name)) headers.set(name, noStore[name])
}
