/**
 * REST and GraphQL call the same operations (D4.4, D8.4): two services of the same history, one told over REST and one
 * over GraphQL, give the same data and the same refusals all along.
 */
import { payloadOf } from "@dockline/core/Message"
import type { ShipmentView } from "@dockline/core/View"
import type { Problem } from "@dockline/wire/Problem"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import type { ShownError } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { historyOf } from "./OneHistory.ts"
import type { Fields, Step } from "./OneHistory.ts"
import type { Server } from "./Writers.ts"

/** Two servers in the same state. */
class Twins
  extends Context.Service<Twins, { readonly rest: Server; readonly graphql: Server }>()("test/Twins")
{}

const twins = (make: () => Layer.Layer<GraphqlServer | TestServer>) =>
  Layer.effect(
    Twins,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const start = Effect.suspend(() => Layer.buildWithMemoMap(make(), Layer.makeMemoMapUnsafe(), scope))
      return Twins.of({ rest: yield* start, graphql: yield* start })
    })
  )

const isNow = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && Math.abs(Date.parse(text) - Date.now()) < 600_000

/** A value with the times of this very moment made alike. */
const timeless = (value: unknown): unknown => {
  if (typeof value === "string") return isNow(value) ? "now" : value
  if (Array.isArray(value)) return value.map(timeless)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, timeless(member)]))
}

const tellRest = Effect.fnUntraced(function*(server: Server, { client, rest: [method, path, body] }: Step) {
  const { request } = Context.get(server, TestServer)
  const isXml = typeof body === "string"
  return yield* request(method, path, {
    client,
    ...(body === undefined ? {} : {
      headers: { "content-type": isXml ? "application/xml" : "application/json" },
      body: isXml ? body : JSON.stringify(body)
    })
  })
})

const tellGraphql = (server: Server, { client, graphql }: Step) => {
  const { execute, fetch } = Context.get(server, GraphqlServer)
  return graphql instanceof FormData
    ? fetch({ method: "POST", body: graphql, headers: { accept: "application/json" } }, client)
    : execute(graphql, client)
}

const fieldOf = (data: unknown): Fields => Object.values(data as Readonly<Record<string, Fields>>)[0]!

const codesByStatus: Readonly<Record<number, string>> = {
  400: "BAD_USER_INPUT",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  422: "BAD_USER_INPUT"
}

const holdRefusals = (refused: string, problem: Problem, errors: ReadonlyArray<ShownError> | undefined) => {
  if (refused === "by type") {
    assert.include([400, 422], problem.status)
    assert.deepStrictEqual(
      new Set(errors?.map(({ extensions }) => extensions.code)),
      new Set(["BAD_USER_INPUT"])
    )
    return
  }
  assert.strictEqual(errors?.length, 1)
  const { extensions, message } = errors![0]!
  assert.strictEqual(extensions.code, codesByStatus[problem.status])
  if (refused === "any") return
  assert.deepStrictEqual([problem.code, extensions.reason], [refused, refused])
  assert.strictEqual(message, problem.detail)
  assert.deepStrictEqual(extensions.errors, problem.errors)
}

layer(twins(() => layerPostgres()), { excludeTestServices: true })("D8.4 REST and GraphQL", (it) => {
  const ids = new Map<string, number>()
  for (const [at, { name }] of historyOf(() => 0).entries()) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const step = historyOf((shipmentNumber) => ids.get(shipmentNumber)!)[at]!
        const { rest, graphql } = yield* Twins
        const reply = yield* tellRest(rest, step)
        const { data, errors, text } = yield* tellGraphql(graphql, step)
        if (step.refused !== undefined) {
          assert.isAtLeast(reply.status, 400, reply.text)
          return holdRefusals(step.refused, reply.body as Problem, errors)
        }
        assert.isBelow(reply.status, 300, reply.text)
        assert.strictEqual(errors, undefined, text)
        const value = (step.toRest ?? ((value: Fields) => value))(fieldOf(data))
        assert.deepStrictEqual(timeless(value), timeless(reply.body))
        const { shipment } = reply.body as { readonly shipment?: ShipmentView }
        if (shipment !== undefined) ids.set(shipment.shipmentNumber, shipment.id)
      }))
  }

  it.effect("the messages of both histories are the same", () =>
    Effect.gen(function*() {
      const { rest, graphql } = yield* Twins
      for (const business of ["acme", "globex"]) {
        const [left, right] = [
          yield* Context.get(rest, TestServer).messages(business),
          yield* Context.get(graphql, TestServer).messages(business)
        ]
        assert.deepStrictEqual(right.map(payloadOf), left.map(payloadOf))
        assert.deepStrictEqual(
          right.map(({ id, type }) => [id, type]),
          left.map(({ id, type }) => [id, type])
        )
        if (business === "acme") assert.strictEqual(left.length, 4)
      }
    }))
})
