/**
 * Converts a cell into the value of a field, by the mapping's settings for numbers and dates (D25.3).
 *
 * Guarantee: nothing is guessed. A value that the mapping does not cover, or that a spreadsheet may have changed, is a fault; its text says
 * what is wrong, and how to correct it if that is not obvious.
 */
import { Result } from "effect"
import type { Cell } from "../file/FileTable.ts"
import type { MappedField, Mapping } from "./Mapping.ts"

/** The value of a field in a document. */
export type Value = string | number | boolean

type Reading = Result.Result<Value, string>

/** Spreadsheets keep at most this many digits of a number. */
const keptDigits = 15

const asText = "format the column as text, and enter it again"

/** A long number as spreadsheets write it to CSV: its last digits are lost. */
const roundForm = /^\d[.,]?\d*E\+\d{2}$/i

/** The texts that mean true or false in a cell. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "1"].map((word) => [word, true] as const),
  ...["false", "no", "n", "0"].map((word) => [word, false] as const)
])

const dateForms: Readonly<Record<Mapping["dates"], readonly [RegExp, string]>> = {
  YEAR_MONTH_DAY: [/^(?<year>\d{4})[./-](?<month>\d{1,2})[./-](?<day>\d{1,2})$/, "2026-11-30"],
  DAY_MONTH_YEAR: [/^(?<day>\d{1,2})[./-](?<month>\d{1,2})[./-](?<year>\d{4})$/, "30.11.2026"],
  MONTH_DAY_YEAR: [/^(?<month>\d{1,2})[./-](?<day>\d{1,2})[./-](?<year>\d{4})$/, "11/30/2026"]
}

const dateValue = ({ kind, text }: Cell, { dates }: Mapping): Reading => {
  if (kind === "date") {
    return text.length === 10 ? Result.succeed(text) : Result.fail("has a time of day; enter only the date")
  }
  const [form, example] = dateForms[dates]
  const groups = kind === "text" ? form.exec(text.trim())?.groups : undefined
  if (groups === undefined) {
    return Result.fail(
      kind === "text"
        ? `is no date in the order of the mapping (${dates}), such as ${example}`
        : "is no date; format the column as a date"
    )
  }
  const date = `${groups["year"]}-${groups["month"]!.padStart(2, "0")}-${groups["day"]!.padStart(2, "0")}`
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
    ? Result.succeed(date)
    : Result.fail(`is no date in the order of the mapping (${dates}): there is no ${date}`)
}

const numberValue = ({ kind, text }: Cell, { decimal }: Mapping): Reading => {
  if (kind === "number") return Result.succeed(Number(text))
  if (kind !== "text") return Result.fail("is no number")
  const number = text.trim()
  if (decimal === "" && /[.,]/.test(number)) {
    return Result.fail("has a point or a comma; say in the mapping which is before fractions (`decimal`)")
  }
  const [own, other] = decimal === "COMMA" ? [",", "."] : [".", ","]
  const [whole = "", part, ...others] = number.split(own)
  if (/^[+-]?\d+$/.test(whole) && (part === undefined || /^\d+$/.test(part)) && others.length === 0) {
    return Result.succeed(Number(part === undefined ? whole : `${whole}.${part}`))
  }
  return Result.fail(
    number.includes(other)
      ? `has a ${other === "," ? "comma" : "point"}, but the mapping says that fractions are behind a ${
        own === "," ? "comma" : "point"
      }; numbers have nothing between thousands`
      : "is no number"
  )
}

const flagValue = ({ kind, text }: Cell): Reading => {
  const value = kind === "date" ? undefined : flags.get(text.trim().toLowerCase())
  return value === undefined ? Result.fail("is neither TRUE nor FALSE, YES nor NO") : Result.succeed(value)
}

const textValue = ({ kind, text }: Cell, { name }: MappedField): Reading => {
  if (kind === "date") {
    return Result.fail(
      name === "expectedArrivalAt"
        ? "has no time zone; write it as text, such as 2026-11-30T14:00:00+01:00"
        : `is a date in the file; ${asText}`
    )
  }
  if (kind === "number" && text.replace(/^-?0*/, "").replace(".", "").length > keptDigits) {
    return Result.fail(
      `is a number of more than ${keptDigits} digits, whose last ones spreadsheets lose; ${asText}`
    )
  }
  if (kind === "text" && roundForm.test(text.trim())) {
    return Result.fail(`is a number that a spreadsheet has rounded; ${asText}`)
  }
  return Result.succeed(text.trim())
}

/** Reads a cell as the value of a field. */
export const valueOf = (cell: Cell, field: MappedField, mapping: Mapping): Reading => {
  if (cell.kind === "error") {
    return Result.fail(
      cell.text === ""
        ? "has a formula without its result, as nothing is computed here; save the file in a spreadsheet program"
        : `has an error (${cell.text}) in place of a value`
    )
  }
  switch (field.kind) {
    case "date":
      return dateValue(cell, mapping)
    case "amount":
    case "wholeAmount":
      return numberValue(cell, mapping)
    case "flag":
      return flagValue(cell)
    default:
      return textValue(cell, field)
  }
}
