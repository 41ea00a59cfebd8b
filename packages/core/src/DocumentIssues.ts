/**
 * Schema issues as the field errors of a problem: where, what was found, what is expected.
 */
import { Predicate } from "effect"
import type { Schema, SchemaIssue } from "effect"
import type { FieldError } from "./Errors.ts"

/** The faults a schema found; `malformed` when one of them is a wrong type or an unknown field (D2.3). */
export interface DocumentFaults {
  readonly malformed: boolean
  readonly errors: ReadonlyArray<FieldError>
}

/** Writes a path as `items[2].quantity`. */
export const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : text === ""
        ? clip(String(key))
        : `${text}.${clip(String(key))}`,
    ""
  )

/** A client's own text is echoed only so far. */
const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text)

const describe = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return Predicate.isObject(value) ? "an object" : `a ${typeof value}`
}

const expectations: Readonly<Record<string, string>> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "a list",
  Objects: "an object"
}

const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.hasProperty(value, key) ? value[key] : undefined), input)

/** Turns everything a schema found wrong with `input` into field errors, in the order of the document. */
export const fromSchemaError = (error: Schema.SchemaError, input: unknown): DocumentFaults => {
  const errors: Array<FieldError> = []
  let malformed = false
  const visit = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): void => {
    const report = (detail: string): void => {
      errors.push({ path: formatPath(path), detail })
    }
    switch (issue._tag) {
      case "Pointer":
        return visit(issue.issue, [...path, ...issue.path])
      case "Composite":
      case "AnyOf":
        for (const inner of issue.issues) visit(inner, path)
        return
      case "Filter":
      case "Encoding":
        return visit(issue.issue, path)
      case "InvalidType":
        malformed = true
        return report(
          `must be ${expectations[issue.ast._tag] ?? "another type"}, not ${describe(valueAt(input, path))}`
        )
      case "UnexpectedKey":
        malformed = true
        return report("is not a field of a document; check its spelling")
      case "MissingKey":
        return report("is required")
      default:
        return report(String(issue._tag === "InvalidValue" ? issue.annotations?.message : "is not valid"))
    }
  }
  visit(error.issue, [])
  return { malformed, errors }
}
