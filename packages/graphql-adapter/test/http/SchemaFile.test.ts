/** The schema as a file, for generators of clients. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { buildSchema } from "graphql"
import { server, TestGraphql } from "../HttpSetup.ts"

describe("schema.graphql", () => {
  it.effect("is the schema, without a token and with a version", () =>
    Effect.gen(function*() {
      const { url } = yield* TestGraphql
      const response = yield* Effect.promise(() => fetch(`${url}/schema.graphql`))
      assert.strictEqual(response.headers.get("content-type"), "text/plain; charset=utf-8")
      const schema = buildSchema(yield* Effect.promise(() => response.text()))
      assert.includeMembers(Object.keys(schema.getQueryType()!.getFields()), ["pushMessages", "shipments"])
      const again = yield* Effect.promise(() =>
        fetch(`${url}/schema.graphql`, { headers: { "if-none-match": response.headers.get("etag")! } })
      )
      assert.strictEqual(again.status, 304)
    }).pipe(Effect.provide(server())))
})
