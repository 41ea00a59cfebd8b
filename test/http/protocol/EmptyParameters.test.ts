/** D4.7: an empty parameter of a read counts as absent, whatever its type; a repeated one is refused as such. */
import { assert } from "@effect/vitest"
import { layerMemory } from "../../support/TestServer.ts"
import { faultsOf, vault } from "../operator/Operator.ts"
import { serving } from "../Serving.ts"
import { reads } from "./DeclaredPaths.ts"

const queries = reads.flatMap(({ declared: { parameters = [] }, path }) =>
  parameters.flatMap(({ in: place, name }) => place === "query" ? [{ path, name }] : [])
)

serving("D4.7 parameters of reads", layerMemory({ vault }), (test) => {
  test("are absent where they are empty", function*(server) {
    assert.isAbove(queries.length, 80)
    for (const { name, path } of queries) {
      const [absent, empty] = [
        yield* server.get(path, { client: "operator" }),
        yield* server.get(`${path}?${name}=`, { client: "operator" })
      ]
      assert.deepStrictEqual(
        [empty.status, faultsOf(empty)],
        [absent.status, faultsOf(absent)],
        `${path}?${name}=: ${empty.text}`
      )
    }
  })

  test("are refused where they are sent more than once", function*(server) {
    for (const { name, path } of queries) {
      const reply = yield* server.get(`${path}?${name}=1&${name}=1`, { client: "operator" })
      assert.deepStrictEqual(
        [reply.status, faultsOf(reply)],
        [400, { [name]: "was sent more than once; send it once" }],
        `${path} ${name}`
      )
    }
  })

  test("are refused where they are unknown, also if they are empty", function*(server) {
    const reply = yield* server.get("/v1/shipments?stauts=", { client: "operator" })
    assert.match(faultsOf(reply)["stauts"] ?? "", /status/)
  })

  test("of writes are not: an empty dryRun is no document", function*(server) {
    const reply = yield* server.post("{}", { query: "?dryRun=" })
    assert.deepStrictEqual([reply.status, Object.keys(faultsOf(reply))], [400, ["dryRun"]])
  })
})
