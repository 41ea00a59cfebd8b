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

/** Requests with two or more faults, and the fault that the answer reports (D3.9, D3.8). */
const cases: ReadonlyArray<readonly [name: string, document: unknown, options?: RequestOptions]> = [
  ["401 before 415", order(), { ...unauthenticated, ...plain }],
  ["401 before 413", large, unauthenticated],
  ["401 before 400", "{", unauthenticated],
  ["401 before 422", {}, unauthenticated],
  ["401 before 404", order({ business: "nobody" }), unauthenticated],
  ["415 before 413", large, plain],
  ["415 before 400", "{", plain],
  ["413 before 400", large],
  ["413 before 422", order({ direction: "UP", carrier: large })],
  ["413 for items before 400", order({ carrier: 5, ...tooMany })],
  ["413 for items before 422", order({ direction: "UP", ...tooMany })],
  ["413 for items before 404", order({ business: "nobody", ...tooMany })],
  ["400 before 422", order({ direction: "UP", carrier: 5 })],
  ["400 before 404", order({ business: "nobody", carrier: 5 })],
  ["422 before 404", order({ business: "nobody", direction: "UP" })],
  ["422 before 403", order({ direction: "UP" }), { client: "globex-client" }]
]

layer(layerMemory({ bodyLimit, itemLimit }), { excludeTestServices: true })(
  "D3.9",
  (it) => {
    for (const [name, document, options] of cases) {
      it.effect(name, () =>
        Effect.gen(function*() {
          const server = yield* TestServer
          const reply = yield* server.post(document, options)
          assert.strictEqual(reply.status, Number(name.slice(0, 3)), reply.text)
        }))
    }
  }
)
