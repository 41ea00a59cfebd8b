/**
 * Reads shipments and orders for clients, and takes steps of shipments (D5.1, D6.5, D6.6, D13.9).
 *
 * Guarantee: a client sees only shipments and orders that it may see.
 */
import { Context, Effect, Layer, Result } from "effect"
import { holds, readScopes } from "../access/Access.ts"
import type { AuthorizedCall, Permission, Principal } from "../access/Access.ts"
import { keepView } from "../access/Idempotency.ts"
import type { Keep, WriteCall } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { AnswerMemory, memoryCheck } from "../access/RequestLimits.ts"
import type { PlaceError } from "../places/Authorize.ts"
import {
  checkPlace,
  computedPage,
  filledOrUndefined,
  pageRequest,
  placeOf,
  visible
} from "../places/ListQuery.ts"
import {
  defaultDetentionMinutes,
  defaultTimeZone,
  Directory,
  hoursOf,
  startOfDay,
  timeZoneFault
} from "../places/Place.ts"
import { ReportedTimes } from "../shipment/CheckIn.ts"
import { discrepanciesOf } from "../shipment/Discrepancies.ts"
import type { Discrepancy } from "../shipment/Discrepancies.ts"
import { dockBoardOf, overdueMillis } from "../shipment/DockBoard.ts"
import type { DockBoard } from "../shipment/DockBoard.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { answerTextOf } from "../shipment/ShipmentSize.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { ReadFailure } from "../shipment/ShipmentStore.ts"
import { locatedOrderView, shipmentItemView, shipmentView } from "../shipment/View.ts"
import type { LocatedOrderView, ShipmentItemView, ShipmentView } from "../shipment/View.ts"
import { InvalidParameter } from "../values/Errors.ts"
import type { ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage, pageLimit } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { dashboardOf, defaultMovementConfig, MovementStore } from "./Movement.ts"
import type { LinkSnapshot, MovementConfig, StepPlan, StepSnapshot } from "./Movement.ts"
import { admit, countOutcome, notFound, shownAs } from "./ShipmentChange.ts"
import type { Note } from "./ShipmentChange.ts"
import { listShipments } from "./ShipmentList.ts"
import type { ShipmentQuery } from "./ShipmentList.ts"
import type {
  ArrivalInput,
  CheckInInput,
  DepartureInput,
  LinkError,
  listDiscrepancies,
  listItems,
  listOrders,
  StepError,
  StepRefusal
} from "./ShipmentOperations.ts"
import { cancelShipment, checkInShipment } from "./ShipmentOperations.ts"
import * as Steps from "./Steps.ts"

export type { ShipmentQuery } from "./ShipmentList.ts"

/** The filters and the page of a list of orders. */
export type OrderQuery = Operation.Query<typeof listOrders>

/** The filters and the page of a list of items. */
export type ItemQuery = Operation.Query<typeof listItems>

/** The filter and the page of a list of discrepancies. */
export type DiscrepancyQuery = Operation.Query<typeof listDiscrepancies>

