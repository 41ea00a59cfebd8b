/**
 * Checks of what the embedding program itself gives: options, and the principal on whose behalf it calls.
 *
 * Guarantee: a mistake there is a `TypeError` that names it. It is never an answer, because no client made it.
 */
import { Predicate, Schema } from "effect"
import { Grant } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import * as DocumentCheck from "../input/DocumentCheck.ts"
import * as Slices from "../input/Slices.ts"
import { clip } from "../values/Clip.ts"

/** What an option must be. */
export interface Option {
  readonly is: (value: unknown) => boolean
  /** In words, after "must be". */
  readonly expected: string
  /** Whether it must be given; `undefined` is not given. */
  readonly isRequired?: boolean
}

/** Every option of an interface, by its name. */
export type Options<A extends object> = { readonly [K in keyof Required<A>]: Option }

/** Options by their names. */
export type Known = Readonly<Record<string, Option>>

/** Throws a `TypeError` that names what is wrong with options; a name that is unknown is wrong too. */
export const checkOptions = (given: unknown, known: Known, whole = "options"): void => {
  const fault = faultOf(given, known, whole)
  if (fault !== undefined) throw new TypeError(fault)
}

const faultOf = (given: unknown, known: Known, whole: string): string | undefined => {
  try {
    const kind = DocumentCheck.describe(given)
    if (kind !== "an object") return `${whole} must be an object, not ${kind}`
    const members = given as Readonly<Record<string, unknown>>
    const unknown = Object.keys(members).find((name) => !Object.hasOwn(known, name))
    if (unknown !== undefined) {
      return `${whole}.${clip(unknown)} is not an option; there are ${Object.keys(known).join(", ")}`
    }
    for (const [name, { expected, is, isRequired = false }] of Object.entries(known)) {
      const value = members[name]
      if (value === undefined ? isRequired : !is(value)) return `${whole}.${name} must be ${expected}`
    }
    return undefined
  } catch {
    return `${whole} cannot be read`
  }
}

/** A whole number of at least 1. */
export const count: Option = {
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  expected: "a whole number of at least 1"
}

/** Text. */
export const text: Option = { is: Predicate.isString, expected: "text" }

/** A yes or no. */
export const flag: Option = { is: Predicate.isBoolean, expected: "true or false" }

/** A signal that gives a call up. */
export const signal: Option = {
  is: (value) =>
    Predicate.isObject(value) && typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function",
  expected: "an AbortSignal"
}

/** Makes the reader of data that the program gives, named `whole` in its paths; it throws a `TypeError` that names what is wrong with it. */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  described = whole
): (given: unknown) => S["Type"] => {
  const read = DocumentCheck.compile(schema.ast, described)
  const isRead = (_: unknown, { errors }: DocumentCheck.Faults): _ is S["Type"] => errors.length === 0
  return (given) => {
    const faults = new DocumentCheck.Faults()
    faults.at.push(whole)
    const copy = Slices.atOnce(read(given, faults))
    if (isRead(copy, faults)) return copy
    throw new TypeError(faults.errors.slice(0, 5).map(({ path, detail }) => `${path} ${detail}`).join("; "))
  }
}

const readPrincipal = reader(
  Schema.Struct({ clientId: Schema.String, grants: Schema.Array(Grant) }),
  "principal",
  "a principal"
)

/** Reads the principal that a program calls on behalf of. It may hold more than a {@link Principal} does. */
export const principalOf = (given: Principal): Principal => {
  let picked: unknown = given
  try {
    const { clientId, grants } = given
    picked = { clientId, grants }
  } catch {
    // There is nothing to pick from, or an accessor threw: the reading says so.
  }
  return readPrincipal(picked)
}
