/** D18.3: few large files are done at a time, so that the memory that they take is bounded. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { LargeFiles, smallFile } from "../../src/exchange/LargeFiles.ts"

const mebi = 1024 * 1024

/** Begins files of clients, each of which waits to be ended: their names in the order in which they begin. */
const world = () => {
  const files = new LargeFiles()
  const begun: Array<string> = []
  const begin = (client: string, length: number, name = client) =>
    Effect.forkChild(
      files.within(client, length)(Effect.andThen(
        Effect.sync(() => begun.push(name)),
        Effect.never
      )),
      { startImmediately: true }
    )
  return { begin, begun }
}

const run = <A>(work: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, TestClock.layer()))

describe("D18.3: a large file", () => {
  // @threat load.24
  it("waits until there is room for it, and none passes it; small ones never wait", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a", 10 * mebi)
      const second = yield* begin("b", 10 * mebi)
      yield* begin("c", mebi)
      yield* begin("d", smallFile)
      assert.deepStrictEqual(begun, ["a", "d"])
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(begun, ["a", "d", "b", "c"])
      yield* Fiber.interrupt(second)
    })))

  it("of a client that has none is before the others of one that has", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a", 9 * mebi, "a1")
      for (const name of ["a2", "a3"]) yield* begin("a", 5 * mebi, name)
      yield* begin("b", 5 * mebi)
      assert.deepStrictEqual(begun, ["a1"])
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(begun, ["a1", "a2", "b"])
    })))

  it("has room alone, whatever its length, and is to be sent again if it waits for too long", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a", 100 * mebi)
      assert.deepStrictEqual(begun, ["a"])
      const second = yield* begin("b", mebi)
      yield* TestClock.adjust(10_000)
      const exit = yield* Fiber.await(second)
      assert.include(String(exit), "Overloaded")
      yield* Fiber.interrupt(first)
      yield* begin("c", mebi)
      assert.deepStrictEqual(begun, ["a", "c"])
    })))
})
