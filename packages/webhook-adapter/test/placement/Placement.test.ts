import { partitionCount } from "@dockline/core/webhooks/DeliveryStore"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

describe("one instance alone (D12.1: no setup)", () => {
  it.effect("ends when all work has ended, which all ends at once", () =>
    Effect.gen(function*() {
      let ending = 0
      const gate = yield* Deferred.make<void>()
      const { run } = yield* Placement
      const fiber = yield* Effect.forkChild(
        run(() =>
          Effect.onInterrupt(Effect.never, () =>
            Effect.suspend(() => {
              ending++
              return Deferred.await(gate)
            }))
        ),
        { startImmediately: true }
      )
      const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      assert.strictEqual(ending, partitionCount)
      assert.isUndefined(interruption.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interruption)
    }).pipe(Effect.provide(Placement.layerSingle)))

  it.effect("starts work that dies again after a second, and says so; the other partitions go on", () => {
    const logLines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      logLines.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
    })
    return Effect.gen(function*() {
      const starts = Array.from({ length: partitionCount }, () => 0)
      const { run } = yield* Placement
      yield* Effect.forkChild(
        run((partition) =>
          Effect.suspend(() => {
            starts[partition]!++
            return partition === 3 ? Effect.die(new Error("broken")) : Effect.never
          })
        ),
        { startImmediately: true }
      )
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(starts[3], 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        starts,
        Array.from({ length: partitionCount }, (_, partition) => partition === 3 ? 2 : 1)
      )
      assert.deepStrictEqual(logLines, Array.from({ length: 2 }, () => "Error The work of partition 3 died"))
    }).pipe(Effect.provide(Layer.merge(Placement.layerSingle, Logger.layer([logger]))))
  })
})
