/**
 * The service with which every adapter reports, lists and resolves exceptions of shipments (D13.5).
 *
 * Guarantee: a client sees only the exceptions of shipments that it may see.
 */
import { Context, Effect, Layer, Result } from "effect"
import { readScopes } from "../access/Access.ts"
import type { AuthorizedCall, Principal } from "../access/Access.ts"
import { keepView } from "../access/Keep.ts"
import type { Keep, WriteCall } from "../access/Keep.ts"
import type * as Operation from "../access/Operation.ts"
import { dashboardOf } from "../movement/Movement.ts"
import { MovementSettings } from "../movement/MovementSettings.ts"
import { admit, countOutcome, shownAs } from "../movement/ShipmentChange.ts"
import type { Note } from "../movement/ShipmentChange.ts"
import type { PlaceError } from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import { checkPlace, filledOrUndefined, pageRequest, placeOf, visible } from "../places/ListQuery.ts"
import type { ListPage } from "../places/ListQuery.ts"
import type { InvalidParameter, ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage, newestPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import type { ReportInput, ResolveInput } from "./ExceptionInput.ts"
import type { listExceptions } from "./ExceptionOperations.ts"
import { decideReport, decideResolve } from "./ExceptionRules.ts"
import type { ExceptionPlan, ReportSnapshot, ResolveSnapshot } from "./ExceptionRules.ts"
import { ExceptionStore } from "./ExceptionStore.ts"
import { exceptionView } from "./ExceptionView.ts"
import type { ExceptionView } from "./ExceptionView.ts"
import { exceptionPermissions } from "./ShipmentException.ts"
import type { ReportError, ResolveError } from "./ShipmentException.ts"

const changes = Metrics.counter(
  "dockline_shipment_exceptions_total",
  "Reports and resolutions of exceptions by outcome",
  [["change", ["report", "resolve"]], ["outcome", ["done", "unchanged", ...Metrics.refusals]]],
  { capability: "exceptions" }
)

/** The filters and the page of a list of exceptions over shipments. */
export type ExceptionQuery = Operation.Query<typeof listExceptions>

/** Reports, lists and resolves exceptions. Ids are decimal text, as in a path. */
export class Exceptions extends Context.Service<Exceptions, {
  /** Reports an exception of a shipment, or of one of its pallets. */
  readonly report: WriteCall<[shipmentId: string, input: ReportInput], ExceptionView, ReportError>
  /** Resolves an exception; repeating it changes nothing, whatever the note. */
  readonly resolve: WriteCall<
    [shipmentId: string, exceptionId: string, input: ResolveInput],
    ExceptionView,
    ResolveError
  >
  /** The exceptions of a shipment, in id order. */
  readonly ofShipment: AuthorizedCall<
    [shipmentId: string, page: ListPage],
    Page<ExceptionView>,
    ShipmentNotFound | StorageUnavailable
  >
  /** The exceptions of all shipments that the client may see, newest first. */
  readonly list: AuthorizedCall<[query: ExceptionQuery], Page<ExceptionView>, PlaceError | InvalidParameter>
}>()("@dockline/core/exceptions/Exceptions") {
  /** Reports, lists and resolves the exceptions of the store. */
  static readonly layer: Layer.Layer<Exceptions, never, ExceptionStore | Directory> = Layer.effect(
    Exceptions,
    Effect.map(
      Effect.all([ExceptionStore, Directory, MovementSettings]),
      ([store, directory, settings]) =>
        Exceptions.of({ ...reads(store, directory), ...writes(store, dashboardOf(settings)) })
    )
  )
}

const reads = (
  store: ExceptionStore["Service"],
  directory: Directory["Service"]
): Pick<Exceptions["Service"], "list" | "ofShipment"> => ({
  list: Effect.fn("Exceptions.list")(function*(query, principal) {
    const place = placeOf(query)
    yield* checkPlace(directory, principal, place)
    const filter = {
      ...place,
      status: filledOrUndefined(query.status),
      priority: filledOrUndefined(query.priority)
    }
    const page = yield* store.list(readScopes(principal), filter, yield* Effect.fromResult(newestPage(query)))
    return mapPage(page, exceptionView)
  }),
  ofShipment: Effect.fn("Exceptions.ofShipment")(function*(id, page, principal) {
    const result = yield* visible(
      id,
      principal,
      (number, reader) => store.ofShipment(number, pageRequest(page), reader)
    )
    return mapPage(result.page, exceptionView)
  })
})

/** A change of the exceptions of a shipment, and for whom. */
interface Changing<out F> {
  readonly id: string
  readonly principal: Principal
  readonly keep: Keep<ExceptionView, F> | undefined
}

const countedChange = <A, E>(change: "report" | "resolve", make: (note: Note) => Effect.Effect<A, E>) =>
  countOutcome((outcome) => changes.of(change, outcome), make)

const noting = (note: Note) => (plan: ExceptionPlan | null) =>
  note(plan === null ? undefined : [plan.message])

/** An id that names nothing, for ids that are not well-formed. */
const none = 0

const writes = (
  store: ExceptionStore["Service"],
  dashboardUrl: string
): Pick<Exceptions["Service"], "report" | "resolve"> => {
  const begin = (id: string, principal: Principal) =>
    admit(
      id,
      principal,
      exceptionPermissions,
      (match) => store.ofShipment(match, { limit: 1, after: 0 }, readScopes(principal))
    )

  const report = Effect.fn("Exceptions.report")(
    function*<F>({ id, keep, principal }: Changing<F>, input: ReportInput, note: Note) {
      const shipmentId = yield* begin(id, principal)
      const { lpn = "", palletId = "" } = input
      const about = { lpn, palletId: palletId === "" ? null : idOf(palletId) ?? none }
      const decide = (snapshot: ReportSnapshot) =>
        Result.tap(
          decideReport(input, snapshot, { shipmentId: id, principal, dashboardUrl }),
          noting(note)
        )
      return yield* keepView(
        keep,
        shownAs(id, exceptionView),
        (keep) => store.report(shipmentId, about, decide, keep)
      )
    }
  )

  const resolve = Effect.fn("Exceptions.resolve")(
    function*<F>(
      { id, keep, principal }: Changing<F>,
      exceptionId: string,
      input: ResolveInput,
      note: Note
    ) {
      const shipmentId = yield* begin(id, principal)
      const asking = { shipmentId: id, exceptionId, principal, dashboardUrl }
      const decide = (snapshot: ResolveSnapshot) =>
        Result.tap(decideResolve(input, snapshot, asking), noting(note))
      return yield* keepView(
        keep,
        shownAs(id, exceptionView),
        (keep) => store.resolve(shipmentId, idOf(exceptionId) ?? none, decide, keep)
      )
    }
  )

  return {
    report: (id, input, principal, keep) =>
      countedChange("report", (note) => report({ id, principal, keep }, input, note)),
    resolve: (id, exceptionId, input, principal, keep) =>
      countedChange("resolve", (note) => resolve({ id, principal, keep }, exceptionId, input, note))
  }
}
