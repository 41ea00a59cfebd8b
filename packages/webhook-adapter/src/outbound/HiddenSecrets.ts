/**
 * Hides secrets in a text that a customer wrote: as they were sent or in base64, each as it is, in a string of JSON,
 * percent-encoded or in a form. Any other encoding of them is shown.
 */
import { responseLimit } from "@dockline/core/Delivery"
import { Buffer } from "node:buffer"
import type { OutboundAnswer } from "./OutboundHttp.ts"

const utf8 = new TextDecoder("utf-8")

/**
 * The first 4 KiB, as a text that every database stores: bytes that are not UTF-8 are replaced, and NUL. A body in a
 * content encoding is not decoded, as that could make it large. The secrets are hidden, as some servers repeat the
 * request.
 */
export const responseText = (
  { body, headers }: Pick<OutboundAnswer, "body" | "headers">,
  secrets: ReadonlyArray<string> = []
): string => {
  if (body.byteLength === 0) return ""
  const encoding = (headers["content-encoding"] ?? "").toLowerCase()
  if (encoding !== "" && encoding !== "identity") {
    return `(${body.byteLength} bytes in the encoding ${encoding.replaceAll(/[^\w\-, ]/g, "?").slice(0, 40)})`
  }
  // Streaming holds back a character that the cut has split, instead of replacing it.
  const isCut = body.byteLength > responseLimit
  const text = isCut
    ? new TextDecoder("utf-8").decode(body.subarray(0, responseLimit), { stream: true })
    : utf8.decode(body)
  return hideSecrets(text.replaceAll("\0", "\ufffd"), secrets, isCut)
}

/** The shortest secret that is hidden, in characters: shorter secrets would match parts of words. */
const shortest = 4

const hidden = "***"

/** If the text was cut at its end (`isCut`), the beginning of a secret there is hidden too, from four characters on. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<string>, isCut: boolean): string => {
  if (text.length < shortest) return text
  const forms = secrets.filter(({ length }) => length >= shortest).flatMap(formsOf)
  const sought = [...new Set(forms)]
  const found = sought.flatMap((form) => rangesOf(text, form))
  const cut = isCut ? Math.max(0, ...sought.map((form) => lengthAtEnd(text, form))) : 0
  if (cut > 0) found.push([text.length - cut, text.length])
  let [shown, shownTo] = ["", 0]
  for (const [start, end] of found.sort(([one], [other]) => one - other)) {
    // Some forms are the beginning of others, or overlap with them.
    if (start >= shownTo) shown += text.slice(shownTo, start) + hidden
    shownTo = Math.max(shownTo, end)
  }
  return shown + text.slice(shownTo)
}

const rangesOf = (text: string, form: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const ranges: Array<readonly [number, number]> = []
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
    ranges.push([at, at + form.length])
  }
  return ranges
}

const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString("base64")
  return [secret, base64, base64.replaceAll("=", ""), bytes.toString("base64url")].flatMap(writtenOf)
}

/** How encoders write a text: those of JSON may escape a slash and all that is not ASCII, those of addresses more or fewer signs. */
const writtenOf = (text: string): ReadonlyArray<string> => {
  if (/^[\w-]*$/.test(text)) return [text]
  const json = JSON.stringify(text).slice(1, -1)
  const percent = encodeURIComponent(text.toWellFormed())
  const strict = percent.replaceAll(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )
  const form = new URLSearchParams({ "": text }).toString().slice(1)
  return [
    text,
    ...[json, json.replaceAll(/[\u0080-\uffff]/g, unicodeEscape)].flatMap((
      each
    ) => [each, each.replaceAll("/", "\\/")]),
    ...[percent, strict, form].flatMap((
      each
    ) => [each, each.replaceAll(/%../g, (escape) => escape.toLowerCase())])
  ]
}

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** How much of the beginning of a form the text ends with; 0 where it is too short to be hidden. */
const lengthAtEnd = (text: string, form: string): number => {
  for (let length = form.length - 1; length >= shortest; length--) {
    if (text.endsWith(form.slice(0, length))) return length
  }
  return 0
}
