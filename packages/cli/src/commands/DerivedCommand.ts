/**
 * Derives a command from a declared operation: its arguments and flags, its call, its table or record, its help. An entry says where a
 * command differs from the declaration.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { Context, Data, Effect, Record, Struct } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import type { NotTaken } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Screen.ts"
import type { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import type { AnswerOf, CallableOperation, Failures, ServiceCalls } from "../ServiceCalls.ts"
import { tableOf } from "../Table.ts"
import type { Column } from "../Table.ts"
import { fieldsOf, flagsOf, pathArguments, presentValues } from "./DerivedFlags.ts"
import type { Difference } from "./DerivedFlags.ts"

/** The members of an entry for a command of any kind. */
interface Common {
  readonly examples: ReadonlyArray<string>
  /** The description of the command, if the declared one does not fit. */
  readonly description?: string
}

type Params = Readonly<Record<string, string>>
type Config = Command.Command.Config
type Values<More extends Config> = Command.Command.Config.Infer<More>

/** A body made from the present state, sent on the condition that nobody has changed that state since. */
export class Conditional extends Data.Class<{ readonly body: unknown; readonly etag: string | undefined }> {}

interface ListEntry<Row, Field extends string> extends Common, Difference<Field> {
  /** The columns at a terminal; all that are declared when absent. */
  readonly columns?: ReadonlyArray<Column<Row>>
  /** The line for an empty list; derives from the summary when absent. */
  readonly nothing?: string
}

/** The members of an entry for the command of a read, a write or a change. */
interface RecordEntry<View, Field extends string, More extends Config> extends Common, Difference<Field> {
  readonly nothing?: string
  /** The fields of the body that have flags; all when absent. */
  readonly fields?: ReadonlyArray<Field>
  /** Flags beside those of fields. */
  readonly more?: More
  /** Makes the body, if the flags of its fields do not suffice, or a {@link Conditional}; it refuses mistakes before anything is sent. */
  readonly body?: (
    fields: Readonly<Record<string, unknown>>,
    more: Values<More>,
    params: Params
  ) => Effect.Effect<
    unknown,
    Failures,
    ServiceCalls | Screen | Command.Environment
  >
  /** The question before something is lost. */
  readonly question?: (params: Params) => Effect.Effect<string, Failures, ServiceCalls>
  /** The part of the answer that is shown; all of it when absent. */
  readonly part?: (value: View) => unknown
  /** The last line, or the failure that the answer reports. */
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
