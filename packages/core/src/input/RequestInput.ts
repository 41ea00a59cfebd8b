/**
 * Reads the untyped bodies of requests other than documents against their schema.
 *
 * Guarantee: misspelt fields, wrong types and values out of range are refused, each fault with its path, and the work is
 * bounded by the size of the input (see `DocumentCheck.ts`).
 */
import { Result } from "effect"
import type { Schema } from "effect"
import { InvalidRequest, MalformedRequest } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { Faults } from "./Faults.ts"
import * as DocumentCheck from "./internal/DocumentCheck.ts"
import * as Shape from "./Shape.ts"
import * as Slices from "./Slices.ts"

/** Reads an untyped value, as a JSON parser returns it; fails with a 400 or a 422 (D2.3, D2.4). */
export interface Reader<A> {
  /** `isWhole` is false for the beginning of an input that is known to be invalid. */
  (input: unknown, isWhole?: boolean): Result.Result<A, MalformedRequest | InvalidRequest>
  readonly shape?: Shape.Shape | undefined
}

/** The refusal of a list with more than `most` entries. */
export const tooMany = (list: string, most: number): InvalidRequest =>
  new InvalidRequest({ errors: [{ path: list, detail: Field.tooMany(most) }] })

/** How many entries a list of an input has; an accessor or a proxy that throws is judged by the reader. */
const countIn = (raw: unknown, list: string): number => {
  try {
    const entries: unknown = DocumentCheck.isRecord(raw) ? raw[list] : undefined
    return Array.isArray(entries) ? entries.length : 0
  } catch {
    return 0
  }
}

/**
 * Makes the reader of a schema. Fault texts name the input `whole`; `also` adds checks that the schema cannot express. An input with
 * more entries in a list than `most` says under its name is refused for that alone: a long one is not read on.
 */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  also: (input: Readonly<Record<string, unknown>>, faults: Faults) => void = () => {},
  most: Readonly<Record<string, number>> = {}
): Reader<S["Type"]> => {
  const read = DocumentCheck.compile(schema.ast, whole)
  const isInput = (input: unknown, faults: Faults): input is S["Type"] => {
    if (DocumentCheck.isRecord(input)) also(input, faults)
    return faults.errors.length === 0
  }
  const readWhole: Reader<S["Type"]> = (raw, isWhole = true) => {
    for (const [list, limit] of Object.entries(most)) {
      if (countIn(raw, list) > limit) return Result.fail(tooMany(list, limit))
    }
    const faults = new Faults({ isPart: !isWhole })
    const input = Slices.atOnce(read(raw, faults))
    if (isInput(input, faults) && isWhole) return Result.succeed(input)
    const { errors, malformed } = faults
    return Result.fail(malformed ? new MalformedRequest({ errors }) : new InvalidRequest({ errors }))
  }
  return Object.assign(readWhole, { shape: Shape.of(schema, most) })
}

/** Makes a reader that converts the result of another; `absent` replaces a missing body. */
export const map = <A, B>(read: Reader<A>, f: (input: A) => B, absent?: unknown): Reader<B> =>
  Object.assign(
    (raw: unknown, isWhole?: boolean) => Result.map(read(raw === undefined ? absent : raw, isWhole), f),
    { shape: read.shape }
  )
