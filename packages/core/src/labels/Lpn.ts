/**
 * License plate numbers (LPNs), many of which are serial shipping container codes (SSCCs) of GS1 (D22.1), and GS1 element strings: the
 * application identifiers (AIs) of a scanned text, with their values (D22.4).
 *
 * Guarantee: all forms of one SSCC that {@link ssccOf} reads have one {@link lpnKey}. Any other text has the same key only as an equal
 * text. The key of a key is itself. A text is read as an element string only if it is recognisable as GS1: it has the identifier of a GS1
 * symbology, FNC1 or parentheses, is a Digital Link, or begins with an SSCC or a GTIN with a correct check digit. One wrong element makes a
 * scanned or printed string unreadable, but a Digital Link loses only that element.
 */

/** FNC1, which ends an element of variable length, as scanners send it: the control character GS. */
const fnc1 = "\u001d"

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

const digits = /^\d{18}$/

/** The first characters of forms of an SSCC longer than 18 digits: a digit, a parenthesis, an identifier of a symbology, FNC1, a link. */
const beginnings = `0123456789(]hH${fnc1}`

/**
 * The 18 digits of a scanned SSCC; `undefined` for other text. The forms are: the digits; `00` and the digits; an element string or a
 * Digital Link with one SSCC. A longer text that begins with a digit, and has neither a prefix nor FNC1, does not count as an element
 * string, because it may be a number of the customer's own. The check digit may be wrong.
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
 * An LPN for a search, without invisible characters such as the line ends that scanners add. If nothing remains, the text stays unchanged.
 */
export const soughtLpn = (text: string): string => visibleLpn(text) || text

/** An LPN without the characters that {@link unseenInLpn} names. */
export const visibleLpn = (lpn: string): string => {
  if (unseenInLpn(lpn).length === 0) return lpn
  const form = lpn.split(fnc1).map(visible).join(fnc1)
  return ssccOf(form) === undefined ? visible(lpn) : form
}

/** An application identifier with its value, both as scanned. */
export interface Element {
  readonly ai: string
  readonly value: string
}

/** The identifiers of symbologies with element strings, and with a Digital Link (`]Q1`, `]d1`). */
const symbology = /^\](?:C1|d[12]|Q[13]|e[0-2]|J1)/

/** A text without the symbology identifier at its start and without FNC1 at its start and end; scanners add both. */
export const withoutPrefix = (scan: string): string => {
  let [start, end] = [symbology.test(scan) ? 3 : 0, scan.length]
  while (scan[start] === fnc1) start++
  while (end > start && scan[end - 1] === fnc1) end--
  return scan.slice(start, end)
}

/** The check digit of GS1 for the digits before it, such as the first 17 of an SSCC. */
export const checkDigit = (digits: string): number => {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    sum += Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 3 : 1)
  }
  return (10 - (sum % 10)) % 10
}

/** Whether the last of some digits is their check digit. */
export const hasCheckDigit = (digits: string): boolean =>
  Number(digits.at(-1)) === checkDigit(digits.slice(0, -1))

/** The number of digits of an AI, by its first two digits; `undefined` if no AI of GS1 begins with these. */
const aiLength = (start: string): number | undefined => {
  if (/^(?:0[0-4]|1\d|2[0-2]|30|37|9\d)$/.test(start)) return 2
  if (/^(?:2[3-5]|4[0-2]|71)$/.test(start)) return 3
  return /^(?:3[1-69]|43|7[02]|8[0-2])$/.test(start) ? 4 : undefined
}

/** Whether a text is an AI. */
export const isAi = (text: string): boolean =>
  /^\d+$/.test(text) && aiLength(text.slice(0, 2)) === text.length

/** The fixed number of digits of an AI's value, by the first two digits of the AI; `undefined` for a variable length, which FNC1 ends. */
const fixedLength = (start: string): number | undefined => {
  if (/^0[1-3]$/.test(start)) return 14
  if (/^1[1-9]$/.test(start) || /^3[1-6]$/.test(start)) return 6
  return ({ "00": 18, "04": 16, "20": 2, "41": 13 } as Readonly<Record<string, number>>)[start]
}

/** Whether the AI may have the value: the fixed number of digits, otherwise 1 to 90 printable characters of ASCII. */
const isValue = ({ ai, value }: Element): boolean => {
  const length = fixedLength(ai.slice(0, 2))
  return length === undefined
    ? /^[ -~]{1,90}$/.test(value)
    : value.length === length && /^\d+$/.test(value)
}

