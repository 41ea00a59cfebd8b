/**
 * Reads and replaces the settings of businesses for operators (D24.2).
 *
 * Guarantee: an operator sees and changes only the businesses that it operates, and each change is in the operators' record.
 */
import { auditing, subjectOf } from "@dockline/core/access/AuditLog"
import type { AuditLog } from "@dockline/core/access/AuditLog"
import type { OperatorHandlersOf } from "@dockline/core/capability/OperatorPart"
import { expected } from "@dockline/core/input/Precondition"
import * as Authorize from "@dockline/core/places/Authorize"
import { Directory } from "@dockline/core/places/Directory"
import { Context, Effect, Layer } from "effect"
import type { settingsOperations } from "./EpcisSettings.ts"
import { EpcisStore } from "./EpcisStore.ts"

/** The handlers of the operations of operators. */
export class SettingsOfOperators
  extends Context.Service<SettingsOfOperators, OperatorHandlersOf<typeof settingsOperations>>()(
    "@dockline/epcis/domain/SettingsOfOperators"
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
