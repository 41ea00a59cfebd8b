/**
 * `@dockline/core/testing`: what a service that embeds Dockline tests itself with, under any test runner.
 *
 * - Suites say what a storage promises (`Suite`, {@link storeSuites}): run them against a storage of your own.
 * - Laws are properties with a name (`Law`, `StrategyLaws`, …): hold a strategy, a rule or a storage against them.
 * - The model of the whole service (`Model`, `HistoryLaw`) says what every request must be answered.
 * - Generators make documents, items, situations and histories, good ones and bad ones, that shrink to readable cases.
 * - `Given` and `Motion` build the smallest thing that a test of your own is about.
 * - `Decided`, `IntakeRun` and `MovementRun` make laws of your own: say what holds of every decision, document or history.
 *
 * ```ts
 * import { Law, StrategyLaws, Suite, storeSuites } from "@dockline/core/testing"
 *
 * Law.register({ describe, it }, "my strategy", StrategyLaws.everyStrategy(mine))
 * for (const suite of storeSuites) Suite.register({ describe, it, afterAll }, suite, MyStorage.layer)
 * ```
 *
 * Each module is also there by itself, as `@dockline/core/testing/Law` and so on; there, too, are the single suites, and
 * the worlds that their cases are set in (`MessageLogWorld` and others). It needs `fast-check`.
 */
import type { Layer } from "effect"
import type { Stores } from "./memory/Memory.ts"
import { clientStoreSuite } from "./testing/ClientStoreSuite.ts"
import { deliveryStoreSuite } from "./testing/DeliveryStoreSuite.ts"
import { directorySuite } from "./testing/DirectorySuite.ts"
import { followSuite } from "./testing/FollowSuite.ts"
import { idempotencyStoreSuite } from "./testing/IdempotencyStoreSuite.ts"
import * as IntakeLaws from "./testing/IntakeLaws.ts"
import { intakeStoreSuite } from "./testing/IntakeStoreSuite.ts"
import type { Law } from "./testing/Law.ts"
import { messageLogSuite } from "./testing/MessageLogSuite.ts"
import * as MovementLaws from "./testing/MovementLaws.ts"
import { movementSuite } from "./testing/MovementSuite.ts"
import { operatorSuite } from "./testing/OperatorSuite.ts"
import * as SerialLaws from "./testing/SerialLaws.ts"
import { shipmentStoreSuite } from "./testing/ShipmentStoreSuite.ts"
import { signingKeyStoreSuite } from "./testing/SigningKeyStoreSuite.ts"
import type { Suite } from "./testing/Suite.ts"
import { webhookEndpointStoreSuite } from "./testing/WebhookEndpointStoreSuite.ts"

export * as AnswerLaws from "./testing/AnswerLaws.ts"
export * as Assert from "./testing/Assert.ts"
export * as Decided from "./testing/Decided.ts"
export * as DecisionLaws from "./testing/DecisionLaws.ts"
export * as DeliveryHistory from "./testing/DeliveryHistory.ts"
export * as FacilityHistories from "./testing/FacilityHistories.ts"
export * as Generators from "./testing/Generators.ts"
export * as Given from "./testing/Given.ts"
export * as Histories from "./testing/Histories.ts"
export * as History from "./testing/History.ts"
export * as HistoryLaw from "./testing/HistoryLaw.ts"
export * as HistoryRun from "./testing/HistoryRun.ts"
export * as HostileInput from "./testing/HostileInput.ts"
export * as IntakeLaws from "./testing/IntakeLaws.ts"
export * as IntakeRun from "./testing/IntakeRun.ts"
export * as Law from "./testing/Law.ts"
export * as Model from "./testing/Model.ts"
export * as Motion from "./testing/Motion.ts"
export * as MovementLaws from "./testing/MovementLaws.ts"
export * as MovementRun from "./testing/MovementRun.ts"
export * as PalletGenerators from "./testing/PalletGenerators.ts"
export * as Reading from "./testing/Reading.ts"
export * as ReadingLaws from "./testing/ReadingLaws.ts"
export * as ReferenceLaws from "./testing/ReferenceLaws.ts"
export * as RemapLaws from "./testing/RemapLaws.ts"
export * as Serial from "./testing/Serial.ts"
export * as SerialLaws from "./testing/SerialLaws.ts"
export * as Service from "./testing/Service.ts"
export * as Situations from "./testing/Situations.ts"
export * as StrategyLaws from "./testing/StrategyLaws.ts"
export * as Suite from "./testing/Suite.ts"
export * as Unique from "./testing/Unique.ts"
export * as Values from "./testing/Values.ts"

/** What a storage of all ports promises: one suite for each port, and those that show that they fit together. */
export const storeSuites: ReadonlyArray<Suite<Stores>> = [
  directorySuite,
  intakeStoreSuite,
  shipmentStoreSuite,
  movementSuite,
  messageLogSuite,
  followSuite,
  webhookEndpointStoreSuite,
  deliveryStoreSuite,
  clientStoreSuite,
  idempotencyStoreSuite,
  signingKeyStoreSuite,
  operatorSuite
]

/** The laws that hold over every storage: of documents, of shipments in motion, and of documents at once. */
export const storeLaws = <E>(stores: Layer.Layer<Stores, E>): ReadonlyArray<Law> => [
  ...IntakeLaws.everyLaw(stores),
  ...MovementLaws.everyLaw(stores),
  ...SerialLaws.everyLaw(stores)
]
