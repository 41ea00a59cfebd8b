/** D7.5, D11: advancing the ids of messages, and cursors of webhook endpoints beyond the log, over real sockets. */
import { assert } from "@effect/vitest"
import { layerMemory } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { serving } from "../Serving.ts"
import { bodyOf, operate, vault } from "./Operator.ts"

serving("D7.5 the ids of messages", layerMemory({ vault }), (test) => {
  const advance = (body: object) => operate("POST", "messages/advance", body)

  test("are moved beyond what consumers may have seen, once, and never back", function*() {
    const [before] = (yield* palletMessages(1)).ids
    const beyond = before! + 1000
    for (const each of [beyond, beyond, 1]) {
      assert.deepStrictEqual(bodyOf(yield* advance({ beyond: each }), 200), { newestId: beyond })
    }
    const [after] = (yield* palletMessages(1)).ids
    assert.isAbove(after!, beyond)
  })
})
