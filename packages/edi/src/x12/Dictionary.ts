/**
 * The rules for the elements of the segments that are read and written, in the releases 4010 and 5010.
 *
 * Guarantee: written segments follow these rules, and received segments are checked against them. An element without the form of its type
 * is a fault; an element that is merely too long or too short is noted. An unlisted segment has no rules.
 */
import { countOf, elementCodes, elementOf, hasControls } from "./Fault.ts"
import type { FaultText, Segment } from "./Fault.ts"

/** The types of elements: text, an identifier, a date, a time, a whole number, a decimal number, a composite. */
export type ElementType = "AN" | "ID" | "DT" | "TM" | "N0" | "R" | "C"

export interface ElementRule {
  readonly type: ElementType
  readonly isRequired: boolean
  /** The reference number of the data element, as in AK402; `""` for a composite. */
  readonly reference: string
  readonly min: number
  readonly max: number
}

/**
 * Each element has the form `reference:type min-max`, with `!` after the reference if the element is required. The lengths are those of
 * 4010.
 */
const segments: Readonly<Record<string, string>> = {
  BSN: "353!:ID2-2 396!:AN2-30 373!:DT8-8 337!:TM4-8 1005:ID4-4 640:ID2-2 641:ID3-3",
  HL: "628!:AN1-12 734:AN1-12 735!:ID1-2 736:ID1-1",
  LIN: `350:AN1-20 235!:ID2-2 234!:AN1-48${" 235:ID2-2 234:AN1-48".repeat(14)}`,
  SN1: "350:AN1-20 382!:R1-10 355!:ID2-2 646:R1-15 330:R1-15 355:ID2-2 728:ID1-2 668:ID2-2",
  PRF: "324!:AN1-22 328:AN1-30 327:AN1-8 373:DT8-8 350:AN1-20 367:AN1-30 92:ID2-2",
  MAN: "88!:ID1-2 87!:AN1-48 87:AN1-48 88:ID1-2 87:AN1-48 87:AN1-48",
  TD1: "103:AN3-5 80:N0 1-7 23:ID1-1 22:AN1-30 79:AN1-50 187:ID1-2 81:R1-10 355:ID2-2 183:R1-8 355:ID2-2",
  TD3: "40:ID2-2 206:AN1-4 207:AN1-10 187:ID1-2 81:R1-10 355:ID2-2 102:ID1-1 407:ID2-2 225:AN2-15 24:AN4-4",
  TD4: "152:ID2-3 208:ID1-1 209:AN1-4 352:AN1-80 1073:ID1-1",
  TD5:
    "133:ID1-2 66:ID1-2 67:AN2-80 91:ID1-2 387:AN1-35 368:ID2-2 309:ID1-2 310:AN1-30 731:ID2-2 732:ID2-2 733:R1-4 284:ID2-2 284:ID2-2 284:ID2-2 26:AN2-3",
  REF: "128!:ID2-3 127:AN1-30 352:AN1-80 :C1-200",
  DTM: "374!:ID3-3 373:DT8-8 337:TM4-8 623:ID2-2 1250:ID2-3 1251:AN1-35",
  N1: "98!:ID2-3 93:AN1-60 66:ID1-2 67:AN2-80 706:ID2-2 98:ID2-3",
  N3: "166!:AN1-55 166:AN1-55",
  N4: "19:AN2-30 156:ID2-2 116:ID3-15 26:ID2-3 309:ID1-2 310:AN1-30",
  PER: "366!:ID2-2 93:AN1-60 365:ID2-2 364:AN1-80 365:ID2-2 364:AN1-80 365:ID2-2 364:AN1-80 443:AN1-20",
  PID: "349!:ID1-1 750:ID2-3 559:ID2-2 751:AN1-12 352:AN1-80 752:ID2-2 822:AN1-15 1073:ID1-1 819:ID2-3",
  CTT: "354!:N0 1-6 347:R1-10 81:R1-10 355:ID2-2 183:R1-8 355:ID2-2 352:AN1-80",
  W05: "473!:ID1-1 285!:AN1-22 324:AN1-22 472:N0 6-6 474:AN1-22 640:ID2-2 306:ID1-2",
  W06:
    "514!:ID1-1 285:AN1-22 373:DT8-8 145:AN1-30 531:AN1-12 324:AN1-22 474:AN1-22 472:N0 6-6 152:ID2-3 891:ID2-2 640:ID2-2 306:ID1-2",
  W17: "514!:ID1-1 373!:DT8-8 394!:AN1-12 285:AN1-22 145:AN1-30 176:ID1-2 337:TM4-8 474:AN1-22 472:N0 6-6",
  N9: "128!:ID2-3 127:AN1-30 369:AN1-45 373:DT8-8 337:TM4-8 623:ID2-2 :C1-200",
  G62: "432:ID2-2 373:DT8-8 176:ID1-2 337:TM4-8 623:ID2-2",
  W66:
    "146!:ID2-2 91!:ID1-2 399:ID1-1 400:ID2-2 387:AN1-35 433:ID2-2 434:AN1-30 625:ID1-1 610:R1-15 140:ID2-4",
  W27: "91!:ID1-2 140:ID2-4 387:AN1-35 146:ID2-2 40:ID2-2 206:AN1-4 207:AN1-10 368:ID2-2 152:ID2-3 890:ID2-2",
  LX: "554!:N0 1-6",
  W01:
    "330!:R1-15 355!:ID2-2 438:AN12-12 235:ID2-2 234:AN1-48 235:ID2-2 234:AN1-48 59:AN2-5 121:ID1-3 23:ID1-1 22:AN1-30 416:N0 6-6 451:AN1-12 286:ID2-2 235:ID2-2 234:AN1-48",
  W12:
    "368!:ID2-2 330:R1-15 382:R1-10 383:R1-9 355:ID2-2 438:AN12-12 235:ID2-2 234:AN1-48 451:AN1-12 81:R1-10 187:ID1-2 188:ID1-1 81:R1-10 187:ID1-2 188:ID1-1 438:AN12-12 235:ID2-2 234:AN1-48 892:ID2-2 893:ID1-1 235:ID2-2 234:AN1-48",
  W07:
    "413!:R1-7 355!:ID2-2 438:AN12-12 235:ID2-2 234:AN1-48 235:ID2-2 234:AN1-48 451:AN1-12 893:ID1-1 235:ID2-2 234:AN1-48",
  G69: "369!:AN1-45",
  W76: "330!:R1-15 81:R1-10 355:ID2-2 183:R1-8 355:ID2-2 398:R1-10",
  W03: "382!:R1-10 81:R1-10 355:ID2-2 183:R1-8 355:ID2-2 80:N0 1-7 355:ID2-2",
  W14: "413!:R1-7 382:R1-10 452:R1-9 414:N0 1-7 80:N0 1-7",
  AK1: "479!:ID2-2 28!:N0 1-9 480:AN1-12",
  AK2: "143!:ID3-3 329!:AN4-9 1705:AN1-35",
  AK3: "721!:ID2-3 719!:N0 1-10 447:AN1-6 720:ID1-3",
  AK4: ":C1-20 725:N0 1-4 723!:ID1-3 724:AN1-99",
  AK5: `717!:ID1-1${" 718:ID1-3".repeat(5)}`,
  AK9: `715!:ID1-1 97!:N0 1-6 123!:N0 1-6 2!:N0 1-6${" 716:ID1-3".repeat(5)}`
}

