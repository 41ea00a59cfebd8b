/**
 * The rules for outboxes, for every storage: endpoints with a type get the entries of this type in the same way as messages, and readers of
 * the log do not see them.
 *
 * The stores of capabilities append entries in their own transactions. The {@link OutboxWriter} of a storage does the same for the suite.
 */
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog, MessageLogConfig } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { DueDelivery, OutboxDraft } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { Context, Effect, Layer } from "effect"
import * as assert from "../../Assert.ts"
import * as Suite from "../../Suite.ts"
import {
  appendOf,
  at,
  create,
  deliveries,
  deliveryOf,
  failureOf,
  find,
  isReady,
  open,
  record,
  settle,
  take,
  update
} from "../../worlds/DeliveryWorld.ts"
import type { Ports } from "../../worlds/DeliveryWorld.ts"
import {
  aBusiness,
  at as atMillis,
  day,
  everythingOf,
  longAgo,
  longRetention,
  read
} from "../../worlds/MessageLogWorld.ts"

/** Appends to outboxes, as the stores of capabilities do. */
export class OutboxWriter extends Context.Service<OutboxWriter, {
  /** Appends an entry in a transaction if an endpoint has its type. */
  readonly append: (draft: OutboxDraft) => Effect.Effect<void>
}>()("@dockline/testing/OutboxWriter") {
  /** Appends to the outboxes of a database in memory. */
  static readonly layerMemory: Layer.Layer<OutboxWriter, never, MemoryDatabase> = Layer.effect(
    OutboxWriter,
    Effect.map(Effect.all([MemoryDatabase, MessageLogConfig]), ([{ webhooks }, { retentionMillis }]) => ({
      append: (draft) =>
        Effect.map(
          Timestamp.now,
          (now) => webhooks.appendEntry(draft, { now, trace: undefined, retentionMillis })
        )
    }))
  )
}

const letter = "LETTER"
const parcel = "PARCEL"

const text = "Ärger*~\n\"\\ 🚚"

/** Appends an entry, by default about shipment 12 at `east`. */
const post = (business: string, fields: Partial<OutboxDraft> = {}) =>
  OutboxWriter.use((outbox) =>
    outbox.append({
      business,
      facility: "east",
      type: letter,
      shipmentId: 12,
      path: "/api/letters",
      mediaType: "text/x-letter",
      text,
      ...fields
    })
  )

const rowOf = ({ message: { facility, shipmentId, type, ...rest } }: DueDelivery) => [
  type,
  facility,
  shipmentId,
  "text" in rest ? [rest.path, rest.mediaType, rest.text] : JSON.parse(rest.json)
]

/** The letter that {@link post} appends. */
const outboxRow = [letter, "east", 12, ["/api/letters", "text/x-letter", text]]

/** The entries that an endpoint has to send, once a worker takes them. */
const takenBy = (endpointId: number, afterId = 0) =>
  Effect.gen(function*() {
    const { lease } = yield* open(endpointId)
    return { lease, ...(yield* take(lease, afterId)) }
  })

const lastId = (business: string) => MessageLog.use((log) => log.lastId(business))

const expiredTag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "read" })

