/** Explains to operators why a call failed. The codes are those of Node, OpenSSL, llhttp and undici. */
import { clip } from "@dockline/core/values/Clip"

/** An error of this package, whose message is shown as it is. */
export class OutboundError extends Error {}

export const failureText = (error: Error): string => {
  if (error instanceof OutboundError) return error.message
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  const text = words[code]
  if (text !== undefined) return text
  if (error.name === "HTTPParserError") return `the answer is not HTTP/1.1 (${parserReason(error)})`
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return `TLS failed (${opensslReason(error)})`
  if (code === "UND_ERR_SOCKET" && error.message.startsWith("bad ")) {
    return "the answer is an upgrade or 100 Continue, which the request did not ask for"
  }
  if (code === "UND_ERR_SOCKET") return closed
  // The message of another library may be long and may quote the customer's answer.
  return clip(error.message === "" ? code || error.name : error.message)
}

const closed = "the connection was closed before the answer was complete"

const untrustedText = "certificate is not signed by an authority that is known here"

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  ECONNABORTED: "the connection was reset",
  ETIMEDOUT: "no connection: the address does not answer",
  UND_ERR_CONNECT_TIMEOUT: "no connection: the address does not answer",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network of the host cannot be reached",
  EADDRNOTAVAIL: "no connection from the source address that is set",
  EMFILE: "this machine has no file handles left",
  ENFILE: "this machine has no file handles left",
  ENOTFOUND: "the name of the host is unknown",
  ENODATA: "the name of the host has no address",
  EAI_AGAIN: "the name servers do not answer",
  ETIMEOUT: "the name servers do not answer",
  ESERVFAIL: "the name servers cannot look up the host",
  EREFUSED: "the name servers refuse to look up the host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: untrustedText,
  UNABLE_TO_GET_ISSUER_CERT: untrustedText,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedText,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${untrustedText}, or its chain is incomplete`,
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another name",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are longer than 16 KiB",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: closed,
  UND_ERR_DESTROYED: "the service is stopping",
  UND_ERR_CLOSED: "the service is stopping"
}

/** `Invalid header token` of `Response does not match the HTTP/1.1 protocol (Invalid header token)`. */
const parserReason = (error: Error): string => clip(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? error.message)

/** `wrong version number` of `…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…`. */
const opensslReason = (error: Error): string =>
  "reason" in error && typeof error.reason === "string" ? clip(error.reason) : clip(error.message)
