/**
 * Hides secrets in a text that a customer wrote: as they were sent, in base64, percent-encoded, or in a string of JSON, as the usual
 * libraries write these. Any other encoding of them is shown.
 */
import { clip } from "@dockline/core/values/Clip"
import { responseLimit } from "@dockline/core/webhooks/Delivery"
import { Buffer } from "node:buffer"
import type { OutboundAnswer } from "./OutboundHttp.ts"

const utf8 = new TextDecoder()

/**
 * The first 4 KiB, as a text that every database stores: bytes that are not UTF-8 are replaced, and NUL. The secrets are hidden before the
 * text is cut, as some servers repeat the request.
 */
export const responseText = (
  { body }: Pick<OutboundAnswer, "body">,
  secrets: ReadonlyArray<string> = []
): string => {
  if (body.byteLength === 0) return ""
  const text = hideSecrets(utf8.decode(body).replaceAll("\0", "\ufffd"), secrets)
  // Streaming holds back a character that the cut has split, instead of replacing it.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, responseLimit), { stream: true })
}

/** The most characters of an address that a redirect names. */
const locationLimit = 1024

/** Where an answer leads that is a redirect, without the secrets; `undefined` of any other answer. */
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

/** The text with `***` in place of the secrets. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<string>): string => {
  const forms = new Set(secrets.filter(({ length }) => length >= shortest).flatMap(formsOf))
  // Some forms are the beginning of others.
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

/** JSON as some write it: whatever is not ASCII as an escape. */
const inAscii = (json: string): string =>
  json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
