/**
 * Says who may keep an answer (D12.9).
 *
 * Guarantee: an answer without a rule of its own is kept by nobody, so no proxy, browser or library passes one client's answer to another.
 * Answers that are the same for everybody and worth caching, such as parts of a page, have their own rule.
 */
import { HttpServerResponse } from "effect/http"

const name = "cache-control"

/** The header of an answer that nobody may keep (D12.9). */
export const noStore = { [name]: "no-store" } as const

/** The rule that an answer with these headers lacks; their names are in lower case. */
export const missingIn = (headers: object): Readonly<Record<string, string>> => name in headers ? {} : noStore

/** Adds the rule that an answer lacks. */
export const complete = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  name in response.headers ? response : HttpServerResponse.setHeaders(response, noStore)

/** Adds the rule that an answer of a fetch-style handler lacks. */
export const completeFetched = ({ headers }: Response): void => {
  if (!headers.has(name)) headers.set(name, noStore[name])
}
