/** How the tests read documents: to a document that must be accepted, or to the faults of one that must not be. */
import { Result } from "effect"
import type { Document } from "../document/Document.ts"
import * as DocumentInput from "../document/DocumentInput.ts"
import type { Reader } from "../input/RequestInput.ts"
import type { FieldError } from "../values/Errors.ts"
import type { Faults } from "./Given.ts"

const readDefault = DocumentInput.reader()

/** The document that an acceptable value reads as. */
export const read = (raw: unknown, reader: DocumentInput.Reader = readDefault): Document =>
  Result.getOrThrowWith(reader(raw), (error) => new Error(JSON.stringify(error)))

type Refusal = Result.Result.Failure<ReturnType<DocumentInput.Reader>>

/** The faults that a refusal names. */
export const errorsOf = (refusal: Refusal): ReadonlyArray<FieldError> => {
  if (refusal._tag === "TooManyItems") throw refusal
  return refusal.errors
}

/** Every fault of a value that is refused, sorted by path: which are named is a rule, their order is none. */
export const faultsOf = (raw: unknown, reader: DocumentInput.Reader = readDefault): Faults => {
  const refusal = Result.getOrThrow(Result.flip(reader(raw)))
  return { category: refusal.category, errors: byPath(errorsOf(refusal)) }
}

/** Every fault of the body of another request, sorted by path. */
export const requestFaultsOf = (reader: Reader<unknown>, raw: unknown): Faults => {
  const { category, errors } = Result.getOrThrow(Result.flip(reader(raw)))
  return { category, errors: byPath(errors) }
}

type Fault = readonly [path: string, detail: string]

const byPath = (errors: ReadonlyArray<FieldError>): ReadonlyArray<FieldError> =>
  errors.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0))

const faults = (category: Faults["category"], errors: ReadonlyArray<Fault>): Faults => ({
  category,
  errors: byPath(errors.map(([path, detail]) => ({ path, detail })))
})

/** The faults of a document with a field of a wrong type, or an unknown one: 400. */
export const malformed = (...errors: ReadonlyArray<Fault>): Faults => faults("malformed", errors)

/** The faults of a document with bad or missing values only: 422. */
export const invalid = (...errors: ReadonlyArray<Fault>): Faults => faults("unprocessable", errors)

/** What is said of a field that a document does not have. */
export const unknownField = "is not a field of a document; check its spelling"
/** What is said of a field that is missing. */
export const isRequired = "is required"
