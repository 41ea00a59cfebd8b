/**
 * The correlation id, which identifies a request in every answer, log line and trace (D4.5). It can be written into a
 * header unchanged. Two headers, which platforms join with a comma, make one id.
 */

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
