/** How a body is read that Node gives by events, while its request waits aside. */
import { Aside } from "@dockline/core/access/RequestLimits"
import { it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { EventEmitter } from "node:events"
import { assert, describe } from "vitest"
import * as BoundedBody from "../src/BoundedBody.ts"

const requestOf = (source: object) => ({ headers: { "content-length": "2" }, source, stream: Stream.empty })

/** A body that has not come, read by a request that waits aside; what happens to the wait is noted. */
const start = () => {
  const source = Object.assign(new EventEmitter(), { destroyed: false, readableFlowing: false })
  const notes: Array<string> = []
  let [refuse, goOn] = [() => {}, () => {}]
  const body = Effect.provideService(
    BoundedBody.read(requestOf(source), 10),
    Aside,
    (_, refuseIt = () => {}) => {
      refuse = refuseIt
      return {
        end: (then) => {
          notes.push("end")
          goOn = then
        },
        giveUp: () => void notes.push("given up")
      }
    }
  )
  return { source, notes, fiber: Effect.runFork(body), refuse: () => refuse(), goOn: () => goOn() }
}

describe("a body that comes by events", () => {
  it.effect("goes on when it is the turn of its request", () =>
    Effect.gen(function*() {
      const { fiber, goOn, notes, source } = start()
      source.emit("data", new TextEncoder().encode("{}"))
      source.emit("end")
      assert.deepStrictEqual(notes, ["end"])
      assert.isUndefined(fiber.pollUnsafe())
      goOn()
      assert.strictEqual(new TextDecoder().decode(yield* Fiber.join(fiber)), "{}")
    }))

  it.effect("is refused while it has not come, and is read no more", () =>
    Effect.gen(function*() {
      const { fiber, notes, refuse, source } = start()
      refuse()
      const refusal = yield* Effect.flip(Fiber.join(fiber))
      assert.strictEqual(refusal.code, "OVERLOADED")
      assert.deepStrictEqual(notes, ["given up"])
      assert.deepStrictEqual(source.eventNames(), [])
    }))

  it.effect("whose request is interrupted is read no more", () =>
    Effect.gen(function*() {
      const { fiber, notes, source } = start()
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(notes, ["given up"])
      assert.deepStrictEqual(source.eventNames(), [])
    }))
})
