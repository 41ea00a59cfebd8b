/**
 * Port: calls customers over HTTP. `UndiciHttp` implements it.
 *
 * Guarantee: only addresses that the outbound policy permits are called, whatever the URL is (D9.7). A call ends within its time limit,
 * reads at most 64 KiB of the body of the answer, decodes no more than that, and follows no redirect. It sends its request once, and once
 * more if a kept connection turns out to be closed before any part of an answer has arrived (RFC 9112, 9.3.1). Of these,
 * {@link OutboundHttp.layerPromise} keeps only the time limit and the length of the body; the rest depends on its function.
 */
import { clip } from "@dockline/core/values/Clip"
import { responseLimit } from "@dockline/core/webhooks/Delivery"
import { Context, Data, Effect, Layer } from "effect"
import { Buffer } from "node:buffer"
import { defaultWebhookConfig } from "../WebhookConfig.ts"

/** The most bytes that are read of the body of an answer (D9.7). */
export const bodyLimit = 64 * 1024

/** The error of an answer with a longer body. */
export const tooLong = `the answer is longer than ${bodyLimit / 1024} KiB; the rest was not read`

/** A POST request to a customer. */
export interface OutboundRequest {
  /** An absolute URL without user info. */
  readonly url: string
  /** The header fields to send; `Host` and `Content-Length` are added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time limit from the call to the end of the answer, in milliseconds; the configured limit by default. */
  readonly timeoutMillis?: number
}

/** An answer whose headers are complete. A failure in its body does not change its status. */
export interface OutboundAnswer {
  /** The final status, from 200 to 599; interim answers are not reported. */
  readonly status: number
  /** The header fields by lower-case name; repeated fields are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The part of the body that was read, without its content encodings: at most {@link bodyLimit} bytes. */
  readonly body: Uint8Array
  /** The reason why the body could not be read to its end or decoded; `""` if it could. */
  readonly error: string
}

/** There is no answer: the address is not permitted, or no connection was made or no complete headers arrived within the time. */
export class OutboundFailure extends Data.TaggedError("OutboundFailure")<{
  /** The reason, for operators. */
  readonly error: string
}> {
  override get message(): string {
    return this.error
  }
}

/** Calls customers. */
export class OutboundHttp extends Context.Service<OutboundHttp, {
  /** Sends a POST. Interrupting it aborts the request and its connection. */
  readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundFailure>
}>()("@dockline/webhook-adapter/outbound/OutboundHttp") {
  /**
   * Calls by a plain function, such as one that uses a proxy of the embedding service. The function then decides which addresses may be
   * called; time and size are limited here in any case.
   *
   * ```ts
   * OutboundHttp.layerPromise(async ({ url, headers, body }, signal) => {
   *   const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" })
   *   return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.bytes() }
   * })
   * ```
   */
  static readonly layerPromise = (
    post: PostFunction,
    { timeoutMillis = defaultWebhookConfig.timeoutMillis }: { readonly timeoutMillis?: number } = {}
  ): Layer.Layer<OutboundHttp> =>
    Layer.succeed(OutboundHttp, {
      post: (request) => {
        const millis = request.timeoutMillis ?? timeoutMillis
        return Effect.tryPromise({
          try: async (signal) => clipAnswer(await post({ ...request, timeoutMillis: millis }, signal)),
          catch: (error) =>
            new OutboundFailure({ error: error instanceof Error ? error.message : String(error) })
        }).pipe(
          Effect.timeoutOrElse({
            duration: millis,
            orElse: () => Effect.fail(new OutboundFailure({ error: `no answer within ${millis / 1000} s` }))
          })
        )
      }
    })
}

/** Sends a POST. It rejects if there is no answer, and stops when `signal` aborts. */
export type PostFunction = (
  request: OutboundRequest & { readonly timeoutMillis: number },
  signal: AbortSignal
) => Promise<PostAnswer>

/** The answer of a {@link PostFunction}. */
export interface PostAnswer {
  /** The status, from 200 to 599. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body without its content encodings, as `fetch` returns it. */
  readonly body?: Uint8Array | string
}

const clipAnswer = ({ status, headers = {}, body = "" }: PostAnswer): OutboundAnswer => {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`the status of an answer must be 200 to 599, not ${status}`)
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: bytes.subarray(0, bodyLimit),
    error: bytes.byteLength > bodyLimit ? tooLong : ""
  }
}

/** An error of this package, whose message is shown unchanged. */
export class OutboundError extends Error {}

/** Explains to operators why a call failed. The known codes are those of Node, OpenSSL, llhttp and undici. */
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

/**
 * The reason in a message of the parser: `Invalid header token` of `Response does not match the HTTP/1.1 protocol (Invalid header token)`.
 */
const parserReason = (error: Error): string => clip(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? error.message)

/** The reason in an error of OpenSSL: `wrong version number` of `…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…`. */
const opensslReason = (error: Error): string =>
  "reason" in error && typeof error.reason === "string" ? clip(error.reason) : clip(error.message)

const utf8 = new TextDecoder()

/**
 * The text of an answer, without the secrets in it. Secrets are hidden as they were sent, in base64, percent-encoded, or in a string of
 * JSON, in the spelling of the usual libraries; any other encoding of them is shown. They are hidden before the text is cut at 4 KiB,
 * because some servers repeat the request. NUL and bytes that are not UTF-8 are replaced, so that every database can store the text.
 */
export const responseText = (
  { body }: Pick<OutboundAnswer, "body">,
  secrets: ReadonlyArray<string> = []
): string => {
  if (body.byteLength === 0) return ""
  const text = hideSecrets(utf8.decode(body).replaceAll("\0", "\ufffd"), secrets)
  // With `stream`, the decoder leaves out a character that the cut has split, instead of replacing it.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, responseLimit), { stream: true })
}

/** The most characters of the address of a redirect. */
const locationLimit = 1024

/** The target of a redirect, without secrets; `undefined` for any other answer. */
export const redirectText = (
  { headers, status }: Pick<OutboundAnswer, "headers" | "status">,
  secrets: ReadonlyArray<string>
): string | undefined => {
  const { location } = headers
  return status < 300 || status > 399 || location === undefined
    ? undefined
    : `a redirect to ${clip(hideSecrets(location, secrets), locationLimit)}, and redirects are not followed`
}

/** The shortest secret that is hidden, in characters: shorter secrets would match parts of words. */
const shortest = 4

/** Replaces the secrets in a text by `***`. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<string>): string => {
  const forms = new Set(secrets.filter(({ length }) => length >= shortest).flatMap(formsOf))
  // The longest forms come first, because some forms are the beginning of others.
  const longestFirst = Array.from(forms).sort((one, other) => other.length - one.length)
  return longestFirst.reduce((output, form) => output.replaceAll(form, "***"), text)
}

const formsOf = (secret: string): ReadonlyArray<string> => {
  const base64 = Buffer.from(secret).toString("base64")
  return [secret, base64, base64.replaceAll("=", ""), Buffer.from(secret).toString("base64url")].flatMap(
    (text) => {
      const json = JSON.stringify(text).slice(1, -1)
      const percent = encodeURIComponent(text.toWellFormed())
      return [text, ...[json, inAscii(json)].flatMap((form) => [form, form.replaceAll("/", "\\/")]), percent]
        .concat(percent.replaceAll(/%../g, (octet) => octet.toLowerCase()))
    }
  )
}

/** Escapes all characters of a JSON text beyond ASCII, as some servers do. */
const inAscii = (json: string): string =>
  json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
