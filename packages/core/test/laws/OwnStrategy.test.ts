/** The laws hold with a strategy of an embedding service. */
import { keyOf } from "@dockline/testing/generators/Generators"
import * as Law from "@dockline/testing/Law"
import * as AnswerLaws from "@dockline/testing/laws/AnswerLaws"
import * as DecisionLaws from "@dockline/testing/laws/DecisionLaws"
import * as IntakeLaws from "@dockline/testing/laws/IntakeLaws"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { Result } from "effect"
import { often, runner } from "../../../../test/support/Runner.ts"
import { decide } from "../../src/document/Decision.ts"
import { append, defaultStrategies } from "../../src/document/Strategy.ts"
import type { Strategy } from "../../src/document/Strategy.ts"
import * as Memory from "../../src/memory/Memory.ts"

/** Replaces the items that match, with new ids, and adds the others. */
const replace: Strategy = {
  requiredFields: append.requiredFields,
  apply: (items, incoming) => {
    const keys = new Set(incoming.map(keyOf))
    return Result.succeed({
      created: incoming,
      updated: [],
      removed: items.filter((item) => keys.has(keyOf(item)))
    })
  }
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
