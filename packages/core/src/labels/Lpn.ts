/**
 * License plate numbers (LPNs), many of which are serial shipping container codes (SSCCs) of GS1 (D22.1).
 *
 * Guarantee: all forms in which scanners send one SSCC have one {@link lpnKey}. Any other text has the same key only as an equal text. The
 * key of a key is itself.
 */
import { checkDigit, elementsOf, fnc1, hasCheckDigit, withoutPrefix } from "./internal/ElementString.ts"

/**
 * Invisible characters, by classes of Unicode: control and format characters, default-ignorable characters, and separators of lines and
 * paragraphs (D22.2). Two texts that differ only in these look the same.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu

/** Almost every LPN consists only of printable ASCII, so most texts need no search for invisible characters. */
const plain = /^[ -~]*$/

/** The distinct invisible characters of a text, such as `U+200B`, in the order of the text. */
export const unseenIn = (text: string): ReadonlyArray<string> =>
  plain.test(text) ? [] : Array.from(
    new Set(text.match(unseen)),
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
  )

/** A text without its invisible characters. */
export const visible = (text: string): string => plain.test(text) ? text : text.replaceAll(unseen, "")

export { checkDigit, hasCheckDigit } from "./internal/ElementString.ts"

const digits = /^\d{18}$/

/** The first characters of forms of an SSCC longer than 18 digits: a digit, a parenthesis, an identifier of a symbology, FNC1, a link. */
const beginnings = `0123456789(]hH${fnc1}`

/**
 * The 18 digits of a scanned SSCC; `undefined` for other text. The forms are: the digits; `00` and the digits; an element string or a
 * Digital Link with one SSCC. A longer text of only digits does not count as an element string, because it may be a number of the
 * customer's own. The check digit may be wrong.
 */
export const ssccOf = (scan: string): string | undefined => {
  if (scan.length < 18 || !beginnings.includes(scan.charAt(0))) return undefined
  if (digits.test(scan)) return scan
  const text = withoutPrefix(scan)
  if (digits.test(text)) return text
  if (text.length === 20 && text.startsWith("00") && digits.test(text.slice(2))) return text.slice(2)
  // Without a prefix, digits and letters after an SSCC may mean anything.
  if (text === scan && /^\d/.test(text) && !text.includes(fnc1)) return undefined
  const codes = new Set(elementsOf(scan)?.flatMap(({ ai, value }) => ai === "00" ? [value] : []))
  return codes.size === 1 ? codes.values().next().value : undefined
}

/** The text by which LPNs are compared: for a form of an SSCC its 18 digits, otherwise the LPN itself. */
export const lpnKey = (lpn: string): string => ssccOf(lpn) ?? lpn

/** Whether two LPNs name one pallet. */
export const isSameLpn = (one: string, other: string): boolean =>
  one === other || lpnKey(one) === lpnKey(other)

/** The note about an LPN that is an SSCC with a wrong check digit, which is accepted; otherwise `undefined` (D22.3). */
export const checkDigitNote = (lpn: string): string | undefined => {
  const sscc = ssccOf(lpn)
  return sscc === undefined || hasCheckDigit(sscc)
    ? undefined
    : `the check digit of SSCC ${sscc} should be ${checkDigit(sscc.slice(0, -1))}`
}

/** The invisible characters of an LPN, except FNC1 in a form of an SSCC (D22). */
export const unseenInLpn = (lpn: string): ReadonlyArray<string> => {
  const characters = unseenIn(lpn)
  return characters.length === 0 || ssccOf(lpn) !== undefined ? [] : characters
}

/**
 * An LPN for a search, without invisible characters such as the line ends that scanners add. If nothing remains, the text stays as it is.
 */
export const soughtLpn = (text: string): string => visibleLpn(text) || text

/** An LPN without the characters that {@link unseenInLpn} names. */
export const visibleLpn = (lpn: string): string => {
  if (unseenInLpn(lpn).length === 0) return lpn
  const form = lpn.split(fnc1).map(visible).join(fnc1)
  return ssccOf(form) === undefined ? visible(lpn) : form
}
