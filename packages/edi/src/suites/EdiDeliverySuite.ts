/** The rules for handing interchanges to endpoints, for every storage (D18.3). The suite of outboxes tests the further delivery. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import type { EndpointId } from "@dockline/core/values/Id"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as assert from "@dockline/testing/Assert"
import * as Suite from "@dockline/testing/Suite"
import { create, find, isReady, open, take } from "@dockline/testing/worlds/DeliveryWorld"
import {
  aDraft,
  append,
  at,
  day,
  everythingOf,
  longAgo,
  longRetention,
  read
} from "@dockline/testing/worlds/MessageLogWorld"
import { Effect } from "effect"
import { ediInterchange } from "../domain/EdiFile.ts"
import { EdiStore } from "../domain/EdiStore.ts"
import { add, aPartner } from "./EdiWorld.ts"
import type { EdiStores } from "./EdiWorld.ts"

const asking = [ediInterchange]

const text = "ISA*00*~\nä \"\\ 🚚"

/** The entries that an endpoint has to send, once a worker opens it. */
const takenBy = (endpointId: EndpointId) => Effect.flatMap(open(endpointId), ({ lease }) => take(lease, 0))

const viewOf = ({ message: { facility, shipmentId, type, ...rest } }: DueDelivery) => [
  type,
  facility,
  shipmentId,
  "text" in rest ? [rest.path, rest.mediaType, rest.text] : JSON.parse(rest.json)
]

const contentOf = (text: string) => ["/api/edi", "application/edi-x12", text]

const interchange = [ediInterchange, "east", 12, contentOf(text)]

/** The suite of the entries that the store of EDI hands to endpoints with its type. */
export const ediDeliverySuite: Suite.Suite<EdiStores | DeliveryStore | WebhookEndpointStore> = Suite.make(
  "interchanges for webhook endpoints",
  ({ describe, test }) => {
    describe("D18.3 what is to be sent", () => {
      test("is due to the endpoints that ask for it, at their places, and to no others", function*() {
        const { business, name } = yield* aPartner()
        const { id: alone } = yield* create(business, { messageTypes: asking, facility: "east" })
        const { id: withAll } = yield* create(business, { messageTypes: [...messageTypes, ...asking] })
        const { id: elsewhere } = yield* create(business, { messageTypes: asking, facility: "west" })
        const { id: silent } = yield* create(business)
        const { id: some } = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
        yield* append(aDraft(business, 1, { shipmentId: 9 }))
        yield* add(name, { text })
        yield* append(aDraft(business, 2, { shipmentId: 9 }))
        assert.deepStrictEqual((yield* takenBy(alone)).fresh.map(viewOf), [interchange])
        assert.deepStrictEqual((yield* takenBy(withAll)).fresh.map(viewOf), [
          ["PALLET_EVENT", "east", 9, { n: 1 }],
          interchange,
          ["PALLET_EVENT", "east", 9, { n: 2 }]
        ])
        assert.deepStrictEqual((yield* takenBy(elsewhere)).fresh, [])
        assert.deepStrictEqual((yield* takenBy(silent)).fresh.map(({ message }) => message.type), [
          "PALLET_EVENT",
          "PALLET_EVENT"
        ])
        assert.deepStrictEqual((yield* takenBy(some)).fresh, [])
        const backlogs = yield* Effect.forEach([alone, withAll, elsewhere, silent, some], find)
        assert.deepStrictEqual(backlogs.map(({ backlog }) => backlog), [1, 3, 0, 2, 0])
      })

      test("stays in the outbox, and no reader of messages gets it", function*() {
        const { business, name } = yield* aPartner()
        yield* create(business, { messageTypes: asking })
        const [first] = yield* append(aDraft(business, 1))
        const id = yield* add(name, { text })
        const { messages } = yield* read(everythingOf(business))
        assert.deepStrictEqual(messages.map(({ id }) => id), [first!.id])
        const { items } = yield* (yield* EdiStore).outbox(
          { business, facility: undefined, partner: undefined },
          { after: 0, limit: 10 }
        )
        assert.deepStrictEqual(items.map((file) => [file.id, file.text]), [[id, text]])
      })

      test("goes by age, and no reader of messages is refused for it", function*() {
        const { business, name } = yield* aPartner()
        yield* create(business, { messageTypes: asking })
        yield* at(longAgo)(add(name, { text }))
        const [young] = yield* at(longAgo + day)(append(aDraft(business, 1)))
        const log = yield* MessageLog
        yield* at(longAgo + longRetention + 1)(log.dropExpired)
        const { messages } = yield* read(everythingOf(business))
        assert.deepStrictEqual(messages.map(({ id }) => id), [young!.id])
      }, { retentionMillis: longRetention })

      test("is nothing that came, that could not be written, or that no endpoint asks for", function*() {
        const { business, name } = yield* aPartner()
        const { business: other, name: stranger } = yield* aPartner()
        const log = yield* MessageLog
        const { id } = yield* create(business, { messageTypes: asking })
        yield* create(other)
        yield* add(name, { direction: "IN", control: "000000101" })
        yield* add(name, { text: "", outcome: "UNWRITTEN" })
        yield* add(stranger, { text })
        assert.deepStrictEqual([yield* log.lastId(business), yield* log.lastId(other)], [0, 0])
        assert.isFalse(yield* isReady(id))
      })

      test("is sent though no shipment of it is known", function*() {
        const { business, name } = yield* aPartner()
        const { id } = yield* create(business, { messageTypes: asking })
        yield* add(name, { text, sets: [] })
        const { fresh } = yield* takenBy(id)
        assert.deepStrictEqual(fresh.map(viewOf), [[ediInterchange, "east", 0, contentOf(text)]])
      })
    })
  }
)
