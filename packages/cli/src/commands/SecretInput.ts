/**
 * Reads secrets from an environment variable, a file, standard input or the terminal. No message quotes a secret.
 */
import { Config, Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { readText, text } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import { askSecret, Screen } from "../Screen.ts"

export const flags = (name: string) => ({
  env: text(`${name}-env`, `Take the ${words(name)} from this environment variable`).pipe(
    Flag.withMetavar("VARIABLE")
  ),
  file: text(
    `${name}-file`,
    `Take the ${words(name)} from this file; - for standard input or, at a terminal, to be asked`
  ).pipe(Flag.withMetavar("PATH"))
})

const words = (name: string): string => name.replaceAll("-", " ")

export type Source = Command.Command.Config.Infer<ReturnType<typeof flags>>

/** The secret, if a flag names its source. */
export const secretOf = Effect.fnUntraced(function*(name: string, { env, file }: Source) {
  if (Option.isSome(env) && Option.isSome(file)) {
    return yield* wrongUsage(`Give --${name}-env or --${name}-file, not both`)
  }
  if (Option.isSome(env)) {
    const value = yield* Config.option(Config.String(env.value)).pipe(Effect.orDie)
    if (Option.isNone(value) || value.value === "") {
      return yield* wrongUsage(`--${name}-env: the environment variable ${env.value} is not set`)
    }
    return Option.map(value, (secret) => Redacted.make(secret))
  }
  if (Option.isSome(file) && file.value === "-" && (yield* Screen).canAsk) {
    return Option.some(yield* askSecret(`The ${words(name)}`, ""))
  }
  if (Option.isSome(file)) {
    // Editors end the last line with a newline, which is not part of the secret.
    const secret = (yield* readText(file.value, `--${name}-file`)).replace(/\r?\n$/, "")
    if (secret === "") return yield* wrongUsage(`--${name}-file: the file is empty`)
    return Option.some(Redacted.make(secret))
  }
  return Option.none<Redacted.Redacted>()
})

/** The secret from the source that a flag names, otherwise from the terminal. */
export const givenOrAsked = Effect.fnUntraced(function*(name: string, what: string, source: Source) {
  const secret = yield* secretOf(name, source)
  return Option.isSome(secret) ? secret.value : yield* askSecret(what, `Give --${name}-env or --${name}-file`)
})
