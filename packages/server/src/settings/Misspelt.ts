/**
 * Finds variables of the environment that were probably meant to be settings. A server that ignored `DATABSE_URL` would
 * serve from an embedded database, and nobody would notice.
 */
import { nearest } from "@dockline/core/input/Faults"
import { ConfigProvider, Effect } from "effect"
import { table } from "./SettingsTable.ts"

const names = new Set(table.map(({ name }) => name))

/** The name of the project, which people write before a setting. */
const prefix = "DOCKLINE_"

/** What Kubernetes and Docker set for a service of the name `dockline`, as in `DOCKLINE_PORT=tcp://10.0.0.1:8080`. */
const isServiceLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\//.test(value)

const meantBy = (variable: string): string | undefined => {
  const bare = variable.startsWith(prefix) ? variable.slice(prefix.length) : variable
  return names.has(bare) ? bare : nearest(bare, names)
}

/** The variables of a provider and their values; one with a value is found among those that its name begins, too. */
const variables = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, ConfigProvider.SourceError> =>
  Effect.gen(function*() {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [[path.join("_"), node.value] as const]
    if (node._tag !== "Record") return own
    const within = yield* Effect.forEach(node.keys, (key) => variables(provider, [...path, key]))
    return [...own, ...within.flat()]
  })

/**
 * A sentence for each variable that is no setting, is near the name of one, and is not beside it: who sets the setting
 * itself has not misspelt it, and may have any other variables.
 */
export const misspeltNames: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function*() {
  // The environment can always be read.
  const environment = new Map(yield* Effect.orDie(variables(yield* ConfigProvider.ConfigProvider)))
  return Array.from(environment).flatMap(([name, value]) => {
    const correction = names.has(name) || isServiceLink(value) ? undefined : meantBy(name)
    return correction === undefined || environment.has(correction)
      ? []
      : [
        `${name} is not a setting. Did you mean ${correction}? Rename it, or set ${correction} too if both are meant`
      ]
  })
})

/** Fails where there is such a variable, with all of their sentences. */
export const refuse: Effect.Effect<void, ConfigProvider.SourceError> = Effect.flatMap(
  misspeltNames,
  (sentences) =>
    sentences.length === 0
      ? Effect.void
      : Effect.fail(new ConfigProvider.SourceError({ message: sentences.join("; ") }))
)
