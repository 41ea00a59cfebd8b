/**
 * The GraphQL over HTTP specification, as `graphql-http` audits it (D8.8).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverAudits } from "graphql-http"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"

layer(layerMemory(), { excludeTestServices: true })("GraphQL over HTTP", (it) => {
  it.effect("all 61 audits pass with a token", () =>
    Effect.gen(function*() {
      const { url } = yield* GraphqlServer
      const token = yield* (yield* TestServer).token("acme-client")
      const audits = serverAudits({
        url,
        fetchFn: (input: string, init: RequestInit = {}) => {
          const headers = new Headers(init.headers)
          headers.set("authorization", `Bearer ${token}`)
          return fetch(input, { ...init, headers })
        }
      })
      const results = yield* Effect.promise(() => Promise.all(audits.map((audit) => audit.fn())))
      assert.deepStrictEqual(
        results.flatMap((result) =>
          result.status === "ok" ? [] : [[result.status, result.name, result.reason]]
        ),
        []
      )
      assert.strictEqual(results.length, 61)
    }))
})
