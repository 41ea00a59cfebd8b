/** The rules keep their laws. */
import { often, runner } from "../../../../test/support/Runner.ts"
import { reader } from "../../src/document/DocumentInput.ts"
import { decide } from "../../src/document/Plan.ts"
import { choose } from "../../src/document/Remap.ts"
import { defaultStrategies } from "../../src/document/Strategy.ts"
import * as AnswerLaws from "../../src/testing/AnswerLaws.ts"
import * as DecisionLaws from "../../src/testing/DecisionLaws.ts"
import * as Law from "../../src/testing/Law.ts"
import * as ReadingLaws from "../../src/testing/ReadingLaws.ts"
import * as ReferenceLaws from "../../src/testing/ReferenceLaws.ts"
import * as RemapLaws from "../../src/testing/RemapLaws.ts"
import * as StrategyLaws from "../../src/testing/StrategyLaws.ts"

Law.register(runner, "reading a document", ReadingLaws.everyReader(reader()), often)

for (const [name, strategy] of Object.entries(defaultStrategies)) {
  Law.register(runner, `the strategy ${name}, as every strategy`, StrategyLaws.everyStrategy(strategy), often)
}
Law.register(runner, "the strategies of the wire contract", StrategyLaws.wireStrategies(), often)

Law.register(runner, "which order a document means", RemapLaws.everyChoice(choose), often)
Law.register(runner, "references", ReferenceLaws.everyReference(), often)
Law.register(runner, "the decision", DecisionLaws.everyLaw(decide), often)
Law.register(runner, "the answer", AnswerLaws.everyLaw(decide), often)
