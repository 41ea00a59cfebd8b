/** What the log says of a mutation under an `Idempotency-Key` that is refused: one line, whatever is lost with it. */
import { permissions } from "@dockline/core/Access"
import { ShipmentNotFound, StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import { Keeping } from "@dockline/core/internal/access/Keeping"
import type { Placed } from "@dockline/core/internal/access/Keeping"
import * as Memory from "@dockline/core/Memory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { GraphQLError, parse } from "graphql"
import type { OperationDefinitionNode } from "graphql"
import type { GraphqlEngine } from "../../src/engine/Engine.ts"
import * as KeyedMutations from "../../src/engine/KeyedMutations.ts"
import type { Prepared } from "../../src/engine/Prepared.ts"
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

/** A store that keeps nothing, as it is away. */
const away = Layer.succeed(
  IdempotencyStore,
  IdempotencyStore.of({ keep: () => Effect.fail(new StorageUnavailable({ cause: "away" })) })
)

const keeping = (store: Layer.Layer<IdempotencyStore>) => Layer.provide(Keeping.layer, store)

/** The lines of a mutation whose resolver ends like this. */
const linesOf = Effect.fnUntraced(function*(
  store: Layer.Layer<IdempotencyStore>,
  resolver: Effect.Effect<Placed<null>, StorageUnavailable | ShipmentNotFound>
) {
  const lines: Array<string> = []
  yield* Effect.gen(function*() {
    const run = makeRun(yield* Effect.context<never>())
    const engine = {
      services: { run },
      execute: (_prepared: Prepared, inside: GraphqlContext) =>
        run(
          Effect.flatMap(
            inside.keyed!.once(permissions, () => resolver),
            ({ result }) => Effect.fromResult(result)
          ),
          inside
        ).then(
          () => ({ data: {} }),
          (error: GraphQLError) => ({ errors: [error] })
        )
    } as unknown as typeof GraphqlEngine.Service
    const once = yield* KeyedMutations.make(engine)
    yield* Effect.promise(() => once("k", prepared, context).catch(() => undefined))
  }).pipe(
    Effect.provide(keeping(store)),
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

  it.effect("whose refusal cannot be kept has one line", () =>
    Effect.gen(function*() {
      const missing = Effect.fail(new ShipmentNotFound({ id: "1" }))
      assert.deepStrictEqual(yield* linesOf(memory, missing), [])
      assert.deepStrictEqual(yield* linesOf(away, missing), ["Warn Answered STORAGE_UNAVAILABLE"])
    }))

  it.effect("that breaks has the line of the defect", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOf(away, Effect.die("broken")), ["Error Request failed"])
    }))
})
