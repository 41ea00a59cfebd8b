/**
 * `@dockline/core/testing`: the tests for what you add to Dockline or embed it in, under any test runner.
 *
 * - Suites hold the promises of storages (`Suite`, {@link storeSuites}): run them against a storage of your own.
 * - Laws are properties with a name (`Law`, `StrategyLaws`, …): hold a strategy, a rule or a storage against them.
 * - The model of the whole service (`Model`, `HistoryLaw`) computes the answer that each request must get.
 * - Generators make documents, items, situations and histories, good ones and bad ones, that shrink to readable cases.
 * - `Given` and `Motion` build small documents, snapshots and events for examples.
 * - `Decided`, `IntakeRun` and `MovementRun` make laws of your own about every decision, document or history.
 *
 * ```ts
 * import { Law, StrategyLaws, Suite, storeSuites } from "@dockline/core/testing"
 *
 * Law.register({ describe, it }, "my strategy", StrategyLaws.everyStrategy(mine))
 * for (const suite of storeSuites) Suite.register({ describe, it, afterAll }, suite, MyStorage.layer)
 * ```
 *
 * The suite of each port is exported too, for storages that have some of the ports. The module needs `fast-check`.
 */
import type { Stores } from "./memory/Memory.ts"
import type { Suite } from "./testing/Suite.ts"
import { auditLogSuite } from "./testing/suites/AuditLogSuite.ts"
import { clientStoreSuite } from "./testing/suites/ClientStoreSuite.ts"
import { deliveryStoreSuite } from "./testing/suites/delivery/DeliveryStoreSuite.ts"
import { directorySuite } from "./testing/suites/DirectorySuite.ts"
import { exceptionStoreSuite } from "./testing/suites/ExceptionStoreSuite.ts"
import { followSuite } from "./testing/suites/FollowSuite.ts"
import { idempotencyStoreSuite } from "./testing/suites/IdempotencyStoreSuite.ts"
import { documentRecordSuite } from "./testing/suites/intake/DocumentRecordSuite.ts"
import { intakeStoreSuite } from "./testing/suites/intake/IntakeStoreSuite.ts"
import { messageLogSuite } from "./testing/suites/MessageLogSuite.ts"
import { movementSuite } from "./testing/suites/movement/MovementSuite.ts"
import { Outage, outageSuite } from "./testing/suites/OutageSuite.ts"
import { personStoreSuite } from "./testing/suites/PersonStoreSuite.ts"
import { sessionStoreSuite } from "./testing/suites/SessionStoreSuite.ts"
import { shipmentStoreSuite } from "./testing/suites/ShipmentStoreSuite.ts"
import { signingKeyStoreSuite } from "./testing/suites/SigningKeyStoreSuite.ts"
import { webhookEndpointStoreSuite } from "./testing/suites/WebhookEndpointStoreSuite.ts"

export * as FacilityHistories from "./testing/generators/FacilityHistories.ts"
export * as Generators from "./testing/generators/Generators.ts"
export * as Given from "./testing/generators/Given.ts"
export * as Histories from "./testing/generators/Histories.ts"
export * as History from "./testing/generators/History.ts"
export * as Motion from "./testing/generators/Motion.ts"
export * as PalletGenerators from "./testing/generators/PalletGenerators.ts"
export * as Serial from "./testing/generators/Serial.ts"
export * as Situations from "./testing/generators/Situations.ts"
export * as Values from "./testing/generators/Values.ts"
export * as Law from "./testing/Law.ts"
export * as AnswerLaws from "./testing/laws/AnswerLaws.ts"
export * as Decided from "./testing/laws/Decided.ts"
export * as DecisionLaws from "./testing/laws/DecisionLaws.ts"
export * as HistoryLaw from "./testing/laws/HistoryLaw.ts"
export * as IntakeLaws from "./testing/laws/IntakeLaws.ts"
export * as IntakeRun from "./testing/laws/IntakeRun.ts"
export * as MovementLaws from "./testing/laws/MovementLaws.ts"
export * as MovementRun from "./testing/laws/MovementRun.ts"
export * as SerialLaws from "./testing/laws/SerialLaws.ts"
export * as StrategyLaws from "./testing/laws/StrategyLaws.ts"
export * as HistoryRun from "./testing/model/HistoryRun.ts"
export * as Model from "./testing/model/Model.ts"
export * as Service from "./testing/model/Service.ts"
export * as Suite from "./testing/Suite.ts"

export {
  auditLogSuite,
  clientStoreSuite,
  deliveryStoreSuite,
  directorySuite,
  documentRecordSuite,
  exceptionStoreSuite,
  followSuite,
  idempotencyStoreSuite,
  intakeStoreSuite,
  messageLogSuite,
  movementSuite,
  Outage,
  outageSuite,
  personStoreSuite,
  sessionStoreSuite,
  shipmentStoreSuite,
  signingKeyStoreSuite,
  webhookEndpointStoreSuite
}

/** The promises of a storage of all ports, one suite for each port. */
export const storeSuites: ReadonlyArray<Suite<Stores>> = [
  directorySuite,
  intakeStoreSuite,
  shipmentStoreSuite,
  movementSuite,
  documentRecordSuite,
  exceptionStoreSuite,
  messageLogSuite,
  followSuite,
  webhookEndpointStoreSuite,
  deliveryStoreSuite,
  clientStoreSuite,
  personStoreSuite,
  auditLogSuite,
  idempotencyStoreSuite,
  sessionStoreSuite,
  signingKeyStoreSuite
]
