/**
 * The headers that every answer has: the correlation id (D4.5), and who may store the answer (D12.9).
 *
 * Guarantee: a correlation id can be written into a header unchanged. Two headers, which platforms join with a comma, make one id. With the
 * default rule an answer is not stored, so no proxy, browser or library passes the answer for one client to another. Answers that are the
 * same for everybody and worth caching, such as parts of a page, have their own rule.
 */
import { HttpServerResponse } from "effect/http"

/** The name of the header with the id that joins a request, its answer and its lines in the log (D4.5). */
export const correlationHeader = "correlation-id"

/** Up to 128 characters of Latin-1, the charset of headers, without control characters. */
const acceptable = /^[\x20-\x7e\xa0-\xff]{1,128}$/

/** A UUID that begins with the time (RFC 9562, version 7), so that the newest ids are adjacent in the index of the record of documents. */
const newId = (): string => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}

/** The id that the client sent, or a new id if it sent none or an unacceptable one. */
export const correlationIdOf = (header: string | null | undefined): string =>
  typeof header === "string" && acceptable.test(header) ? header : newId()

const cacheHeader = "cache-control"

/** The header of an answer that must not be stored (D12.9). */
export const noStore = { [cacheHeader]: "no-store" } as const

/** The default rule if the headers have none; the names of headers are in lower case. */
export const missingCacheControl = (headers: object): Readonly<Record<string, string>> =>
  cacheHeader in headers ? {} : noStore

/** Adds the default rule to an answer without a rule. */
export const withCacheControl = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  cacheHeader in response.headers ? response : HttpServerResponse.setHeaders(response, noStore)

/** Adds the default rule to an answer of a fetch-style handler without a rule. */
export const setCacheControl = ({ headers }: Response): void => {
  if (!headers.has(cacheHeader)) headers.set(cacheHeader, noStore[cacheHeader])
}
