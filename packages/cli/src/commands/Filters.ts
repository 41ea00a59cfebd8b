/**
 * The flags that filter a list, from the filters that its operation declares.
 */
import { isDate } from "@dockline/core/internal/values/Field"
import { wordsOf } from "@dockline/core/Operation"
import type * as Operation from "@dockline/core/Operation"
import { Option, SchemaAST } from "effect"
import type { Schema } from "effect"
import { Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"

/** Names of flags that differ from those of their filters. */
type Names<Filters extends Operation.Fields> = { readonly [Name in keyof Filters]?: string }

/** The filters that were given, by their names. */
type Given<Filters extends Operation.Fields> = Partial<Schema.Struct.Type<Filters>>

/** A flag for each filter: `shipmentNumber` is `--shipment-number`, unless it is named otherwise. */
export const flags = <Filters extends Operation.Fields>(
  { filters }: { readonly filters: Filters },
  names: Names<Filters> = {}
): Readonly<Record<string, Flag.Flag<Option.Option<unknown>>>> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { ast }]) => [name, flagOf(names[name] ?? kebab(name), ast)])
  )

/** The filters whose flags were given, for the query of the operation. */
export const given = <Filters extends Operation.Fields>(
  _: { readonly filters: Filters },
  values: Readonly<Record<string, Option.Option<unknown>>>
): Given<Filters> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  ) as Given<Filters>

const flagOf = (name: string, ast: SchemaAST.AST): Flag.Flag<Option.Option<unknown>> => {
  // Sentences of the reference end with a period, lines of a help text do not.
  const description = (SchemaAST.resolveDescription(ast) ?? "").replace(/\.$/, "")
  const words = wordsOf(ast)?.words
  if (words !== undefined) {
    return Flag.Literals(name, words).pipe(Flag.withDescription(description), Flag.optional)
  }
  if (isDate(ast)) return Arguments.time(name, description)
  if (ast._tag !== "Boolean") return Arguments.text(name, description)
  return Arguments.isSet(name, description.replace("With true, o", "O")).pipe(
    Flag.map((isGiven) => isGiven ? Option.some<unknown>(true) : Option.none())
  )
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
