/** The rules keep their laws. */
import * as Law from "@dockline/testing/Law"
import * as AnswerLaws from "@dockline/testing/laws/AnswerLaws"
import * as DecisionLaws from "@dockline/testing/laws/DecisionLaws"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { often, runner } from "../../../../test/support/Runner.ts"
import { decide } from "../../src/document/Decision.ts"
import { reader } from "../../src/document/DocumentInput.ts"
import { chooseCandidate } from "../../src/document/Plan.ts"
import { append, defaultStrategies, merge, overwrite } from "../../src/document/Strategy.ts"
import * as ReadingLaws from "./ReadingLaws.ts"
import * as RemapLaws from "./RemapLaws.ts"

Law.register(runner, "reading a document", ReadingLaws.everyReader(reader()), often)

for (const [name, strategy] of Object.entries(defaultStrategies)) {
  Law.register(runner, `the strategy ${name}, as every strategy`, StrategyLaws.everyStrategy(strategy), often)
}
for (const [name, strategy] of Object.entries({ append, merge, overwrite })) {
  const laws = [StrategyLaws.takesWhatIsGiven(strategy)]
  Law.register(runner, `the strategy ${name}, as one that takes what is given`, laws, often)
}
Law.register(runner, "the strategies of the wire contract", StrategyLaws.wireStrategies(), often)

Law.register(runner, "which order a document means", RemapLaws.everyChoice(chooseCandidate), often)
Law.register(runner, "the decision", DecisionLaws.everyLaw(decide), often)
Law.register(runner, "the answer", AnswerLaws.everyLaw(decide), often)
