/** Flags that the commands of several labs take. */
import { Schema } from "effect"
import { Flag } from "effect/cli"

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

/** A whole number, of 1 at least unless a schema says more. */
export const positive = (
  name: string,
  value: number,
  description: string,
  schema: typeof Positive = Positive
) =>
  Flag.Int(name).pipe(
    Flag.withSchema(schema),
    Flag.withDescription(description),
    Flag.withDefault(value)
  )
