/**
 * Hides secrets in a text that a customer wrote: as they were sent or in base64, each as it is, in a string of JSON,
 * percent-encoded or in a form. Any other encoding of them is shown.
 */
import { Buffer } from "node:buffer"

/** The shortest secret that is hidden, in characters: shorter secrets would match parts of words. */
const shortest = 4

const hidden = "***"

/** If the text was cut at its end (`isCut`), the beginning of a secret there is hidden too, from four characters on. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<string>, isCut: boolean): string => {
  if (text.length < shortest) return text
  const forms = secrets.filter(({ length }) => length >= shortest).flatMap(formsOf)
  // The longest first: some forms are the beginning of others.
  const sought = [...new Set(forms)].sort((one, other) => other.length - one.length)
  const shown = sought.reduce((text, form) => text.replaceAll(form, hidden), text)
  if (!isCut) return shown
  const cut = Math.max(0, ...sought.map((form) => lengthAtEnd(shown, form)))
  return cut === 0 ? shown : shown.slice(0, -cut) + hidden
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
