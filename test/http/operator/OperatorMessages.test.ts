/** D7.5, D11: moving the ids of messages on, and cursors of webhook endpoints beyond the log, over real sockets. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { bodyOf, endpointOf, faultsOf, makeBusiness, operate, vault } from "./Operator.ts"

const limit = 1_000_000_000_000

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

    it.effect("are not moved by what is no id, nor by more than 10^12", () =>
      Effect.gen(function*() {
        const [newest] = (yield* palletMessages(1)).ids
        for (const beyond of [0, -1, 1.5, 2 ** 53]) {
          const reply = yield* advance({ beyond })
          assert.strictEqual(reply.status, 422, String(beyond))
          assert.deepStrictEqual(Object.keys(faultsOf(reply)), ["beyond"])
        }
        for (const body of [{}, { beyond: "7" }, { beyond: 7, business: "acme" }]) {
          assert.include([400, 422], (yield* advance(body)).status)
        }
        for (const beyond of [newest! + limit + 1000, Number.MAX_SAFE_INTEGER]) {
          const reply = yield* advance({ beyond })
          assert.deepStrictEqual(refusalOf(reply), [422, "ADVANCE_TOO_FAR"])
        }
        const [next] = (yield* palletMessages(1)).ids
        assert.isBelow(next!, newest! + limit)
      }))

    it.effect("an endpoint cannot begin beyond the next message: 409 CURSOR_AHEAD", () =>
      Effect.gen(function*() {
        const business = yield* makeBusiness
        const made = yield* operate("POST", "webhook-endpoints", { ...endpointOf(business), fromId: 1 })
        assert.strictEqual(made.status, 201, made.text)
        const ahead = yield* operate("POST", "webhook-endpoints", { ...endpointOf(business), fromId: 2 })
        assert.deepStrictEqual(refusalOf(ahead), [409, "CURSOR_AHEAD"])
      }))
  }
)
