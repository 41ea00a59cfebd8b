/** The suites and laws that {@link ./Suite.test.ts} runs under `node:test`: some that hold, and one of each that does not. */
import { append } from "@dockline/core/document/Strategy"
import * as Memory from "@dockline/core/memory/Memory"
import { Effect } from "effect"
import * as fc from "fast-check"
import { after, describe, it } from "node:test"
import * as assert from "../src/Assert.ts"
import * as Law from "../src/Law.ts"
import * as StrategyLaws from "../src/laws/StrategyLaws.ts"
import * as Suite from "../src/Suite.ts"
import { messageLogSuite } from "../src/suites/MessageLogSuite.ts"

const runner: Suite.Runner = {
  describe: (name, body) => void describe(name, body),
  it: (name, run) => void it(name, run),
  afterAll: (release) => after(release)
}

const suite = Suite.make<never>("a broken suite", ({ test }) => {
  test("holds", Effect.void)
  test("does not hold", Effect.sync(() => assert.deepStrictEqual({ id: 1 }, { id: 2 })))
})

Suite.register(runner, messageLogSuite, Memory.layer)
Suite.register(runner, suite, Memory.layer)
Law.register(runner, "APPEND", StrategyLaws.append(append), { factor: 0.2 })
Law.register(runner, "broken laws", [
  Law.make("numbers are small", fc.nat(1000), (value) => assert.isBelow(value, 42))
])
