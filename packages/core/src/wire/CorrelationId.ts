/**
 * The correlation id, which identifies a request in every answer, log line and trace (D4.5). It can be written into a
 * header unchanged. Two headers, which platforms join with a comma, make one id.
 */

export const correlationHeader = "correlation-id"

/** Up to 128 characters of Latin-1, the charset of headers, without control characters. */
const acceptable = /^[\x20-\x7e\xa0-\xff]{1,128}$/

/** Core names no platform, so it declares the globals that it uses. */
declare const crypto: { readonly randomUUID: () => string }

/** The client's id, or a new id when the client sent none or an unacceptable one. */
export const correlationIdOf = (header: string | null | undefined): string =>
  typeof header === "string" && acceptable.test(header) ? header : crypto.randomUUID()
