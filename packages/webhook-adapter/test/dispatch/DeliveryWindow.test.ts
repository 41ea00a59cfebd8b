/**
 * What is held of one endpoint, where what the store says crosses what was written (D9.4).
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { noProgress } from "@dockline/core/webhooks/Delivery"
import type { DeliveryResult, DeliveryStatus } from "@dockline/core/webhooks/Delivery"
import type { TakenMessages } from "@dockline/core/webhooks/DeliveryStore"
import { DeliveryWindow } from "@dockline/webhook-adapter/dispatch/DeliveryWindow"
import { assert, describe, it } from "@effect/vitest"

const due = (id: number, shipmentId: number) => ({
  message: {
    id,
    shipmentId,
    business: "acme",
    facility: "east",
    type: "PALLET_EVENT" as const,
    sentAt: Timestamp.of("2026-11-20T12:00:00.000Z"),
    json: "{}"
  },
  progress: noProgress
})

const blocked = (messageId: number, shipmentId: number) => ({
  messageId,
  messageType: "PALLET_EVENT" as const,
  shipmentId
})

const takenOf = (fields: Partial<TakenMessages>): TakenMessages => ({
  endpoint: undefined,
  due: [],
  staleDeliveries: [],
  fresh: [],
  blocked: [],
  readTo: 0,
  more: false,
  expiredUpTo: undefined,
  ...fields
})

const result = (
  messageId: number,
  shipmentId: number,
  status: DeliveryStatus = "DELIVERED"
): DeliveryResult => ({
  ...blocked(messageId, shipmentId),
  ...noProgress,
  status,
  attempts: [],
  nextAttemptAt: status === "PENDING" ? Timestamp.of("2026-11-20T12:00:05.000Z") : null
})

const take = (window: DeliveryWindow, fields: Partial<TakenMessages>) => {
  window.beginTake()
  window.accept(takenOf(fields), 0)
}

/** Begins whatever can be begun, and says what. */
const begin = (window: DeliveryWindow) => {
  const beginnings = []
  for (let delivery = window.next(1); delivery !== undefined; delivery = window.next(1)) {
    beginnings.push(delivery)
  }
  return beginnings
}

const ids = (deliveries: ReturnType<typeof begin>) => deliveries.map(({ message }) => message.id)