/** Reads and moves shipments. Ids are decimal text, as in a path; other text names no shipment. */
export class Shipments extends Context.Service<Shipments, {
  /** The shipment with this id; a shipment that the client may not see counts as missing. */
  readonly get: AuthorizedCall<[id: string], ShipmentView, ShipmentNotFound | ReadFailure>
  /** The shipments that the client may see, by default in id order. */
  readonly list: AuthorizedCall<
    [query: ShipmentQuery],
    Page<ShipmentView>,
    PlaceError | InvalidParameter | Overloaded
  >
  /** The orders that the client may see, in id order. */
  readonly listOrders: AuthorizedCall<[query: OrderQuery], Page<LocatedOrderView>, PlaceError | Overloaded>
  /** The items of the shipment, in id order (D13.12). */
  readonly items: AuthorizedCall<
    [id: string, query: ItemQuery],
    Page<ShipmentItemView>,
    ShipmentNotFound | StorageUnavailable
  >
  /** The discrepancies of the shipment (D13.4). `next` counts the discrepancies up to the end of the page. `limit` may be above 100. */
  readonly discrepancies: AuthorizedCall<
    [id: string, query: DiscrepancyQuery],
    Page<Discrepancy>,
    ShipmentNotFound | StorageUnavailable
  >
  /** The dock board of a facility (D13.15). */
  readonly dockBoard: AuthorizedCall<
    [place: { readonly business: string; readonly facility: string }],
    DockBoard,
    PlaceError
  >
  /** Notes the arrival of the shipment, by default now; repeating it changes nothing. */
  readonly arrive: WriteCall<[id: string, given: ArrivalInput], ShipmentView, StepError>
  /** Notes the departure of the shipment, by default now, and completes it; repeating it changes nothing. */
  readonly depart: WriteCall<[id: string, given: DepartureInput], ShipmentView, StepError>
  /** Notes a step of the check-in of the shipment, by default now; repeating it changes nothing. */
  readonly checkIn: WriteCall<[id: string, given: CheckInInput], ShipmentView, StepError>
  /** Links two shipments; repeating it changes nothing. */
  readonly link: WriteCall<[id: string, linkedShipmentId: string], ShipmentView, LinkError>
  /** Cancels the shipment, which must be scheduled and not linked, and its orders; repeating it changes nothing. */
  readonly cancel: WriteCall<[id: string], ShipmentView, StepError>
  /**
   * Cancels the shipment unless `refuse` returns an error. `refuse` gets the shipment under its lock, and is called again when the
   * transaction is repeated.
   */
  readonly cancelUnless: <E extends object>(
    id: string,
    principal: Principal,
    refuse: (target: LocatedShipment) => E | undefined
  ) => Effect.Effect<ShipmentView, StepError | E>
}>()("@dockline/core/movement/Shipments") {
  /** Reads and moves the shipments of the stores. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<Shipments, never, MovementStore | ShipmentStore | Directory> =>
    Layer.effect(
      Shipments,
      Effect.gen(function*() {
        return Shipments.of({ ...(yield* reads), ...(yield* moves(dashboardOf(config))) })
      })
    )
}

/** The approximate number of characters of a shipment in an answer. */
const textOf = ({ shipment }: LocatedShipment): number =>
  answerTextOf(shipment, shipment.orders.map(({ items }) => items))

const view = ({ shipment, location }: LocatedShipment): ShipmentView => shipmentView(shipment, location)

const reads = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const directory = yield* Directory

  const service: Pick<
    Shipments["Service"],
    "get" | "items" | "discrepancies" | "list" | "listOrders" | "dockBoard"
  > = {
    get: Effect.fn("Shipments.get")(function*(id, principal) {
      return view(yield* visible(id, principal, store.find))
    }),

    items: Effect.fn("Shipments.items")(function*(id, { find, orderId, unseen, ...page }, principal) {
      const order = filledOrUndefined(orderId)
      const filter = {
        // No order has the id 0.
        orderId: order === undefined ? undefined : idOf(order) ?? 0,
        find: filledOrUndefined(find?.trim()),
        unseen
      }
      const items = yield* visible(
        id,
        principal,
        (shipmentId, reader) => store.itemsOf(shipmentId, filter, pageRequest(page), reader)
      )
      return mapPage(items.page, shipmentItemView)
    }),

    discrepancies: Effect.fn("Shipments.discrepancies")(function*(id, query, principal) {
      const { tracking } = yield* visible(id, principal, store.track)
      const all = discrepanciesOf(tracking).filter(({ kind }) => query.seen !== true || kind !== "SHORT")
      // All discrepancies are computed anyway, so a page may be as large as requested.
      return computedPage(all, query, Math.max(1, query.limit ?? pageLimit))
    }),

    list: Effect.fn("Shipments.list")(function*(query, principal) {
      yield* checkPlace(directory, principal, placeOf(query))
      return mapPage(yield* listShipments(store, readScopes(principal), query), view)
    }),

    listOrders: Effect.fn("Shipments.listOrders")(function*(query, principal) {
      const place = placeOf(query)
      yield* checkPlace(directory, principal, place)
      const page = yield* store.listOrders(
        readScopes(principal),
        { ...place, orderNumber: filledOrUndefined(query.orderNumber) },
        pageRequest(query)
      )
      return mapPage(page, locatedOrderView)
    }),

    dockBoard: Effect.fn("Shipments.dockBoard")(function*({ business, facility }, principal) {
      yield* checkPlace(directory, principal, { business, facility })
      const settings = yield* directory.facility(business, facility)
      const zone = settings?.timeZone ?? ""
      const timeZone = timeZoneFault(zone) === undefined ? zone : defaultTimeZone
      const now = yield* Timestamp.now
      const rows = yield* store.dockBoard({ business, facility }, {
        dueFrom: Timestamp.fromMillis(Date.parse(now) - overdueMillis),
        today: startOfDay(hoursOf(timeZone)(now).slice(0, 10), timeZone)
      })
      const detentionMinutes = settings?.detentionMinutes ?? defaultDetentionMinutes
      return dockBoardOf({ business, facility, detentionMinutes, now }, rows)
    })
  }
  return service
})

