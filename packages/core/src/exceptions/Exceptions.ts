/**
 * The service with which every adapter reports, lists and resolves exceptions of shipments (D13.5).
 *
 * Guarantee: a client sees only the exceptions of shipments that it may see.
 */
import { Context, Effect, Layer, Result } from "effect"
import { readScopes } from "../access/Access.ts"
import type { AuthorizedCall, Principal, ReadScope } from "../access/Access.ts"
import { keepView } from "../access/Idempotency.ts"
import type { Keep, WriteCall } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { dashboardOf, MovementSettings } from "../movement/Movement.ts"
import { admit, countOutcome, shownAs } from "../movement/ShipmentChange.ts"
import type { Note } from "../movement/ShipmentChange.ts"
import type { PlaceError } from "../places/Authorize.ts"
import { checkPlace, filledOrUndefined, pageRequest, placeOf, visible } from "../places/ListQuery.ts"
import type { ListPage } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import type { PageOfShipment, PlaceFilter, SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { InvalidParameter, ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import type { ExceptionId, PalletId, ShipmentId } from "../values/Id.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage, newestPage } from "../values/Page.ts"
import type { NewestPageRequest, Page, PageRequest } from "../values/Page.ts"
import type { listExceptions } from "./ExceptionOperations.ts"
import { decideReport, decideResolve } from "./ExceptionRules.ts"
import type { ExceptionPlan, ReportSnapshot, ResolveSnapshot } from "./ExceptionRules.ts"
import { exceptionPermissions, exceptionView } from "./ShipmentException.ts"
import type {
  ExceptionPriority,
  ExceptionStatus,
  ExceptionView,
  LocatedException,
  ReportError,
  ReportInput,
  ResolveError,
  ResolveInput
} from "./ShipmentException.ts"

/** The subject of a report: the pallet with the id; without an id, the pallet with the LPN; without both, the whole shipment. */
export interface ReportedPallet {
  readonly palletId: PalletId | null
  readonly lpn: string
}

/** Narrows a list of exceptions; `undefined` does not narrow. */
export interface ExceptionFilter extends PlaceFilter {
  readonly status: ExceptionStatus | undefined
  readonly priority: ExceptionPriority | undefined
}

/** Counts of the exceptions of a shipment. */
export interface ExceptionCounts {
  readonly shipmentId: ShipmentId
  /** All exceptions. */
  readonly reported: number
  /** Open exceptions. */
  readonly open: number
  /** Open exceptions of high priority. */
  readonly urgent: number
}

/**
 * Port: stores the exceptions of shipments. A change loads a snapshot under a lock of the shipment, lets core decide, and writes with the
 * message in one transaction (D13.5, D15.1): reports and resolutions of one shipment behave as if they came one after another. `decide` is
 * pure and may be called again when the transaction is repeated; it is not called when the key of `keep` is in use (D5.2).
 */
export class ExceptionStore extends Context.Service<ExceptionStore, {
  /** Adds an exception of a shipment or of one of its pallets; `null` when the shipment does not exist. */
  readonly report: <E, F = never>(
    shipmentId: ShipmentId,
    about: ReportedPallet,
    decide: (snapshot: ReportSnapshot) => Result.Result<ExceptionPlan, E>,
    keep?: Keep<LocatedException | null, F> | undefined
  ) => Effect.Effect<LocatedException | null, E | F | StorageUnavailable>
  /** Resolves an exception, if `decide` permits it, and returns it; `null` when the shipment does not exist. */
  readonly resolve: <E, F = never>(
    shipmentId: ShipmentId,
    exceptionId: ExceptionId,
    decide: (snapshot: ResolveSnapshot) => Result.Result<ExceptionPlan | null, E>,
    keep?: Keep<LocatedException | null, F> | undefined
  ) => Effect.Effect<LocatedException | null, E | F | StorageUnavailable>
  /** The exceptions of a shipment in id order; `null` when the shipment does not exist. `reader`: as in `ShipmentStore`. */
  readonly ofShipment: (
    shipmentId: ShipmentId,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<LocatedException> | null, StorageUnavailable>
  /** A page of the exceptions of all shipments within the scopes, newest first: by the time of the report, and then by id. */
  readonly list: (
    scopes: ReadonlyArray<ReadScope>,
    filter: ExceptionFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<LocatedException>, StorageUnavailable>
  /** Counts the exceptions of each of these shipments of a facility. Shipments without exceptions are left out. */
  readonly countsOf: (
    place: SlugsOfPlace,
    shipmentIds: ReadonlyArray<ShipmentId>
  ) => Effect.Effect<ReadonlyArray<ExceptionCounts>, StorageUnavailable>
  /** Counts the open exceptions of a facility, and the open exceptions of high priority, each up to `atMost`. */
  readonly openAt: (
    place: SlugsOfPlace,
    atMost: number
  ) => Effect.Effect<Pick<ExceptionCounts, "open" | "urgent">, StorageUnavailable>
}>()("@dockline/core/exceptions/ExceptionStore") {}

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

/** A request to change the exceptions of a shipment. */
interface Changing<out F> {
  readonly id: string
  readonly principal: Principal
  readonly keep: Keep<ExceptionView, F> | undefined
}

const countedChange = <A, E>(change: "report" | "resolve", make: (note: Note) => Effect.Effect<A, E>) =>
  countOutcome((outcome) => changes.of(change, outcome), make)

const noting = (note: Note) => (plan: ExceptionPlan | null) =>
  note(plan === null ? undefined : [plan.message])

/** An id that no exception and no pallet has. It stands for malformed ids. */
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
