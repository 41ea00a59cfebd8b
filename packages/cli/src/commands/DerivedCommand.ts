/**
 * Derives a command from a declared operation: its arguments and flags from the parameters of the path, the filters of a list and the
 * fields of a body; its call; its table or record; and its help. An entry lists the differences of a command from the declaration.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { isDate, wordsOf } from "@dockline/core/values/Field"
import { Context, Data, Effect, Option, Record, SchemaAST, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about } from "../Arguments.ts"
import type { NotTaken } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Screen.ts"
import type { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import type { AnswerOf, CallableOperation, Failures, ServiceCalls } from "../ServiceCalls.ts"
import { tableOf } from "../Table.ts"
import type { Column } from "../Table.ts"

/** How fields on a command line differ from the declaration. */
export interface Difference<Name extends string = string> {
  /** The fields that are arguments. */
  readonly arguments?: ReadonlyArray<Name>
  /** Flags of another name, and flags that are made by hand. */
  readonly flags?: { readonly [_ in Name]?: string | Flag.Flag<unknown> }
}

type CommandParams = Readonly<Record<string, Argument.Argument<unknown> | Flag.Flag<unknown>>>

type Fields = Readonly<Record<string, { readonly ast: SchemaAST.AST }>>

/** The fields of a body; none unless the body is an object. */
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

/** The kind of entity that a parameter of a path names: `:id` in `/shipments/:id` is the id of a shipment. */
const thingOf = (name: string, rest: string): string =>
  name === "id" || name === "slug"
    ? new RegExp(`(\\w+?)(?:(?<=s)es|s)/:${name}`).exec(rest)?.[1] ?? name
    : name.replace(/Id$/, "")

/** The arguments, then a flag for each other field: `shipmentNumber` is `--shipment-number`, unless `flags` has another name. */
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

/** Descriptions of the reference end with a period; lines of a help text do not. */
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

/** The members of an entry for a command of any kind. */
interface Common {
  readonly examples: ReadonlyArray<string>
  /** The description of the command, if the declared one does not fit. */
  readonly description?: string
}

type Params = Readonly<Record<string, string>>
type Config = Command.Command.Config
type Values<More extends Config> = Command.Command.Config.Infer<More>

/** A body that was made from the current state; the request succeeds only if nobody has changed that state since. */
export class Conditional extends Data.Class<{ readonly body: unknown; readonly etag: string | undefined }> {}

interface ListEntry<Row, Field extends string> extends Common, Difference<Field> {
  /** The columns of the table; all declared columns when absent. */
  readonly columns?: ReadonlyArray<Column<Row>>
  /** The message for an empty list; derived from the summary when absent. */
  readonly nothing?: string
}

/** The members of an entry for the command of a read, a write or a change. */
interface RecordEntry<View, Field extends string, More extends Config> extends Common, Difference<Field> {
  readonly nothing?: string
  /** The fields of the body that have flags; all when absent. */
  readonly fields?: ReadonlyArray<Field>
  /** Flags in addition to the flags of fields. */
  readonly more?: More
  /** Makes the body or a {@link Conditional}, if the flags of its fields do not suffice. Fails for mistakes before anything is sent. */
  readonly body?: (
    fields: Readonly<Record<string, unknown>>,
    more: Values<More>,
    params: Params
  ) => Effect.Effect<
    unknown,
    Failures,
    ServiceCalls | Screen | Command.Environment
  >
  /** The question to confirm before data is lost. */
  readonly question?: (params: Params) => Effect.Effect<string, Failures, ServiceCalls>
  /** The part of the answer that is shown; all of it when absent. */
  readonly part?: (value: View) => unknown
  /** Writes the last line, or fails with the failure that the answer reports. */
  readonly done?: (params: Params, value: View) => Effect.Effect<void, NotTaken, Screen>
}

type BodyField<Op> = Op extends { readonly body?: { readonly fields: infer Fields } } ? keyof Fields & string
  : never

/** Names the operation that a command calls. */
export const OperationName = Context.Reference<string>("@dockline/cli/Derived", { defaultValue: () => "" })

const describe =
  ({ description, name, summary }: CallableOperation, entry: Common) =>
  <Name extends string, Input, E, R>(command: Command.Command<Name, Input, {}, E, R>) =>
    command.pipe(
      about(entry.description ?? `${summary}. ${description}`, ...entry.examples),
      Command.withShortDescription(entry.description ?? summary),
      Command.annotate(OperationName, name)
    )

/** "List the items of a shipment" as "No items." */
const nothingOf = ({ summary }: CallableOperation): string =>
  `${summary.replace(/^List (?:the )?/, "No ").replace(/ of an? .*$/, "")}.`

/** The command of a list, under a verb. */
export const listCommand = <const Op extends Operation.AnyList>(
  verb: string,
  operation: Op,
  entry: ListEntry<Op["row"]["Type"], keyof Op["filters"] & string>
) => {
  const columns = tableOf(operation, entry.columns)
  return Command.make(
    verb,
    {
      params: pathArguments(operation),
      only: flagsOf(operation.filters, entry),
      extent: Pages.flags(operation)
    },
    ({ extent, only, params }) =>
      Output.list(
        Pages.read(operation, { params, query: presentValues(only) }, extent),
        columns,
        entry.nothing ?? nothingOf(operation)
      )
  ).pipe(describe(operation, entry))
}

/** The command of a read, a write or a change, under a verb. */
export const commandOf = <
  const Op extends Exclude<CallableOperation, Operation.AnyList>,
  const More extends Config = {}
>(verb: string, operation: Op, entry: RecordEntry<AnswerOf<Op>, BodyField<Op>, More>) => {
  const { body: bodyOf, done, question, part } = entry
  const body = "body" in operation ? operation.body : undefined
  const fields = fieldsOf(body)
  return Command.make(
    verb,
    {
      params: pathArguments(operation),
      fields: flagsOf(entry.fields === undefined ? fields : Struct.pick(fields, entry.fields), entry),
      more: entry.more ?? {},
      ...(operation.kind === "write" && operation.takesKey ? { key: Arguments.idempotencyKey } : {}),
      ...(question === undefined ? {} : { yes: Arguments.yes })
    },
    Effect.fnUntraced(function*({ fields, key, more, params, yes }) {
      const values = presentValues(fields)
      const content = bodyOf === undefined ? values : yield* bodyOf(values, more as Values<More>, params)
      if (question !== undefined && yes !== true) yield* confirm(yield* question(params))
      const answer = yield* call(operation, {
        params,
        headers: { ...(key === undefined ? {} : Arguments.writeHeaders(key)), ...conditionOf(content) },
        ...(body === undefined ? {} : { body: content instanceof Conditional ? content.body : content })
      })
      yield* Output.answer(
        { ...answer, value: part === undefined ? answer.value : part(answer.value) },
        entry.nothing
      )
      if (done !== undefined) yield* done(params, answer.value)
    })
  ).pipe(describe(operation, entry))
}

/** The header that makes a request conditional on the state from which its body was made. */
const conditionOf = (body: unknown): Readonly<Record<string, string>> =>
  body instanceof Conditional && body.etag !== undefined ? { "if-match": body.etag } : {}
