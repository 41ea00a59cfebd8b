/**
 * GraphQL types from core's schemas, so that GraphQL and REST can never disagree about a field.
 *
 * Guarantee: every field of the schema is there, under its own name and with a description; one that has none fails
 * when the schema is made.
 */
import { SchemaAST } from "effect"
import type { Schema } from "effect"
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString
} from "graphql"
import type { GraphQLInputFieldConfigMap, GraphQLScalarType } from "graphql"
import { Long } from "./Scalars.ts"

/** The type of a value that is read, where it is there. */
export type Output =
  | GraphQLScalarType
  | GraphQLObjectType
  | GraphQLEnumType
  | GraphQLList<GraphQLNonNull<Output>>

/** The type of a value that is sent, where it is there. */
export type Input =
  | GraphQLScalarType
  | GraphQLInputObjectType
  | GraphQLEnumType
  | GraphQLList<GraphQLNonNull<Input>>

/** What the schemas of core do not say; keys are `Type` or `Type.field`. */
export interface TypeNotes<Type> {
  /** Names of types that have none in core, by the field that holds them. */
  readonly names: Readonly<Record<string, string>>
  /** Types of fields that are more in GraphQL than their schema tells. */
  readonly types: Readonly<Record<string, Type>>
  /** Descriptions of types and fields; they go before those of core. */
  readonly descriptions: Readonly<Record<string, string>>
}

/** Types of what is read. All their fields are non-null: absent values have the empty defaults of the contract. */
export class OutputTypes {
  readonly #notes: TypeNotes<Output>
  readonly #made = new Map<string, GraphQLObjectType | GraphQLEnumType>()

  constructor(notes: TypeNotes<Output>) {
    this.#notes = notes
  }

  /** The object type of a struct schema. */
  object(schema: Schema.Top): GraphQLObjectType {
    return this.#object(asObjects(schema.ast), "")
  }

  /** An enum that a field of an object made before has. */
  enum(name: string): GraphQLEnumType {
    const type = this.#made.get(name)
    if (type instanceof GraphQLEnumType) return type
    throw new TypeError(`No enum ${name} has been made`)
  }

  #object(ast: SchemaAST.Objects, at: string): GraphQLObjectType {
    const name = nameOf(ast, at, this.#notes)
    return keep(this.#made, name, () =>
      new GraphQLObjectType({
        name,
        description: describe(this.#notes, name, ast),
        fields: Object.fromEntries(
          fieldsOf(ast).map(([field, type]) => {
            const path = `${name}.${field}`
            return [field, {
              type: new GraphQLNonNull(this.#notes.types[path] ?? this.#type(type, path)),
              description: describe(this.#notes, path, type)
            }]
          })
        )
      })) as GraphQLObjectType
  }

  #type(ast: SchemaAST.AST, at: string): Output {
    switch (ast._tag) {
      case "Objects":
        return this.#object(ast, at)
      case "Arrays":
        return new GraphQLList(new GraphQLNonNull(this.#type(entryOf(ast), at)))
      case "Union":
        return this.#enum(ast, at)
      default:
        return scalarOf(ast)
    }
  }

  #enum(ast: SchemaAST.Union, at: string): GraphQLEnumType {
    const name = nameOf(ast, at, this.#notes)
    return keep(this.#made, name, () =>
      new GraphQLEnumType({
        name,
        description: describe(this.#notes, name, ast),
        values: Object.fromEntries(
          ast.types.map((type) => {
            if (type._tag !== "Literal") throw new TypeError(`An enum holds no ${type._tag}`)
            const word = String(type.literal)
            return [word, { value: word, description: describe(this.#notes, `${name}.${word}`, type) }]
          })
        )
      })) as GraphQLEnumType
  }
}

/** Types of what is sent. Rules beyond types are left to core's readers, whose texts are those of REST. */
export class InputTypes {
  readonly #notes: TypeNotes<Input>
  readonly #made = new Map<string, GraphQLInputObjectType>()

  constructor(notes: TypeNotes<Input>) {
    this.#notes = notes
  }

  /** The input type of a struct schema, with more fields before its own where they are given. */
  object(
    schema: Schema.Top,
    more: GraphQLInputFieldConfigMap = {}
  ): GraphQLInputObjectType {
    return this.#object(asObjects(schema.ast), "", more)
  }

  #object(
    ast: SchemaAST.Objects,
    at: string,
    more: GraphQLInputFieldConfigMap = {}
  ): GraphQLInputObjectType {
    const name = `${nameOf(ast, at, this.#notes)}Input`
    return keep(this.#made, name, () =>
      new GraphQLInputObjectType({
        name,
        description: describe(this.#notes, name, ast),
        fields: {
          ...more,
          ...Object.fromEntries(
            fieldsOf(ast).map(([field, ast]) => {
              const path = `${name}.${field}`
              const type = this.#notes.types[path] ?? this.#type(ast, path)
              return [field, {
                type: SchemaAST.isOptional(ast) ? type : new GraphQLNonNull(type),
                description: describe(this.#notes, path, ast)
              }]
            })
          )
        }
      }))
  }

  #type(ast: SchemaAST.AST, at: string): Input {
    switch (ast._tag) {
      case "Objects":
        return this.#object(ast, at)
      case "Arrays":
        return new GraphQLList(new GraphQLNonNull(this.#type(entryOf(ast), at)))
      default:
        return scalarOf(ast)
    }
  }
}

const keep = <Made>(made: Map<string, Made>, name: string, make: () => Made): Made => {
  const known = made.get(name)
  if (known !== undefined) return known
  const type = make()
  made.set(name, type)
  return type
}

const asObjects = (ast: SchemaAST.AST): SchemaAST.Objects => {
  if (ast._tag === "Objects") return ast
  throw new TypeError(`A type is made of a struct, not of ${ast._tag}`)
}

const fieldsOf = (ast: SchemaAST.Objects): ReadonlyArray<readonly [string, SchemaAST.AST]> =>
  ast.propertySignatures.map(({ name, type }) => [String(name), type])

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

/** Whether a number's checks refuse a fraction. */
const isWhole = (ast: SchemaAST.Number): boolean =>
  (ast.checks ?? []).flatMap(filtersOf).some((filter) => filter.run(1.5, ast, {}) !== undefined)

const filtersOf = (check: SchemaAST.Check<number>): ReadonlyArray<SchemaAST.Filter<number>> =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

const nameOf = (ast: SchemaAST.AST, at: string, { names }: TypeNotes<unknown>): string => {
  const name = names[at] ?? SchemaAST.resolveIdentifier(ast)
  if (name === undefined) throw new TypeError(`The type at ${at} has no name`)
  return name
}

const describe = ({ descriptions }: TypeNotes<unknown>, path: string, ast: SchemaAST.AST): string => {
  const description = descriptions[path] ?? SchemaAST.resolveDescription(ast)
  if (description === undefined) throw new TypeError(`${path} has no description`)
  return description
}
