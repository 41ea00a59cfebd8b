/**
 * Dockline for plain asynchronous code: answers instead of exceptions, what is read of untyped input, following the log,
 * the end, and parts of one's own.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { getEventListeners } from "node:events"
import { assert, describe, expectTypeOf, it } from "vitest"
import type { Principal } from "../src/Access.ts"
import * as Dockline from "../src/Dockline.ts"
import { StorageUnavailable } from "../src/Errors.ts"
import { pageSize } from "../src/Follower.ts"
import { Intake } from "../src/Intake.ts"
import { IntakeStore } from "../src/IntakeStore.ts"
import * as Memory from "../src/Memory.ts"
import type { Message } from "../src/Message.ts"
import { MessageLog } from "../src/MessageLog.ts"
import { Readiness } from "../src/Readiness.ts"
import type { Strategy } from "../src/Strategy.ts"
import type { VocabularyWords } from "../src/Vocabulary.ts"

const everything: Principal = {
  clientId: "everything",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
}

const nobody: Principal = { clientId: "nobody", grants: [] }

const acme = {
  slug: "acme",
  name: "Acme",
  facilities: [{ slug: "east", name: "East", docks: ["D1"] }]
}

const place = { business: "acme", facility: "east" }

const item = { lpn: "P1", sku: "S1", quantity: 12, quantityUnit: "CASE" }

const order = (orderNumber: string, more: object = {}) => ({
  ...place,
  direction: "OUTBOUND",
  orderNumber,
  dockSlug: "D1",
  items: [item],
  ...more
})

const eventOf = (eventId: string, lpn = "P1") => ({
  ...place,
  eventId,
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: "2026-11-20T17:00:00Z",
  labels: [{ name: "lpn", value: lpn }]
})

const open = async (options: Partial<Dockline.Options> = {}) => {
  const dockline = await Dockline.open({ storage: Memory.layer, ...options })
  value(await dockline.places([acme]))
  return dockline
}

/** What a call was answered with; fails the test when it was refused. */
const value = <A>(answer: Dockline.Answer<A, { readonly message: string }>): A => {
  if (answer.ok) return answer.value
  throw new Error(`refused: ${answer.error.message}`)
}

/** What a call was refused with; fails the test when it was not. */
const refusal = <E>(answer: Dockline.Answer<unknown, E>): E => {
  if (!answer.ok) return answer.error
  throw new Error(`answered: ${JSON.stringify(answer.value)}`)
}