/** The suite of outboxes. */
export const outboxSuite: Suite.Suite<Ports | OutboxWriter> = Suite.make("outboxes", ({ describe, test }) => {
  describe("D18.3 what is appended", () => {
    test("is due to the endpoints that ask for it, at their places, and to no others", function*() {
      const business = yield* aBusiness
      const { id: alone } = yield* create(business, { messageTypes: [letter], facility: "east" })
      const { id: withAll } = yield* create(business, { messageTypes: [...messageTypes, letter] })
      const { id: withSome } = yield* create(business, { messageTypes: [letter, "PALLET_EVENT"] })
      const { id: elsewhere } = yield* create(business, { messageTypes: [letter], facility: "west" })
      const { id: silent } = yield* create(business)
      const { id: other } = yield* create(business, { messageTypes: [parcel] })
      yield* appendOf(business, [9])
      yield* post(business)
      yield* post(business, { type: parcel, facility: "west", text: "p" })
      yield* appendOf(business, [9])
      yield* post(business, { text: "second" })
      const pallet = ["PALLET_EVENT", "east", 9, { n: 0 }]
      const second = [letter, "east", 12, ["/api/letters", "text/x-letter", "second"]]
      assert.deepStrictEqual((yield* takenBy(alone)).fresh.map(rowOf), [outboxRow, second])
      for (const id of [withAll, withSome]) {
        assert.deepStrictEqual((yield* takenBy(id)).fresh.map(rowOf), [pallet, outboxRow, pallet, second])
      }
      assert.deepStrictEqual((yield* takenBy(elsewhere)).fresh, [])
      assert.deepStrictEqual((yield* takenBy(silent)).fresh.map(rowOf), [pallet, pallet])
      assert.deepStrictEqual((yield* takenBy(other)).fresh.map(rowOf), [
        [parcel, "west", 12, ["/api/letters", "text/x-letter", "p"]]
      ])
      const all = [alone, withAll, withSome, elsewhere, silent, other]
      const waiting = yield* Effect.forEach(all, find)
      assert.deepStrictEqual(waiting.map(({ backlog }) => backlog), [2, 4, 4, 0, 2, 1])
      const backlogs = yield* DeliveryStore.use(({ backlog }) => backlog)
      assert.deepStrictEqual(
        all.map((id) => assert.present(backlogs.find(({ endpointId }) => endpointId === id))).map((
          { messages, oldestAt }
        ) => [messages, oldestAt !== null]),
        [[2, true], [4, true], [4, true], [0, false], [2, true], [1, true]]
      )
    })

    test("is seen by no reader of the log, and moves the newest id of the log", function*() {
      const business = yield* aBusiness
      yield* create(business, { messageTypes: [letter] })
      const [first] = yield* appendOf(business, [1])
      yield* post(business)
      const newest = yield* lastId(business)
      assert.isTrue(newest > assert.present(first), "the entry has an id of the log")
      for (const types of [messageTypes, [...messageTypes, letter], [letter], messageTypes.slice(0, 2)]) {
        for (const facility of [undefined, "east"]) {
          const page = yield* read(everythingOf(business, { facility, types }))
          assert.deepStrictEqual(
            page.messages.map(({ id }) => id),
            types[0] === letter ? [] : [first]
          )
          assert.deepStrictEqual([page.more, page.lastId], [false, newest])
        }
      }
      const [second] = yield* appendOf(business, [1])
      assert.isTrue(assert.present(second) > newest, "ids grow over both")
      const { messages } = yield* read(everythingOf(business), newest)
      assert.deepStrictEqual(messages.map(({ id }) => id), [second])
      const message = yield* DeliveryStore.use((store) => store.message(business, newest))
      assert.deepStrictEqual(message === undefined ? undefined : rowOf({ message } as DueDelivery), outboxRow)
      const ofLog = yield* DeliveryStore.use((store) => store.message(business, assert.present(second)))
      assert.strictEqual((ofLog as Message).json, "{\"n\":0}")
      assert.strictEqual(
        yield* DeliveryStore.use((store) => store.message(business, assert.present(second) + 1)),
        undefined
      )
      assert.strictEqual(yield* DeliveryStore.use((store) => store.message(business, 0)), undefined)
    })

    test("is nothing where no endpoint asks for it", function*() {
      const [business, other] = [yield* aBusiness, yield* aBusiness]
      const { id } = yield* create(business, { messageTypes: [parcel] })
      yield* create(other, { messageTypes: [letter] })
      yield* post(business)
      assert.deepStrictEqual([yield* lastId(business), yield* lastId(other)], [0, 0])
      assert.isFalse(yield* isReady(id))
    })

    test("waits for a disabled endpoint that asks for it, and for none that asks later", function*() {
      const business = yield* aBusiness
      yield* post(business, { text: "before" })
      const { id } = yield* create(business, { messageTypes: [letter], enabled: false })
      yield* post(business)
      yield* update(id, { enabled: true })
      assert.deepStrictEqual((yield* takenBy(id)).fresh.map(rowOf), [outboxRow])
      const { cursorId, id: later } = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
      yield* update(later, { messageTypes: [letter] })
      assert.deepStrictEqual((yield* takenBy(later, cursorId)).fresh, [])
      yield* post(business)
      assert.deepStrictEqual((yield* takenBy(later, cursorId)).fresh.map(rowOf), [outboxRow])
    })

    test("is cut by the limits of a take, as messages are", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business, { messageTypes: [...messageTypes, letter] })
      yield* appendOf(business, [1])
      yield* post(business, { text: "x".repeat(50) })
      const second = yield* lastId(business)
      yield* post(business, { shipmentId: 13, text: "y".repeat(50) })
      yield* appendOf(business, [1])
      const { lease } = yield* open(id)
      for (const limits of [{ limit: 2 }, { textLimit: 60 }]) {
        const { fresh, more, readTo } = yield* take(lease, 0, 0, limits)
        assert.deepStrictEqual([fresh.length, more, readTo], [2, true, second])
      }
      const rest = yield* take(lease, second)
      assert.deepStrictEqual([rest.fresh.length, rest.more, rest.readTo], [2, false, yield* lastId(business)])
    })

    test("is in order with the messages of its shipment, is on record, and is sent again", function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const { id } = yield* create(business, { messageTypes: [...messageTypes, letter] })
      const [first] = yield* appendOf(business, [12])
      yield* post(business)
      const entry = yield* lastId(business)
      const { fresh, lease, readTo } = yield* takenBy(id)
      const blocked = [{ messageId: entry, messageType: letter, shipmentId: 12 }]
      yield* settle(lease, readTo, {
        results: [failureOf(assert.at(fresh, 0), 0, 5)],
        waitingMessages: blocked
      })
      assert.deepStrictEqual(yield* record(id), [[first, "PENDING", 1, 5], [entry, "PENDING", 0, null]])
      yield* appendOf(business, [12])
      const behind = yield* take(lease, readTo)
      assert.deepStrictEqual([behind.fresh, behind.blocked.map(({ messageType }) => messageType)], [[], [
        "PALLET_EVENT"
      ]])
      const { due } = yield* take(lease, readTo, 5)
      yield* settle(lease, behind.readTo, {
        results: [deliveryOf(assert.at(due, 0), 5)],
        waitingMessages: behind.blocked
      }, 5)
      const next = yield* take(lease, behind.readTo, 5)
      assert.deepStrictEqual(next.due.map(rowOf), [outboxRow])
      yield* settle(
        lease,
        behind.readTo,
        { results: [{ ...deliveryOf(assert.at(next.due, 0), 5), status: "DEAD" }] },
        5
      )
      const last = yield* take(lease, behind.readTo, 5)
      yield* settle(lease, behind.readTo, { results: last.due.map((due) => deliveryOf(due, 5)) }, 5)
      assert.deepStrictEqual(
        (yield* deliveries(id)).map((
          { attempts, messageType, status }
        ) => [messageType, status, attempts.length]),
        [["PALLET_EVENT", "DELIVERED", 2], [letter, "DEAD", 1], ["PALLET_EVENT", "DELIVERED", 1]]
      )
      yield* store.replay(id, entry, at(9))
      const again = yield* take(lease, behind.readTo, 9)
      assert.deepStrictEqual(again.due.map(rowOf), [outboxRow])
      yield* settle(lease, behind.readTo, { results: [deliveryOf(assert.at(again.due, 0), 9)] }, 9)
      assert.strictEqual(yield* store.replayRange(id, { fromId: entry, toId: behind.readTo }, at(10)), 2)
      assert.deepStrictEqual((yield* take(lease, behind.readTo, 10)).due.map(rowOf), [outboxRow])
      assert.strictEqual(yield* store.replayRange(id, { fromId: entry, toId: entry }, at(10)), 1)
    })

    test("is replayed by the time at which it was sent, and to an endpoint that was made later", function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const noon = Date.now() - 3_600_000
      yield* create(business, { messageTypes: [letter] })
      for (const seconds of [0, 2, 4]) {
        yield* atMillis(noon + seconds * 1000)(post(business, { shipmentId: seconds, text: `${seconds}` }))
      }
      const { id } = yield* create(business, { messageTypes: [letter], facility: "east" })
      const { id: silent } = yield* create(business)
      const time = (seconds: number) => Timestamp.fromMillis(noon + seconds * 1000)
      const range = { from: time(1), to: time(4) }
      assert.strictEqual(yield* store.replayRange(silent, range, at(9)), 0)
      assert.strictEqual(yield* store.replayRange(id, range, at(9)), 2)
      const { lease } = yield* open(id)
      const { due } = yield* take(lease, yield* lastId(business), 9)
      assert.deepStrictEqual(due.map((each) => rowOf(each)[2]), [2, 4])
      assert.strictEqual((yield* find(id)).backlog, 2)
    })

    test("is delivered once it was due, though the endpoint asks for it no longer", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business, { messageTypes: [letter] })
      yield* post(business)
      const { fresh, lease, readTo } = yield* takenBy(id)
      yield* settle(lease, readTo, { results: [failureOf(assert.at(fresh, 0), 0, 5)] })
      yield* update(id, { messageTypes })
      const { due, staleDeliveries } = yield* take(lease, readTo, 5)
      assert.deepStrictEqual([due.map(rowOf), staleDeliveries], [[outboxRow], []])
    })
  })

  describe("D7.4 retention", () => {
    test("drops entries with messages, and tells those alone who would have got them", function*() {
      const [store, log] = [yield* DeliveryStore, yield* MessageLog]
      const business = yield* aBusiness
      const types = [...messageTypes, letter]
      const { id } = yield* create(business, { messageTypes: types })
      const { id: silent } = yield* create(business)
      const { id: other } = yield* create(business, { messageTypes: [...messageTypes, parcel] })
      yield* atMillis(longAgo)(post(business))
      const entry = yield* lastId(business)
      yield* atMillis(longAgo)(post(business, { shipmentId: 13 }))
      const last = yield* lastId(business)
      const [young] = yield* atMillis(longAgo + day)(appendOf(business, [4]))
      const { fresh, lease } = yield* takenBy(id)
      yield* settle(lease, entry - 1, {
        results: [deliveryOf(assert.at(fresh, 0)), failureOf(assert.at(fresh, 1), 0, 5)]
      })
      yield* atMillis(longAgo + longRetention)(log.dropExpired)
      yield* store.dropExpired
      assert.strictEqual((yield* record(id)).length, 2, "as long as the outbox holds them")
      assert.notStrictEqual(yield* store.message(business, entry), undefined)
      assert.isAtLeast(yield* atMillis(longAgo + longRetention + 1)(log.dropExpired), 2)
      yield* store.dropExpired
      assert.strictEqual(yield* store.message(business, entry), undefined)
      assert.deepStrictEqual((yield* record(id)).map((row) => row[0]), [last])

      // The log has lost no message.
      for (const messageTypesAsked of [messageTypes, types]) {
        const { messages } = yield* read(everythingOf(business, { types: messageTypesAsked }))
        assert.deepStrictEqual(messages.map(({ id }) => id), [young])
      }
      for (const each of [silent, other]) {
        const { expiredUpTo, fresh } = yield* takenBy(each)
        assert.deepStrictEqual([expiredUpTo, fresh.length], [undefined, 1])
      }
      assert.strictEqual(yield* expiredTag(create(business, { fromId: entry })), "read")
      // The endpoint for letters has missed an expired entry.
      const late = yield* take(lease, entry - 1, 5)
      assert.deepStrictEqual(
        [
          late.expiredUpTo,
          late.fresh.map(({ message }) => message.id),
          late.staleDeliveries.map((each) => each.messageId)
        ],
        [last, [young], [last]]
      )
      assert.strictEqual(
        yield* expiredTag(create(business, { fromId: entry, messageTypes: [letter] })),
        "HistoryExpired"
      )
      const backlogs = yield* store.backlog
      const { oldestAt } = assert.present(backlogs.find(({ endpointId }) => endpointId === id))
      assert.strictEqual(oldestAt, new Date(longAgo).toISOString())
    }, { retentionMillis: longRetention })

    test(
      "gives the time of the newest that was dropped, of the log or an outbox, as that of the oldest that waits",
      function*() {
        const [store, log] = [yield* DeliveryStore, yield* MessageLog]
        const business = yield* aBusiness
        const { id } = yield* create(business, { messageTypes: [...messageTypes, letter] })
        const { id: silent } = yield* create(business)
        yield* atMillis(longAgo)(appendOf(business, [4]))
        yield* atMillis(longAgo + day)(post(business))
        for (const each of [id, silent]) {
          const { fresh, lease, readTo } = yield* takenBy(each)
          yield* settle(lease, readTo, { results: fresh.map((due) => failureOf(due, 0, 5)) })
        }
        yield* atMillis(longAgo + day + longRetention + 1)(log.dropExpired)
        const backlogs = yield* store.backlog
        const oldest = [id, silent].map((each) =>
          assert.present(backlogs.find(({ endpointId }) => endpointId === each)).oldestAt
        )
        assert.deepStrictEqual(oldest, [longAgo + day, longAgo].map((time) => new Date(time).toISOString()))
      },
      { retentionMillis: longRetention }
    )
  })
})