const steps = Metrics.counter("dockline_shipment_steps_total", "Steps of shipments by outcome", [
  ["step", ["arrive", "depart", "link", "cancel", "check_in"]],
  ["outcome", ["done", "unchanged", ...Metrics.refusals]]
])

type StepName = Parameters<typeof steps.of>[0]

/** Takes a step in its own span and counts it. */
const countedStep = <A, E>(
  step: StepName,
  take: (note: Note) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  countOutcome(
    (outcome) => steps.of(step, outcome),
    (note) => Effect.withSpan(take(note), `Shipments.${step}`)
  )

/** The ports of steps and links, and the settings of their decisions. */
interface StepServices {
  readonly movements: MovementStore["Service"]
  readonly store: ShipmentStore["Service"]
  readonly settings: Omit<Steps.StepContext, "principal">
}

/** A request for a step of a shipment: one of the permissions suffices, and `dockSlug` and `withPallets` select parts of the snapshot. */
interface StepRequest<out F> {
  readonly id: string
  readonly principal: Principal
  readonly keep: Keep<ShipmentView, F> | undefined
  readonly permissions?: ReadonlyArray<Permission>
  readonly dockSlug?: string | undefined
  readonly withPallets?: boolean
}

/** Takes a step. `decide` runs again when the transaction is repeated. */
const takeStep = <F, E extends object>(
  { movements, settings, store }: StepServices,
  step: StepName,
  { dockSlug = "", id, keep, permissions = ["shipments:write"], principal, withPallets = false }: StepRequest<
    F
  >,
  decide: (snapshot: StepSnapshot, context: Steps.StepContext) => Result.Result<StepPlan, E>
) =>
  countedStep(
    step,
    Effect.fnUntraced(function*(note) {
      const reader = readScopes(principal)
      const shipmentId = yield* admit(id, principal, permissions, (number) => store.find(number, reader))
      const checkMemory = memoryCheck(yield* AnswerMemory)
      const decideNoted = (snapshot: StepSnapshot) => {
        const decision = decide(snapshot, { ...settings, principal })
        if (Result.isSuccess(decision)) note(messagesOf(decision.success))
        return checkMemory(decision, () => textOf(snapshot.match))
      }
      return yield* keepView(
        keep,
        shownAs(id, view),
        (keep) => movements.step({ shipmentId, dockSlug, withPallets }, decideNoted, keep)
      )
    })
  )

const messagesOf = (plan: StepPlan) => plan._tag === "Unchanged" ? undefined : plan.messages

/** Links two shipments. A client without the permission at any facility is refused before any lock is taken. */
const linkShipments = <F>(
  { movements, store }: StepServices,
  { id, linkedShipmentId }: { readonly id: string; readonly linkedShipmentId: string },
  principal: Principal,
  keep: Keep<ShipmentView, F> | undefined
) =>
  countedStep(
    "link",
    Effect.fnUntraced(function*(note) {
      // This refusal depends on no stored data and needs no lock.
      if (id === linkedShipmentId) return yield* Steps.linkToItself()
      const [first, second] = [idOf(id), idOf(linkedShipmentId)]
      if (first === undefined) return yield* notFound(id)
      if (second === undefined) return yield* notFound(linkedShipmentId)
      const decide = (snapshot: LinkSnapshot) =>
        Steps.decideLink({ id, linkedShipmentId }, snapshot, principal)
      if (!holds(principal, "shipments:write")) {
        const reader = readScopes(principal)
        const [shipment, target] = [yield* store.find(first, reader), yield* store.find(second, reader)]
        yield* Effect.fromResult(decide({ shipment, target }))
      }
      const checkMemory = memoryCheck(yield* AnswerMemory)
      const decideNoted = (snapshot: LinkSnapshot) => {
        const { shipment } = snapshot
        const decision = checkMemory(decide(snapshot), () => shipment === null ? 0 : textOf(shipment))
        if (Result.isSuccess(decision)) note(decision.success._tag === "Unchanged" ? undefined : [])
        return decision
      }
      return yield* keepView(
        keep,
        shownAs(id, view),
        (keep) => movements.link(first, second, decideNoted, keep)
      )
    })
  )

/** Cancels a shipment unless `refuse` returns an error. `refuse` runs under the lock of the shipment. */
const cancelUnless = <E extends object>(
  services: StepServices,
  id: string,
  principal: Principal,
  refuse: (target: LocatedShipment) => E | undefined
) =>
  takeStep<never, StepRefusal | E>(
    services,
    "cancel",
    { id, principal, keep: undefined, permissions: cancelShipment.may },
    (snapshot, context) =>
      Result.flatMap(
        Steps.authorize(id, snapshot.match, principal, cancelShipment.may),
        (target): Result.Result<StepPlan, StepRefusal | E> => {
          const refusal = refuse(target)
          return refusal === undefined ? Steps.decideCancel(snapshot, context) : Result.fail(refusal)
        }
      )
  )

type Moves = Pick<
  Shipments["Service"],
  "arrive" | "depart" | "link" | "cancel" | "cancelUnless" | "checkIn"
>

const moves = Effect.fnUntraced(function*(dashboardUrl: string) {
  const services: StepServices = {
    movements: yield* MovementStore,
    store: yield* ShipmentStore,
    settings: { dashboardUrl, times: yield* ReportedTimes }
  }
  const service: Moves = {
    arrive: (id, input, principal, keep) =>
      takeStep(
        services,
        "arrive",
        { id, principal, keep, dockSlug: input.dockSlug },
        (snapshot, context) => Steps.decideArrive(input, snapshot, context)
      ),
    depart: (id, input, principal, keep) =>
      takeStep(
        services,
        "depart",
        { id, principal, keep, withPallets: true },
        (snapshot, context) => Steps.decideDepart(input, snapshot, context)
      ),
    checkIn: (id, input, principal, keep) =>
      takeStep(
        services,
        "check_in",
        { id, principal, keep, permissions: checkInShipment.may, dockSlug: input.dockSlug },
        (snapshot, context) => Steps.decideCheckIn(input, snapshot, context)
      ),
    cancel: (id, principal, keep) =>
      takeStep(
        services,
        "cancel",
        { id, principal, keep, permissions: cancelShipment.may },
        Steps.decideCancel
      ),
    cancelUnless: (id, principal, refuse) => cancelUnless(services, id, principal, refuse),
    link: (id, linkedShipmentId, principal, keep) =>
      linkShipments(services, { id, linkedShipmentId }, principal, keep)
  }
  return service
})