/** What a promise is rejected with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("was not rejected"), (error: unknown) => error)

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
    assert.deepStrictEqual(messages.map(({ type }) => type), ["PALLET_EVENT", "SHIPMENT_COMPLETE"])
    const completions = { business: "acme", types: ["SHIPMENT_COMPLETE"] as const, afterId: messages[0]!.id }
    assert.deepStrictEqual(value(await dockline.messages(completions, everything)), messages.slice(1))
  })

  it("links shipments, and lists them and their orders page by page", async () => {
    await using dockline = await open()
    const ids = []
    for (const number of ["O-1", "O-2", "O-3"]) {
      ids.push(value(await dockline.submit(order(number), everything)).shipment.id)
    }
    value(await dockline.link(ids[0]!, { linkedShipmentId: ids[1]! }, everything))
    const first = value(await dockline.shipments({ ...place, limit: 2 }, everything))
    const second = value(await dockline.shipments({ ...place, limit: 2, after: first.next }, everything))
    assert.deepStrictEqual([...first.items, ...second.items].map(({ id }) => id), ids)
    assert.isNull(second.next)
    const orders = value(await dockline.orders({ orderNumber: "O-2" }, everything))
    assert.deepStrictEqual(orders.items.map(({ shipmentId }) => shipmentId), [ids[1]!])
    const departed = await dockline.shipments({ status: "DEPARTED" }, everything)
    assert.deepStrictEqual(value(departed), { items: [], next: null })
  })

  it("refuses with an error that its tag and its code narrow", async () => {
    await using dockline = await open()
    value(await dockline.submit(order("O-1"), everything))
    const answer = await dockline.submit(order("O-1", { orderItemUpdateStrategy: "APPEND" }), everything)
    assert(!answer.ok)
    assert(answer.error._tag === "DuplicateOrderItemKey")
    assert.deepStrictEqual([answer.error.lpn, answer.error.sku], ["P1", "S1"])
    expectTypeOf(answer.error.lpn).toEqualTypeOf<string>()
    const other: Dockline.SubmitError = answer.error
    assert(other.code === "DUPLICATE_ORDER_ITEM_KEY")
    expectTypeOf(other.sku).toEqualTypeOf<string>()
    assert.deepStrictEqual([other.category, other.message], [
      "conflict",
      "DUPLICATE_ORDER_ITEM_KEY: lpn=P1, sku=S1"
    ])
  })

  it("refuses whoever may not", async () => {
    await using dockline = await open()
    const { shipment } = value(await dockline.submit(order("O-1"), everything))
    const codes = [
      await dockline.submit(order("O-1"), nobody),
      await dockline.recordPallet(eventOf("e1"), nobody),
      await dockline.messages({ business: "acme" }, nobody),
      await dockline.shipments(place, nobody),
      await dockline.shipment(shipment.id, nobody),
      await dockline.arrive(shipment.id, {}, nobody),
      await dockline.link(shipment.id, { linkedShipmentId: shipment.id + 1 }, nobody)
    ].map((answer) => refusal<{ readonly code: string }>(answer).code)
    assert.deepStrictEqual(codes, [
      ...Array<string>(4).fill("FORBIDDEN"),
      ...Array<string>(3).fill("SHIPMENT_NOT_FOUND")
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
    ["a document that is none", "MALFORMED_DOCUMENT", "", (each) => each.submit("document", everything)],
    ["a missing value", "INVALID_DOCUMENT", "orderNumber", (each) => each.submit(order(""), everything)],
    [
      "an event without a time",
      "MALFORMED_REQUEST",
      "occurredAt",
      (each) => each.recordPallet({ ...eventOf("e"), occurredAt: 5 }, everything)
    ],
    [
      "an arrival at a bad time",
      "INVALID_REQUEST",
      "occurredAt",
      (each) => each.arrive(1, { occurredAt: "soon" }, everything)
    ],
    [
      "a departure with more",
      "MALFORMED_REQUEST",
      "dockSlug",
      (each) => each.depart(1, { dockSlug: "D1" }, everything)
    ],
    [
      "a link to nothing",
      "MALFORMED_REQUEST",
      "linkedShipmentId",
      (each) => each.link(1, { linkedShipmentId: "x" }, everything)
    ],
    [
      "places without a list",
      "MALFORMED_REQUEST",
      "",
      (each) => each.places(JSON.parse(JSON.stringify(acme)))
    ],
    [
      "a slug that is none",
      "INVALID_REQUEST",
      "[0].slug",
      (each) => each.places([{ ...acme, slug: "No Slug" }])
    ],
    [
      "a dock that is none",
      "MALFORMED_REQUEST",
      "[0].facilities[0].docks[0]",
      (each) => each.places([{ ...acme, facilities: [{ ...acme.facilities[0]!, docks: JSON.parse("[1]") }] }])
    ],
    [
      "a status that is none",
      "INVALID_REQUEST",
      "status",
      (each) => each.shipments({ status: "GONE" as "DEPARTED" }, everything)
    ],
    [
      "a page after no page",
      "MALFORMED_REQUEST",
      "after",
      (each) => each.orders({ after: "next" }, everything)
    ],
    [
      "messages of no business",
      "INVALID_REQUEST",
      "business",
      (each) => each.messages({ business: "" }, everything)
    ],
    [
      "too many messages at once",
      "INVALID_REQUEST",
      "limit",
      (each) => each.messages({ business: "acme", limit: 10_001 }, everything)
    ],
    [
      "messages of a time that is none",
      "INVALID_REQUEST",
      "since",
      (each) => each.messages({ business: "acme", since: "now" }, everything)
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

  it("answers a dry run as the real run, and writes nothing", async () => {
    await using dockline = await open()
    const dry = value(await dockline.submit(order("O-1"), everything, { dryRun: true }))
    assert.deepStrictEqual(value(await dockline.shipments({}, everything)).items, [])
    const real = value(await dockline.submit(order("O-1"), everything))
    assert.deepStrictEqual(dry.created.map(({ type }) => type), real.created.map(({ type }) => type))
  })

  it("adds and renames places, and removes nothing", async () => {
    await using dockline = await open()
    value(
      await dockline.places([{
        slug: "acme",
        name: "Acme Limited",
        facilities: [{ slug: "west", name: "West" }]
      }])
    )
    const { shipment } = value(await dockline.submit(order("O-1"), everything))
    assert.deepStrictEqual([shipment.business.name, shipment.dockSlug], ["Acme Limited", "D1"])
    value(await dockline.submit({ ...order("O-2"), facility: "west", dockSlug: "" }, everything))
  })
})

describe("what rejects", () => {
  it("is a defect, and never an answer", async () => {
    const broken = Layer.effect(
      IntakeStore,
      Effect.map(
        IntakeStore,
        (store) => IntakeStore.of({ ...store, transact: () => Effect.die(new Error("a bug")) })
      )
    )
    await using dockline = await open({ storage: broken.pipe(Layer.provideMerge(Memory.layer)) })
    assert.deepStrictEqual(await rejection(dockline.submit(order("O-1"), everything)), new Error("a bug"))
  })

  it("is a call that was aborted, with the signal's reason, also before it began", async () => {
    const begun = Promise.withResolvers<void>()
    let interrupted = false
    const slow = Layer.effect(
      IntakeStore,
      Effect.map(IntakeStore, (store) =>
        IntakeStore.of({
          ...store,
          transact: () =>
            Effect.onInterrupt(
              Effect.andThen(Effect.sync(() => begun.resolve()), Effect.never),
              () => Effect.sync(() => (interrupted = true))
            )
        }))
    )
    await using dockline = await open({ storage: slow.pipe(Layer.provideMerge(Memory.layer)) })
    const controller = new AbortController()
    const call = rejection(dockline.submit(order("O-1"), everything, { signal: controller.signal }))
    await begun.promise
    controller.abort("enough")
    assert.strictEqual(await call, "enough")
    assert.isTrue(interrupted)
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
    let released = false
    const storage = Layer.mergeAll(
      Memory.layer,
      Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => (released = true)))),
      Layer.effectDiscard(Effect.fail(cause))
    )
    const error = await rejection(Dockline.open({ storage }))
    assert.instanceOf(error, Dockline.DocklineNotOpened)
    assert.deepStrictEqual([error.code, error.cause], ["DOCKLINE_NOT_OPENED", cause])
    assert.strictEqual(error.message, "Dockline was not opened: no such disk")
    assert.isTrue(released)
  })

  it("is a setting that cannot be used, and then the storage is released too", async () => {
    let released = false
    const storage = Layer.mergeAll(
      Memory.layer,
      Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => (released = true))))
    )
    const vocabulary = { quantityUnits: 1 } as unknown as Partial<VocabularyWords>
    assert.instanceOf(await rejection(Dockline.open({ storage, vocabulary })), Dockline.DocklineNotOpened)
    assert.isTrue(released)
  })
})

describe("closing", () => {
  it("waits for the calls in flight, then releases the storage", async () => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const order: Array<string> = []
    const slow = Layer.effect(
      Readiness,
      Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => order.push("released"))),
        Effect.sync(() => begun.resolve()).pipe(
          Effect.andThen(Effect.promise(() => goOn.promise)),
          Effect.andThen(Effect.sync(() => void order.push("finished")))
        )
      )
    )
    const dockline = await open({ storage: Memory.layer.pipe(Layer.provideMerge(slow)) })
    const call = dockline.ready()
    await begun.promise
    const closed = dockline.close()
    goOn.resolve()
    value(await call)
    await closed
    assert.deepStrictEqual(order, ["finished", "released"])
  })

  it("ends whoever follows, also one that waits", async () => {
    const dockline = await open()
    const waiting = dockline.follow({ business: "acme" }, everything)
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
    value(await dockline.ready())
    const down = Layer.succeed(Readiness, Effect.fail(new StorageUnavailable({ cause: new Error("away") })))
    await using away = await open({ storage: Memory.layer.pipe(Layer.provideMerge(down)) })
    assert.strictEqual(refusal(await away.ready()).code, "STORAGE_UNAVAILABLE")
  })
})

/** Records one pallet event for each id. */
const record = async (dockline: Dockline.Dockline, ids: ReadonlyArray<string>) => {
  value(await dockline.submit(order("O-1"), everything))
  for (const id of ids) value(await dockline.recordPallet(eventOf(id), everything))
}

