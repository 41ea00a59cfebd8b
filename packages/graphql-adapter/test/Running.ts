/** Running operations on the engine, for its tests. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import type { Layer, Scope } from "effect"
import { GraphqlEngine } from "../src/engine/Engine.ts"
import type { GraphqlConfig } from "../src/GraphqlConfig.ts"
import { engine, sessionOf } from "./EngineSetup.ts"

/** Tests over engines of their own, which are made with the settings of each. */
export const testsOver = <R, E>(make: (config?: Partial<GraphqlConfig>) => Layer.Layer<R, E>) =>
(
  title: string,
  body: () => Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, void, never>,
  config?: Partial<GraphqlConfig>
): void => it.effect(title, () => Effect.provide(Effect.gen(body), make(config)))

/** A test over an engine of its own. */
export const test = testsOver(engine)

/** The answer to an operation as clients get it. */
export interface Answer {
  readonly data?: unknown
  readonly errors?: ReadonlyArray<{
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>>
  }>
}

/** Runs an operation, by the schema of a path. */
export const ask = Effect.fnUntraced(function*(
  query: string,
  variables: Record<string, unknown> = {},
  client = "acme-client",
  path?: string
) {
  const { prepare, execute } = yield* GraphqlEngine
  const operation = prepare({ query, variables }, path)
  const context = { session: sessionOf(client), correlationId: "test" }
  const result = "document" in operation
    ? yield* Effect.promise(() => execute(operation, context))
    : { errors: operation }
  return JSON.parse(JSON.stringify(result)) as Answer
})

/** The reasons of the errors of an answer, each once. */
export const reasons = ({ errors = [] }: Answer) =>
  Array.from(new Set(errors.map(({ extensions }) => extensions["reason"])))

/** What an operation came to, with what matters of its errors. */
export const run = (query: string, variables?: Record<string, unknown>, client?: string) =>
  Effect.map(ask(query, variables, client), ({ data = null, errors = [] }) => ({
    data: data as Record<string, unknown> | null,
    errors: errors.map(({ message, extensions: { code, reason, errors } }) => ({
      message,
      code,
      reason,
      ...(errors === undefined ? {} : { errors })
    }))
  }))

/** The codes of what is wrong with an operation. */
export const codes = (query: string, variables?: Record<string, unknown>, client?: string) =>
  Effect.map(
    run(query, variables, client),
    ({ errors }) => errors.map(({ code, reason }) => `${code} ${reason}`)
  )
