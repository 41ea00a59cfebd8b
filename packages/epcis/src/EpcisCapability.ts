/**
 * EPCIS as a capability (D24): events about pallets that passed a dock and shipments that arrived or departed, for clients; and the settings
 * of events, for operators (D24.2).
 *
 * Guarantee: an operator sees and changes only the settings of businesses that it operates, and each change is in the operators' record.
 */
import { auditing, subjectOf } from "@dockline/core/access/AuditLog"
import type { AuditLog } from "@dockline/core/access/AuditLog"
import { example } from "@dockline/core/access/Operation"
import * as Capability from "@dockline/core/capability/Capability"
import { makeOperatorPart } from "@dockline/core/capability/Capability"
import type { OperatorHandlersOf } from "@dockline/core/capability/Capability"
import { expected } from "@dockline/core/input/Precondition"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Place"
import { Context, Effect, Layer } from "effect"
import recorded from "./domain/answers.json" with { type: "json" }
import { epcisOutboxes } from "./domain/EpcisOutbox.ts"
import { settingsOperations } from "./domain/EpcisSettings.ts"
import { EpcisStore } from "./domain/EpcisStore.ts"
import * as MemoryEpcis from "./domain/MemoryEpcis.ts"
import { EpcisEvents } from "./query/EpcisEvents.ts"

/** The handlers of the operations of operators. */
export class SettingsOfOperators
  extends Context.Service<SettingsOfOperators, OperatorHandlersOf<typeof settingsOperations>>()(
    "@dockline/epcis/EpcisCapability"
  )
{
  static readonly layer: Layer.Layer<SettingsOfOperators, never, EpcisStore | Directory | AuditLog> = Layer
    .effect(
      SettingsOfOperators,
      Effect.gen(function*() {
        const store = yield* EpcisStore
        const directory = yield* Directory
        const audit = yield* auditing
        return SettingsOfOperators.of({
          getEpcisSettings: Effect.fn("Epcis.settings")(function*({ slug }, principal) {
            yield* Authorize.operatorOf(directory, principal, slug)
            return yield* store.settings(slug)
          }),
          setEpcisSettings: Effect.fn("Epcis.setSettings")(function*({ body, slug: business }, principal) {
            yield* Authorize.operatorOf(directory, principal, business)
            const unchanged = yield* expected(yield* store.settings(business))
            yield* audit(principal, store.setSettings(business, body, unchanged), () => ({
              action: "EPCIS_CHANGED",
              business,
              subject: subjectOf("businesses", business, "epcis"),
              details: { ...body }
            }))
            return body
          })
        })
      })
    )
}

/** The requests of operators. */
export const operatorRequests = {
  setEpcisSettings: {
    urns: example("SSCCs of a company as EPC URNs, and events for endpoints", {
      companyPrefixes: ["0614141"],
      publishes: true
    })
  }
} as const

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
  operators: makeOperatorPart({
    name: "epcisSettings",
    title: "Operator: EPCIS",
    description: "How the events of a business are written, and whether endpoints get them",
    operations: settingsOperations,
    handlers: SettingsOfOperators,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
