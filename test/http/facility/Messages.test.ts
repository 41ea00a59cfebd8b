import type { MessageView } from "@dockline/core/messages/MessageView"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf, TestServer } from "../../support/TestServer.ts"
import type { PageView } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { depart, palletMessages } from "./Facility.ts"

/** A page of messages, requested by acme's customer. */
const list = (query: string) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const reply = yield* server.get(`/v1/messages?business=acme&${query}`)
    assert.strictEqual(reply.status, 200, reply.text)
    return reply.body as PageView<MessageView>
  })

const idsOf = ({ items }: PageView<MessageView>) => items.map(({ id }) => id)

serving("D13.3 messages over REST", layerMemory(), (test) => {
  test(
    "are those of the log, as pushMessages shows them, in pages that follow each other by next",
    function*(server) {
      const { ids, shipmentId } = yield* palletMessages(3)
      yield* depart(shipmentId)
      const logged = yield* server.messages("acme", ids[0]! - 1, messageTypes)
      const all = yield* list(`afterId=${ids[0]! - 1}`)
      assert.deepStrictEqual(
        all.items,
        logged.map(({ business, facility, id, json, sentAt, type }) => ({
          id,
          businessSlug: business,
          facilitySlug: facility,
          messageType: type,
          message: JSON.parse(json),
          sentAt: sentAt.replace("Z", "+00:00")
        }))
      )
      assert.deepStrictEqual(all.items.map(({ messageType }) => messageType).slice(-3), [
        "PALLET_EVENT",
        "SHIPMENT_COMPLETE",
        "SHIPMENT_DISCREPANCIES"
      ])
      assert.isNull(all.next)
      const first = yield* list(`afterId=${ids[0]! - 1}&limit=3`)
      assert.deepStrictEqual([idsOf(first), first.next], [ids, String(ids[2])])
      const second = yield* list(`afterId=${first.next}&limit=3`)
      assert.deepStrictEqual([second.items.length, second.next], [2, null])
    }
  )

  const refusals: ReadonlyArray<readonly [string, string, number, string]> = [
    ["no business", "", 400, "INVALID_PARAMETER"],
    ["another type", "business=acme&messageType=OTHER", 400, "INVALID_PARAMETER"],
    ["a time that is none", "business=acme&since=yesterday", 400, "INVALID_PARAMETER"],
    ["more than 100 at once", "business=acme&limit=101", 400, "INVALID_PARAMETER"],
    ["a negative id", "business=acme&afterId=-1", 400, "INVALID_PARAMETER"],
    ["an unknown parameter", "business=acme&after=1", 400, "INVALID_PARAMETER"],
    ["an unknown business", "business=initech", 404, "BUSINESS_NOT_FOUND"],
    ["an unknown facility", "business=acme&facility=north", 404, "FACILITY_NOT_FOUND"],
    ["another's business", "business=globex", 403, "FORBIDDEN"],
    ["beyond the newest", "business=acme&afterId=9007199254740991", 409, "CURSOR_AHEAD"]
  ]
  for (const [name, query, status, code] of refusals) {
    test(`${name}: ${status} ${code}`, function*(server) {
      assert.deepStrictEqual(refusalOf(yield* server.get(`/v1/messages?${query}`)), [status, code])
    })
  }
})
