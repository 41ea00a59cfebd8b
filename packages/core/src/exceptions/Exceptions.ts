/**
 * The service with which every adapter reports, lists and resolves exceptions of shipments (D13.5).
 *
 * Guarantee: a client sees only the exceptions of shipments that it may see.
 */
import { Context, Effect, Layer, Metric, Result } from "effect"
import { holds, readScopes } from "../access/Access.ts"
import type { Authorized, Principal } from "../access/Access.ts"
import { keepShown } from "../access/Keep.ts"
import type { Keep, Writing } from "../access/Keep.ts"
import type * as Operation from "../access/Operation.ts"
import { countAppended } from "../messages/Message.ts"
import { dashboardOf, defaultMovementConfig } from "../movement/Movement.ts"
import type { MovementConfig } from "../movement/Movement.ts"
import type { PlaceError } from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import { checkPlace, filled, pageRequest, placeOf, visible } from "../places/ListQuery.ts"
import type { ListPage } from "../places/ListQuery.ts"
import { clip } from "../values/Clip.ts"
import { ShipmentNotFound } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import type { ReportInput, ResolveInput } from "./ExceptionInput.ts"
import type { listExceptions } from "./ExceptionOperations.ts"
import { authorize, decideReport, decideResolve } from "./ExceptionRules.ts"
import type { Asking, ExceptionPlan, ReportSnapshot, ResolveSnapshot } from "./ExceptionRules.ts"
import { ExceptionStore } from "./ExceptionStore.ts"
import { exceptionView } from "./ExceptionView.ts"
import type { ExceptionView } from "./ExceptionView.ts"
import { exceptionPermissions } from "./ShipmentException.ts"
import type { LocatedException, ReportError, ResolveError } from "./ShipmentException.ts"

const changes = Metrics.counter(
  "dockline_shipment_exceptions_total",
  "Reports and resolutions of exceptions by outcome",
  [["change", ["report", "resolve"]], ["outcome", ["done", "unchanged", ...Metrics.refusals]]]
)

/** The filters and the page of a list of exceptions over shipments. */
export type ExceptionQuery = Operation.Query<typeof listExceptions>

/** Reports, lists and resolves exceptions. Ids are decimal text, as in a path. */
export class Exceptions extends Context.Service<Exceptions, {
  /** Reports an exception of a shipment, or of one of its pallets. */
  readonly report: Writing<[shipmentId: string, input: ReportInput], ExceptionView, ReportError>
  /** Resolves an exception; repeating it changes nothing, whatever the note. */
  readonly resolve: Writing<
    [shipmentId: string, exceptionId: string, input: ResolveInput],
    ExceptionView,
    ResolveError
  >
  /** The exceptions of a shipment, in id order. */
  readonly ofShipment: Authorized<
    [shipmentId: string, page: ListPage],
    Page<ExceptionView>,
    ShipmentNotFound | StorageUnavailable
  >
  /** The exceptions of all shipments that the client may see, newest first. */
  readonly list: Authorized<[query: ExceptionQuery], Page<ExceptionView>, PlaceError>
}>()("@dockline/core/Exceptions") {
  /** Reports, lists and resolves the exceptions of the store. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<Exceptions, never, ExceptionStore | Directory> =>
    Layer.effect(
      Exceptions,
      Effect.map(
        Effect.all([ExceptionStore, Directory]),
        ([store, directory]) =>
          Exceptions.of({ ...reads(store, directory), ...writes(store, dashboardOf(config)) })
      )
    )
}

const notFound = (id: string): ShipmentNotFound => new ShipmentNotFound({ id: clip(id) })

const shown = (id: string) => (found: LocatedException | null) =>
  found === null ? Result.fail(notFound(id)) : Result.succeed(exceptionView(found))

const reads = (
  store: ExceptionStore["Service"],
  directory: Directory["Service"]
): Pick<Exceptions["Service"], "list" | "ofShipment"> => ({
  list: Effect.fn("Exceptions.list")(function*(query, principal) {
    const place = placeOf(query)
    yield* checkPlace(directory, principal, place)
    const filter = { ...place, status: filled(query.status), priority: filled(query.priority) }
    const page = yield* store.list(readScopes(principal), filter, pageRequest(query))
    return mapPage(page, exceptionView)
  }),
  ofShipment: Effect.fn("Exceptions.ofShipment")(function*(id, page, principal) {
    const found = yield* visible(
      id,
      principal,
      (number, reader) => store.ofShipment(number, pageRequest(page), reader)
    )
    return mapPage(found.page, exceptionView)
  })
})

/** A change of the exceptions of a shipment, and for whom. */
interface Changing<out F> {
  readonly shipmentId: string
  readonly principal: Principal
  readonly keep: Keep<ExceptionView, F> | undefined
}

/** Notes the last decision: `null` changes nothing. */
type Note = <P extends ExceptionPlan | null>(plan: P) => P

/** Counts a change and the message that it appends. */
const counted = <A, E>(
  change: "report" | "resolve",
  make: (note: Note) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let last: ExceptionPlan | null = null
    const note: Note = (plan) => {
      last = plan
      return plan
    }
    return Metrics.outcomes(make(note), (outcome) => changes.of(change, outcome), () =>
      last === null
        ? Metric.update(changes.of(change, "unchanged"), 1)
        : Effect.andThen(Metric.update(changes.of(change, "done"), 1), countAppended([last.message])))
  })

