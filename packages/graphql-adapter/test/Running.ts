/** Running operations on the engine, for its tests. */
import { Effect } from "effect"
import { GraphqlEngine } from "../src/engine/Engine.ts"
import { sessionOf } from "./EngineSetup.ts"

/** What an operation came to, with what matters of its errors. */
export const run = Effect.fnUntraced(function*(
  query: string,
  variables: Record<string, unknown> = {},
  client = "acme-client"
) {
  const { prepare, execute } = yield* GraphqlEngine
  const prepared = prepare({ query, variables })
  const context = { session: sessionOf(client), correlationId: "test" }
  const { data, errors } = "document" in prepared
    ? yield* Effect.promise(() => execute(prepared, context))
    : { data: undefined, errors: prepared }
  return {
    data: JSON.parse(JSON.stringify(data ?? null)) as Record<string, unknown> | null,
    errors: (errors ?? []).map(({ message, extensions: { code, reason, errors } }) => ({
      message,
      code,
      reason,
      ...(errors === undefined ? {} : { errors })
    }))
  }
})

/** The codes of what is wrong with an operation. */
export const codes = (query: string, variables: Record<string, unknown> = {}, client?: string) =>
  Effect.map(
    run(query, variables, client),
    ({ errors }) => errors.map(({ code, reason }) => `${code} ${reason}`)
  )
