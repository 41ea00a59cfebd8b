/**
 * The service with which every adapter reports, lists and resolves exceptions of shipments (D13.5).
 *
 * Guarantee: a client sees only the exceptions of shipments that it may see.
 */
import { Context, Effect, Layer, Metric } from "effect"
import { holds } from "../access/Access.ts"
import type { Authorized, Principal } from "../access/Access.ts"
import { pageRequest, visible } from "../places/ListQuery.ts"
import type { ListPage } from "../places/ListQuery.ts"
import type { Place } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { ShipmentNotFound } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import type { ReportInput, ResolveInput } from "./ExceptionInput.ts"
import { authorize, decideReport, decideResolve, exceptionPermissions } from "./ExceptionRules.ts"
import type { Asking } from "./ExceptionRules.ts"
import { ExceptionStore } from "./ExceptionStore.ts"
import { exceptionView } from "./ExceptionView.ts"
import type { ExceptionView } from "./ExceptionView.ts"
import type { LocatedException, ReportError, ResolveError } from "./ShipmentException.ts"

const changes = Metrics.counter(
  "dockline_shipment_exceptions_total",
  "Reports and resolutions of exceptions by what became of them",
  [["change", ["report", "resolve"]], ["outcome", ["done", "unchanged", ...Metrics.refusals]]]
)

/** An exception as clients see it, with where it belongs. */
export interface ShownException {
  readonly business: Place
  readonly facility: Place
  readonly exception: ExceptionView
}

/** Reports, lists and resolves exceptions. Ids are decimal text, as in a path. */
export class Exceptions extends Context.Service<Exceptions, {
  /** Reports an exception of a shipment, or of one of its pallets. */
  readonly report: Authorized<[shipmentId: string, input: ReportInput], ShownException, ReportError>
  /** Resolves an exception; repeating it changes nothing, whatever the note. */
  readonly resolve: Authorized<
    [shipmentId: string, exceptionId: string, input: ResolveInput],
    ShownException,
    ResolveError
  >
  /** The exceptions of a shipment, in id order. */
  readonly ofShipment: Authorized<
    [shipmentId: string, page: ListPage],
    Page<ExceptionView>,
    ShipmentNotFound | StorageUnavailable
  >
}>()("@dockline/core/Exceptions") {
  /** Reports, lists and resolves the exceptions of the store. */
  static readonly layer: Layer.Layer<Exceptions, never, ExceptionStore> = Layer.effect(
    Exceptions,
    Effect.map(ExceptionStore, (store) => Exceptions.of({ ...reads(store), ...writes(store) }))
  )
}

const notFound = (id: string): ShipmentNotFound => new ShipmentNotFound({ id: clip(id) })

const shown = (id: string, found: LocatedException | null) =>
  found === null
    ? Effect.fail(notFound(id))
    : Effect.succeed({ ...found.location, exception: exceptionView(found.exception) })

const reads = (store: ExceptionStore["Service"]): Pick<Exceptions["Service"], "ofShipment"> => ({
  ofShipment: Effect.fn("Exceptions.ofShipment")(function*(id, page, principal) {
    const found = yield* visible(id, principal, (number) => store.ofShipment(number, pageRequest(page)))
    return mapPage(found.page, exceptionView)
  })
})

const writes = (store: ExceptionStore["Service"]): Pick<Exceptions["Service"], "report" | "resolve"> => {
  /** The id of the shipment. A client without a permission anywhere is refused before any lock is taken. */
  const begin = Effect.fnUntraced(function*(asking: Asking) {
    const shipmentId = idOf(asking.shipmentId)
    if (shipmentId === undefined) return yield* notFound(asking.shipmentId)
    if (!exceptionPermissions.some((permission) => holds(asking.principal, permission))) {
      const found = yield* store.ofShipment(shipmentId, { limit: 1, after: 0 })
      if (found === null) return yield* notFound(asking.shipmentId)
      yield* Effect.fromResult(authorize(asking, found.location))
    }
    return shipmentId
  })

  /** An id that names nothing, for ids that are not well-formed. */
  const none = 0

  const report = Effect.fn("Exceptions.report")(
    function*(id: string, input: ReportInput, principal: Principal) {
      const asking = { shipmentId: id, principal }
      const shipmentId = yield* begin(asking)
      const { palletId = "" } = input
      const found = yield* store.report(
        shipmentId,
        palletId === "" ? null : idOf(palletId) ?? none,
        (snapshot) => decideReport(input, snapshot, asking)
      )
      return yield* shown(id, found)
    }
  )

  const resolve = Effect.fn("Exceptions.resolve")(
    function*(
      id: string,
      exceptionId: string,
      input: ResolveInput,
      principal: Principal,
      note: (isChange: boolean) => void
    ) {
      const asking = { shipmentId: id, exceptionId, principal }
      const shipmentId = yield* begin(asking)
      const found = yield* store.resolve(shipmentId, idOf(exceptionId) ?? none, (snapshot) => {
        const decided = decideResolve(input, snapshot, asking)
        note(decided._tag === "Success" && decided.success !== null)
        return decided
      })
      return yield* shown(id, found)
    }
  )

  return {
    report: (id, input, principal) =>
      Metrics.outcomes(
        report(id, input, principal),
        (outcome) => changes.of("report", outcome),
        () => Metric.update(changes.of("report", "done"), 1)
      ),
    resolve: (id, exceptionId, input, principal) =>
      Effect.suspend(() => {
        let isChange = false
        return Metrics.outcomes(
          resolve(id, exceptionId, input, principal, (last) => isChange = last),
          (outcome) => changes.of("resolve", outcome),
          () => Metric.update(changes.of("resolve", isChange ? "done" : "unchanged"), 1)
        )
      })
  }
}