const pattern = /(\d{0,4})(!?):(AN|ID|DT|TM|N0|R|C) ?(\d{1,3})-(\d{1,3})/g

const elementRules: ReadonlyMap<string, ReadonlyArray<ElementRule>> = new Map(
  Object.entries(segments).map(([id, rules]) => [
    id,
    Array.from(rules.matchAll(pattern), ([, reference = "", required, type, min, max]): ElementRule => ({
      reference,
      isRequired: required === "!",
      // The pattern matches only these types.
      type: type as ElementType,
      min: Number(min),
      max: Number(max)
    }))
  ])
)

/** The rules of the elements of a segment, in their order; `undefined` for an unlisted segment. */
export const rulesOf = (id: string): ReadonlyArray<ElementRule> | undefined => elementRules.get(id)

/** The longest reference identification in the release 5010 (data element 127); in 4010 it has 30 characters. */
const longReference = 50

/** The longest value of an element in a release, such as `004010`. */
export const maxLength = ({ max, reference }: ElementRule, version: string): number =>
  reference === "127" && version >= "00405" ? longReference : max

/** The fault of an element: its code (AK403) and its description. It is only noted if the value can still be read. */
type ElementFault = Pick<FaultText, "code" | "detail" | "remedy" | "isNoted">

/** The length of a value as X12 counts it: without the sign and the point of a number. */
const lengthOf = (type: ElementType, value: string): number =>
  type === "R" || type === "N0" ? value.replace(/[-.]/g, "").length : value.length

