/**
 * Shows operators the record of operators' changes (D13.8).
 *
 * Guarantee: an operator sees the entries of the businesses that it operates; an operator of the whole service sees all.
 */
import { Context, Effect, Layer, Result } from "effect"
import { notOperator, operates, operatorScope } from "../access/Access.ts"
import { AuditLog } from "../access/AuditLog.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"
import { InvalidParameter } from "../values/Errors.ts"
import { limitOf, mapPage, positionOf } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"
import { auditView } from "./OperatorView.ts"

/** Shows the record of operators' changes. */
export class Audit
  extends Context.Service<Audit, OperatorHandlers<"listAudit">>()("@dockline/core/operator/Audit")
{
  /** Reads the record from the audit log. */
  static readonly layer: Layer.Layer<Audit, never, AuditLog> = Layer.effect(
    Audit,
    Effect.map(AuditLog, (log) =>
      Audit.of({
        listAudit: Effect.fn("Audit.list")(function*(query, principal) {
          const scope = yield* operatorScope(principal)
          const { business = "", clientId, limit, subject } = query
          if (business !== "" && !operates(principal, business)) return yield* notOperator(clip(business))
          const errors: Array<FieldError> = []
          const timeOf = (path: "from" | "to"): Timestamp.Timestamp | undefined => {
            const text = query[path] ?? ""
            const detail = text === "" ? undefined : Timestamp.fault(text)
            if (detail !== undefined) errors.push({ path, detail })
            return Timestamp.parse(text)
          }
          const after = positionOf(query.after ?? "")
          if (Result.isFailure(after)) errors.push(...after.failure.errors)
          const [from, to] = [timeOf("from"), timeOf("to")]
          if (Result.isFailure(after) || errors.length > 0) return yield* new InvalidParameter({ errors })
          const page = yield* log.list(
            business === "" ? scope : [business],
            { clientId: clientId || undefined, subject: subject || undefined, from, to },
            { limit: limitOf(limit), after: after.success }
          )
          return mapPage(page, auditView)
        })
      }))
  )
}
