/** What holds for interchanges on their way to endpoints, whatever they are stored in (D18.3). */
import { EdiStore } from "@dockline/core/edi/EdiStore"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { WebhookType } from "@dockline/core/values/Vocabulary"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpointStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import * as Suite from "../../Suite.ts"
import {
  at,
  create,
  delivered,
  deliveries,
  failed,
  find,
  isReady,
  open,
  settle,
  take,
  update
} from "../../worlds/DeliveryWorld.ts"
import { aDraft, append, everythingOf, read } from "../../worlds/MessageLogWorld.ts"
import { add, aPartner } from "./EdiStoreSuite.ts"
import type { EdiStores } from "./EdiStoreSuite.ts"

const asking: ReadonlyArray<WebhookType> = ["EDI_INTERCHANGE"]

const text = "ISA*00*~\nä \"\\ 🚚"

/** What an endpoint is to send, as it takes it. */
const takenBy = (endpointId: number, afterId = 0) =>
  Effect.gen(function*() {
    const { lease } = yield* open(endpointId)
    return { lease, ...(yield* take(lease, afterId)) }
  })

const shown = (
  { message: { facility, json, shipmentId, type } }: { readonly message: Message<WebhookType> }
) => [
  type,
  facility,
  shipmentId,
  JSON.parse(json)
]

const interchange = ["EDI_INTERCHANGE", "east", 12, { interchange: text }]

/** The suite of what the store of EDI hands to the endpoints that ask for it. */
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
        assert.deepStrictEqual((yield* takenBy(alone)).fresh.map(shown), [interchange])
        assert.deepStrictEqual((yield* takenBy(withAll)).fresh.map(shown), [
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
        const log = yield* MessageLog
        const lastId = yield* log.lastId(business)
        assert.isTrue(lastId > first!.id, "the log has it")
        for (const types of [messageTypes, messageTypes.slice(0, 2)]) {
          for (const facility of [undefined, "east"]) {
            const { messages } = yield* read(everythingOf(business, { facility, types }))
            assert.deepStrictEqual(messages.map(({ id }) => id), [first!.id])
          }
        }
        const { messages } = yield* log.read({ business, facility: undefined, types: asking }, {
          afterId: 0
        }, 10)
        assert.deepStrictEqual(messages.map((message) => shown({ message })), [interchange])
        const { items } = yield* (yield* EdiStore).outbox(
          { business, facility: undefined, partner: undefined },
          { after: 0, limit: 10 }
        )
        assert.deepStrictEqual(items.map((file) => [file.id, file.text]), [[id, text]])
      })

      test("is nothing that came, that could not be written, or that no endpoint asks for", function*() {
        const { business, name } = yield* aPartner()
        const { business: other, name: unasked } = yield* aPartner()
        const log = yield* MessageLog
        const { id } = yield* create(business, { messageTypes: asking })
        yield* create(other)
        yield* add(name, { direction: "IN", control: "000000101" })
        yield* add(name, { text: "", outcome: "UNWRITTEN" })
        yield* add(unasked, { text })
        assert.deepStrictEqual([yield* log.lastId(business), yield* log.lastId(other)], [0, 0])
        assert.isFalse(yield* isReady(id))
      })

      test("is sent though no shipment of it is known", function*() {
        const { business, name } = yield* aPartner()
        const { id } = yield* create(business, { messageTypes: asking })
        yield* add(name, { text, sets: [] })
        const { fresh } = yield* takenBy(id)
        assert.deepStrictEqual(fresh.map(shown), [["EDI_INTERCHANGE", "east", 0, { interchange: text }]])
      })

      test("waits for a disabled endpoint that asks for it, and for none that asks later", function*() {
        const { business, name } = yield* aPartner()
        yield* add(name, { text: "before" })
        const { id } = yield* create(business, { messageTypes: asking, enabled: false })
        yield* add(name, { text })
        yield* update(id, { enabled: true })
        assert.deepStrictEqual((yield* takenBy(id)).fresh.map(shown), [interchange])
        const { cursorId, id: later } = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
        yield* update(later, { messageTypes: asking })
        assert.deepStrictEqual((yield* takenBy(later, cursorId)).fresh, [])
        yield* add(name, { text })
        assert.deepStrictEqual((yield* takenBy(later, cursorId)).fresh.map(shown), [interchange])
      })

      test("is sent in order within its shipment, is on record, and is sent again", function*() {
        const { business, name } = yield* aPartner()
        const { id } = yield* create(business, { messageTypes: asking })
        yield* add(name, { text })
        const { fresh, lease, readTo } = yield* takenBy(id)
        yield* settle(lease, readTo, { results: [failed(fresh[0]!, 0, 5)] })
        yield* add(name, { text: "ISA*second~" })
        const second = yield* take(lease, readTo)
        assert.deepStrictEqual(second.fresh, [])
        assert.deepStrictEqual(
          second.blocked.map(({ messageType, shipmentId }) => [messageType, shipmentId]),
          [
            ["EDI_INTERCHANGE", 12]
          ]
        )
        const { due } = yield* take(lease, readTo, 5)
        assert.deepStrictEqual(due.map(shown), [interchange])
        yield* settle(lease, second.readTo, { results: [delivered(due[0]!, 5)], parked: second.blocked }, 5)
        const next = yield* take(lease, second.readTo, 5)
        assert.deepStrictEqual(next.due.map((each) => shown(each)[3]), [{ interchange: "ISA*second~" }])
        yield* settle(lease, second.readTo, { results: [delivered(next.due[0]!, 5)] }, 5)
        assert.deepStrictEqual(
          (yield* deliveries(id)).map((
            { attempts, messageType, status }
          ) => [messageType, status, attempts.length]),
          [["EDI_INTERCHANGE", "DELIVERED", 2], ["EDI_INTERCHANGE", "DELIVERED", 1]]
        )
        const range = { fromId: 1, toId: second.readTo }
        assert.strictEqual(yield* (yield* DeliveryStore).replayRange(id, range, at(9)), 2)
        assert.deepStrictEqual((yield* take(lease, second.readTo, 9)).due.map(shown), [interchange])
      })
    })
  }
)
