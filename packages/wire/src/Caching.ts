/**
 * Says who may keep an answer (D12.9).
 *
 * Guarantee: an answer that does not say so itself is kept by nobody: no proxy, browser or library gives what one client got to
 * another. What is the same for everybody and worth keeping, such as a part of a page, names its own rule.
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
