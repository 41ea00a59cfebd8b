/**
 * What an operator learns of a 503: its cause, under the correlation id of the answer, once.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf, TestServer } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"

const logged: Array<string> = []

layer(layerMemory({ onLog: (line) => void logged.push(line) }), { excludeTestServices: true })(
  "D4.3 a 503",
  (it) => {
    it.effect("is logged with its cause under the correlation id", () =>
      Effect.scoped(Effect.gen(function*() {
        const { intercept, post, token } = yield* TestServer
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
      })))
  }
)