const take = async (messages: AsyncIterable<Message>, count: number): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for await (const { id } of messages) if (ids.push(id) === count) break
  return ids
}

describe("following", () => {
  it("begins after the message that is named, and goes on with what comes", async () => {
    await using dockline = await open()
    await record(dockline, ["e1", "e2"])
    const [first] = value(await dockline.messages({ business: "acme" }, everything))
    const ids = take(dockline.follow({ business: "acme", afterId: first!.id }, everything), 3)
    await record(dockline, ["e3", "e4"])
    const all = value(await dockline.messages({ business: "acme" }, everything))
    assert.deepStrictEqual(await ids, all.slice(1, 4).map(({ id }) => id))
  })

  it("begins with the next message when none is named", async () => {
    await using dockline = await open()
    await record(dockline, ["e1"])
    const messages = dockline.follow({ ...place }, everything)
    const next = messages.next()
    // A log in memory answers at once: by now it was asked for its newest id.
    await record(dockline, ["e2"])
    const all = value(await dockline.messages({ business: "acme" }, everything))
    assert.deepStrictEqual((await next).value, all[1])
    await messages.return()
  })

  it("ends when its signal is aborted while it waits, and when it was before", async () => {
    await using dockline = await open()
    const controller = new AbortController()
    const messages = dockline.follow({ business: "acme" }, everything, { signal: controller.signal })
    const next = messages.next()
    await dockline.ready()
    controller.abort()
    assert.deepStrictEqual(await next, { done: true, value: undefined })
    const { signal } = controller
    assert.deepStrictEqual(await take(dockline.follow({ business: "acme" }, everything, { signal }), 1), [])
  })

  it("ends when it is left, also while it waits, and leaves no follower behind", async () => {
    let open = 0
    const counted = Layer.effect(
      MessageLog,
      Effect.map(MessageLog, (log) =>
        MessageLog.of({
          ...log,
          follow: (...args) =>
            Effect.acquireRelease(Effect.sync(() => open++), () => Effect.sync(() => open--)).pipe(
              Effect.andThen(log.follow(...args))
            )
        }))
    )
    await using dockline = await openCounted(counted)
    await record(dockline, ["e1", "e2"])
    const { signal } = new AbortController()
    const [one] = await take(dockline.follow({ business: "acme", afterId: 0 }, everything, { signal }), 1)
    assert.isNumber(one)
    assert.strictEqual(open, 0)
    assert.deepStrictEqual(getEventListeners(signal, "abort"), [])
    {
      await using waiting = dockline.follow({ business: "acme", afterId: 0 }, everything)
      await waiting.next()
      await waiting.next()
      const never = waiting.next()
      assert.strictEqual(open, 1)
      await waiting.return()
      assert.deepStrictEqual(await never, { done: true, value: undefined })
    }
    assert.strictEqual(open, 0)
  })

  it("loses nothing for a consumer that is slower than its buffer", async () => {
    await using dockline = await open()
    await record(dockline, ["e1", "e2"])
    const slow = dockline.follow({ business: "acme", afterId: 0 }, everything)
    const ids = [(await slow.next()).value!.id, (await slow.next()).value!.id]
    const live = slow.next()
    await record(dockline, ["live"])
    ids.push((await live).value!.id)
    // Live now, and not asking: what comes waits for it, and is more than may wait once another has got it all.
    const burst = Array.from({ length: 3 * pageSize }, (_, at) => `burst-${at}`)
    const quick = take(
      dockline.follow({ business: "acme", afterId: 0 }, everything),
      ids.length + burst.length
    )
    await record(dockline, burst)
    await quick
    ids.push(...await take(slow, burst.length))
    assert.deepStrictEqual(ids, await quick)
  })

  it("throws why it is refused, which is told from a bug", async () => {
    await using dockline = await open()
    const forbidden = await rejection(take(dockline.follow({ business: "acme" }, nobody), 1))
    assert(Dockline.isFollowError(forbidden))
    assert.strictEqual(forbidden.code, "FORBIDDEN")
    const unknown = await rejection(take(dockline.follow({ business: "nowhere" }, everything), 1))
    assert(Dockline.isFollowError(unknown))
    assert.strictEqual(unknown.code, "BUSINESS_NOT_FOUND")
    const malformed = await rejection(take(dockline.follow({ business: "acme", afterId: -1 }, everything), 1))
    assert(Dockline.isFollowError(malformed))
    assert.strictEqual(malformed.code, "INVALID_REQUEST")
    assert.isFalse(Dockline.isFollowError(new Error("a bug")))
  })
})

