/** D18.3: few large files are under way at a time, so that their memory is bounded. */
import type { Principal } from "@dockline/core/access/Access"
import { CurrentWork } from "@dockline/core/input/Slices"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { LargeFiles, smallFile, smallFilesAtOnce } from "../../src/exchange/LargeFiles.ts"

const mebi = 1024 * 1024

/** A client of a business of its own, or of a named one. */
const principal = (clientId: string, business = clientId): Principal => ({
  clientId,
  grants: [{ business, facilities: "*", permissions: ["documents:write"] }]
})

/** Begins files of clients, none of which ends by itself; `begun` has their names in the order in which they began. */
const world = () => {
  const files = new LargeFiles()
  const starts: Array<string> = []
  const begin = (client: string, length: number, name = client, business = client) =>
    Effect.forkChild(
      files.within(principal(client, business), length)(Effect.andThen(
        Effect.sync(() => starts.push(name)),
        Effect.never
      )),
      { startImmediately: true }
    )
  return { begin, begun: starts }
}

const run = <A>(work: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, TestClock.layer()))

describe("D23.7 a large file", () => {
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
      assert.deepStrictEqual(begun, ["a1", "b", "a2"])
    })))

  // @threat load.24
  it("of a business leaves half of the room to others, however many clients it has, unless it has no other", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a1", 5 * mebi, "a1", "acme")
      for (const client of ["a2", "a3"]) yield* begin(client, 2 * mebi, client, "acme")
      yield* begin("g", 5 * mebi, "g", "globex")
      yield* begin("h", mebi)
      assert.deepStrictEqual(begun, ["a1", "g", "h"])
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(begun, ["a1", "g", "h", "a2", "a3"])
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

  // @threat load.24
  it("of a business that has fewer is before those of another, however many clients that has", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a1", 10 * mebi, "a1", "acme")
      for (const client of ["a2", "a3"]) yield* begin(client, 10 * mebi, client, "acme")
      yield* begin("g1", mebi, "g1", "globex")
      assert.deepStrictEqual(begun, ["a1", "g1"])
      yield* begin("g2", 10 * mebi, "g2", "globex")
      yield* begin("h", 10 * mebi)
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(begun, ["a1", "g1", "h"])
    })))

  // @threat load.24
  it("waits no longer than its client, and takes no place of others meanwhile", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const first = yield* begin("a", 10 * mebi)
      let idle = 0
      const waiting = yield* Effect.provideService(begin("b", 10 * mebi), CurrentWork, {
        turn: "",
        idle: (waiting) => {
          idle++
          return Effect.ensuring(waiting, Effect.sync(() => idle--))
        }
      })
      assert.strictEqual(idle, 1)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(idle, 0)
      yield* Fiber.interrupt(first)
      yield* begin("c", 10 * mebi)
      assert.deepStrictEqual(begun, ["a", "c"])
    })))

  // @threat load.24
  it("is not small: of a business no more small ones are done at once than a server takes from it", () =>
    run(Effect.gen(function*() {
      const { begin, begun } = world()
      const [first] = yield* Effect.forEach(
        Array.from({ length: smallFilesAtOnce }, (_, at) => `a${at}`),
        (client) => begin(client, smallFile, client, "acme")
      )
      assert.lengthOf(begun, smallFilesAtOnce)
      const fiber = yield* begin("one more", smallFile, "one more", "acme")
      assert.include(String(yield* Fiber.await(fiber)), "Overloaded")
      yield* begin("g", smallFile, "g", "globex")
      yield* Fiber.interrupt(first!)
      yield* begin("then", smallFile, "then", "acme")
      assert.deepStrictEqual(begun.slice(smallFilesAtOnce), ["g", "then"])
    })))
})
