/**
 * Hides secrets in a text that a customer wrote: as they were sent, and as base64, percent encoding or a string of JSON
 * writes them. Any other encoding of them is shown.
 */
import { Buffer } from "node:buffer"

/** The shortest secret that is hidden, in characters: shorter secrets would match parts of words. */
const shortest = 4

const hidden = "***"

/** If the text was cut at its end (`isCut`), the beginning of a secret there is hidden too, from four characters on. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<string>, isCut: boolean): string => {
  const forms = secrets.filter(({ length }) => length >= shortest).flatMap(formsOf)
  // The longest first: some forms are the beginning of others.
  const sought = [...new Set(forms)].sort((one, other) => other.length - one.length)
  const shown = sought.reduce((text, form) => text.replaceAll(form, hidden), text)
  if (!isCut) return shown
  const cut = Math.max(0, ...sought.map((form) => lengthAtEnd(shown, form)))
  return cut === 0 ? shown : shown.slice(0, -cut) + hidden
}

const formsOf = (secret: string): ReadonlyArray<string> => {
  const percent = encodeURIComponent(secret.toWellFormed())
  const base64 = Buffer.from(secret).toString("base64")
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll(/%../g, (escape) => escape.toLowerCase()),
    base64,
    base64.replace(/=+$/, ""),
    Buffer.from(secret).toString("base64url")
  ]
}

/** How much of the beginning of a form the text ends with; 0 where it is too short to be hidden. */
const lengthAtEnd = (text: string, form: string): number => {
  for (let length = form.length - 1; length >= shortest; length--) {
    if (text.endsWith(form.slice(0, length))) return length
  }
  return 0
}
