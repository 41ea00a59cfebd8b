/** How long live messages take to a socket, as it is measured: with the time that they wait for the socket. */
import type { Message } from "@dockline/core/messages/Message"
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { Subscription } from "@dockline/graphql-adapter/live/Subscriptions"
import type { Outbox } from "@dockline/graphql-adapter/socket/Frames"
import { startPush } from "@dockline/graphql-adapter/socket/SocketPush"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Metric } from "effect"
import { TestClock } from "effect/testing"

/** A socket that can be congested, and a subscription that is live, as far as a push asks. */
const make = Effect.gen(function*() {
  const context = Context.make(Metric.MetricRegistry, new Map()).pipe(
    Context.add(Clock.Clock, yield* Clock.Clock)
  )
  const socket = { isCongested: false, sent: 0, drained: () => {} }
  const live = { waiting: [] as Array<Message>, ready: () => {} }
  const outbox = {
    get isCongested() {
      return socket.isCongested
    },
    sendAround: () => void socket.sent++,
    together: <A>(send: () => A) => send(),
    onDrained: (callback: () => void) => {
      socket.drained = callback
    }
  }
  const follower = {
    isLive: true,
    onFailure: () => {},
    takeNow: () => live.waiting.length > 0 ? live.waiting.splice(0) : undefined,
    onReady: (callback: () => void) => {
      live.ready = callback
    }
  }
  const subscription = {
    messages: { follower },
    render: () => Buffer.from("{}"),
    close: () => {},
    watchUnsent: () => {}
  }
  const handlers = {
    onDefect: (cause: unknown) => {
      throw cause
    }
  }
  startPush(
    "1",
    subscription as unknown as Subscription,
    outbox as unknown as Outbox,
    handlers as unknown as Parameters<typeof startPush>[3],
    context
  )
  const append = (at: ReadonlyArray<number>) => {
    live.waiting.push(...at.map((millis) => ({ sentAt: fromMillis(millis) }) as Message))
    live.ready()
  }
  const measurement = (): readonly [count: number, seconds: number] => {
    const state = Metric.snapshotUnsafe(context).find(({ id }) =>
      id === "dockline_subscription_delivery_seconds"
    )
      ?.state as { readonly count: number; readonly sum: number } | undefined
    return [state?.count ?? 0, state?.sum ?? 0]
  }
  return { append, measured: measurement, socket }
})

describe("how long live messages take", () => {
  it.effect("is measured once for those that are sent at once, from the oldest of them", () =>
    Effect.gen(function*() {
      const { append, measured, socket } = yield* make
      yield* TestClock.setTime(10_000)
      append([7000, 9000])
      assert.strictEqual(socket.sent, 2)
      assert.deepStrictEqual(measured(), [1, 3])
    }))

  it.effect("has the time in it that they wait for the socket", () =>
    Effect.gen(function*() {
      const { append, measured, socket } = yield* make
      yield* TestClock.setTime(10_000)
      socket.isCongested = true
      append([9000])
      assert.deepStrictEqual([socket.sent, ...measured()], [0, 0, 0])
      yield* TestClock.adjust("1 minute")
      socket.isCongested = false
      socket.drained()
      assert.deepStrictEqual([socket.sent, ...measured()], [1, 1, 61])
    }))
})
