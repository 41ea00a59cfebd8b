/** Following the log in plain asynchronous code. */
import { Effect, Layer } from "effect"
import { getEventListeners } from "node:events"
import { assert, describe, it } from "vitest"
import * as Dockline from "../../src/embed/Dockline.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { pageSize } from "../../src/messages/Follower.ts"
import type { Message } from "../../src/messages/Message.ts"
import { MessageLog } from "../../src/messages/MessageLog.ts"
import { everything, nobody, open, place, record, rejection, value } from "./DocklineWorld.ts"

const take = async (messages: AsyncIterable<Message>, count: number): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for await (const { id } of messages) if (ids.push(id) === count) break
  return ids
}

/** Dockline over a message log that is looked at. */
const openCounted = (log: Layer.Layer<MessageLog, never, MessageLog>) =>
  open({ storage: log.pipe(Layer.provideMerge(Memory.layer)) })

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
    assert.deepStrictEqual((await next).value, all.at(-1))
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
    const countingLog = Layer.effect(
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
    await using dockline = await openCounted(countingLog)
    await record(dockline, ["e1", "e2"])
    const { signal } = new AbortController()
    const [one] = await take(dockline.follow({ business: "acme", afterId: 0 }, everything, { signal }), 1)
    assert.isNumber(one)
    assert.strictEqual(open, 0)
    assert.deepStrictEqual(getEventListeners(signal, "abort"), [])
    {
      const pallets = { business: "acme", types: ["PALLET_EVENT"] as const, afterId: 0 }
      await using waiting = dockline.follow(pallets, everything)
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