const writes = (
  store: ExceptionStore["Service"],
  dashboardUrl: string
): Pick<Exceptions["Service"], "report" | "resolve"> => {
  /** The id of the shipment. A client without a permission anywhere is refused before any lock is taken. */
  const begin = Effect.fnUntraced(function*(asking: Asking) {
    const shipmentId = idOf(asking.shipmentId)
    if (shipmentId === undefined) return yield* notFound(asking.shipmentId)
    if (!exceptionPermissions.some((permission) => holds(asking.principal, permission))) {
      const found = yield* store.ofShipment(shipmentId, { limit: 1, after: 0 }, readScopes(asking.principal))
      if (found === null) return yield* notFound(asking.shipmentId)
      yield* Effect.fromResult(authorize(asking, found.location))
    }
    return shipmentId
  })

  /** An id that names nothing, for ids that are not well-formed. */
  const none = 0

  const report = Effect.fn("Exceptions.report")(
    function*<F>({ keep, principal, shipmentId: id }: Changing<F>, input: ReportInput, note: Note) {
      const asking = { shipmentId: id, principal, dashboardUrl }
      const shipmentId = yield* begin(asking)
      const { lpn = "", palletId = "" } = input
      const about = { lpn, palletId: palletId === "" ? null : idOf(palletId) ?? none }
      const decide = (snapshot: ReportSnapshot) => Result.map(decideReport(input, snapshot, asking), note)
      return yield* keepShown(keep, shown(id), (keep) => store.report(shipmentId, about, decide, keep))
    }
  )

  const resolve = Effect.fn("Exceptions.resolve")(
    function*<F>(
      { exceptionId, keep, principal, shipmentId: given }: Changing<F> & { readonly exceptionId: string },
      input: ResolveInput,
      note: Note
    ) {
      const asking = { shipmentId: given, exceptionId, principal, dashboardUrl }
      const shipmentId = yield* begin(asking)
      const decide = (snapshot: ResolveSnapshot) => Result.map(decideResolve(input, snapshot, asking), note)
      return yield* keepShown(
        keep,
        shown(given),
        (keep) => store.resolve(shipmentId, idOf(exceptionId) ?? none, decide, keep)
      )
    }
  )

  return {
    report: (shipmentId, input, principal, keep) =>
      counted("report", (note) => report({ shipmentId, principal, keep }, input, note)),
    resolve: (shipmentId, exceptionId, input, principal, keep) =>
      counted("resolve", (note) => resolve({ shipmentId, exceptionId, principal, keep }, input, note))
  }
}
