/** What the log says of a mutation under an `Idempotency-Key` that is refused: one line, whatever is lost with it. */
import { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import * as Memory from "@dockline/core/Memory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { GraphQLError, parse } from "graphql"
import type { OperationDefinitionNode } from "graphql"
import type { GraphqlEngine } from "../../src/engine/Engine.ts"
import type { Prepared } from "../../src/engine/Prepared.ts"
import * as RepeatedMutations from "../../src/engine/RepeatedMutations.ts"
import { makeRun } from "../../src/resolvers/Run.ts"
import type { GraphqlContext } from "../../src/resolvers/Run.ts"

const document = parse("mutation { record }")

const prepared = {
  source: "mutation { record }",
  document,
  operation: document.definitions[0] as OperationDefinitionNode,
  operationName: undefined,
  variables: {}
} as Prepared

const context = {
  session: { principal: { clientId: "wms", grants: [] } },
  correlationId: "c-1"
} as unknown as GraphqlContext

const memory = Layer.provide(Memory.layers.IdempotencyStore, MemoryDatabase.layer)

/** A store whose transaction breaks after what ran in it. */
const losing = Layer.succeed(
  IdempotencyStore,
  IdempotencyStore.of({
    once: (_request, first) => Effect.andThen(first, Effect.fail(new StorageUnavailable({ cause: "lost" })))
  })
)

/** The lines of a mutation whose resolver ends like this. */
const linesOf = Effect.fnUntraced(function*(
  store: Layer.Layer<IdempotencyStore>,
  resolver: Effect.Effect<void, StorageUnavailable>
) {
  const lines: Array<string> = []
  yield* Effect.gen(function*() {
    const run = makeRun(yield* Effect.context<never>())
    const engine = {
      services: { run },
      execute: (_prepared: Prepared, inside: GraphqlContext) =>
        run(resolver, inside).then(() => ({ data: {} }), (error: GraphQLError) => ({ errors: [error] }))
    } as unknown as typeof GraphqlEngine.Service
    const once = yield* RepeatedMutations.make(engine)
    yield* Effect.promise(() => once("k", prepared, context).catch(() => undefined))
  }).pipe(
    Effect.provide(store),
    Effect.provide(
      Logger.layer([
        Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      ])
    ),
    Effect.provideContext(Context.empty())
  )
  return lines
})

const refused = Effect.fail(new StorageUnavailable({ cause: "away" }))

describe("a mutation under a key", () => {
  it.effect("that is refused has one line", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOf(memory, refused), ["Warn Answered STORAGE_UNAVAILABLE"])
    }))

  it.effect("that is refused, and whose transaction is lost too, has one line", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOf(losing, refused), ["Warn Answered STORAGE_UNAVAILABLE"])
    }))

  it.effect("that breaks has the line of the defect, whatever becomes of the transaction", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOf(losing, Effect.die("broken")), [
        "Error Request failed",
        "Warn Answered STORAGE_UNAVAILABLE"
      ])
    }))
})
