/**
 * What commands share: their arguments, their flags, and their descriptions for `--help`. The purpose of an example follows `#`, as in a
 * shell.
 */
import { permissions } from "@dockline/core/access/Access"
import { fault } from "@dockline/core/values/Timestamp"
import { Effect, FileSystem, Option, Schema, Stdio, Stream } from "effect"
import type { Result } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import { wrongUsage } from "./Failure.ts"
import * as FieldText from "./FieldText.ts"

/** The text becomes part of a path, in which "." and ".." would lead elsewhere. */
const isNameable = Schema.makeFilter((text: string) =>
  text !== "" && text !== "." && text !== ".." || "must not be empty, \".\" or \"..\""
)

/** An argument that stands in a path. */
export const slugOrName = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.withSchema(Schema.String.check(isNameable))
  )

/** Flags whose texts have a form of their own; may be repeated. `read` fails with the form that it expects, which follows "Expected:". */
export const texts = <A>(name: string, read: (text: string) => Result.Result<A, string>) =>
  Flag.String(name).pipe(
    Flag.mapEffect((value) =>
      Effect.mapError(
        Effect.fromResult(read(value)),
        (expected) => new CliError.InvalidValue({ option: name, value, expected, kind: "flag" })
      )
    ),
    Flag.atLeast(0)
  )

/** The grants of a client. */
export const grants = texts("grant", FieldText.readGrant).pipe(
  Flag.withMetavar("BUSINESS=PERMISSION,…"),
  Flag.withDescription(
    `What may be done: ${FieldText.grantForm}; the permissions are ${
      permissions.join(", ")
    }; * is every business`
  )
)

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Whether to enable it: yes, unless `--disabled` is given. */
export const isEnabled = (description: string) =>
  switchFlag("disabled", description).pipe(Flag.map((isDisabled) => !isDisabled))

/** The most entries to show. */
export const limit = (description: string) =>
  Flag.Int("limit").pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))),
    Flag.optional
  )

/** A number of seconds, with its default. */
export const seconds = (name: string, description: string, absent: number) =>
  Flag.Finite(name).pipe(
    Flag.withDescription(`${description} (${absent})`),
    Flag.withSchema(
      Schema.Finite.check(
        Schema.isBetween({ minimum: 0.1, maximum: 3600 }, {
          message: "must be a number of seconds from 0.1 to 3600"
        })
      )
    ),
    Flag.withDefault(absent)
  )

/** A text that may be absent. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A key under which a request is done once. */
export const idempotencyKey = text(
  "idempotency-key",
  "Repeat a request without an answer with the same key: for 24 hours nothing is done twice"
)

/** The headers of a request with a key. */
export const writeHeaders = (key: Option.Option<string>): Readonly<Record<string, string>> =>
  Option.match(key, { onNone: () => ({}), onSome: (value) => ({ "idempotency-key": value }) })

const isTime = Schema.makeFilter((text: string) => fault(text) ?? true)

/** A time, as RFC 3339 writes it. */
export const time = (name: string) =>
  Flag.String(name).pipe(Flag.withMetavar("TIME"), Flag.withSchema(Schema.String.check(isTime)))

/** Whether to skip the confirmation. */
export const yes = switchFlag("yes", "Do not ask")

/** The content, byte for byte; `name` is the flag or argument that names the file. */
export const readBytes = Effect.fnUntraced(function*(path: string, name: string) {
  if (path === "-") {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.runCollect(stdin).pipe(
      Effect.map((pieces): Uint8Array => Buffer.concat(pieces)),
      Effect.mapError(() => wrongUsage(`${name}: standard input cannot be read`))
    )
  }
  const files = yield* FileSystem.FileSystem
  return yield* files.readFile(path).pipe(
    Effect.mapError((error) => wrongUsage(`${name}: ${path} cannot be read: ${error.message}`))
  )
})

/** Reads files that the command line names; `-` is standard input. */
export const readText = (path: string, name: string) =>
  Effect.map(readBytes(path, name), (bytes) => new TextDecoder().decode(bytes))

/** The help text of a command. */
export const about =
  (description: string, ...examples: ReadonlyArray<string>) =>
  <const Name extends string, Input, E, R, Context>(command: Command.Command<Name, Input, Context, E, R>) =>
    command.pipe(
      Command.withDescription(description),
      Command.withExamples(examples.map((example) => {
        const [command = "", description] = example.split("  # ")
        return { command, description }
      }))
    )

/** A command whose verbs are subcommands. */
export const noun = <const Name extends string, const Verbs extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  description: string,
  verbs: Verbs
) => Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(verbs))
