/**
 * What holds for every delivery store: how much waits for each endpoint, and since when.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/webhooks/DeliveryStore"
import { backlogLimit } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import {
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  open,
  settle,
  take,
  takeWindow,
  update
} from "../../worlds/DeliveryWorld.ts"
import type { Part } from "../../worlds/DeliveryWorld.ts"
import { aBusiness, at as atMillis, day, longAgo, longRetention } from "../../worlds/MessageLogWorld.ts"

/** The backlog of an endpoint; others of the store, such as earlier runs have left behind, are left out. */
const backlogOf = (id: number) =>
  Effect.map(
    DeliveryStore.use((store) => store.backlog),
    (all): EndpointBacklog | undefined => all.find(({ endpointId }) => endpointId === id)
  )

/** What waits, and whether it was sent when the message of that id was. */
const waits = Effect.fnUntraced(function*(id: number) {
  const { messages, oldestAt } = (yield* backlogOf(id))!
  return [messages, oldestAt] as const
})

/** When a message was sent. */
const sentAt = Effect.fnUntraced(function*(business: string, id: number) {
  const log = yield* MessageLog
  const query = { business, facility: undefined, types: ["PALLET_EVENT", "SHIPMENT_COMPLETE"] as const }
  const { messages } = yield* log.read(query, { afterId: id - 1 }, 1)
  return messages[0]!.sentAt
})

/** The cases of backlogs. */
export const backlogs: Part = (test, describe) => {
  describe("what waits", () => {
    test("counts what is pending and what the log holds after the cursor", function*() {
      const { business, id, ids, lease, fresh } = yield* takeWindow([1, 2, 3])
      assert.deepStrictEqual(yield* waits(id), [3, yield* sentAt(business, ids[0]!)])
      yield* settle(lease, ids[2]!, {
        results: [deliveryOf(fresh[0]!), failureOf(fresh[1]!, 0, 5), deliveryOf(fresh[2]!)]
      })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, ids[1]!)])
      const later = yield* appendOf(business, [4, 5])
      assert.deepStrictEqual(yield* waits(id), [3, yield* sentAt(business, ids[1]!)])
      yield* settle(lease, ids[2]!, { results: [deliveryOf(fresh[1]!)] })
      assert.deepStrictEqual(yield* waits(id), [2, yield* sentAt(business, later[0]!)])
      const rest = yield* take(lease, ids[2]!)
      // Settled before what comes before it: the cursor stays.
      yield* settle(lease, ids[2]!, { results: [deliveryOf(rest.fresh[1]!)] })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, later[0]!)])
      yield* settle(lease, later[1]!, { results: [deliveryOf(rest.fresh[0]!)] })
      assert.deepStrictEqual(yield* waits(id), [0, null])
    })

    test("counts what each endpoint wants, dispatched for or not, up to a limit", function*() {
      const business = yield* aBusiness
      const all = yield* create(business)
      const rare = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
      const elsewhere = yield* create(business, { facility: "west" })
      const [first] = yield* appendOf(business, [1, 2])
      const [done] = yield* appendOf(business, [3], { type: "SHIPMENT_COMPLETE" })
      assert.deepStrictEqual(yield* waits(all.id), [3, yield* sentAt(business, first!)])
      assert.deepStrictEqual(yield* waits(rare.id), [1, yield* sentAt(business, done!)])
      assert.deepStrictEqual(yield* waits(elsewhere.id), [0, null])
      yield* update(all.id, { enabled: false, disabledReason: "OPERATOR" })
      yield* appendOf(business, Array.from({ length: backlogLimit }, () => 9))
      assert.deepStrictEqual(yield* waits(all.id), [backlogLimit, yield* sentAt(business, first!)])
    })

    test("tells of each endpoint how it fares, and nothing of one that is gone", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const well: EndpointBacklog = {
        endpointId: id,
        business,
        enabled: true,
        disabledReason: "",
        failingSince: null,
        awaitsLogin: false,
        messages: 0,
        oldestAt: null
      }
      assert.deepStrictEqual(yield* backlogOf(id), well)
      const { lease } = yield* open(id)
      const login = { failures: 1, retryAt: at(60), error: "no" }
      yield* settle(lease, 0, { failingSince: at(3), login })
      assert.deepStrictEqual(yield* backlogOf(id), { ...well, failingSince: at(3), awaitsLogin: true })
      yield* settle(lease, 0, { failingSince: at(3), disable: "FAILING" })
      const disabled = { ...well, enabled: false, disabledReason: "FAILING" as const, failingSince: at(3) }
      assert.deepStrictEqual(yield* backlogOf(id), disabled)
      assert.strictEqual(yield* backlogOf(id + 1_000_000), undefined)
    })

    test("a pending message that was dropped by age waits since the last one that was", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const [old] = yield* atMillis(longAgo)(appendOf(business, [1]))
      const [last] = yield* atMillis(longAgo + day)(appendOf(business, [2]))
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, last!, { results: [failureOf(fresh[0]!, 0, 5), deliveryOf(fresh[1]!)] })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, old!)])
      yield* atMillis(longAgo + longRetention + day + 1)(log.dropExpired)
      assert.deepStrictEqual(yield* waits(id), [1, new Date(longAgo + day).toISOString()])
    }, { retentionMillis: longRetention })
  })
}
