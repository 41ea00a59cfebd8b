/**
 * License plate numbers (LPNs), and the serial shipping container code (SSCC) of GS1 that many of them are (D22.1).
 *
 * Guarantee: all forms in which scanners send one SSCC have one {@link lpnKey}. Two texts of which one is no such form have the same
 * only if they are equal. The key of a key is itself.
 */
import { checkDigit, elementsOf, fnc1, hasCheckDigit, withoutPrefix } from "./internal/ElementString.ts"

/**
 * Characters that cannot be seen: control and format characters, those that programs leave out where they cannot show them, and the
 * separators of lines and paragraphs, as Unicode names them (D22.2). Two texts that differ in them only look the same to everybody.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu

/** Almost every number consists of these only. */
const plain = /^[ -~]*$/

/** The different characters of a text that cannot be seen, such as `U+200B`, in the order of the text. */
export const unseenIn = (text: string): ReadonlyArray<string> =>
  plain.test(text) ? [] : Array.from(
    new Set(text.match(unseen)),
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
  )

/** A text without the characters that cannot be seen. */
export const visible = (text: string): string => plain.test(text) ? text : text.replaceAll(unseen, "")

export { checkDigit, hasCheckDigit } from "./internal/ElementString.ts"

const digits = /^\d{18}$/

/** How a form of an SSCC that is longer than 18 digits begins: digits, a parenthesis, an identifier of a symbology, FNC1, a link. */
const beginnings = `0123456789(]hH${fnc1}`

/**
 * The 18 digits of the SSCC that a scanned text is; `undefined` where it is none. The forms are: the digits; `00` and the digits; an
 * element string or a Digital Link with one SSCC. A longer text of digits alone is no element string, as it may be a number of the
 * customer's own. The check digit may be wrong.
 */
export const ssccOf = (scan: string): string | undefined => {
  if (scan.length < 18 || !beginnings.includes(scan.charAt(0))) return undefined
  if (digits.test(scan)) return scan
  const text = withoutPrefix(scan)
  if (digits.test(text)) return text
  if (text.length === 20 && text.startsWith("00") && digits.test(text.slice(2))) return text.slice(2)
  // Without a mark, digits and letters that follow an SSCC may be anything.
  if (text === scan && /^\d/.test(text) && !text.includes(fnc1)) return undefined
  const codes = new Set(elementsOf(scan)?.flatMap(({ ai, value }) => ai === "00" ? [value] : []))
  return codes.size === 1 ? codes.values().next().value : undefined
}

/** The text by which LPNs are compared: for a form of an SSCC its 18 digits, otherwise the LPN itself. */
export const lpnKey = (lpn: string): string => ssccOf(lpn) ?? lpn

/** Whether two LPNs name one pallet. */
export const isSameLpn = (one: string, other: string): boolean =>
  one === other || lpnKey(one) === lpnKey(other)

/** What is told of an LPN that is a form of an SSCC whose check digit does not fit, which refuses nothing; else `undefined` (D22.3). */
export const checkDigitNote = (lpn: string): string | undefined => {
  const sscc = ssccOf(lpn)
  return sscc === undefined || hasCheckDigit(sscc)
    ? undefined
    : `the check digit of SSCC ${sscc} should be ${checkDigit(sscc.slice(0, -1))}`
}

/** The characters of an LPN that cannot be seen, but for FNC1 in a form of an SSCC (D22). */
export const unseenInLpn = (lpn: string): ReadonlyArray<string> => {
  const characters = unseenIn(lpn)
  return characters.length === 0 || ssccOf(lpn) !== undefined ? [] : characters
}

/** An LPN that is looked for, read as a label is: a scanner's ends of lines are not part of it. Where nothing else is left, it is as it is. */
export const soughtLpn = (text: string): string => visibleLpn(text) || text

/** An LPN without the characters that {@link unseenInLpn} names. */
export const visibleLpn = (lpn: string): string => {
  if (unseenInLpn(lpn).length === 0) return lpn
  const form = lpn.split(fnc1).map(visible).join(fnc1)
  return ssccOf(form) === undefined ? visible(lpn) : form
}
