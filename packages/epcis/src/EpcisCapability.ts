/**
 * EPCIS as a capability (D24): events about pallets and shipments that passed the door, for clients, and their settings, for operators.
 */
import * as Capability from "@dockline/core/capability/Capability"
import * as OperatorPart from "@dockline/core/capability/OperatorPart"
import { Effect, Layer } from "effect"
import recorded from "./domain/answers.json" with { type: "json" }
import { operatorRequests } from "./domain/EpcisExamples.ts"
import { epcisOutboxes } from "./domain/EpcisOutbox.ts"
import { settingsOperations } from "./domain/EpcisSettings.ts"
import * as MemoryEpcis from "./domain/MemoryEpcis.ts"
import { SettingsOfOperators } from "./domain/SettingsOfOperators.ts"
import { EpcisEvents } from "./query/EpcisEvents.ts"

/** The events of EPCIS. */
export const epcis = Capability.make("epcis", {
  title: "EPCIS",
  description: "Events of EPCIS 2.0, of what passed the docks",
  operations: {},
  services: Layer.merge(EpcisEvents.layer, SettingsOfOperators.layer),
  handlers: Effect.succeed({}),
  memory: MemoryEpcis.memory,
  answers: {},
  outbox: epcisOutboxes,
  audit: ["EPCIS_CHANGED"],
  operators: OperatorPart.make({
    name: "epcisSettings",
    title: "Operator: EPCIS",
    description: "How the events of a business are written, and whether endpoints get them",
    operations: settingsOperations,
    handlers: SettingsOfOperators,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
