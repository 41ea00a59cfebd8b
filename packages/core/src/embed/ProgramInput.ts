/**
 * Checks the options and the principal that an embedding program passes. A mistake in them is a `TypeError` that names it,
 * never an answer, because no client made it.
 */
import { Predicate, Schema } from "effect"
import { Grant } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { Faults } from "../input/Faults.ts"
import * as DocumentCheck from "../input/internal/DocumentCheck.ts"
import * as Slices from "../input/Slices.ts"
import { clip } from "../values/Clip.ts"

/** What a program may pass for an option. */
export interface Option {
  /** Whether a value is permitted. */
  readonly is: (value: unknown) => boolean
  /** The permitted values in words, after "must be". */
  readonly expected: string
  /** Whether the option is required; `undefined` counts as absent. */
  readonly isRequired?: boolean
}

/** An {@link Option} for each property of `A`; a property that is none of them is refused. */
export type Options<A extends object> = { readonly [K in keyof Required<A>]: Option }

/** Options by their names. */
export type Table = Readonly<Record<string, Option>>

/** Throws a `TypeError` that names the first wrong or unknown option. */
export const checkOptions: <A extends object>(
  input: unknown,
  options: Options<A>,
  whole?: string
) => asserts input is A = (input, options, whole = "options") => {
  const fault = faultOf(input, options, whole)
  if (fault !== undefined) throw new TypeError(fault)
}

const faultOf = (input: unknown, table: Table, whole: string): string | undefined => {
  try {
    const kind = DocumentCheck.describe(input)
    if (kind !== "an object" || !Predicate.isObject(input)) return `${whole} must be an object, not ${kind}`
    const unknown = Object.keys(input).find((name) => !Object.hasOwn(table, name))
    if (unknown !== undefined) {
      return `${whole}.${clip(unknown)} is not an option; there are ${Object.keys(table).join(", ")}`
    }
    for (const [name, { expected, is, isRequired = false }] of Object.entries(table)) {
      const value = input[name]
      if (value === undefined ? isRequired : !is(value)) return `${whole}.${name} must be ${expected}`
    }
    return undefined
  } catch {
    return `${whole} cannot be read`
  }
}

/** A whole number of at least 1. */
export const count: Option = {
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  expected: "a whole number of at least 1"
}

/** A string. */
export const text: Option = { is: Predicate.isString, expected: "text" }

/** A boolean; truthy values are not. */
export const flag: Option = { is: Predicate.isBoolean, expected: "true or false" }

/** An `AbortSignal`, of any realm or library: it has `aborted` and `addEventListener`. */
export const signal: Option = {
  is: (value) =>
    Predicate.isObject(value) && typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function",
  expected: "an AbortSignal"
}

/** Makes the reader of a program's data, which its error texts call `whole`; it throws a `TypeError` that names the faults. */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  name = whole
): (input: unknown) => S["Type"] => {
  const read = DocumentCheck.compile(schema.ast, name)
  const isRead = (_: unknown, { errors }: Faults): _ is S["Type"] => errors.length === 0
  return (input) => {
    const faults = new Faults()
    faults.at.push(whole)
    const copy = Slices.atOnce(read(input, faults))
    if (isRead(copy, faults)) return copy
    throw new TypeError(faults.errors.slice(0, 5).map(({ path, detail }) => `${path} ${detail}`).join("; "))
  }
}

const readPrincipal = reader(
  Schema.Struct({ clientId: Schema.String, grants: Schema.Array(Grant) }),
  "principal",
  "a principal"
)

/** Reads the principal of a call, whose other members are left out. */
export const principalOf = (input: unknown): Principal => {
  let picture = input
  try {
    if (Predicate.isObject(input)) picture = { clientId: input["clientId"], grants: input["grants"] }
  } catch {
    // An accessor threw; the reader reports it.
  }
  return readPrincipal(picture)
}
