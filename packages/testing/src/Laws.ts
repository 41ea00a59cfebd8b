/**
 * The laws of Dockline's rules: named properties that are checked with generated values. Use them to check your own strategy, decision or
 * storage. This module needs `fast-check`; the module of the suites does not.
 *
 * ```ts
 * import { Law, StrategyLaws } from "@dockline/testing/Laws"
 *
 * Law.register({ describe, it }, "my strategy", StrategyLaws.everyStrategy(mine))
 * ```
 */
export * as Generators from "./generators/Generators.ts"
export * as Situations from "./generators/Situations.ts"
export * as Law from "./Law.ts"
export * as AnswerLaws from "./laws/AnswerLaws.ts"
export * as DecisionLaws from "./laws/DecisionLaws.ts"
export * as IntakeLaws from "./laws/IntakeLaws.ts"
export * as MovementLaws from "./laws/MovementLaws.ts"
export * as SerialLaws from "./laws/SerialLaws.ts"
export * as StrategyLaws from "./laws/StrategyLaws.ts"
