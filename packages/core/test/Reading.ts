/** Documents as JSON, and the faults of those that must not be accepted. */
import { Result } from "effect"
import * as DocumentInput from "../src/document/DocumentInput.ts"
import type { Reader } from "../src/input/RequestInput.ts"
import type { ErrorCategory, FieldError } from "../src/values/CatalogueError.ts"

/** A document as JSON, with the required fields only unless more are given. */
export const rawDocument = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: "O1",
  ...fields
})

/** An item as JSON, with what every strategy needs. */
export const rawItem = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  lpn: "L1",
  sku: "S1",
  quantity: 5,
  quantityUnit: "CASE",
  ...fields
})

/** The class of a failed reading and every fault it names. */
export interface Faults {
  readonly category: ErrorCategory
  readonly errors: ReadonlyArray<FieldError>
}

type Refusal = Result.Result.Failure<ReturnType<DocumentInput.Reader>>

/** The faults that a refusal names. */
export const errorsOf = (refusal: Refusal): ReadonlyArray<FieldError> => {
  if (refusal._tag === "TooManyItems") throw refusal
  return refusal.errors
}

/** Every fault of a value that is refused, sorted by path: which are named is a rule, their order is none. */
export const faultsOf = (raw: unknown, reader: DocumentInput.Reader = DocumentInput.reader()): Faults => {
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
/** What is said of a field that a document does not have, and that is near to one that it has. */
export const misspelt = (field: string): string => `is not a field of a document; did you mean ${field}?`
/** What is said of a field that is missing. */
export const isRequired = "is required"
