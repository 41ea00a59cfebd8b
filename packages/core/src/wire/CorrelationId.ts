/**
 * The correlation id: what names a request across systems, in every answer, log line and trace of it (D4.5).
 *
 * Guarantee: the id of a request can be written into a header as it is, whoever chose it. Two headers, which platforms
 * join with a comma, are one id.
 */

/** The header, in lower case. */
export const correlationHeader = "correlation-id"

/** Up to 128 characters of Latin-1, which is what a header can hold, without control characters. */
const acceptable = /^[\x20-\x7e\xa0-\xff]{1,128}$/

/** Core names no platform, so it declares what every runtime has. */
declare const crypto: { readonly randomUUID: () => string }

/** The id that the client sent, or a new one where it sent none or one that cannot be echoed. */
export const correlationIdOf = (header: string | null | undefined): string =>
  typeof header === "string" && acceptable.test(header) ? header : crypto.randomUUID()
