/**
 * Every pair of client and place, by each declared operation: a client with any permission at a facility sees the dock's data (D13), over
 * REST in JSON and in CSV and over GraphQL, and nobody else does; messages and writes need a permission of their own.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { Api } from "@dockline/http-adapter/api/Api"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { GraphqlServer, layerPostgres } from "../../support/GraphqlServer.ts"
import type { Answer } from "../../support/GraphqlServer.ts"
import { TestServer } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { asked, entriesOf, isEverywhere, isReading, methods, operations, refusalOf } from "./Asked.ts"
import type { Given, Method } from "./Asked.ts"
import { codeOf, documentOf, rest } from "./Doors.ts"
import { clients, makeEverywhere } from "./Everywhere.ts"
import type { Client, Made } from "./Everywhere.ts"
import { graphql } from "./Intruder.ts"

/** The lists of operators, whose paths contain no names. */
const operatorLists: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => {
    if (path.startsWith("/v1/operator/") && method === "GET" && !path.includes(":")) operatorLists.push(path)
  }
})

describe("the routes of operators", () => {
  plainIt("have lists, the record of operators among them", () => {
    assert.include(operatorLists, "/v1/operator/audit")
  })
})

const csv = { accept: "text/csv" }

const linesOf = (text: string): number => text.trimEnd().split("\r\n").length - 1

/** Reads over REST, a list in CSV too; returns the number of entries of a list. */
const read = Effect.fnUntraced(
  function*(method: Method, given: Given, as: RequestOptions, refusal: string | undefined) {
    const reply = yield* rest(method, given, as)
    assert.strictEqual(codeOf(reply), refusal, `${method}: ${reply.text}`)
    if (operations[method].kind !== "list") return undefined
    const table = yield* rest(method, given, as, csv)
    assert.strictEqual(table.status, reply.status, `${method} in CSV: ${table.text}`)
    if (refusal !== undefined) return undefined
    const { items } = reply.body as { readonly items: ReadonlyArray<unknown> }
    assert.match(table.headers["content-type"]!, /^text\/csv/)
    assert.strictEqual(linesOf(table.text), items.length, method)
    return items.length
  }
)

interface Placed {
  readonly business: { readonly slug: string }
  readonly facility: { readonly slug: string }
}

/** The places of the entries of a list over GraphQL. */
const placesOf = ({ data }: Answer): ReadonlyArray<string> =>
  Object.values((data ?? {}) as Readonly<Record<string, { readonly nodes: ReadonlyArray<Placed> }>>)
    .flatMap(({ nodes }) => nodes.map(({ business, facility }) => `${business.slug}/${facility.slug}`))

const reasonsOf = ({ errors }: Answer) => (errors ?? []).map(({ extensions }) => extensions.reason)

const ofAllPlaces = ({ business: _business, facility: _facility, ...others }: Given): Given => others

/** Operations in order: reads come first, because writes change their results. */
const ordered = [
  ...methods.filter((method) => isReading(operations[method])),
  ...methods.filter((method) => !isReading(operations[method]))
]

/** Calls each operation at each place over REST. */
const overRest = Effect.fnUntraced(
  function*(client: Client, everywhere: ReadonlyArray<Made>, as: RequestOptions) {
    for (const method of ordered) {
      const { name, ...operation }: Operation.Any = operations[method]
      for (const made of everywhere) {
        const given = asked[method](made)
        const refusal = refusalOf(method, client, made)
        if (isReading({ name, ...operation })) {
          const entries = yield* read(
            method,
            method === "exceptions" ? { ...given, limit: 1 } : given,
            as,
            refusal
          )
          if (entries !== undefined) assert.isAtLeast(entries, 1, method)
          if (entries !== undefined && entriesOf(method) !== undefined) {
            assert.strictEqual(entries, entriesOf(method), method)
          }
        } else {
          const reply = yield* rest(method, given, as)
          const what = `${name} at ${made.place}: ${reply.text}`
          if (refusal === undefined) assert.notInclude([401, 403, 404], reply.status, what)
          else assert.strictEqual(codeOf(reply), refusal, what)
        }
      }
      // Exceptions have no number that only those of this test have.
      if (!isEverywhere(method) || method === "exceptions") continue
      const all = yield* read(method, ofAllPlaces(asked[method](everywhere[0]!)), as, undefined)
      assert.strictEqual(all, client.sees.length, method)
    }
  }
)

/** Reads by each operation at each place over GraphQL. */
const overGraphql = Effect.fnUntraced(
  function*(client: Client, everywhere: ReadonlyArray<Made>, as: RequestOptions) {
    const { engine: { schema } } = yield* GraphqlServer
    for (const method of methods.filter((method) => isReading(operations[method]))) {
      for (const made of everywhere) {
        const refusal = refusalOf(method, client, made)
        const answer: Answer = yield* graphql(as, { query: documentOf(schema, method, asked[method](made)) })
        const what = `${method} at ${made.place}: ${answer.text}`
        assert.deepStrictEqual(reasonsOf(answer), refusal === undefined ? [] : [refusal], what)
        if (refusal === undefined && isEverywhere(method)) {
          assert.deepStrictEqual(Array.from(new Set(placesOf(answer))), [made.place], what)
        }
      }
      if (!isEverywhere(method)) continue
      const query = documentOf(schema, method, ofAllPlaces(asked[method](everywhere[0]!)))
      const all: Answer = yield* graphql(as, { query })
      const places = Array.from(new Set(placesOf(all))).toSorted()
      assert.deepStrictEqual(places, client.sees.toSorted(), `${method}: ${all.text}`)
    }
    for (const { business, facility, place } of everywhere) {
      // A client sees a business if it has a permission in it.
      const isKnown = client.grants.some((grant) => ["*", business].includes(grant.business))
      const ofBusiness = yield* graphql(as, { query: `{ business(slug: "${business}") { name } }` })
      assert.deepStrictEqual(reasonsOf(ofBusiness), isKnown ? [] : ["FORBIDDEN"], place)
      const query = `{ facility(business: "${business}", slug: "${facility}") { name docks } }`
      const isSeen = client.sees.includes(place)
      assert.deepStrictEqual(reasonsOf(yield* graphql(as, { query })), isSeen ? [] : ["FORBIDDEN"], place)
    }
  }
)

layer(layerPostgres({ vault }), { excludeTestServices: true })(
  "each operation by client and place",
  (it) => {
    for (const [name, client] of Object.entries(clients)) {
      it.effect(`a client that has ${name} sees ${client.sees.join(", ") || "nothing"}`, () =>
        Effect.gen(function*() {
          const everywhere = yield* makeEverywhere
          const { as } = yield* makeClient(...client.grants)
          yield* overGraphql(client, everywhere, as)
          yield* overRest(client, everywhere, as)
        }))

      it.effect(`a client that has ${name} sees nothing of operators`, () =>
        Effect.gen(function*() {
          const { get } = yield* TestServer
          const { as } = yield* makeClient(...client.grants)
          for (const path of operatorLists) {
            for (const headers of [as.headers, { ...as.headers, ...csv }]) {
              const reply = yield* get(path, { ...as, headers: { ...headers } })
              assert.strictEqual(reply.status, 403, `${path}: ${reply.text}`)
            }
          }
        }))
    }
  }
)
