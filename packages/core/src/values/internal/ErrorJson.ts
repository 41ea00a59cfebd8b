/**
 * Errors of the catalogue as JSON, and back: an error that was kept is of the same class again.
 */
import type { CatalogueError, ErrorCategory } from "../CatalogueError.ts"
import * as Errors from "../Errors.ts"
import * as OperatorErrors from "../OperatorErrors.ts"
import * as RequestErrors from "../RequestErrors.ts"

/** An error as JSON. Its category and message are those of an error whose class is not known. */
export interface ErrorJson {
  readonly code: string
  readonly category: ErrorCategory
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

type ErrorMaker = new(fields: Readonly<Record<string, unknown>>) => CatalogueError

const isDeclared = (value: unknown): value is ErrorMaker & { readonly code: string } =>
  typeof value === "function" && "code" in value && "category" in value

const makers: ReadonlyMap<string, ErrorMaker> = new Map(
  Object.values<unknown>({ ...Errors, ...OperatorErrors, ...RequestErrors })
    .filter(isDeclared)
    .map((maker) => [maker.code, maker] as const)
)

/** Every error of the catalogue as JSON. */
export const toJson = (error: CatalogueError): ErrorJson => {
  const { category, code, message } = error
  const members: Record<string, unknown> = { ...error }
  const { _tag, category: _category, code: _code, name: _name, ...fields } = members
  return { code, category, message, fields }
}

/** The error that {@link toJson} was given. */
export const fromJson = ({ category, code, fields, message }: ErrorJson): CatalogueError => {
  const Maker = makers.get(code)
  return Maker === undefined ? { ...fields, category, code, message } : new Maker(fields)
}
