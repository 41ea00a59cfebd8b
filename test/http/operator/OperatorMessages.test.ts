/** D7.5, D11: moving the ids of messages on, and cursors of webhook endpoints beyond the log, over real sockets. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { bodyOf, operate, vault } from "./Operator.ts"

layer(layerMemory({ vault }), { excludeTestServices: true })(
  "D7.5 the ids of messages",
  (it) => {
    const advance = (body: object) => operate("POST", "messages/advance", body)

    it.effect("are moved beyond what consumers may have seen, once, and never back", () =>
      Effect.gen(function*() {
        const [before] = (yield* palletMessages(1)).ids
        const beyond = before! + 1000
        for (const each of [beyond, beyond, 1]) {
          assert.deepStrictEqual(bodyOf(yield* advance({ beyond: each }), 200), { newestId: beyond })
        }
        const [after] = (yield* palletMessages(1)).ids
        assert.isAbove(after!, beyond)
      }))
  }
)
