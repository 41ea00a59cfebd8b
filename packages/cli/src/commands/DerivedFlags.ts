/**
 * Flags and arguments from declared fields: the parameters of a path, the filters of a list, the fields of a body.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { isDate, wordsOf } from "@dockline/core/values/Field"
import { Option, Record, SchemaAST, Struct } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"

/** How fields on a command line differ from the declaration. */
export interface Difference<Name extends string = string> {
  /** The fields that are arguments. */
  readonly arguments?: ReadonlyArray<Name>
  /** Flags of another name, and flags that are made by hand. */
  readonly flags?: { readonly [_ in Name]?: string | Flag.Flag<unknown> }
}

type CommandParams = Readonly<Record<string, Argument.Argument<unknown> | Flag.Flag<unknown>>>

type Fields = Readonly<Record<string, { readonly ast: SchemaAST.AST }>>

/** The fields of a body that is an object. */
export const fieldsOf = (body: { readonly ast: SchemaAST.AST } | undefined): Fields =>
  body?.ast._tag === "Objects"
    ? Object.fromEntries(body.ast.propertySignatures.map(({ name, type }) => [String(name), { ast: type }]))
    : {}

/** An argument for each parameter of a path. */
export const pathArguments = (
  { params, rest }: { readonly params: Operation.Fields; readonly rest: string }
): Readonly<Record<string, Argument.Argument<string>>> =>
  Object.fromEntries(
    Object.entries(params).map(([name, { ast }]) => [name, argumentOf(thingOf(name, rest), ast)])
  )

/** The thing that a parameter of a path names: `:id` in `/shipments/:id` is the id of a shipment. */
const thingOf = (name: string, rest: string): string =>
  name === "id" || name === "slug"
    ? new RegExp(`(\\w+?)(?:es|s)/:${name}`).exec(rest)?.[1] ?? name
    : name.replace(/Id$/, "")

/** A flag for each field: `shipmentNumber` is `--shipment-number`, unless it is named otherwise. The arguments come first. */
export const flagsOf = (
  fields: Fields,
  { arguments: positional = [], flags = {} }: Difference
): CommandParams => ({
  ...Record.map(
    Struct.pick(fields, positional),
    ({ ast }, name) => SchemaAST.isNumber(ast) ? numberArgument(name, ast) : argumentOf(name, ast)
  ),
  ...Record.map(Struct.omit(fields, positional), ({ ast }, name) => {
    const flag = flags[name] ?? kebab(name)
    return typeof flag === "string" ? flagOf(flag, ast) : flag
  })
})

/** The values of present flags, by the names of their fields. */
export const presentValues = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      Option.isOption(value)
        ? Option.toArray(value).map((some): [string, unknown] => [name, some])
        : [[name, value]]
    )
  )

const argumentOf = (name: string, ast: SchemaAST.AST) => Arguments.slugOrName(kebab(name), descriptionOf(ast))

const numberArgument = (name: string, ast: SchemaAST.AST) =>
  Argument.Finite(kebab(name)).pipe(Argument.withDescription(descriptionOf(ast)))

/** Sentences of the reference end with a period, lines of a help text do not. */
const descriptionOf = (ast: SchemaAST.AST): string =>
  (SchemaAST.resolveDescription(ast) ?? "").replace(/\.$/, "").replace("With true, o", "O")

const flagOf = (name: string, ast: SchemaAST.AST): Flag.Flag<unknown> => {
  const description = descriptionOf(ast)
  const isOptional = SchemaAST.isOptional(ast)
  if (SchemaAST.isBoolean(ast)) {
    return Arguments.switchFlag(name, description).pipe(
      Flag.map((isGiven) => isGiven || !isOptional ? Option.some(isGiven) : Option.none())
    )
  }
  if (SchemaAST.isArrays(ast)) {
    const [entry = ast] = ast.rest
    return valueFlag(name, entry).pipe(
      Flag.withDescription(description),
      Flag.atLeast(0),
      Flag.map((all) => all.length > 0 || !isOptional ? Option.some(all) : Option.none())
    )
  }
  const flag = valueFlag(name, ast).pipe(Flag.withDescription(description))
  return isOptional ? Flag.optional(flag) : flag
}

const valueFlag = (name: string, ast: SchemaAST.AST): Flag.Flag<unknown> => {
  const words = wordsOf(ast) ?? literalsOf(ast)
  if (words !== undefined) return Flag.Literals(name, words)
  if (isDate(ast)) return Arguments.time(name)
  return SchemaAST.isNumber(ast) ? Flag.Finite(name) : Flag.String(name)
}

/** The words of a set, without the word for "any". */
const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap((type) =>
      SchemaAST.isLiteral(type) && type.literal !== "" ? [String(type.literal)] : []
    )
    : undefined

/** `loginUrl` as `login-url`. */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
