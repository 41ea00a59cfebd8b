/**
 * Secrets that an operator gives: from an environment variable, a file, standard input or the terminal, never from the
 * command line.
 *
 * Guarantee: no message quotes what was read.
 */
import { Config, Effect, FileSystem, Option, Redacted, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import { WrongUsage } from "./Failure.ts"
import { askSecret } from "./Question.ts"
import { Screen } from "./Screen.ts"

/** The flags that say where a secret comes from. */
export const flags = (name: string) => ({
  env: Flag.String(`${name}-env`).pipe(
    Flag.withMetavar("VARIABLE"),
    Flag.withDescription(`Take the ${name.replaceAll("-", " ")} from this environment variable`),
    Flag.optional
  ),
  file: Flag.String(`${name}-file`).pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription(
      `Take the ${
        name.replaceAll("-", " ")
      } from this file; - for standard input or, at a terminal, to be asked`
    ),
    Flag.optional
  )
})

/** Where a secret comes from. */
export interface Source {
  readonly env: Option.Option<string>
  readonly file: Option.Option<string>
}

/** A file, or standard input for `-`. */
export const readText = Effect.fnUntraced(function*(path: string, flag: string) {
  if (path === "-") {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.mkString(Stream.decodeText(stdin)).pipe(
      Effect.mapError(() => new WrongUsage({ message: `${flag}: standard input cannot be read` }))
    )
  }
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(path).pipe(
    Effect.mapError((error) =>
      new WrongUsage({ message: `${flag}: ${path} cannot be read: ${error.message}` })
    )
  )
})

/** The secret, if a flag says where it comes from. */
export const given = Effect.fnUntraced(function*(name: string, { env, file }: Source) {
  if (Option.isSome(env) && Option.isSome(file)) {
    return yield* new WrongUsage({ message: `Give --${name}-env or --${name}-file, not both` })
  }
  if (Option.isSome(env)) {
    const value = yield* Config.option(Config.String(env.value)).pipe(Effect.orDie)
    if (Option.isNone(value) || value.value === "") {
      return yield* new WrongUsage({
        message: `--${name}-env: the environment variable ${env.value} is not set`
      })
    }
    return Option.map(value, (secret) => Redacted.make(secret))
  }
  if (Option.isSome(file) && file.value === "-" && (yield* Screen).canAsk) {
    return Option.some(yield* askSecret(`The ${name.replaceAll("-", " ")}`, ""))
  }
  if (Option.isSome(file)) {
    // An editor ends the last line, and that is no part of the secret.
    const secret = (yield* readText(file.value, `--${name}-file`)).replace(/\r?\n$/, "")
    if (secret === "") return yield* new WrongUsage({ message: `--${name}-file: there is nothing in it` })
    return Option.some(Redacted.make(secret))
  }
  return Option.none<Redacted.Redacted>()
})

/** The secret from where a flag says, else from the terminal. */
export const givenOrAsked = Effect.fnUntraced(function*(name: string, what: string, source: Source) {
  const secret = yield* given(name, source)
  return Option.isSome(secret) ? secret.value : yield* askSecret(what, `Say --${name}-env or --${name}-file`)
})
