/**
 * Derives a command from a declared operation: its arguments and flags, its call, its table or record, its help. What people
 * see otherwise than it is declared stands in an {@link Entry}.
 */
import type * as Operation from "@dockline/core/Operation"
import { Context, Effect, Struct } from "effect"
import type { Schema } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { tableOf } from "../Cells.ts"
import type { Column } from "../Cells.ts"
import { TestFailed, WrongUsage } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"
import { call } from "../ServiceCalls.ts"
import type { AnswerOf, Called, Failures, ServiceCalls } from "../ServiceCalls.ts"
import * as FieldFlags from "./FieldFlags.ts"

/** What a command of every kind says beside the declaration. */
interface Common {
  readonly examples: ReadonlyArray<string>
  /** What it does, where people need other words than the declared. */
  readonly description?: string
}

type Params = Readonly<Record<string, string>>

/** What the command of a list says. */
interface ListEntry<Row, Field extends string> extends Common, FieldFlags.Difference<Field> {
  /** The columns at a terminal; all that are declared when absent. */
  readonly columns?: ReadonlyArray<Column<Row>>
  /** What is said of an empty list. */
  readonly nothing: string
}

/** What the command of a read or a write says. */
interface RecordEntry<View, Field extends string> extends Common, FieldFlags.Difference<Field> {
  /** What is said of an answer that is an empty list. */
  readonly nothing?: string
  /** The fields that have flags; all when absent. */
  readonly fields?: ReadonlyArray<Field>
  /** The body, whose fields have no flags then. */
  readonly body?: Readonly<Record<string, unknown>>
  /** The fault of what is given, which the command line finds before anything is sent. */
  readonly fault?: (given: Readonly<Record<string, unknown>>) => string | undefined
  /** What is asked before something is lost. */
  readonly question?: (params: Params) => Effect.Effect<string, Failures, ServiceCalls>
  /** What is said in the end, or the failure that the answer tells of. */
  readonly done?: (params: Params, value: View) => string | TestFailed
}

/** What the command of an operation says beside its declaration. */
export type Entry<Op extends Called> = Op extends Operation.AnyList
  ? ListEntry<Op["row"]["Type"], keyof Op["filters"] & string>
  : RecordEntry<AnswerOf<Op>, BodyField<Op>>

type BodyField<Op> = Op extends { readonly body?: { readonly fields: infer Fields } } ? keyof Fields & string
  : never

/** Names the operation that a command calls. */
export const Derived = Context.Reference<string>("@dockline/cli/Derived", { defaultValue: () => "" })

/** The command of an operation, under a verb. */
export const derived = <const Op extends Called>(verb: string, operation: Op, entry: Entry<Op>) =>
  operation.kind === "list"
    ? listing(verb, operation, entry as ListEntry<unknown, string>).pipe(described(operation, entry))
    : calling(verb, operation, entry as RecordEntry<unknown, string>).pipe(described(operation, entry))

const described =
  ({ description, name, summary }: Called, entry: Common) =>
  <Name extends string, Input, E, R>(command: Command.Command<Name, Input, {}, E, R>) =>
    command.pipe(
      about(entry.description ?? `${summary}. ${description}`, ...entry.examples),
      Command.withShortDescription(entry.description ?? summary),
      Command.annotate(Derived, name)
    )

const listing = (verb: string, operation: Operation.AnyList, entry: ListEntry<unknown, string>) => {
  const columns = tableOf(operation, entry.columns)
  return Command.make(
    verb,
    {
      params: FieldFlags.pathArguments(operation),
      only: FieldFlags.of(operation.filters, entry),
      extent: Pages.flags(operation)
    },
    ({ extent, only, params }) =>
      Output.list(
        Pages.read(operation, { params, query: FieldFlags.given(only) }, extent),
        columns,
        entry.nothing
      )
  )
}

const calling = (
  verb: string,
  operation: Exclude<Called, Operation.AnyList>,
  entry: RecordEntry<unknown, string>
) => {
  const { body: fixed, done, fault, question } = entry
  const body = "body" in operation ? operation.body as Schema.Struct<Schema.Struct.Fields> : undefined
  const names = fixed === undefined ? entry.fields ?? Object.keys(body?.fields ?? {}) : []
  return Command.make(
    verb,
    {
      params: FieldFlags.pathArguments(operation),
      fields: FieldFlags.of(Struct.pick(body?.fields ?? {}, names), entry),
      ...(operation.kind === "write" ? { key: Arguments.idempotencyKey } : {}),
      ...(question === undefined ? {} : { yes: Arguments.yes })
    },
    Effect.fnUntraced(function*({ fields, key, params, yes }) {
      const given = FieldFlags.given(fields)
      const message = fault?.(given)
      if (message !== undefined) return yield* new WrongUsage({ message })
      if (question !== undefined && yes !== true) yield* confirm(yield* question(params))
      const answer = yield* call(operation, {
        params,
        headers: key === undefined ? {} : Arguments.writeHeaders(key),
        ...(body === undefined ? {} : { body: { ...given, ...fixed } })
      })
      yield* Output.answer(answer, entry.nothing)
      const end = done?.(params, answer.value) ?? ""
      if (end instanceof TestFailed) return yield* end
      if (end !== "") yield* Output.done(end)
    })
  )
}
