/**
 * The kinds of fields in documents: their types, limits and fault texts (D2.2, D2.4). The message of a filter issue is the detail that a
 * client reads. `""` means absent unless a field is required.
 */
import { Schema, SchemaAST } from "effect"
import { unseenIn, unseenInLpn } from "../labels/Lpn.ts"
import * as Timestamp from "./Timestamp.ts"

/** The longest string a document may hold, in characters (code points). */
export const maxTextLength = 1024

/** The fault of a list with more entries than permitted. */
export const tooMany = (entries: number): string => `must hold at most ${entries} entries`

/** The largest number a document may hold: JSON represents every integer up to it exactly. */
export const maxNumber = Number.MAX_SAFE_INTEGER

/** The most case serials of an item (D2.2). */
export const maxCaseSerials = 10_000

/** The most additional fields of a document (D2.2). */
export const maxAdditionalFields = 1000

/** A check for lists: at most this many entries, in the JSON Schema too. */
export const atMost = (entries: number) =>
  Schema.makeFilter(
    (list: ReadonlyArray<unknown>) => list.length <= entries || tooMany(entries),
    { toJsonSchema: () => ({ maxItems: entries }) }
  )

/** The fault of any string; `undefined` for a valid one. */
export const textFault = (text: string): string | undefined => {
  // Between the limit and twice the limit, the number of surrogate pairs decides.
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

/** Text with an additional check, which returns the fault or `undefined`. */
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

/** Text that must be present and not `""`. */
export const requiredText = (description: string) =>
  stringField(description, (text) => (text === "" ? "is required" : undefined), { minLength: 1 })

const unseenFault = (characters: ReadonlyArray<string>): string | undefined =>
  characters.length === 0
    ? undefined
    : `must not contain invisible characters: ${characters.slice(0, 5).join(", ")}`

const identifyingText = (isRequired: boolean, unseen: typeof unseenIn) => (description: string) =>
  stringField(
    description,
    (text) => isRequired && text === "" ? "is required" : unseenFault(unseen(text)),
    isRequired ? { minLength: 1 } : {}
  )

/** An identifying text, which may not contain invisible characters (D22); `""` means absent. */
export const identifier = identifyingText(false, unseenIn)

/** An {@link identifier} that must be present and not `""`. */
export const requiredIdentifier = identifyingText(true, unseenIn)

/** The LPN of a pallet: an {@link identifier} that may contain FNC1 as part of a form of an SSCC (D22). */
export const lpn = identifyingText(false, unseenInLpn)

/** An {@link lpn} that must be present and not `""`. */
export const requiredLpn = identifyingText(true, unseenInLpn)

const oneOf = (words: ReadonlyArray<string>): string => `must be one of ${words.join(", ")}`

const wordsMark = "@dockline/core/Field/words"

/** The words in the annotation of a field by {@link word} or {@link name}; `undefined` for other fields. */
export const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined =>
  SchemaAST.resolve(ast)?.[wordsMark] as ReturnType<typeof wordsOf>

/** A word of a vocabulary; `""` means absent. The checks accept nothing else, so the type has only the words. */
export const word = <Word extends string = string>(words: ReadonlyArray<string>, description: string) =>
  stringField(description, (text) => (text === "" || words.includes(text) ? undefined : oneOf(words)), {
    enum: [...words, ""]
  }).annotate({ [wordsMark]: words }) as Schema.Schema<string> as Schema.Codec<Word>

/** A word of a vocabulary; `""` is refused. The checks accept nothing else, so the type has only the words. */
export const name = <Word extends string = string>(words: ReadonlyArray<string>, description: string) =>
  stringField(description, (text) => (words.includes(text) ? undefined : oneOf(words)), {
    enum: [...words]
  }).annotate({ [wordsMark]: words }) as Schema.Schema<string> as Schema.Codec<Word>

/** A business or facility slug. A malformed slug matches nothing, so the answer is 404 rather than an invalid value. */
export const slug = (description: string) =>
  stringField(description, (text) => (text === "" ? "is required" : undefined), {
    minLength: 1,
    examples: ["acme"]
  })

const dateMark = "@dockline/core/Field/date"

/** Whether a field is a date or a time. Forms without types, such as XML, must not read it as free text. */
export const isDate = (ast: SchemaAST.AST): boolean => SchemaAST.resolve(ast)?.[dateMark] === true

/** A calendar date, `YYYY-MM-DD` (D1.6); `""` means absent. */
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
      return Timestamp.fault(text)
    },
    { examples: ["2026-11-20T17:00:00Z"] }
  ).annotate({ [dateMark]: true })

/** A time in an answer, which is never empty. */
export const shownTime = (description: string) =>
  Schema.String.annotate({ description: `${description}, RFC 3339 in UTC`, [dateMark]: true })

/** A text as answers show it. */
export const shownText = (description: string) => Schema.String.annotate({ description })

/** A whole number as answers show it. */
export const shownWhole = (description: string) => Schema.Int.annotate({ description })

/** A timestamp (D1.6); `""` means absent. */
export const dateTime = (description: string) => timeField(description, undefined)

/** A timestamp (D1.6) that must be present and not `""`. */
export const requiredDateTime = (description: string) => timeField(description, "is required")

const numberField = (description: string, whole: boolean, minimum = 0, maximum = maxNumber) =>
  Schema.Number.check(
    Schema.makeFilter((value: number) => numberFault(value, whole, minimum, maximum), {
      toJsonSchema: () => ({ type: whole ? "integer" : "number", minimum, maximum })
    }),
    // The filter above refuses non-finite numbers; without this check the JSON Schema would permit the text "NaN".
    Schema.isFinite()
  ).annotate({ description })

const numberFault = (value: number, whole: boolean, minimum: number, maximum: number): string | undefined => {
  if (!Number.isFinite(value) || value > maximum) return `must be a number of at most ${maximum}`
  if (value < 0) return "must not be negative"
  if (value < minimum) return `must be at least ${minimum}`
  if (whole && !Number.isInteger(value)) return "must be a whole number"
  return undefined
}

/** A number from 0 to {@link maxNumber}, fractions allowed. */
export const amount = (description: string) => numberField(description, false)

/** A whole number from 0 to {@link maxNumber}. */
export const wholeAmount = (description: string) => numberField(description, true)

/** A whole number of at most a maximum. */
export const wholeUpTo = (maximum: number, description: string) => numberField(description, true, 0, maximum)

/** A whole number between two numbers, inclusive. */
export const wholeBetween = (minimum: number, maximum: number, description: string) =>
  Schema.Number.check(
    Schema.makeFilter(
      (value: number) =>
        (Number.isInteger(value) && value >= minimum && value <= maximum) ||
        `must be a whole number from ${minimum} to ${maximum}`,
      { toJsonSchema: () => ({ type: "integer", minimum, maximum }) }
    ),
    // The filter above refuses non-finite numbers; without this check the JSON Schema would permit the text "NaN".
    Schema.isFinite()
  ).annotate({ description })

/** The fault of a whole number; `undefined` for a valid one. */
export const wholeFault = (value: number, maximum: number): string | undefined =>
  numberFault(value, true, 0, maximum)

/** The id of an entity: a whole number of at least 1. */
export const id = (description: string) => numberField(description, true, 1)

/** A boolean, in documents and in answers. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })
