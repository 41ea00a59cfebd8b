/**
 * The feed of a log over a log of one's own, whose reads fail, or whose consumers misbehave.
 */
import { Wakeups } from "@dockline/core/messages/Follower"
import type { FeedSource } from "@dockline/core/messages/Follower"
import type { Message } from "@dockline/core/messages/Message"
import * as MessageFeed from "@dockline/core/messages/MessageFeed"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Logger, Scope } from "effect"
import { eventually } from "../../../../test/support/Eventually.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

const settings = { retentionMillis: 1, pollMillis: 5, recentLimit: 100, pageTextLimit: 1_000_000 }

const query = everythingOf("acme")

const message = (id: number, size = 10): Message => ({
  id,
  business: "acme",
  facility: "east",
  type: "PALLET_EVENT",
  shipmentId: 1,
  sentAt: Timestamp.of("2026-11-20T12:00:00.000Z"),
  json: "x".repeat(size)
})

/** A log of messages 1, 2, 3, … whose next reads fail as they are told. */
const aLog = () => {
  const messages: Array<Message> = []
  const wakeups = new Wakeups()
  const trouble: {
    read: Effect.Effect<void, StorageUnavailable>
    lastId: Effect.Effect<void, StorageUnavailable>
  } = {
    read: Effect.void,
    lastId: Effect.void
  }
  return {
    trouble,
    append: (count: number, size?: number) => {
      for (let n = 0; n < count; n++) messages.push(message(messages.length + 1, size))
      wakeups.wake("acme")
    },
    source: {
      wakeups,
      lastId: () => Effect.as(Effect.suspend(() => trouble.lastId), messages.length),
      read: (_query, { afterId }, limit) =>
        Effect.map(Effect.suspend(() => trouble.read), () => ({
          messages: messages.slice(afterId, afterId + limit),
          more: messages.length > afterId + limit,
          lastId: messages.length
        }))
    } satisfies FeedSource
  }
}

const unavailable = Effect.fail(new StorageUnavailable({ cause: new Error("away") }))

const ids = (messages: ReadonlyArray<Message>) => messages.map(({ id }) => id)

const follow = (feed: MessageFeed.MessageFeed, buffer = 100) =>
  feed.follow(query, { afterId: undefined, buffer })

/** A test of a feed over a log. It is silent: what is logged here is expected. */
const feeding = (
  title: string,
  test: (
    log: ReturnType<typeof aLog>,
    feed: MessageFeed.MessageFeed
  ) => Effect.fn.Return<void, unknown, Scope.Scope>
) =>
  it.live(title, () => {
    const log = aLog()
    return Effect.flatMap(
      MessageFeed.make(log.source, settings),
      (feed) => Effect.fnUntraced(test)(log, feed)
    ).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  })

describe("a feed goes on", () => {
  const troubles = { "the storage is away": unavailable, "a read dies": Effect.die(new Error("broken")) }
  for (const [title, trouble] of Object.entries(troubles)) {
    feeding(`after ${title}, for those that follow and those that come`, function*(log, feed) {
      const early = yield* follow(feed)
      const attempt = yield* Deferred.make<void>()
      let reads = 0
      log.trouble.read = Effect.suspend(() => {
        if (++reads === 2) Deferred.doneUnsafe(attempt, Effect.void)
        return trouble
      })
      log.append(1)
      yield* Deferred.await(attempt)
      log.trouble.read = Effect.void
      assert.deepStrictEqual(ids(yield* early.next), [1])
      const late = yield* follow(feed)
      log.append(1)
      assert.deepStrictEqual(ids(yield* early.next), [2])
      assert.deepStrictEqual(ids(yield* late.next), [2])
    })
  }

  feeding("when the callback of one consumer throws, which alone is the worse for it", function*(log, feed) {
    const [rude, other] = [yield* follow(feed), yield* follow(feed)]
    rude.onReady(() => {
      throw new Error("rude")
    })
    log.append(1)
    assert.deepStrictEqual(ids(yield* other.next), [1])
    log.append(1)
    assert.deepStrictEqual(ids(yield* other.next), [2])
    const exit = yield* Effect.exit(rude.next)
    assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
  })

  feeding("after a business could not be opened: the next one that asks opens it", function*(log, feed) {
    log.trouble.lastId = unavailable
    assert.strictEqual((yield* Effect.flip(follow(feed)))._tag, "StorageUnavailable")
    log.trouble.lastId = Effect.void
    // In the same scope, which is still open.
    const follower = yield* follow(feed)
    log.append(1)
    assert.deepStrictEqual(ids(yield* follower.next), [1])
  })
})

describe("a feed belongs to nobody in particular", () => {
  const Who = Context.Reference<string>("test/Who", { defaultValue: () => "the service" })

  feeding("it runs in the context of the log, not of the first that followed", function*(log, feed) {
    const readers = new Set<string>()
    log.trouble.read = Effect.map(Who, (who) => void readers.add(who))
    const follower = yield* Effect.provideService(follow(feed), Who, "a client")
    log.append(1)
    yield* follower.next
    assert.deepStrictEqual([...readers], ["the service"])
  })

  feeding(
    "it goes on when the first that followed has gone, and those who come back find what is recent",
    function*(log, feed) {
      const first = yield* Scope.make()
      yield* Scope.provide(follow(feed), first)
      const second = yield* follow(feed)
      yield* Scope.close(first, Exit.void)
      log.append(2)
      let count = 0
      while (count < 2) count += (yield* second.next).length
      log.trouble.read = Effect.die(new Error("nothing is read for one that comes back"))
      const back = yield* feed.follow(query, { afterId: 1, buffer: 10 })
      assert.deepStrictEqual(ids(yield* back.next), [2])
    }
  )
})

describe("D8.7 a buffer", () => {
  feeding("is no limit for what comes at once to a consumer that waits for it", function*(log, feed) {
    const quick = yield* follow(feed, 1)
    const fiber = yield* Effect.forkChild(Effect.gen(function*() {
      const all: Array<number> = []
      while (all.length < 120) all.push(...ids(yield* quick.next))
      return all
    }))
    yield* Effect.yieldNow
    log.append(120)
    assert.deepStrictEqual(yield* Fiber.join(fiber), Array.from({ length: 120 }, (_, n) => n + 1))
  })

  feeding("counts text as well, but one message always fits", function*(log, feed) {
    const [quick, slow] = [yield* follow(feed), yield* follow(feed)]
    log.append(1, 20_000_000)
    assert.deepStrictEqual(ids(yield* quick.next), [1])
    log.append(1)
    assert.deepStrictEqual(ids(yield* quick.next), [2])
    // The other one may be told a moment later.
    yield* Effect.yieldNow
    assert.strictEqual((yield* Effect.flip(slow.next))._tag, "ConsumerTooSlow")
  })

  feeding("counts what a consumer has not begun to take: it gets a handful at once", function*(log, feed) {
    const follower = yield* follow(feed, 100)
    log.append(100)
    yield* Effect.promise(() => eventually("100 messages", () => follower.waiting === 100))
    assert.deepStrictEqual(ids(follower.takeNow()!), Array.from({ length: 50 }, (_, n) => n + 1))
    assert.deepStrictEqual([follower.waiting, follower.isLive], [50, true])
    log.append(51)
    yield* Effect.promise(() => eventually("an end", () => follower.waiting === 0))
    assert.strictEqual((yield* Effect.flip(follower.next))._tag, "ConsumerTooSlow")
  })

  feeding("of a follower that was closed holds nothing more", function*(log, feed) {
    const follower = yield* feed.follow(query, { afterId: 0, buffer: 10 })
    follower.close()
    log.append(1)
    assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(follower.next)))
    assert.isUndefined(follower.takeNow())
  })
})
