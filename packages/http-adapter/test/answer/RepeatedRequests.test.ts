/** D5.2 and D10.3: a kept answer is for a client that may have it now. */
import type { Grant, Permission, Principal } from "@dockline/core/Access"
import { StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import * as Memory from "@dockline/core/Memory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../../src/answer/Answer.ts"
import { RepeatedRequests } from "../../src/answer/RepeatedRequests.ts"
import { grant } from "../AuthSetup.ts"

const layer = RepeatedRequests.layer.pipe(
  Layer.provide(Memory.layers.IdempotencyStore),
  Layer.provide(MemoryDatabase.layer)
)

const request = HttpServerRequest.fromWeb(
  new Request("http://localhost/v1/documents", { method: "POST", headers: { "idempotency-key": "k" } })
)

const answered = {
  status: 201,
  headers: {},
  contentType: "application/json",
  body: "{}",
  place: { business: "acme", facility: "east" }
}

const ask = Effect.fnUntraced(function*(
  grants: ReadonlyArray<Grant>,
  status = 201,
  permissions: ReadonlyArray<Permission> = ["documents:write"]
) {
  const { once } = yield* RepeatedRequests
  const principal: Principal = { clientId: "wms", grants }
  return yield* once(
    { principal, permissions, operation: [], body: new Uint8Array() },
    Effect.succeed({ ...answered, status })
  ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request))
})

const lost: ReadonlyArray<readonly [string, ReadonlyArray<Grant>]> = [
  ["all grants", []],
  ["the facility", [{ ...grant, facilities: ["west"] }]],
  ["the business", [{ ...grant, business: "globex" }]],
  ["the permission", [{ ...grant, permissions: ["messages:read"] }]]
]

describe("D10.3 a kept answer", () => {
  it.effect("is replayed to a client that still has the permission", () =>
    Effect.gen(function*() {
      yield* ask([grant])
      const replayed = yield* ask([{ ...grant, facilities: ["east"] }])
      assert.strictEqual(replayed.status, 201)
      assert.deepStrictEqual(replayed.headers, { "idempotency-replayed": "true" })
    }).pipe(Effect.provide(layer)))

  it.effect("is replayed to a client that has one of the permissions that suffice", () =>
    Effect.gen(function*() {
      yield* ask([grant], 201, ["shipments:write", "documents:write"])
      const moved = [{ ...grant, permissions: ["shipments:write"] as const }]
      const replayed = yield* ask(moved, 201, ["shipments:write", "documents:write"])
      assert.strictEqual(replayed.headers["idempotency-replayed"], "true")
      const refused = yield* Effect.flip(ask(lost[3]![1], 201, ["shipments:write", "documents:write"]))
      assert.include(refused.message, "shipments:write or documents:write")
    }).pipe(Effect.provide(layer)))

  it.effect.each(lost)(
    "is forbidden to a client that has lost %s, and is kept all the same",
    ([, grants]) =>
      Effect.gen(function*() {
        yield* ask([grant])
        const error = yield* Effect.flip(ask(grants))
        assert.deepStrictEqual([error.code, error.category], ["FORBIDDEN", "forbidden"])
        assert.strictEqual((yield* ask([grant])).headers["idempotency-replayed"], "true")
      }).pipe(Effect.provide(layer))
  )
})

/** A store whose transaction breaks after what ran in it. */
const losing = Layer.succeed(
  IdempotencyStore,
  IdempotencyStore.of({
    once: (_request, first) => Effect.andThen(first, Effect.fail(new StorageUnavailable({ cause: "lost" })))
  })
)

describe("a request that is answered 503 has one line in the log", () => {
  for (
    const [name, store] of [
      ["when what it asked for was refused", Memory.layers.IdempotencyStore],
      ["when the transaction around that was lost too", losing]
    ] as const
  ) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const { once } = yield* RepeatedRequests
        const answer = yield* once(
          {
            principal: { clientId: "wms", grants: [grant] },
            permissions: ["documents:write"],
            operation: [],
            body: new Uint8Array()
          },
          Effect.fail(new StorageUnavailable({ cause: "away" }))
        ).pipe(
          Effect.catch(Answer.refuse),
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
        )
        assert.strictEqual(answer.status, 503)
        assert.deepStrictEqual(lines, ["Answered 503 STORAGE_UNAVAILABLE"])
      }).pipe(
        Effect.provide(RepeatedRequests.layer.pipe(Layer.provide(store), Layer.provide(MemoryDatabase.layer)))
      ))
  }
})