const isDate = (value: string): boolean => {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(value) ?? []
  if (year === undefined || year === "0000") return false
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}

const isTime = (value: string): boolean => /^([01]\d|2[0-3])[0-5]\d([0-5]\d(\d{1,2})?)?$/.test(value)

const { character, date, time } = elementCodes

const control: ElementFault = {
  code: character,
  detail: "a line break or another control character is within the element",
  remedy: "Send elements without control characters, and files that are not wrapped into lines."
}

/** The forms of the values of each type, and the fault of a value that does not match. */
const forms: Partial<Record<ElementType, ElementFault & { readonly fits: (value: string) => boolean }>> = {
  N0: {
    fits: (value) => /^-?\d+$/.test(value),
    code: character,
    detail: "a whole number is expected",
    remedy: "Send digits only."
  },
  R: {
    fits: (value) => /^-?(\d+(\.\d*)?|\.\d+)$/.test(value),
    code: character,
    detail: "a number is expected",
    remedy: "Send digits, with a decimal point where one is due."
  },
  DT: { fits: isDate, code: date, detail: "a date is expected", remedy: "Send a date as CCYYMMDD." },
  TM: {
    fits: isTime,
    code: time,
    detail: "a time is expected",
    remedy: "Send a time of 24 hours as HHMM or HHMMSS."
  }
}

/** The fault of an element's value; `undefined` for a valid value. */
export const valueFault = (rule: ElementRule, value: string, version: string): ElementFault | undefined => {
  if (hasControls(value)) return control
  const form = forms[rule.type]
  if (form !== undefined && !form.fits(value)) {
    const { fits: _, ...fault } = form
    return fault
  }
  const length = lengthOf(rule.type, value)
  const max = maxLength(rule, version)
  if (length >= rule.min && length <= max) return undefined
  const [code, remedy] = length > max
    ? [elementCodes.tooLong, `Send at most ${max}.`]
    : [elementCodes.tooShort, `Send at least ${rule.min}.`]
  return { code, detail: `it has ${countOf(length, "character")}`, remedy, isNoted: true }
}

/** The cost of checking a segment, in the unit of slices. */
export const judgeCost = 4

/** The fault of an element in a segment, with the number of the element. */
export type JudgedElement = ElementFault & { readonly element: number }

/** Checks the elements of a received segment. */
export const judgeSegment = (segment: Segment, version: string): ReadonlyArray<JudgedElement> => {
  const rules = rulesOf(segment.id)
  if (rules === undefined) return []
  const faults: Array<JudgedElement> = []
  for (let element = 1; element <= Math.max(rules.length, segment.elements.length); element++) {
    const rule = rules[element - 1]
    const value = elementOf(segment, element)
    if (value === "") {
      if (rule?.isRequired !== true) continue
      const missing = {
        code: elementCodes.missing,
        detail: "a required element is missing",
        remedy: "Send it."
      }
      faults.push({ element, ...missing })
      continue
    }
    if (rule === undefined) {
      faults.push({
        element,
        code: elementCodes.tooMany,
        detail: `the segment has at most ${rules.length} elements`,
        remedy: "Leave it out.",
        isNoted: true
      })
      break
    }
    const fault = valueFault(rule, value, version)
    if (fault !== undefined) faults.push({ element, ...fault })
  }
  return faults
}