const valid = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> | undefined =>
  elements.length > 0 && elements.every((element) => isAi(element.ai) && isValue(element))
    ? elements
    : undefined

/** The elements of a string in which FNC1 ends elements of variable length. */
const elementsOfConcatenation = (text: string): ReadonlyArray<Element> | undefined => {
  const elements: Array<Element> = []
  for (const part of text.split(fnc1)) {
    for (let at = 0; at < part.length;) {
      const start = part.slice(at, at + 2)
      const valueAt = at + (aiLength(start) ?? 0)
      if (valueAt === at) return undefined
      const end = valueAt + (fixedLength(start) ?? part.length)
      elements.push({ ai: part.slice(at, valueAt), value: part.slice(valueAt, end) })
      at = end
    }
  }
  return valid(elements)
}

/** The elements of a printed string, with its AIs in parentheses. */
const elementsOfPrint = (text: string): ReadonlyArray<Element> | undefined => {
  const [start, ...parts] = text.split(/\((\d{2,4})\)/)
  return start !== "" ? undefined : valid(
    parts.flatMap((ai, index) =>
      index % 2 === 0 ? [{ ai, value: (parts[index + 1] ?? "").replaceAll(fnc1, "") }] : []
    )
  )
}

const link = /^https?:\/\/[!-~]+$/i

/** The elements of a GS1 Digital Link: the elements of its path, from the last SSCC or GTIN on, and of its query. */
const elementsOfLink = (text: string): ReadonlyArray<Element> | undefined => {
  const [, path = "", query = ""] = /^[^?#]*?:\/\/[^/?#]+([^?#]*)(?:\?([^#]*))?/.exec(text) ?? []
  const segments = path.split("/")
  const at = segments.findLastIndex((ai, index) => isKey(ai, segments[index + 1] ?? ""))
  if (at < 0) return undefined
  const pairs = [
    ...segments.slice(at).flatMap((ai, index, rest) => index % 2 === 0 ? [[ai, rest[index + 1] ?? ""]] : []),
    ...query.split(/[&;]/).map((parameter) => parameter.split("="))
  ]
  const elements: Array<Element> = []
  for (const [ai = "", encodedValue = ""] of pairs) {
    const value = decode(encodedValue)
    const element = { ai, value: ai === "01" ? value.padStart(14, "0") : value }
    if (isAi(ai) && isValue(element)) elements.push(element)
  }
  return elements
}

const isKey = (ai: string, value: string): boolean =>
  (ai === "00" && /^\d{18}$/.test(value)) || (ai === "01" && /^(?:\d{8}|\d{12,14})$/.test(value))

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

/** Whether a text begins with an SSCC or a GTIN with a correct check digit. */
const beginsWithKey = (text: string): boolean => {
  const [, sscc, gtin] = /^(?:00(\d{18})|0[12](\d{14}))/.exec(text) ?? []
  const key = sscc ?? gtin
  return key !== undefined && hasCheckDigit(key)
}

/** The elements of a scanned text; `undefined` if it is not an element string. */
export const elementsOf = (scan: string): ReadonlyArray<Element> | undefined => {
  const text = withoutPrefix(scan)
  if (text.startsWith("(")) return elementsOfPrint(text)
  if (link.test(text)) return elementsOfLink(text)
  return text !== scan || text.includes(fnc1) || beginsWithKey(text)
    ? elementsOfConcatenation(text)
    : undefined
}

/** The full year of two digits by the rule of GS1: between 49 years before and 50 years after the year of `at`. */
const yearOf = (digits: string, at: string): number => {
  const now = Number(at.slice(0, 4))
  const year = now - now % 100 + Number(digits)
  if (year - now > 50) return year - 100
  return year - now < -49 ? year + 100 : year
}

/**
 * The value of an element for people: a date becomes YYYY-MM-DD, where day 00 is the last day of the month; an invalid date is left out.
 * The time `at` decides the century. Other values stay unchanged.
 */
export const partOf = ({ ai, value }: Element, at: string): ReadonlyArray<string> => {
  if (!/^1[1-7]$/.test(ai)) return [value]
  const year = yearOf(value.slice(0, 2), at)
  const [month, day] = [Number(value.slice(2, 4)), Number(value.slice(4))]
  const date = day === 0 ? new Date(Date.UTC(year, month, 0)) : new Date(Date.UTC(year, month - 1, day))
  const isDate = month >= 1 && month <= 12 && (day === 0 || date.getUTCDate() === day)
  return isDate ? [date.toISOString().slice(0, 10)] : []
}
