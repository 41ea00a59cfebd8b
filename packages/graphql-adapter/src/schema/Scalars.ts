/** The scalars of the schema beside GraphQL's own. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { GraphQLError, GraphQLScalarType, Kind } from "graphql"
import type { ConstValueNode } from "graphql"

const refuse = (message: string): never => {
  throw new GraphQLError(message)
}

const whole = (value: unknown, what: string): number => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  return refuse(`${what} must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`)
}

/** An integer of an inline value: GraphQL's own grammar has no bound, so its text is judged as a number. */
const literalNumber = (node: ConstValueNode): unknown => node.kind === Kind.INT ? Number(node.value) : node

const wide = (
  name: string,
  description: string,
  read: (value: unknown) => number = (value) => whole(value, name)
) =>
  new GraphQLScalarType<number, number>({
    name,
    description,
    coerceOutputValue: (value) => whole(value, name),
    coerceInputValue: read,
    coerceInputLiteral: (node) => read(literalNumber(node))
  })

/** A whole number that may exceed GraphQL's `Int`: shipment ids and quantities. */
export const Long = wide("Long", "A whole number, exact up to 2^53 - 1; written as a JSON number.")

export const MessageId = wide(
  "MessageId",
  "The id of a message: a JSON number, whole, 1 to 2^53 - 1. Ids grow in the order of the messages of a business. " +
    "As an input, 0 is the beginning.",
  (value) => {
    const id = whole(value, "MessageId")
    return id < 0 ? refuse("MessageId must not be negative; 0 is the beginning") : id
  }
)

const timestamp = (value: unknown): Timestamp.Timestamp => {
  const text = typeof value === "string" ? value : ""
  return Timestamp.parse(text) ?? refuse(`DateTime ${Timestamp.fault(text)}`)
}

export const DateTime = new GraphQLScalarType<Timestamp.Timestamp, string>({
  name: "DateTime",
  description: "A point in time, RFC 3339. Input takes any offset, and is UTC without one.",
  specifiedByURL: "https://scalars.graphql.org/andimarek/date-time.html",
  coerceOutputValue: (value) => typeof value === "string" ? value : refuse("DateTime is text"),
  coerceInputValue: timestamp
})

/** Any JSON value; output only. */
export const Json = new GraphQLScalarType<unknown, unknown>({
  name: "JSON",
  description: "A JSON value, written as it is.",
  coerceOutputValue: (value) => value,
  coerceInputValue: () => refuse("JSON is not taken as an input")
})

/** A file of a multipart request. */
export const Upload = new GraphQLScalarType<Blob, never>({
  name: "Upload",
  description:
    "A file. The request is multipart/form-data: the variable is null, and the file is a part of its own, as the " +
    "GraphQL multipart request convention has it, or named by the variable's path, such as input.file.",
  specifiedByURL: "https://github.com/jaydenseric/graphql-multipart-request-spec",
  coerceOutputValue: () => refuse("Upload is an input"),
  coerceInputValue: (value) =>
    value instanceof Blob
      ? value
      : refuse("Upload must be a file: send the request as multipart/form-data, the file as a part of it")
})
