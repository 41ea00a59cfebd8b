/**
 * D11, D20.4: no write silently ignores a precondition. Each write either supports the header, and the contract says so, or refuses a
 * request with it, because it would have no effect.
 */
import { assert } from "@effect/vitest"
import { layerMemory } from "../../support/TestServer.ts"
import { faultsOf, vault } from "../operator/Operator.ts"
import { serving } from "../Serving.ts"
import { writes } from "./DeclaredPaths.ts"

/** The headers of preconditions, each with a value that matches an existing entity. */
const conditions = {
  "If-Match": "\"1\"",
  "If-None-Match": "*",
  "If-Unmodified-Since": "Sun, 29 Nov 2026 07:00:00 GMT"
}

serving("D11 preconditions of writes", layerMemory({ vault }), (test) => {
  test("are taken where the contract says so, and else refused", function*(server) {
    assert.isAbove(writes.length, 40)
    for (const { declared: { parameters = [], requestBody }, method, path } of writes) {
      for (const [name, value] of Object.entries(conditions)) {
        const isTaken = parameters.some((each) =>
          each.in === "header" && each.name.toLowerCase() === name.toLowerCase()
        )
        const [type] = Object.keys(requestBody?.content ?? {})
        const reply = yield* server.request(method, path, {
          client: "operator",
          headers: { [name.toLowerCase()]: value, ...(type === undefined ? {} : { "content-type": type }) },
          ...(type === undefined ? {} : { body: "{}" })
        })
        const fault = faultsOf(reply)[name] ?? ""
        const told = `${method} ${path} ${name}: ${reply.text}`
        if (isTaken) assert.strictEqual(fault, "", told)
        else {
          assert.strictEqual(reply.status, 400, told)
          assert.match(fault, /^is not supported here and would have no effect/, told)
        }
      }
    }
  })

  test("that no version can meet are refused with the remedy", function*(server) {
    const taking = writes.filter(({ declared: { parameters = [] } }) =>
      parameters.some(({ name }) => name.toLowerCase() === "if-match")
    )
    assert.isAbove(taking.length, 4)
    const cases = [
      ["2", /double quotes/],
      ["'2'", /double quotes/],
      ["\"1\", 2", /double quotes/],
      ["", /double quotes/],
      ["W/\"2\"", /without W\//],
      ["W/\"1\", W/\"2\"", /without W\//]
    ] as const
    for (const { method, path } of taking) {
      for (const [tag, remedy] of cases) {
        const reply = yield* server.request(method, path, {
          client: "operator",
          headers: { "content-type": "application/json", "if-match": tag },
          body: "{}"
        })
        assert.strictEqual(reply.status, 400, `${method} ${path} ${tag}: ${reply.text}`)
        assert.match(faultsOf(reply)["If-Match"] ?? "", remedy, `${method} ${path} ${tag}: ${reply.text}`)
      }
    }
  })
})
