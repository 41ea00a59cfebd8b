/**
 * Makes GraphQL types from core's schemas, so that GraphQL and REST cannot disagree about a field.
 *
 * Guarantee: every field of a schema becomes a field with the same name and a description. A field without a description fails
 * when the schema is made.
 */
import { isDate } from "@dockline/core/values/Field"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { SchemaAST } from "effect"
import type { Schema } from "effect"
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  Kind
} from "graphql"
import type { ConstValueNode, GraphQLFieldConfigArgumentMap, GraphQLFieldResolver } from "graphql"
import type { GraphqlContext } from "../resolvers/Run.ts"

const refuse = (message: string): never => {
  throw new GraphQLError(message)
}

const whole = (value: unknown, what: string): number => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  return refuse(`${what} must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`)
}

/** The number of an inline integer, which GraphQL's grammar does not bound; any other node unchanged. The reader checks the result. */
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

/** The id of a message. */
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
  description: "A point in time, RFC 3339. Input may have any offset, and is UTC without one.",
  specifiedByURL: "https://scalars.graphql.org/andimarek/date-time.html",
  coerceOutputValue: (value) => typeof value === "string" ? value : refuse("DateTime is text"),
  coerceInputValue: timestamp
})

/** Any JSON value; output only. */
export const Json = new GraphQLScalarType<unknown, unknown>({
  name: "JSON",
  description: "A JSON value, written as it is.",
  coerceOutputValue: (value) => value,
  coerceInputValue: () => refuse("JSON is not supported as an input")
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

/** The type of a value without fields. */
export type Leaf = GraphQLScalarType | GraphQLEnumType

type Structure = GraphQLObjectType | GraphQLInputObjectType

/** The type of a value, without regard to whether the value may be absent. */
type TypeOf<Type extends Structure> = Leaf | Type | GraphQLList<GraphQLNonNull<TypeOf<Type>>>

type Fields<Type extends Structure> = Readonly<
  Record<string, {
    readonly type: TypeOf<Type> | GraphQLNonNull<TypeOf<Type>>
    readonly description: string
    readonly args?: GraphQLFieldConfigArgumentMap
    readonly resolve?: GraphQLFieldResolver<unknown, GraphqlContext>
  }>
>

/** Names, types and descriptions that core's schemas lack; keys are `Type` or `Type.field`. */
export interface TypeNotes {
  /** Names of types that have no name in core and should not be named after their field, by the field. */
  readonly names?: Readonly<Record<string, string>>
  /** Types of fields that are narrower in GraphQL than in core. */
  readonly types?: Readonly<Record<string, Leaf>>
  /** The type of dates and times. */
  readonly time: GraphQLScalarType
  /** Descriptions of types and fields, which replace those of core; the key `*.field` is for all fields of that name. */
  readonly descriptions?: Readonly<Record<string, string>>
}

interface Config<Type extends Structure> {
  readonly name: string
  readonly description: string
  readonly fields: Fields<Type>
}

/** Whether a field is required, and its resolver, if any. */
interface Presence {
  readonly isRequired: boolean
  readonly resolve?: GraphQLFieldResolver<unknown, GraphqlContext>
}

const makeTypes = <Type extends Structure>(
  notes: TypeNotes,
  suffix: string,
  create: (config: Config<Type>) => Type,
  presenceOf: (ast: SchemaAST.AST, field: string) => Presence
) => {
  const { descriptions = {} } = notes
  const objects = new Map<string, Type>()
  const enums = new Map<string, GraphQLEnumType>()

  /**
   * The name of a type. Without a name in core, the field names the type: `OrderStatus` for `Order.status`, `Label` for `Pallet.labels`.
   */
  const nameOf = (ast: SchemaAST.AST, at: string): string => {
    const ownName = notes.names?.[at] ?? SchemaAST.resolveIdentifier(ast)
    if (ownName !== undefined) return ownName
    const [holder = "", field = ""] = at.split(".")
    const name = `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`
    return ast._tag === "Union" ? `${holder}${name}` : name.replace(/s$/, "")
  }

  const describe = (path: string, ast: SchemaAST.AST): string => {
    const description = descriptions[path] ?? descriptions[path.replace(/^\w+\./, "*.")] ??
      SchemaAST.resolveDescription(ast)
    if (description === undefined) throw new TypeError(`${path} has no description`)
    return description
  }

  const objectOf = (ast: SchemaAST.Objects, at: string, more: Fields<Type> = {}): Type => {
    const name = `${nameOf(ast, at)}${suffix}`
    return keep(objects, name, () => {
      const fields = ast.propertySignatures.map(({ name: field, type: ast }) => {
        const path = `${name}.${String(field)}`
        const type = notes.types?.[path] ?? typeOf(ast, path)
        const { isRequired, ...resolver } = presenceOf(ast, String(field))
        return [field, {
          type: isRequired ? new GraphQLNonNull(type) : type,
          description: describe(path, ast),
          ...resolver
        }] as const
      })
      return create({
        name,
        description: describe(name, ast),
        fields: { ...more, ...Object.fromEntries(fields) }
      })
    })
  }

  const typeOf = (ast: SchemaAST.AST, at: string): TypeOf<Type> => {
    switch (ast._tag) {
      case "Objects":
        return objectOf(ast, at)
      case "Arrays":
        return new GraphQLList(new GraphQLNonNull(typeOf(entryOf(ast), at)))
      case "Union":
        return enumOf(ast, at)
      default:
        return isDate(ast) ? notes.time : scalarOf(ast)
    }
  }

  const enumOf = (ast: SchemaAST.Union, at: string): GraphQLEnumType => {
    const name = nameOf(ast, at)
    return keep(enums, name, () => {
      const words = ast.types.map((type) => {
        if (type._tag !== "Literal") throw new TypeError(`An enum holds no ${type._tag}`)
        const word = String(type.literal)
        return [word, describe(`${name}.${word}`, type)] as const
      })
      return enumType(name, describe(name, ast), Object.fromEntries(words))
    })
  }

  return {
    /** The object type of a struct schema, with `more` fields before its own. */
    object: ({ ast }: Schema.Top, more?: Fields<Type>): Type => {
      if (ast._tag === "Objects") return objectOf(ast, "", more)
      throw new TypeError(`A type is made of a struct, not of ${ast._tag}`)
    },
    /** The enum of a field of an object that was made before. */
    enum: (name: string): GraphQLEnumType => {
      const type = enums.get(name)
      if (type !== undefined) return type
      throw new TypeError(`No enum ${name} has been made`)
    }
  }
}

/** An enum with a value for each word; `words` has the descriptions. */
export const enumType = <Word extends string>(
  name: string,
  description: string,
  words: Readonly<Record<Word, string>>
) =>
  new GraphQLEnumType({
    name,
    description,
    values: Object.fromEntries(
      Object.entries<string>(words).map(([word, description]) => [word, { value: word, description }])
    )
  })

/** Types of results. All their fields are non-null: absent values have the empty defaults of the contract. */
export const outputTypes = (notes: TypeNotes) =>
  makeTypes<GraphQLObjectType>(notes, "", (config) => new GraphQLObjectType(config), (ast, field) => ({
    isRequired: true,
    ...(SchemaAST.isOptional(ast) ? { resolve: orEmpty(field, emptyOf(ast)) } : {})
  }))

/** See {@link outputTypes}. */
export type OutputTypes = ReturnType<typeof outputTypes>

/** Types of inputs. Core's readers check all rules beyond types, with the same messages as in REST. */
export const inputTypes = (notes: TypeNotes) =>
  makeTypes<GraphQLInputObjectType>(
    notes,
    "Input",
    (config) => new GraphQLInputObjectType(config),
    (ast) => ({ isRequired: !SchemaAST.isOptional(ast) })
  )

/** The value of an absent optional field of a result. */
const emptyOf = (ast: SchemaAST.AST): unknown => {
  switch (ast._tag) {
    case "Arrays":
      return []
    case "Boolean":
      return false
    case "String":
      return ""
    default:
      throw new TypeError(`An optional field of a result has no empty ${ast._tag}`)
  }
}

const orEmpty = (field: string, empty: unknown): GraphQLFieldResolver<unknown, GraphqlContext> => (source) =>
  (source as Readonly<Record<string, unknown>>)[field] ?? empty

const keep = <Type>(types: Map<string, Type>, name: string, make: () => Type): Type => {
  const type = types.get(name) ?? make()
  types.set(name, type)
  return type
}

const entryOf = (ast: SchemaAST.Arrays): SchemaAST.AST => {
  const [entry] = ast.rest
  if (entry === undefined) throw new TypeError("A list has entries of one kind")
  return entry
}

const scalarOf = (ast: SchemaAST.AST) => {
  switch (ast._tag) {
    case "String":
      return GraphQLString
    case "Boolean":
      return GraphQLBoolean
    case "Number":
      return isWhole(ast) ? Long : GraphQLFloat
    default:
      throw new TypeError(`A field holds no ${ast._tag}`)
  }
}

const isWhole = (ast: SchemaAST.Number): boolean =>
  (ast.checks ?? []).flatMap(filtersOf).some((filter) => filter.run(1.5, ast, {}) !== undefined)

const filtersOf = (check: SchemaAST.Check<number>): ReadonlyArray<SchemaAST.Filter<number>> =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)
