/**
 * The log entry of a 503 for operators: its cause, under the correlation id of the answer, once.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const logged: Array<string> = []

serving("D4.3 a 503", layerMemory({ onLog: (line) => void logged.push(line) }), (test) => {
  test("is logged with its cause under the correlation id", function*({ intercept, post, token }) {
    const used = yield* token("acme-client")
    yield* intercept(Effect.fail(new StorageUnavailable({ cause: new Error("connection refused") })))
    logged.length = 0
    const reply = yield* post(order(), { headers: { "correlation-id": "quoted-by-the-client" } })
    assert.deepStrictEqual([...refusalOf(reply), reply.headers["retry-after"]], [
      503,
      "STORAGE_UNAVAILABLE",
      "2"
    ])
    const lines = logged.filter((line) => line.includes("connection refused"))
    assert.lengthOf(lines, 1)
    assert.nestedInclude(JSON.parse(lines[0]!), {
      level: "WARN",
      "annotations.correlationId": "quoted-by-the-client"
    })
    assert.notInclude(lines[0], used)
  })
})
