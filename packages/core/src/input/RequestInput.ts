/**
 * Reads the untyped bodies of requests other than documents against their schema.
 *
 * Guarantee: misspelt fields, wrong types and values out of range are refused, each fault with its path, and the work is
 * bounded by the size of the input (see `DocumentCheck.ts`).
 */
import { Result } from "effect"
import type { Schema } from "effect"
import { InvalidRequest, MalformedRequest } from "../values/Errors.ts"
import * as DocumentCheck from "./DocumentCheck.ts"
import { Faults } from "./Faults.ts"
import * as Shape from "./Shape.ts"
import * as Slices from "./Slices.ts"

/** Reads an untyped value, as a JSON parser returns it; fails with a 400 or a 422 (D2.3, D2.4). */
export interface Reader<A> {
  /** `isWhole` is false for the beginning of an input that is known to be invalid. */
  (input: unknown, isWhole?: boolean): Result.Result<A, MalformedRequest | InvalidRequest>
  readonly shape?: Shape.Shape | undefined
}

/** Makes the reader of a schema. Fault texts name the input `whole`; `also` adds checks that the schema cannot express. */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  also: (input: Readonly<Record<string, unknown>>, faults: Faults) => void = () => {}
): Reader<S["Type"]> => {
  const read = DocumentCheck.compile(schema.ast, whole)
  const isInput = (input: unknown, faults: Faults): input is S["Type"] => {
    if (DocumentCheck.isRecord(input)) also(input, faults)
    return faults.errors.length === 0
  }
  const readWhole: Reader<S["Type"]> = (raw, isWhole = true) => {
    const faults = new Faults({ isPart: !isWhole })
    const input = Slices.atOnce(read(raw, faults))
    if (isInput(input, faults) && isWhole) return Result.succeed(input)
    const { errors, malformed } = faults
    return Result.fail(malformed ? new MalformedRequest({ errors }) : new InvalidRequest({ errors }))
  }
  return Object.assign(readWhole, { shape: Shape.of(schema) })
}

/** Makes a reader that converts the result of another; `absent` replaces a missing body. */
export const mapped = <A, B>(read: Reader<A>, f: (input: A) => B, absent?: unknown): Reader<B> =>
  Object.assign(
    (raw: unknown, isWhole?: boolean) => Result.map(read(raw === undefined ? absent : raw, isWhole), f),
    { shape: read.shape }
  )
