/** The engine over memory with the schema for clients of Kargo, and operations on it. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { read as readPalletEvent } from "@dockline/core/movement/PalletOperations"
import { Pallets } from "@dockline/core/movement/Pallets"
import { GraphqlEngine, makeEngine } from "@dockline/graphql-adapter/engine/Engine"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import type { GraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import type { SchemaServices } from "@dockline/graphql-adapter/resolvers/Run"
import { Effect, Layer } from "effect"
import { services, sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import * as Running from "../../graphql-adapter/test/Running.ts"
import { kargoGraphql } from "../src/KargoGraphql.ts"

/** The engine and the services under it. */
export const engine = (config: Partial<GraphqlConfig> = {}) => {
  const settings = { ...defaultGraphqlConfig, ...config }
  return GraphqlEngine.layer(settings, [kargoGraphql]).pipe(Layer.provideMerge(services))
}

/** A test over an engine of its own. */
export const test = Running.testsOver(engine)

/** Runs an effect over an engine with some services replaced. */
export const over = <A, E, R>(
  change: (services: SchemaServices) => Partial<SchemaServices>,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(GraphqlEngine, ({ services }) =>
    Effect.provideService(
      effect,
      GraphqlEngine,
      makeEngine({ ...services, ...change(services) }, [kargoGraphql])
    ))

/** The result of an operation at the path of Kargo's clients; `refusals` has the codes and the fields of its errors. */
export const ask = (query: string, variables?: Record<string, unknown>, client?: string) =>
  Effect.map(Running.ask(query, variables, client, kargoGraphql.path), ({ data = null, errors = [] }) => ({
    data,
    refusals: errors.map(({ extensions, message }) => {
      const { code, errors = [], reason = code } = extensions as {
        readonly code: string
        readonly reason?: string
        readonly errors?: ReadonlyArray<{ readonly path: string }>
      }
      return [reason, ...errors.map(({ path }) => path), ...(errors.length === 0 ? [message] : [])].join(" ")
    })
  }))

/** The data of an operation that must not be refused. */
export const dataOf = <Data = unknown>(query: string, variables?: Record<string, unknown>, client?: string) =>
  Effect.flatMap(
    ask(query, variables, client),
    ({ data, refusals }) =>
      refusals.length === 0 ? Effect.succeed(data as Data) : Effect.die(new Error(refusals.join("; ")))
  )

/** The reason why an operation is refused. */
export const refusalOf = (query: string, variables?: Record<string, unknown>, client?: string) =>
  Effect.map(ask(query, variables, client), ({ refusals }) => refusals)

const readDocument = DocumentInput.reader()

/** Submits a document as REST does. */
export const submit = (document: Record<string, unknown>): Effect.Effect<IntakeResult, unknown, Intake> =>
  Effect.gen(function*() {
    const intake = yield* Intake
    return yield* intake.submit(
      yield* Effect.fromResult(readDocument({ business: "acme", facility: "east", ...document })),
      sessionOf("acme-client").principal
    )
  })

/** Reports a pallet as a tower does. */
export const pass = (event: Record<string, unknown>) =>
  Effect.gen(function*() {
    const pallets = yield* Pallets
    return yield* pallets.record(
      yield* Effect.fromResult(
        readPalletEvent({ business: "acme", facility: "east", dockSlug: "D1", ...event })
      ),
      sessionOf("tower").principal
    )
  })