const openCounted = (log: Layer.Layer<MessageLog, never, MessageLog>) =>
  open({ storage: log.pipe(Layer.provideMerge(Memory.layer)) })

describe("parts of one's own", () => {
  it("writes every time by the clock that is given", async () => {
    let now = Date.parse("2030-01-01T00:00:00Z")
    await using dockline = await open({ clock: { now: () => now } })
    const { shipment } = value(await dockline.submit(order("O-1"), everything))
    assert.strictEqual(shipment.scheduledAt, "2030-01-01T00:00:00.000Z")
    now += 60_000
    const arrived = value(await dockline.arrive(shipment.id, {}, everything))
    value(await dockline.recordPallet(eventOf("e1"), everything))
    assert.strictEqual(arrived.statusEvents[1]!.completedAt, "2030-01-01T00:01:00.000Z")
    now += 60_000
    value(await dockline.depart(shipment.id, {}, everything))
    const messages = value(await dockline.messages({ business: "acme" }, everything))
    assert.deepStrictEqual(messages.map(({ sentAt }) => sentAt), [
      "2030-01-01T00:01:00.000Z",
      "2030-01-01T00:02:00.000Z"
    ])
  })

  it("counts whole milliseconds by a clock that knows fractions", async () => {
    await using dockline = await open({ clock: { now: () => 1.75 } })
    assert.strictEqual(
      await Effect.runPromise(Effect.provide(Clock.currentTimeMillis, dockline.layer)),
      1
    )
  })

  it("takes what is given as undefined for not given", async () => {
    const given = {
      itemLimit: undefined,
      vocabulary: { quantityUnits: undefined },
      strategies: { APPEND: undefined }
    } as unknown as Partial<Dockline.Options>
    await using dockline = await open(given)
    value(await dockline.submit(order("O-1", { orderItemUpdateStrategy: "APPEND" }), everything))
  })

  it("takes strategies beside the four", async () => {
    const ignore: Strategy = {
      requiredFields: ["lpn"],
      apply: () => Result.succeed({ created: [], updated: [], removed: [] })
    }
    await using dockline = await open({ strategies: { IGNORE: ignore } })
    const document = order("O-1", { orderItemUpdateStrategy: "IGNORE", items: [{ lpn: "P1" }] })
    const { created } = value(await dockline.submit(document, everything))
    assert.deepStrictEqual(created.map(({ type }) => type), ["SHIPMENT", "ORDER"])
    value(await dockline.submit(order("O-2", { orderItemUpdateStrategy: "MERGE" }), everything))
    await using standard = await open()
    assert.strictEqual(refusal(await standard.submit(document, everything)).code, "INVALID_DOCUMENT")
  })

  it("takes words and limits of its own", async () => {
    await using dockline = await open({
      vocabulary: { quantityUnits: ["DRUM"] },
      itemLimit: 1,
      messageLimit: 1,
      dashboardUrl: "https://dash.example.com"
    })
    const drum = { ...item, quantityUnit: "DRUM" }
    value(await dockline.submit(order("O-1", { items: [drum] }), everything))
    assert.strictEqual(refusal(await dockline.submit(order("O-2"), everything)).code, "INVALID_DOCUMENT")
    const two = order("O-3", { items: [drum, { ...drum, lpn: "P2" }] })
    assert.strictEqual(refusal(await dockline.submit(two, everything)).code, "TOO_MANY_ITEMS")
    for (const id of ["e1", "e2"]) value(await dockline.recordPallet(eventOf(id), everything))
    const many = await dockline.messages({ business: "acme" }, everything)
    assert.strictEqual(refusal(many).code, "TOO_MANY_MESSAGES")
    const [message] = value(await dockline.messages({ business: "acme", limit: 1 }, everything))
    assert.match(String(message!.payload["url"]), /^https:\/\/dash\.example\.com\//)
  })

  it("gives what it has built to users of Effect, with one state for both", async () => {
    await using dockline = await open({ clock: { now: () => 0 } })
    const program = Effect.flatMap(Intake, (intake) =>
      intake.submit(
        {
          business: "acme",
          facility: "east",
          direction: "OUTBOUND",
          shipmentNumber: "S-1",
          expectedArrivalAt: null,
          trailerNumber: "",
          dockSlug: "",
          carrier: "",
          additionalFields: [],
          orders: []
        },
        everything
      ))
    const submitted = await Effect.runPromise(Effect.provide(program, dockline.layer))
    assert.strictEqual(submitted.shipment.scheduledAt, "1970-01-01T00:00:00.000Z")
    const [shipment] = value(await dockline.shipments({}, everything)).items
    assert.deepStrictEqual(shipment, submitted.shipment)
  })
})