describe("a window", () => {
  it("hands out one message of each shipment, and the next once the outcome is durable", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 1), due(3, 2)], readTo: 3 })
    const [first, third] = begin(window)
    assert.deepStrictEqual(ids([first!, third!]), [1, 3])
    window.ended(first!, result(1, 1))
    assert.deepStrictEqual(begin(window), [])
    window.commit(window.settlement())
    assert.deepStrictEqual(ids(begin(window)), [2])
  })

  it("moves the cursor as far as nothing is open, and parks what an outcome lies behind", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 1), due(3, 2), due(4, 3)], blocked: [blocked(5, 9)], readTo: 7 })
    const [first, third, fourth] = begin(window)
    window.ended(third!, result(3, 2))
    assert.deepInclude(window.settlement(), { cursorId: 3, waitingMessages: [blocked(1, 1), blocked(2, 1)] })
    window.commit(window.settlement())
    window.ended(fourth!, result(4, 3))
    assert.deepInclude(window.settlement(), { cursorId: 7, waitingMessages: [blocked(5, 9)] })
    window.commit(window.settlement())
    window.ended(first!, result(1, 1))
    assert.deepInclude(window.settlement(), { cursorId: 7, waitingMessages: [] })
  })

  it("parks what waits behind a failure, and what comes meanwhile, before it sends anything later", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 1)], readTo: 2 })
    const [first] = begin(window)
    // The take knows nothing of the failure.
    window.beginTake()
    window.ended(first!, result(1, 1, "PENDING"))
    const settlement = window.settlement()
    assert.deepInclude(settlement, { cursorId: 2, waitingMessages: [blocked(2, 1)] })
    window.commit(settlement)
    window.accept(takenOf({ fresh: [due(3, 1)], readTo: 3 }), 0)
    assert.deepStrictEqual(begin(window), [])
    assert.deepInclude(window.settlement(), { cursorId: 3, waitingMessages: [blocked(3, 1)] })
    window.commit(window.settlement())
    // The next one does.
    take(window, { fresh: [due(4, 1)], readTo: 4 })
    assert.deepStrictEqual(ids(begin(window)), [4])
  })

  it("sends nothing before what it has left to the record while a take is under way", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 1), due(3, 2)], readTo: 3 })
    const [first, third] = begin(window)
    window.ended(third!, result(3, 2))
    window.beginTake()
    window.commit(window.settlement())
    window.relieve(2, false)
    window.ended(first!, result(1, 1))
    window.commit(window.settlement())
    window.accept(takenOf({ fresh: [due(4, 1)], readTo: 4 }), 0)
    assert.deepStrictEqual(begin(window), [])
  })

  it("takes what was settled while a take is under way for done, whatever the take says", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 2)], readTo: 2 })
    const [first, second] = begin(window)
    window.ended(second!, result(2, 2))
    window.beginTake()
    window.commit(window.settlement())
    window.ended(first!, result(1, 1))
    window.commit(window.settlement())
    window.accept(takenOf({ due: [due(1, 1)], readTo: 2 }), 0)
    assert.deepStrictEqual(begin(window), [])
    // It may be due again later: an operator replays it.
    take(window, { due: [due(1, 1)], readTo: 2 })
    assert.deepStrictEqual(ids(begin(window)), [1])
  })

  it("sends an earlier message of a shipment, as of a replay, before later ones that wait", () => {
    const window = new DeliveryWindow(4)
    take(window, { fresh: [due(5, 1), due(6, 1)], readTo: 6 })
    const [fifth] = begin(window)
    take(window, { due: [due(2, 1)], readTo: 6 })
    assert.deepStrictEqual(begin(window), [])
    window.ended(fifth!, result(5, 1))
    window.commit(window.settlement())
    const [second] = begin(window)
    assert.strictEqual(second!.message.id, 2)
    window.ended(second!, result(2, 1))
    window.commit(window.settlement())
    assert.deepStrictEqual(ids(begin(window)), [6])
  })

  it("asks for nothing that it holds and the record has as pending", () => {
    const window = new DeliveryWindow(4)
    window.beginTake()
    const pendingResult = { ...result(1, 3), status: "PENDING" as const }
    window.accept(
      takenOf({ due: [due(2, 1)], staleDeliveries: [pendingResult], fresh: [due(5, 2)], readTo: 5 }),
      0
    )
    assert.deepStrictEqual([...window.beginTake()].sort(), [1, 2])
  })

  it("tells that the store may have more once what was pending there is settled, or something is recorded there", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 1), due(3, 2)], readTo: 3 })
    const [first, third] = begin(window)
    window.ended(first!, result(1, 1))
    assert.isFalse(window.commit(window.settlement()), "the store had nothing of it")
    const [second] = begin(window)
    window.ended(third!, result(3, 2))
    assert.isFalse(window.commit(window.settlement()), "2 is held as well as recorded")
    window.ended(second!, result(2, 1))
    assert.isTrue(window.commit(window.settlement()), "what waits behind 2 is due")
    take(window, { blocked: [blocked(4, 9)], readTo: 4 })
    assert.isTrue(window.commit(window.settlement()), "4 may be due by now")
  })

  it("counts what is held of payloads, and of answers until they are written", () => {
    const window = new DeliveryWindow(0)
    take(window, { fresh: [due(1, 1), due(2, 2)], readTo: 2 })
    assert.strictEqual(window.text, 4)
    const [first] = begin(window)
    const attempt = {
      at: Timestamp.of("2026-11-20T12:00:00.000Z"),
      status: 200,
      durationMs: 1,
      response: "fine",
      error: "cut"
    }
    window.ended(first!, { ...result(1, 1), attempts: [attempt, attempt] })
    assert.strictEqual(window.text, 4 + 14)
    window.commit(window.settlement())
    assert.strictEqual(window.text, 2)
  })
})
