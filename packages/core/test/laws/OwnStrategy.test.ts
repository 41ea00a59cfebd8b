/** The laws hold with a strategy of an embedding service, and find the mistake in one. */
import { keyOf } from "@dockline/testing/generators/Generators"
import * as Law from "@dockline/testing/Law"
import * as AnswerLaws from "@dockline/testing/laws/AnswerLaws"
import * as DecisionLaws from "@dockline/testing/laws/DecisionLaws"
import * as IntakeLaws from "@dockline/testing/laws/IntakeLaws"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { often, runner } from "../../../../test/support/Runner.ts"
import { decide } from "../../src/document/Decision.ts"
import { append, defaultStrategies, merge } from "../../src/document/Strategy.ts"
import type { Strategy } from "../../src/document/Strategy.ts"
import * as Memory from "../../src/memory/Memory.ts"

/** Replaces the items that match, with new ids, and adds the others. */
const replace: Strategy = {
  requiredFields: append.requiredFields,
  apply: (stored, incoming) => {
    const keys = new Set(incoming.map(keyOf))
    return Result.succeed({
      created: incoming,
      updated: [],
      removed: stored.filter((item) => keys.has(keyOf(item)))
    })
  }
}

/** Adds the quantities to those that are there, but forgets the descriptions of what it does not find. */
const add: Strategy = {
  requiredFields: append.requiredFields,
  apply: (stored, incoming) => {
    const given = new Map(incoming.map((item) => [keyOf(item), item]))
    const updated = stored.map((item) => {
      const { description, quantity } = given.get(keyOf(item)) ?? { description: undefined, quantity: 0 }
      return { ...item, quantity: item.quantity + quantity, description: description! }
    })
    return Result.succeed({ created: [], updated, removed: [] })
  }
}

/** Changes what is there, and loses what is not, silently. */
const lose: Strategy = {
  requiredFields: append.requiredFields,
  apply: (stored, incoming) =>
    Result.map(merge.apply(stored, incoming), (changes) => ({ ...changes, created: [] }))
}

const strategies = { ...defaultStrategies, REPLACE: replace }

Law.register(runner, "a strategy of one's own", [
  ...StrategyLaws.everyStrategy(replace),
  StrategyLaws.takesWhatIsGiven(replace)
], often)

Law.register(
  runner,
  "decisions with a strategy of one's own",
  [DecisionLaws.everyLaw, AnswerLaws.everyLaw].flatMap((laws) =>
    laws((document, snapshot) => decide(document, snapshot, strategies), { strategies })
  ),
  { factor: 0.3 * often.factor }
)

Law.register(
  runner,
  "intake with a strategy of one's own",
  IntakeLaws.everyLaw(Memory.layer, { strategies }),
  { factor: 0.3 * often.factor }
)

describe("a strategy of one's own with a mistake", () => {
  it("breaks the law that it breaks, and no other", async () => {
    const broken = await Law.broken(StrategyLaws.everyStrategy(add), { seed: 1 })
    assert.deepStrictEqual(broken.map(({ name }) => name), ["what is created or updated is a whole item"])
    assert.match(broken[0]!.reason, /description: undefined/)
  })

  it("may lose what is given as far as every strategy goes, and breaks the law of those that take it", async () => {
    assert.deepStrictEqual(await Law.broken(StrategyLaws.everyStrategy(lose), { seed: 1 }), [])
    const broken = await Law.broken([StrategyLaws.takesWhatIsGiven(lose)], { seed: 1 })
    assert.deepStrictEqual(broken.map(({ name }) => name), ["each incoming item is there afterwards"])
  })
})
