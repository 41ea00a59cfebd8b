/**
 * The suites of Dockline's storages: the guarantees of each port, as programs that any test runner can run over your own storage. The laws
 * of the rules are in `@dockline/testing/Laws`.
 *
 * ```ts
 * import { storeSuites, Suite } from "@dockline/testing"
 *
 * for (const suite of storeSuites) Suite.register({ describe, it, afterAll }, suite, MyStorage.layer)
 * ```
 *
 * The suite of each port is also exported, for storages with only some of the ports. The suites of the ports of capabilities are separate
 * modules in `@dockline/testing/capabilities`.
 */
import type { Stores } from "@dockline/core/memory/Memory"
import type { Suite } from "./Suite.ts"
import { clientStoreSuite, sessionStoreSuite, signingKeyStoreSuite } from "./suites/AccessStoreSuites.ts"
import { auditLogSuite } from "./suites/AuditLogSuite.ts"
import { deliveryStoreSuite } from "./suites/delivery/DeliveryStoreSuite.ts"
import { outboxSuite, OutboxWriter } from "./suites/delivery/OutboxSuite.ts"
import { directorySuite } from "./suites/DirectorySuite.ts"
import { followSuite } from "./suites/FollowSuite.ts"
import { idempotencyStoreSuite } from "./suites/IdempotencyStoreSuite.ts"
import { documentRecordSuite } from "./suites/intake/DocumentRecordSuite.ts"
import { intakeStoreSuite } from "./suites/intake/IntakeStoreSuite.ts"
import { messageLogSuite } from "./suites/MessageLogSuite.ts"
import { movementSuite } from "./suites/movement/MovementSuite.ts"
import { Outage, outageSuite } from "./suites/OutageSuite.ts"
import { personStoreSuite } from "./suites/PersonStoreSuite.ts"
import { shipmentStoreSuite } from "./suites/ShipmentStoreSuite.ts"
import { webhookEndpointStoreSuite } from "./suites/WebhookEndpointStoreSuite.ts"

export * as Given from "./generators/Given.ts"
export * as Suite from "./Suite.ts"

export {
  auditLogSuite,
  clientStoreSuite,
  deliveryStoreSuite,
  directorySuite,
  documentRecordSuite,
  followSuite,
  idempotencyStoreSuite,
  intakeStoreSuite,
  messageLogSuite,
  movementSuite,
  Outage,
  outageSuite,
  outboxSuite,
  OutboxWriter,
  personStoreSuite,
  sessionStoreSuite,
  shipmentStoreSuite,
  signingKeyStoreSuite,
  webhookEndpointStoreSuite
}

/** The guarantees of a storage of all ports, one suite for each port. */
export const storeSuites: ReadonlyArray<Suite<Stores>> = [
  directorySuite,
  intakeStoreSuite,
  shipmentStoreSuite,
  movementSuite,
  documentRecordSuite,
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
