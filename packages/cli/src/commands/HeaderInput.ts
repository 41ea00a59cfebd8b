/**
 * Reads the headers of an endpoint from flags. Their values are secret, so they come from the environment or from files, like passwords.
 */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import { Effect, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import * as SecretInput from "./SecretInput.ts"

interface Header {
  readonly name: string
  readonly source: string
}

const read = (what: string) => (text: string): Result.Result<Header, string> => {
  const [, name, source] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  return name === undefined || source === undefined
    ? Result.fail(`a name and ${what}, such as X-Api-Key=${what === "a file" ? "key.txt" : "API_KEY"}`)
    : Result.succeed({ name, source })
}

export const flags = {
  env: Arguments.texts("header-env", read("an environment variable")).pipe(
    Flag.withMetavar("NAME=VARIABLE"),
    Flag.withDescription("A header that requests carry, with its value from this environment variable")
  ),
  file: Arguments.texts("header-file", read("a file")).pipe(
    Flag.withMetavar("NAME=PATH"),
    Flag.withDescription("A header that requests carry, with its value from this file")
  )
}

export const changeFlags = {
  ...flags,
  removed: Flag.String("remove-header").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("A header that requests no longer carry"),
    Flag.atLeast(0)
  )
}

export type HeaderFlags = Command.Command.Config.Infer<typeof flags> & {
  readonly removed?: ReadonlyArray<string>
}

export const isGiven = ({ env, file, removed = [] }: HeaderFlags): boolean =>
  env.length + file.length + removed.length > 0

export const forNew = Effect.fnUntraced(function*({ env, file }: HeaderFlags) {
  const none = { env: Option.none<string>(), file: Option.none<string>() }
  const sources = [
    ...env.map(({ name, source }) => ({ ...none, name, env: Option.some(source) })),
    ...file.map(({ name, source }) => ({ ...none, name, file: Option.some(source) }))
  ]
  return yield* Effect.forEach(
    sources,
    ({ name, ...source }) =>
      Effect.map(SecretInput.secretOf("header", source), (value) => ({
        name,
        value: Redacted.value(Option.getOrElse(value, () => Redacted.make("")))
      }))
  )
})

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** The headers of an endpoint with the new ones and without the removed ones; the others keep their values. */
export const forChange = Effect.fnUntraced(
  function*(input: HeaderFlags, { headers }: Pick<EndpointView, "headers">) {
    const { removed = [] } = input
    const unknown = removed.find((name) => !headers.some((header) => isSame(header.name, name)))
    if (unknown !== undefined) {
      return yield* wrongUsage(`The endpoint has no header ${unknown}`)
    }
    const fresh = yield* forNew(input)
    const others = headers.filter(({ name }) =>
      !removed.some((each) => isSame(each, name)) && !fresh.some((each) => isSame(each.name, name))
    )
    return [...others, ...fresh]
  }
)
