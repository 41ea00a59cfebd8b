/**
 * Shipments and orders on behalf of a client: reading them, and moving shipments on (D5.1, D6.5, D6.6).
 *
 * Guarantee: a client sees only what it may see, whatever it asks for.
 */
import { Context, Effect, Layer, Result } from "effect"
import { canRead, canReadSome, holds, readScopes } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { Directory } from "../places/Directory.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import { locatedOrderView, shipmentView } from "../shipment/View.ts"
import type { LocatedOrderView, ShipmentView } from "../shipment/View.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound, Forbidden, ShipmentNotFound } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import { dashboardOf, defaultMovementConfig } from "./Movement.ts"
import type { MovementConfig } from "./Movement.ts"
import { MovementStore } from "./MovementStore.ts"
import { counted } from "./StepMetrics.ts"
import type { Note } from "./StepMetrics.ts"
import { authorize, decideArrive, decideDepart, decideLink, linkToItself } from "./Steps.ts"
import type { LinkRefusal, StepRefusal } from "./Steps.ts"

/** What narrows a list; `""` narrows nothing. */
export interface ListQuery {
  readonly business?: string | undefined
  readonly facility?: string | undefined
  /** 1 to {@link pageLimit}, and brought there; all of it when absent. */
  readonly limit?: number | undefined
  /** The `next` of the page before; 0 when absent. */
  readonly after?: number | undefined
}

/** What narrows a list of shipments. */
export interface ShipmentQuery extends ListQuery {
  readonly shipmentNumber?: string | undefined
  readonly status?: ShipmentStatus | "" | undefined
}

/** What narrows a list of orders. */
export interface OrderQuery extends ListQuery {
  readonly orderNumber?: string | undefined
}

/** When a shipment arrived, now unless given, and at which dock, unless `""` where it was expected. */
export interface ArrivalInput {
  readonly occurredAt?: Timestamp | undefined
  readonly dockSlug?: string | undefined
}

/** When a shipment departed, now unless given. */
export interface DepartureInput {
  readonly occurredAt?: Timestamp | undefined
}

/** Why a list is refused. */
export type ListError = BusinessNotFound | FacilityNotFound | Forbidden | StorageUnavailable

/** Why a step is refused. */
export type StepError = StepRefusal | StorageUnavailable

/** Why a link is refused. */
export type LinkError = LinkRefusal | StorageUnavailable

/** The most entities of one page, and how many it holds unless asked for fewer. */
export const pageLimit = 100

/** Shipments and orders. Ids are decimal text, as they come in a path; text that is no id names no shipment. */
export class Shipments extends Context.Service<Shipments, {
  /** The shipment of that id; one that the client may not see is not there. */
  readonly get: (
    id: string,
    principal: Principal
  ) => Effect.Effect<ShipmentView, ShipmentNotFound | StorageUnavailable>
  /** The shipments that the client may see, in id order. */
  readonly list: (
    query: ShipmentQuery,
    principal: Principal
  ) => Effect.Effect<Page<ShipmentView>, ListError>
  /** The orders that the client may see, in id order. */
  readonly listOrders: (
    query: OrderQuery,
    principal: Principal
  ) => Effect.Effect<Page<LocatedOrderView>, ListError>
  /** The shipment has arrived, now unless said otherwise; repeating it changes nothing. */
  readonly arrive: (
    id: string,
    given: ArrivalInput,
    principal: Principal
  ) => Effect.Effect<ShipmentView, StepError>
  /** The shipment has departed, which completes it; repeating it changes nothing. */
  readonly depart: (
    id: string,
    given: DepartureInput,
    principal: Principal
  ) => Effect.Effect<ShipmentView, StepError>
  /** The two shipments belong together; repeating it changes nothing. */
  readonly link: (
    id: string,
    linkedShipmentId: string,
    principal: Principal
  ) => Effect.Effect<ShipmentView, LinkError>
}>()("@dockline/core/Shipments") {
  /** Shipments and orders of the stores. */
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

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))

const notFound = (id: string): ShipmentNotFound => new ShipmentNotFound({ id: clip(id) })

const pageRequest = ({ limit, after }: ListQuery) => ({
  limit: Math.max(1, Math.min(limit ?? pageLimit, pageLimit)),
  after: after ?? 0
})

/** A filter that is empty, as forms send what is not filled in, filters nothing. */
const filled = <A extends string>(filter: A | undefined): Exclude<A, ""> | undefined =>
  filter === "" ? undefined : filter as Exclude<A, "">

const placeOf = ({ business, facility }: ListQuery) => ({
  business: filled(business),
  facility: filled(facility)
})

const mapPage = <A, B>({ items, next }: Page<A>, f: (item: A) => B): Page<B> => ({
  items: items.map(f),
  next
})

const view = ({ shipment, location }: LocatedShipment): ShipmentView => shipmentView(shipment, location)

