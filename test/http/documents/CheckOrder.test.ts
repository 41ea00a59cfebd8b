import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, TestServer } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"

const bodyLimit = 4096
const large = "x".repeat(bodyLimit + 1)
const itemLimit = 5
const tooMany = { items: Array.from({ length: itemLimit + 1 }, (_, index) => item(`L-${index}`)) }
const plain: RequestOptions = { headers: { "content-type": "text/plain" } }
const unauthenticated: RequestOptions = { client: null }

/** Requests that are wrong in two ways or more, by the one that is told (D3.9, D3.8). */
const cases: ReadonlyArray<{
  readonly name: string
  readonly document: unknown
  readonly options?: RequestOptions
  readonly status: number
}> = [
  { name: "401 before 415", document: order(), options: { ...unauthenticated, ...plain }, status: 401 },
  { name: "401 before 413", document: large, options: unauthenticated, status: 401 },
  { name: "401 before 400", document: "{", options: unauthenticated, status: 401 },
  { name: "401 before 422", document: {}, options: unauthenticated, status: 401 },
  { name: "401 before 404", document: order({ business: "nobody" }), options: unauthenticated, status: 401 },
  { name: "415 before 413", document: large, options: plain, status: 415 },
  { name: "415 before 400", document: "{", options: plain, status: 415 },
  { name: "413 before 400", document: large, status: 413 },
  { name: "413 before 422", document: order({ direction: "UP", carrier: large }), status: 413 },
  { name: "413 for items before 400", document: order({ carrier: 5, ...tooMany }), status: 413 },
  { name: "413 for items before 422", document: order({ direction: "UP", ...tooMany }), status: 413 },
  { name: "413 for items before 404", document: order({ business: "nobody", ...tooMany }), status: 413 },
  { name: "400 before 422", document: order({ direction: "UP", carrier: 5 }), status: 400 },
  { name: "400 before 404", document: order({ business: "nobody", carrier: 5 }), status: 400 },
  { name: "422 before 404", document: order({ business: "nobody", direction: "UP" }), status: 422 },
  {
    name: "422 before 403",
    document: order({ direction: "UP" }),
    options: { client: "globex-client" },
    status: 422
  }
]

layer(layerMemory({ bodyLimit, itemLimit }), { excludeTestServices: true })(
  "D3.9",
  (it) => {
    for (const { name, document, options, status } of cases) {
      it.effect(name, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const reply = yield* server.post(document, options)
          assert.strictEqual(reply.status, status, reply.text)
        }))
    }
  }
)
