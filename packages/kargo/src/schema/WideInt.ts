/** The `Int` of Kargo's schema. */
import { GraphQLError, GraphQLScalarType, Kind } from "graphql"

const whole = (value: unknown): number => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  throw new GraphQLError(`Int must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`)
}

/**
 * The `Int` of Kargo's schema, which has it for ids: theirs are small, ours may exceed 32 bits, and are then shown and taken as they
 * are. GraphQL's own would refuse the whole answer.
 */
export const WideInt = new GraphQLScalarType<number, number>({
  name: "Int",
  description: "A whole number, of 32 bits but for ids, which are exact up to 2^53 - 1.",
  coerceOutputValue: whole,
  coerceInputValue: whole,
  // GraphQL's own grammar has no bound, so the text is judged as a number.
  coerceInputLiteral: (node) => whole(node.kind === Kind.INT ? Number(node.value) : node)
})
