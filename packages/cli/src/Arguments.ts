/**
 * The arguments, flags and help texts that commands share. In an example, the purpose follows `#`, as in a shell.
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

/** An argument that becomes a segment of a path. */
export const slugOrName = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.withSchema(Schema.String.check(isNameable))
  )

/** A flag that may be repeated, and whose values `read` parses. `read` fails with the expected form, which the message shows. */
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

/** The flag `--disabled`, inverted: `true` unless it is given. */
export const isEnabled = (description: string) =>
  switchFlag("disabled", description).pipe(Flag.map((isDisabled) => !isDisabled))

/** The flag `--limit`: how many entries to show at most. */
export const limit = (description: string) =>
  Flag.Int("limit").pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))),
    Flag.optional
  )

/** A flag for a number of seconds; `absent` is its default. */
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

/** An optional flag for a text. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The flag for the idempotency key of a request. */
export const idempotencyKey = text(
  "idempotency-key",
  "Repeat a request without an answer with the same key: for 24 hours nothing is done twice"
)

/** The headers that carry the idempotency key of a request. */
export const writeHeaders = (key: Option.Option<string>): Readonly<Record<string, string>> =>
  Option.match(key, { onNone: () => ({}), onSome: (value) => ({ "idempotency-key": value }) })

const isTime = Schema.makeFilter((text: string) => fault(text) ?? true)

/** A flag for a time in the format of RFC 3339. */
export const time = (name: string) =>
  Flag.String(name).pipe(Flag.withMetavar("TIME"), Flag.withSchema(Schema.String.check(isTime)))

/** The flag `--yes`, which skips the confirmation. */
export const yes = switchFlag("yes", "Do not ask")

/** Reads a file as bytes; `-` is standard input. `name` is the flag or argument that names the file. */
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

/** Reads a file as text; `-` is standard input. */
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
