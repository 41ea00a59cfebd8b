/** Suites themselves: the report of a storage that fails one, and the settings of each case. */
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Suite from "../src/Suite.ts"

/** A storage that keeps a number. */
class Counter extends Context.Service<Counter, { count: number }>()("test/Counter") {}

const counter = Layer.sync(Counter, () => ({ count: 0 }))

const count = Effect.map(Counter, (counter) => ++counter.count)

/** A test runner that records what it is given. */
const collecting = () => {
  const names: Array<string> = []
  const runs: Array<() => Promise<void>> = []
  const releases: Array<() => Promise<void>> = []
  let group = ""
  const runner: Suite.Runner = {
    describe: (name, body) => {
      group = name
      body()
    },
    it: (name, run) => {
      names.push(`${group} > ${name}`)
      runs.push(run)
    },
    afterAll: (release) => void releases.push(release)
  }
  return { runner, names, runs, releases }
}

const suite = Suite.make<Counter>("a counter", ({ describe, test }) => {
  test("starts at 1", Effect.map(count, (n) => assert.strictEqual(n, 1)))
  describe("outer", () => {
    describe("inner", () => {
      test("starts at 1 too", Effect.map(count, (n) => assert.strictEqual(n, 1)))
    })
    test("is at 2", Effect.map(count, (n) => assert.strictEqual(n, 2)))
  })
  test("fails", Effect.fail("no number"))
})

describe("a suite that is run without a test runner", () => {
  it.effect("tells which cases passed, and which did not, by name and reason", () =>
    Effect.gen(function*() {
      const report = yield* Suite.run(suite, counter)
      assert.strictEqual(report.suite, "a counter")
      // Both start at 1, because cases share nothing.
      assert.deepStrictEqual(report.passes, ["starts at 1", "outer: inner: starts at 1 too"])
      assert.deepStrictEqual(report.failures.map(({ name }) => name), ["outer: is at 2", "fails"])
      assert.include(report.failures[0]!.reason, "expected 1 to equal 2")
      assert.include(report.failures[1]!.reason, "no number")
    }))

  it.effect("builds stores of their own for the cases, though the program around it has the same", () =>
    Effect.gen(function*() {
      const { passes } = yield* Suite.run(suite, counter)
      assert.deepStrictEqual(passes, ["starts at 1", "outer: inner: starts at 1 too"])
      assert.strictEqual((yield* Counter).count, 0)
    }).pipe(Effect.provide(counter)))

  it.effect("fails every case of a storage that cannot be built", () =>
    Effect.gen(function*() {
      const unbuildable = Layer.effect(Counter, Effect.fail(new Error("no database")))
      const { failures, passes } = yield* Suite.run(suite, unbuildable)
      assert.deepStrictEqual(passes, [])
      assert.strictEqual(failures.length, 4)
      for (const { reason } of failures) assert.include(reason, "no database")
    }))

  it.effect("gives a case the settings that it is about, and the others those in force", () =>
    Effect.gen(function*() {
      class Settings extends Context.Service<Settings, { readonly recentLimit: number }>()("test/Settings") {}
      const layer = Layer.effect(Settings, MessageLogConfig)
      const inForce = yield* MessageLogConfig
      const limits: Array<number> = []
      const see = Effect.map(Settings, ({ recentLimit }) => void limits.push(recentLimit))
      const cases = Suite.make<Settings>("settings", ({ test }) => {
        test("its own", see, { ...inForce, recentLimit: 3 })
        test("in force", see)
      })
      assert.deepStrictEqual((yield* Suite.run(cases, layer)).failures, [])
      assert.deepStrictEqual(limits, [3, inForce.recentLimit])
    }))
})

describe("a suite that is added to a test runner", () => {
  it("builds its base once, the stores for every case, and releases the base when all have run", async () => {
    const log: Array<string> = []
    class Pool extends Context.Service<Pool, { readonly size: number }>()("test/Pool") {}
    const base = Layer.effect(
      Pool,
      Effect.acquireRelease(
        Effect.sync(() => {
          log.push("pool")
          return { size: 1 }
        }),
        () => Effect.sync(() => void log.push("released"))
      )
    )
    const stores = Layer.effect(
      Counter,
      Effect.map(Pool, ({ size }) => {
        log.push("stores")
        return { count: size }
      })
    )
    const cases = Suite.make<Counter>("pooled", ({ test }) => {
      test("one", count)
      test("two", count)
    })
    const { releases, runner, runs } = collecting()
    Suite.register(runner, cases, stores, base)
    assert.deepStrictEqual(log, [])
    for (const run of runs) await run()
    assert.deepStrictEqual(log, ["pool", "stores", "stores"])
    for (const release of releases) await release()
    assert.deepStrictEqual(log, ["pool", "stores", "stores", "released"])
  })

  it("ends a case that waits for ever, leaves the log out, and tells what kept a storage away", async () => {
    const outputs: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => void outputs.push(message))])
    const cases = Suite.make<never>("cases", ({ test }) => {
      test("waits", Effect.never)
      test("is away", Effect.fail(new StorageUnavailable({ cause: new Error("no route to the host") })))
      test("logs", Effect.andThen(Effect.logInfo("an operator made a change"), Effect.logWarning("odd")))
    })
    const { runner, runs } = collecting()
    Suite.register(runner, cases, logger, Layer.empty, { limit: 50 })
    const results = await Promise.allSettled(runs.map((run) => run()))
    const reasons = results.map((result) => result.status === "rejected" ? String(result.reason) : "passed")
    assert.include(reasons[0], "Timeout")
    assert.include(reasons[1], "no route to the host")
    assert.deepStrictEqual([reasons[2], outputs], ["passed", [["odd"]]])
  })
})

describe("under node:test", () => {
  it("suites and laws run, and those that do not hold fail with their names and reasons", async () => {
    const file = fileURLToPath(new URL("./UnderNodeTest.ts", import.meta.url))
    const { code, output } = await new Promise<{ readonly code: unknown; readonly output: string }>(
      (resolve) => {
        execFile(
          process.execPath,
          ["--conditions=@dockline/source", "--test-reporter=tap", file],
          { timeout: 100_000 },
          (error, output) => resolve({ code: error?.code ?? 0, output })
        )
      }
    )
    const lines = output.split("\n").map((line) => line.trim().replace(/ # .*$/, ""))
    const outcomeOf = (outcome: string) =>
      lines.filter((line) => line.startsWith(`${outcome} `)).map((line) => line.replace(/^.*? \d+ - /, ""))
    assert.deepStrictEqual(outcomeOf("not ok"), [
      "does not hold",
      "a broken suite",
      "numbers are small",
      "broken laws"
    ])
    assert.includeMembers(outcomeOf("ok"), [
      "holds",
      "D7.2 ids and sentAt: a message is read as it was appended",
      "the message log",
      "WIRE.md APPEND keeps what was there, and adds what is given",
      "APPEND"
    ])
    assert.match(output, /Show it again: Law\.check\(law, \{ seed: -?\d+/)
    assert.strictEqual(code, 1)
  })
})