const reads = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const directory = yield* Directory

  /** A list of a named place is 404 when there is none, 403 when the client may see nothing there. */
  const checkPlace = Effect.fnUntraced(function*(
    principal: Principal,
    { business, facility }: ReturnType<typeof placeOf>
  ) {
    if (business === undefined) return
    const named = yield* directory.lookup(business, facility ?? "")
    if (named.business === null) return yield* new BusinessNotFound({ business })
    if (facility === undefined) {
      if (canReadSome(principal, business)) return
      return yield* new Forbidden({ permission: "read", business, facility: "*" })
    }
    if (named.facility === null) return yield* new FacilityNotFound({ business, facility })
    if (!canRead(principal, business, facility)) {
      return yield* new Forbidden({ permission: "read", business, facility })
    }
  })

  return {
    get: Effect.fn("Shipments.get")(function*(id: string, principal: Principal) {
      const found = isId(id) ? yield* store.find(Number(id)) : null
      if (
        found === null || !canRead(principal, found.location.business.slug, found.location.facility.slug)
      ) return yield* notFound(id)
      return view(found)
    }),

    list: Effect.fn("Shipments.list")(function*(query: ShipmentQuery, principal: Principal) {
      const place = placeOf(query)
      yield* checkPlace(principal, place)
      const page = yield* store.listShipments(
        readScopes(principal),
        { ...place, shipmentNumber: filled(query.shipmentNumber), status: filled(query.status) },
        pageRequest(query)
      )
      return mapPage(page, view)
    }),

    listOrders: Effect.fn("Shipments.listOrders")(function*(query: OrderQuery, principal: Principal) {
      const place = placeOf(query)
      yield* checkPlace(principal, place)
      const page = yield* store.listOrders(
        readScopes(principal),
        { ...place, orderNumber: filled(query.orderNumber) },
        pageRequest(query)
      )
      return mapPage(page, locatedOrderView)
    })
  }
})

const moves = Effect.fnUntraced(function*(dashboardUrl: string) {
  const movements = yield* MovementStore
  const store = yield* ShipmentStore

  /** A client that may move nothing anywhere is refused without a lock. */
  const checkMover = Effect.fnUntraced(function*(id: string, principal: Principal) {
    if (!isId(id)) return yield* notFound(id)
    if (holds(principal, "shipments:write")) return
    const refused = Result.flip(authorize(id, yield* store.find(Number(id)), principal))
    if (Result.isSuccess(refused)) return yield* refused.success
  })

  const shown = (id: string, found: LocatedShipment | null) =>
    found === null ? Effect.fail(notFound(id)) : Effect.succeed(view(found))

  const arrive = Effect.fn("Shipments.arrive")(
    function*(id: string, given: ArrivalInput, principal: Principal, note: Note) {
      yield* checkMover(id, principal)
      const arrival = { occurredAt: given.occurredAt, dockSlug: given.dockSlug ?? "" }
      const step = { shipmentId: Number(id), dockSlug: arrival.dockSlug, withPallets: false }
      const found = yield* movements.step(
        step,
        (snapshot) => Result.map(decideArrive(arrival, snapshot, principal), note)
      )
      return yield* shown(id, found)
    }
  )

  const depart = Effect.fn("Shipments.depart")(
    function*(id: string, given: DepartureInput, principal: Principal, note: Note) {
      yield* checkMover(id, principal)
      const departure = { occurredAt: given.occurredAt }
      const context = { principal, dashboardUrl }
      const step = { shipmentId: Number(id), dockSlug: "", withPallets: true }
      const found = yield* movements.step(
        step,
        (snapshot) => Result.map(decideDepart(departure, snapshot, context), note)
      )
      return yield* shown(id, found)
    }
  )

  const link = Effect.fn("Shipments.link")(
    function*(id: string, linkedShipmentId: string, principal: Principal, note: Note) {
      // Itself is refused whatever is stored: there is nothing to lock.
      if (id === linkedShipmentId) return yield* linkToItself()
      if (!isId(id)) return yield* notFound(id)
      if (!isId(linkedShipmentId)) return yield* notFound(linkedShipmentId)
      const ids = { id, linkedShipmentId }
      if (!holds(principal, "shipments:write")) {
        const snapshot = {
          shipment: yield* store.find(Number(id)),
          linked: yield* store.find(Number(linkedShipmentId))
        }
        yield* Effect.fromResult(decideLink(ids, snapshot, principal))
      }
      const found = yield* movements.link(
        Number(id),
        Number(linkedShipmentId),
        (snapshot) => Result.map(decideLink(ids, snapshot, principal), note)
      )
      return yield* shown(id, found)
    }
  )

  return {
    arrive: (id: string, given: ArrivalInput, principal: Principal) =>
      counted("arrive", (note) => arrive(id, given, principal, note)),
    depart: (id: string, given: DepartureInput, principal: Principal) =>
      counted("depart", (note) => depart(id, given, principal, note)),
    link: (id: string, linkedShipmentId: string, principal: Principal) =>
      counted("link", (note) => link(id, linkedShipmentId, principal, note))
  }
})
