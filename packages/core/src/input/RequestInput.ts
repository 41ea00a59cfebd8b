/**
 * Reading the untyped body of a request, other than a document, against its schema.
 *
 * Guarantee: what is accepted holds exactly what was sent; anything misspelt, of a wrong type or out of range is
 * refused, every fault named with its path, and the work is bounded by what was sent (see `DocumentCheck.ts`).
 */
import { Result } from "effect"
import type { Schema } from "effect"
import { InvalidRequest, MalformedRequest } from "../values/Errors.ts"
import * as DocumentCheck from "./DocumentCheck.ts"
import * as Shape from "./Shape.ts"
import * as Slices from "./Slices.ts"

/** Reads an untyped value, as a JSON parser makes it: a 400 or a 422 when it is not what it should be (D2.3, D2.4). */
export interface Reader<A> {
  /** Of a part of an input that cannot be good, `isWhole` is false. */
  (input: unknown, isWhole?: boolean): Result.Result<A, MalformedRequest | InvalidRequest>
  /** What the input is to be, where that is told. */
  readonly shape?: Shape.Shape | undefined
}

/** Makes the reader of a schema; `whole` is what texts call it. `also` adds what the schema cannot tell. */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  also: (input: Readonly<Record<string, unknown>>, faults: DocumentCheck.Faults) => void = () => {}
): Reader<S["Type"]> => {
  const read = DocumentCheck.compile(schema.ast, whole)
  const isInput = (input: unknown, faults: DocumentCheck.Faults): input is S["Type"] => {
    if (DocumentCheck.isRecord(input)) also(input, faults)
    return faults.errors.length === 0
  }
  const readWhole: Reader<S["Type"]> = (raw, isWhole = true) => {
    const faults = new DocumentCheck.Faults({ isPart: !isWhole })
    const input = Slices.atOnce(read(raw, faults))
    if (isInput(input, faults) && isWhole) return Result.succeed(input)
    const { errors, malformed } = faults
    return Result.fail(malformed ? new MalformedRequest({ errors }) : new InvalidRequest({ errors }))
  }
  return Object.assign(readWhole, { shape: Shape.of(schema) })
}

/** Makes the reader of what another reads, put differently; `absent` is what stands for no input at all. */
export const mapped = <A, B>(read: Reader<A>, f: (input: A) => B, absent?: unknown): Reader<B> =>
  Object.assign(
    (raw: unknown, isWhole?: boolean) => Result.map(read(raw === undefined ? absent : raw, isWhole), f),
    { shape: read.shape }
  )
