/** Dockline for plain asynchronous code: answers instead of exceptions, what is read of untyped input, the end. */
import { Effect, Layer } from "effect"
import { inspect } from "node:util"
import { assert, describe, expectTypeOf, it } from "vitest"
import { IntakeStore } from "../../src/document/DocumentRecord.ts"
import * as Dockline from "../../src/embed/Dockline.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { StorageUnavailable } from "../../src/values/Errors.ts"
import { Readiness } from "../../src/values/Metrics.ts"
import type { VocabularyWords } from "../../src/values/Vocabulary.ts"
import {
  acme,
  eventOf,
  everything,
  open,
  order,
  place,
  record,
  refusal,
  rejection,
  value
} from "./DocklineWorld.ts"

describe("answers", () => {
  it("follows an order from its document to the message of its departure", async () => {
    await using dockline = await open()
    const { shipment } = value(await dockline.submit(order("O-1"), everything))
    const first = value(await dockline.recordPallet(eventOf("e1"), everything))
    const again = value(await dockline.recordPallet(eventOf("e1"), everything))
    assert.deepStrictEqual([first.repeated, again.repeated], [false, true])
    assert.deepStrictEqual(again.answer, first.answer)
    value(await dockline.arrive(shipment.id, { dockSlug: "D1" }, everything))
    const departed = value(await dockline.depart(String(shipment.id), {}, everything))
    assert.strictEqual(departed.status, "DEPARTED")
    assert.deepStrictEqual(value(await dockline.shipment(shipment.id, everything)), departed)
    const messages = value(await dockline.messages({ business: "acme" }, everything))
    assert.deepStrictEqual(messages.map(({ type }) => type), [
      "SHIPMENT_ARRIVED",
      "PALLET_EVENT",
      "SHIPMENT_COMPLETE"
    ])
    const completions = { business: "acme", types: ["SHIPMENT_COMPLETE"] as const, afterId: messages[0]!.id }
    assert.deepStrictEqual(value(await dockline.messages(completions, everything)), messages.slice(2))
  })

  it("refuses with an error that its tag and its code narrow", async () => {
    await using dockline = await open()
    value(await dockline.submit(order("O-1"), everything))
    const answer = await dockline.submit(order("O-1", { orderItemUpdateStrategy: "APPEND" }), everything)
    assert(!answer.ok)
    const other = answer.error
    assert(answer.error._tag === "DuplicateOrderItemKey")
    assert.deepStrictEqual([answer.error.lpn, answer.error.sku], ["P1", "S1"])
    expectTypeOf(answer.error.lpn).toEqualTypeOf<string>()
    assert(other.code === "DUPLICATE_ORDER_ITEM_KEY")
    expectTypeOf(other.sku).toEqualTypeOf<string>()
    assert.deepStrictEqual([other.category, other.message], [
      "conflict",
      "DUPLICATE_ORDER_ITEM_KEY: lpn=P1, sku=S1"
    ])
  })

  const misreadings: ReadonlyArray<
    readonly [
      what: string,
      code: string,
      path: string,
      call: (dockline: Dockline.Dockline) => Promise<Dockline.Answer<unknown, unknown>>
    ]
  > = [
    [
      "a misspelt field of a document",
      "MALFORMED_DOCUMENT",
      "itmes",
      (each) => each.submit(order("O", { itmes: [] }), everything)
    ],
    ["a missing value", "INVALID_DOCUMENT", "orderNumber", (each) => each.submit(order(""), everything)],
    [
      "an event without a time",
      "MALFORMED_REQUEST",
      "occurredAt",
      (each) => each.recordPallet({ ...eventOf("e"), occurredAt: 5 }, everything)
    ],
    [
      "a dock that is none",
      "MALFORMED_REQUEST",
      "[0].facilities[0].docks[0]",
      (each) => each.places([{ ...acme, facilities: [{ ...acme.facilities[0]!, docks: JSON.parse("[1]") }] }])
    ],
    [
      "a page after no page",
      "MALFORMED_REQUEST",
      "after",
      (each) => each.orders({ after: "next" }, everything)
    ],
    [
      "too many messages at once",
      "INVALID_REQUEST",
      "limit",
      (each) => each.messages({ business: "acme", limit: 10_001 }, everything)
    ]
  ]

  it.each(misreadings)("reads untyped input, and names the field of %s", async (_, code, path, call) => {
    await using dockline = await open()
    const error = refusal(await call(dockline)) as {
      readonly code: string
      readonly errors: ReadonlyArray<{ readonly path: string }>
    }
    assert.strictEqual(error.code, code)
    assert.include(error.errors.map((each) => each.path), path)
  })
})

describe("a refusal that is logged", () => {
  it("shows its code, its words and every fault, however deep it is nested", async () => {
    await using dockline = await open()
    const answer = await dockline.submit({ ...place } as unknown, everything)
    assert.match(
      inspect({ answers: [answer] }),
      /INVALID_DOCUMENT: The document is not valid: 2 errors; see errors\s+direction: is required\s+orderNumber: is required/
    )
  })
})

describe("the rejection of an opening", () => {
  it("shows its words when it is logged", async () => {
    const error = await rejection(Dockline.open({} as Dockline.Options))
    assert.include(inspect(error), "Dockline was not opened: options.storage must be a layer")
  })
})

