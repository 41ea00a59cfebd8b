/** The formats in which a spreadsheet shows numbers: as dates, or padded with zeros; and the dates that its numbers stand for. */
import { damage } from "./XmlPart.ts"

/** The properties of a format of numbers. */
export interface NumberFormat {
  readonly isDate: boolean
  /** The least number of digits that it shows; 0 without padding. */
  readonly digits: number
}

/** The most characters of a format in spreadsheets, and of a number that they write. Longer ones are rejected at once. */
const [maxCodeLength, maxNumberLength] = [255, 400]

/** The format of a cell without one. */
export const general: NumberFormat = { isDate: false, digits: 0 }

/** Whether a format that files name without its code is one of dates or times. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** A format by its number, and by its code if the file has one. */
export const formatOf = (id: number, code: string | undefined): NumberFormat => {
  if (code === undefined) return { isDate: isBuiltInDate(id), digits: 0 }
  if (code.length > maxCodeLength) throw damage()
  // The first section is for positive numbers; letters in texts, colours and conditions do not mean dates.
  const [section = ""] = code.split(";")
  const letters = section.replaceAll(/"[^"]*"|\\.|_.|\*./g, "").replaceAll(/\[(?![hms]+\])[^[\]]*\]/gi, "")
  if (/^general$/i.test(letters)) return general
  if (/[ymdhs]/i.test(letters)) return { isDate: true, digits: 0 }
  // Colours and languages in brackets show no digits.
  const digits = section.replaceAll(/\[[^[\]]*\]/g, "")
  return { isDate: false, digits: /^0+$/.test(digits) ? digits.length : 0 }
}

const dayMillis = 24 * 60 * 60 * 1000

/** The last day in spreadsheets: 31 December 9999. */
const lastDay = 2_958_465

/**
 * The date of a number, with its time if it has one; `undefined` for a number that is not a date. In files that count from 1900, number 60
 * is the 29th of February 1900, which never existed.
 */
export const dateOf = (number: number, is1904: boolean): string | undefined => {
  if (!(number >= 1 && number < lastDay + 1) || (!is1904 && Math.floor(number) === 60)) return undefined
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, number < 60 ? 31 : 30)
  const time = new Date(start + Math.round(number * dayMillis / 1000) * 1000).toISOString()
  return time.endsWith("T00:00:00.000Z") ? time.slice(0, 10) : time.slice(0, 19)
}

/** A number in plain digits, such as `0.5`, `12` or `106141411234567000` for `1.06141411234567E+17`. */
export const plainNumber = (text: string): string | undefined => {
  if (text.length > maxNumberLength) return undefined
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim())
  if (match === null) return undefined
  const [, sign = "", whole = "", part = "", exponent = "0"] = match
  if (whole === "" && part === "") return undefined
  const digits = `${whole}${part}`
  const point = whole.length + Number(exponent)
  const decimal = point <= 0
    ? `0.${"0".repeat(-point)}${digits}`
    : point >= digits.length
    ? digits.padEnd(point, "0")
    : `${digits.slice(0, point)}.${digits.slice(point)}`
  const plain = decimal.replace(/^0+(?=\d)/, "").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")
  return `${sign === "-" && /[1-9]/.test(plain) ? "-" : ""}${plain}`
}
