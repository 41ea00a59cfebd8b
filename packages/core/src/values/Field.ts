/**
 * The fields a document is made of: their types, their limits and how a fault in one reads (D2.2, D2.4).
 *
 * A wrong type is Schema's own issue; a bad value is a filter issue whose message is the detail a client reads.
 */
import { Schema, SchemaAST } from "effect"
import * as Timestamp from "./Timestamp.ts"

/** The longest string a document may hold, in characters (code points). */
export const maxTextLength = 1024

/** The largest number a document may hold: every integer up to it is exact in JSON. */
export const maxNumber = Number.MAX_SAFE_INTEGER

/** The most case serials of one item. */
export const maxCaseSerials = 10_000

/** The most additional fields of one document. */
export const maxAdditionalFields = 1000

/** A list of at most so many entries. */
export const atMost = (entries: number) =>
  Schema.makeFilter(
    (list: ReadonlyArray<unknown>) => list.length <= entries || `must hold at most ${entries} entries`,
    { toJsonSchema: () => ({ maxItems: entries }) }
  )

/** What is wrong with a string wherever it stands, or nothing. */
export const textFault = (text: string): string | undefined => {
  // Between the limit and twice that, it depends on how many characters are surrogate pairs.
  if (
    text.length > 2 * maxTextLength ||
    (text.length > maxTextLength && Array.from(text).length > maxTextLength)
  ) {
    return `must be at most ${maxTextLength} characters long`
  }
  if (text.includes("\0")) return "must not contain the character NUL"
  if (!text.isWellFormed()) return "must not contain a lone surrogate"
  return undefined
}

/** Text with a fault of its own: what is wrong with it, or `undefined`. */
export const stringField = (
  description: string,
  fault: (text: string) => string | undefined,
  jsonSchema: Record<string, unknown> = {}
) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => textFault(text) ?? fault(text), {
      toJsonSchema: () => ({ maxLength: maxTextLength, ...jsonSchema })
    })
  ).annotate({ description })

const noFault = (): undefined => undefined

/** Free text; `""` means absent. */
export const text = (description: string) => stringField(description, noFault)

/** Text that must not be empty. */
export const requiredText = (description: string) =>
  stringField(description, (text) => (text === "" ? "is required" : undefined), { minLength: 1 })

const oneOf = (words: ReadonlyArray<string>): string => `must be one of ${words.join(", ")}`

/** A word of a vocabulary; `""` means absent. */
export const word = (words: ReadonlyArray<string>, description: string) =>
  stringField(description, (text) => (text === "" || words.includes(text) ? undefined : oneOf(words)), {
    enum: [...words, ""]
  })

/** A word of a vocabulary that does not take `""`. */
export const name = (words: ReadonlyArray<string>, description: string) =>
  stringField(description, (text) => (words.includes(text) ? undefined : oneOf(words)), { enum: [...words] })

/** A business or facility slug. One that is malformed is unknown rather than invalid: it answers 404. */
export const slug = (description: string) =>
  stringField(description, (text) => (text === "" ? "is required" : undefined), {
    minLength: 1,
    examples: ["acme"]
  })

const dateMark = "@dockline/core/Field/date"

/** Whether a field is a date or a time: text that a form without types, such as XML, must not take for free text. */
export const isDate = (ast: SchemaAST.AST): boolean => SchemaAST.resolve(ast)?.[dateMark] === true

/** A calendar date; `""` means absent. */
export const calendarDate = (description: string) =>
  stringField(
    description,
    (text) => (text === "" || Timestamp.isCalendarDate(text) ? undefined : "must be a date, YYYY-MM-DD"),
    { examples: ["2026-11-20"] }
  ).annotate({ [dateMark]: true })

const timeField = (description: string, emptyFault: string | undefined) =>
  stringField(
    description,
    (text) => {
      if (text === "") return emptyFault
      return Timestamp.parse(text) === undefined
        ? "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"
        : undefined
    },
    { examples: ["2026-11-20T17:00:00Z"] }
  ).annotate({ [dateMark]: true })

/** A point in time; `""` means absent. */
export const dateTime = (description: string) => timeField(description, undefined)

/** A point in time that must be given. */
export const requiredDateTime = (description: string) => timeField(description, "is required")

const numberField = (description: string, whole: boolean, minimum = 0) =>
  Schema.Number.check(
    Schema.makeFilter((value: number) => numberFault(value, whole, minimum), {
      toJsonSchema: () => ({ type: whole ? "integer" : "number", minimum, maximum: maxNumber })
    }),
    // What is not finite has failed already; without this check a described number may be the text "NaN".
    Schema.isFinite()
  ).annotate({ description })

const numberFault = (value: number, whole: boolean, minimum: number): string | undefined => {
  if (!Number.isFinite(value) || value > maxNumber) return `must be a number of at most ${maxNumber}`
  if (value < 0) return "must not be negative"
  if (value < minimum) return `must be at least ${minimum}`
  if (whole && !Number.isInteger(value)) return "must be a whole number"
  return undefined
}

/** A number of at least 0. */
export const amount = (description: string) => numberField(description, false)

/** A whole number of at least 0. */
export const wholeAmount = (description: string) => numberField(description, true)

/** The id of an entity: a whole number of at least 1. */
export const id = (description: string) => numberField(description, true, 1)

/** A boolean. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })
