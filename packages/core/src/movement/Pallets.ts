/**
 * The service with which every adapter records that a pallet has crossed a dock (D6.1–4), and reads pallets (D13.2).
 *
 * Guarantee: a client sees only the pallets of shipments that it may see.
 */
import { Context, Effect, Layer, Result } from "effect"
import { readScopes } from "../access/Access.ts"
import type { AuthorizedCall, Principal } from "../access/Access.ts"
import type { Keep, WriteCall } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { soughtLpn } from "../labels/Lpn.ts"
import * as Authorize from "../places/Authorize.ts"
import { checkPlace, pageRequest, placeOf, visible } from "../places/ListQuery.ts"
import type { ListPage } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import { ReportedTimes } from "../shipment/CheckIn.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { LocatedPallet } from "../shipment/Verdict.ts"
import { clip } from "../values/Clip.ts"
import { PalletNotFound, ShipmentNotFound } from "../values/Errors.ts"
import type { InvalidParameter, StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf, mapPage, newestPage } from "../values/Page.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { dashboardOf, decidePallet, defaultMovementConfig, MovementStore } from "./Movement.ts"
import type { MovementConfig, PalletSnapshot } from "./Movement.ts"
import { textOf } from "./Pallet.ts"
import type { PalletEvent, RecordedEvent } from "./Pallet.ts"
import { palletView } from "./PalletOperations.ts"
import type { listPallets, PalletError, PalletView } from "./PalletOperations.ts"
import { countOutcome } from "./ShipmentChange.ts"
import type { Note, Outcome } from "./ShipmentChange.ts"

const events = Metrics.counter("dockline_pallet_events_total", "Pallet events by outcome", [
  ["outcome", ["recorded", "repeated", ...Metrics.refusals]]
])

const counterOf = (outcome: Outcome) => {
  if (outcome === "done") return events.of("recorded")
  if (outcome === "unchanged") return events.of("repeated")
  return events.of(outcome)
}

/** The filters and the page of a search for pallets; the LPN may have any form that scanners send (D22). */
export type PalletQuery = Operation.Query<typeof listPallets>

/** The most pallets in a page of `ofShipments`. */
const palletsAtOnce = 1000

/** Records pallet events, and reads pallets. Ids are decimal text, as in a path. */
export class Pallets extends Context.Service<Pallets, {
  /** Records an event for a client. An event that is already recorded gets its first answer. */
  readonly record: WriteCall<[event: PalletEvent], RecordedEvent, PalletError>
  /** The pallet with this id on a shipment; a shipment that the client may not see counts as missing. */
  readonly get: AuthorizedCall<
    [shipmentId: string, palletId: string],
    PalletView,
    ShipmentNotFound | PalletNotFound | StorageUnavailable
  >
  /** The pallets of a shipment, in id order. */
  readonly ofShipment: AuthorizedCall<
    [shipmentId: string, page: ListPage],
    Page<PalletView>,
    ShipmentNotFound | StorageUnavailable
  >
  /**
   * The pallets of shipments of a facility, in the order of the shipments and then of ids. `after` is the id of a pallet of the first
   * shipment, or 0. The size of the pallets limits the page (`pageBudget`). Shipments of other facilities are left out.
   */
  readonly ofShipments: AuthorizedCall<
    [place: SlugsOfPlace, shipmentIds: ReadonlyArray<ShipmentId>, after: number],
    Page<PalletView>,
    Authorize.PlaceError
  >
  /** The pallets with an LPN on all shipments that the client may see, newest first. */
  readonly list: AuthorizedCall<
    [query: PalletQuery],
    Page<PalletView>,
    Authorize.PlaceError | InvalidParameter
  >
}>()("@dockline/core/movement/Pallets") {
  /** Records pallet events in the stores, and reads pallets. */
  static readonly layer = (
    config: MovementConfig = defaultMovementConfig
  ): Layer.Layer<Pallets, never, MovementStore | ShipmentStore | Directory> =>
    Layer.effect(
      Pallets,
      Effect.gen(function*() {
        const store = yield* MovementStore
        const shipments = yield* ShipmentStore
        const directory = yield* Directory
        const dashboardUrl = dashboardOf(config)
        const times = yield* ReportedTimes

        const record = TraceContext.withSpan(
          "Pallets.record",
          Effect.fnUntraced(function*<F>(
            event: PalletEvent,
            principal: Principal,
            keep: Keep<RecordedEvent, F> | undefined,
            note: Note
          ) {
            yield* Authorize.permission(directory, principal, "pallets:write", event)
            const text = textOf(event)
            const decide = (snapshot: PalletSnapshot) =>
              Result.tap(
                decidePallet(event, snapshot, { clientId: principal.clientId, dashboardUrl, text, times }),
                (decision) => note(decision._tag === "Repeat" ? undefined : decision.plan.messages)
              )
            return yield* store.recordPallet(event, text, decide, keep)
          })
        )

        const view = (pallet: LocatedPallet) => palletView(pallet, dashboardUrl)

        /** A page of the pallets of a shipment that the client may see. */
        const read = Effect.fnUntraced(function*(id: string, page: PageRequest, principal: Principal) {
          const pallets = yield* visible(
            id,
            principal,
            (shipmentId, reader) => shipments.palletsOf(shipmentId, page, reader)
          )
          return mapPage(pallets.page, view)
        })

        return Pallets.of({
          get: Effect.fn("Pallets.get")(function*(shipmentId, palletId, principal) {
            const id = idOf(palletId)
            const { items } = yield* read(shipmentId, { limit: 1, after: (id ?? 1) - 1 }, principal)
            const [pallet] = items
            return pallet?.id === palletId
              ? pallet
              : yield* new PalletNotFound({ id: clip(palletId), shipmentId: clip(shipmentId) })
          }),
          ofShipment: Effect.fn("Pallets.ofShipment")((shipmentId, page, principal) =>
            read(shipmentId, pageRequest(page), principal)
          ),
          ofShipments: Effect.fn("Pallets.ofShipments")(function*(place, shipmentIds, after, principal) {
            yield* Authorize.place(directory, principal, "read", place)
            return mapPage(
              yield* shipments.palletsOn(place, shipmentIds, { limit: palletsAtOnce, after }),
              view
            )
          }),
          list: Effect.fn("Pallets.list")(function*(query, principal) {
            const place = placeOf(query)
            yield* checkPlace(directory, principal, place)
            const page = yield* shipments.listPallets(
              readScopes(principal),
              { ...place, lpn: soughtLpn(query.lpn) },
              yield* Effect.fromResult(newestPage(query))
            )
            return mapPage(page, view)
          }),
          record: (event, principal, keep) =>
            countOutcome(counterOf, (note) => record(event, principal, keep, note))
        })
      })
    )
}