describe("the ids of the storage in memory", () => {
  it("count from 1 for each kind, as on PostgreSQL", async () => {
    await using dockline = await open()
    for (const number of [1, 2, 3]) {
      const item = { lpn: `L-${number}`, sku: "S", quantity: 1, quantityUnit: "CASE" } as const
      const { created, shipment } = value(
        await dockline.submit(order(`O-${number}`, { items: [item] }), everything)
      )
      assert.deepStrictEqual([shipment.id, created.map(({ id }) => id)], [
        number,
        Array(3).fill(String(number))
      ])
    }
  })
})

describe("what rejects", () => {
  it("is a defect, and never an answer", async () => {
    const storage = Layer.effect(
      IntakeStore,
      Effect.map(
        IntakeStore,
        (store) => IntakeStore.of({ ...store, transact: () => Effect.die(new Error("a bug")) })
      )
    )
    await using dockline = await open({ storage: storage.pipe(Layer.provideMerge(Memory.layer)) })
    assert.deepStrictEqual(await rejection(dockline.submit(order("O-1"), everything)), new Error("a bug"))
  })

  it("is a call that was aborted, with the signal's reason, also before it began", async () => {
    const start = Promise.withResolvers<void>()
    let isInterrupted = false
    const slow = Layer.effect(
      IntakeStore,
      Effect.map(IntakeStore, (store) =>
        IntakeStore.of({
          ...store,
          transact: () =>
            Effect.onInterrupt(
              Effect.andThen(Effect.sync(() => start.resolve()), Effect.never),
              () => Effect.sync(() => (isInterrupted = true))
            )
        }))
    )
    await using dockline = await open({ storage: slow.pipe(Layer.provideMerge(Memory.layer)) })
    const controller = new AbortController()
    const call = rejection(dockline.submit(order("O-1"), everything, { signal: controller.signal }))
    await start.promise
    controller.abort("enough")
    assert.strictEqual(await call, "enough")
    assert.isTrue(isInterrupted)
    const { signal } = controller
    assert.strictEqual(await rejection(dockline.shipments({}, everything, { signal })), "enough")
  })

  it("is the use of what is closed, which says so", async () => {
    const dockline = await open()
    await dockline.close()
    await dockline.close()
    const error = await rejection(dockline.submit(order("O-1"), everything))
    assert.instanceOf(error, Dockline.DocklineClosed)
    assert.strictEqual(error.code, "DOCKLINE_CLOSED")
    assert.instanceOf(await rejection(dockline.ready()), Dockline.DocklineClosed)
    const late = await rejection(dockline.follow({ business: "acme" }, everything).next())
    assert.instanceOf(late, Dockline.DocklineClosed)
    assert.isFalse(Dockline.isFollowError(late))
  })

  it("is a storage that cannot be opened, with its own error as the cause", async () => {
    const cause = new Error("no such disk")
    let isReleased = false
    const storage = Layer.mergeAll(
      Memory.layer,
      Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => (isReleased = true)))),
      Layer.effectDiscard(Effect.fail(cause))
    )
    const error = await rejection(Dockline.open({ storage }))
    assert.instanceOf(error, Dockline.DocklineNotOpened)
    assert.deepStrictEqual([error.code, error.cause], ["DOCKLINE_NOT_OPENED", cause])
    assert.strictEqual(error.message, "Dockline was not opened: no such disk")
    assert.isTrue(isReleased)
  })

  it("is a setting that cannot be used, and then the storage is not opened", async () => {
    let isOpened = false
    const storage = Layer.mergeAll(Memory.layer, Layer.effectDiscard(Effect.sync(() => (isOpened = true))))
    const vocabulary = { quantityUnits: 1 } as unknown as Partial<VocabularyWords>
    assert.instanceOf(await rejection(Dockline.open({ storage, vocabulary })), Dockline.DocklineNotOpened)
    assert.isFalse(isOpened)
  })
})

describe("closing", () => {
  it("waits for the calls in flight, then releases the storage", async () => {
    const start = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const order: Array<string> = []
    const slow = Layer.effect(
      Readiness,
      Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => order.push("released"))),
        Effect.sync(() => start.resolve()).pipe(
          Effect.andThen(Effect.promise(() => goOn.promise)),
          Effect.andThen(Effect.sync(() => {
            order.push("finished")
            return []
          }))
        )
      )
    )
    const dockline = await open({ storage: Memory.layer.pipe(Layer.provideMerge(slow)) })
    const call = dockline.ready()
    await start.promise
    const closed = dockline.close()
    goOn.resolve()
    value(await call)
    await closed
    assert.deepStrictEqual(order, ["finished", "released"])
  })

  it("ends whoever follows, also one that waits", async () => {
    const dockline = await open()
    const pallets = { business: "acme", types: ["PALLET_EVENT"] as const }
    const waiting = dockline.follow(pallets, everything)
    const next = waiting.next()
    await record(dockline, ["e1", "e2"])
    await next
    const pausing = dockline.follow({ business: "acme", afterId: 0 }, everything)
    await pausing.next()
    await waiting.next()
    const last = waiting.next()
    await dockline.close()
    assert.deepStrictEqual(await last, { done: true, value: undefined })
    assert.deepStrictEqual(await pausing.next(), { done: true, value: undefined })
  })
})

describe("readiness", () => {
  it("is what the storage says of itself, and true of one that says nothing", async () => {
    await using dockline = await open()
    assert.deepStrictEqual(value(await dockline.ready()), [])
    const down = Layer.succeed(Readiness, Effect.fail(new StorageUnavailable({ cause: new Error("away") })))
    await using away = await open({ storage: Memory.layer.pipe(Layer.provideMerge(down)) })
    assert.strictEqual(refusal(await away.ready()).code, "STORAGE_UNAVAILABLE")
  })
})
