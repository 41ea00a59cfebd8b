/**
 * Loads demo trucks one after another while somebody watches: a pallet every few seconds, one of them unexpected.
 *
 * Guarantee: nothing happens while no page is open, so an unwatched server does not change. At most {@link trucksAtMost} trucks come in the
 * lifetime of a database. Loading continues after a restart or a failure.
 */
import { Shipments } from "@dockline/core/movement/Shipments"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import * as DemoData from "./DemoData.ts"
import type { UpgradeProtocol } from "./GracefulStop.ts"

/** The sockets on which open pages of the dashboard follow messages. */
export class OpenPages
  extends Context.Service<OpenPages, Set<object>>()("@dockline/server/lifecycle/DemoTruck/OpenPages")
{
  /** No page is open at first. */
  static readonly layer: Layer.Layer<OpenPages> = Layer.sync(OpenPages, () => new Set())
}

/** Makes a protocol that also records its open sockets in `pages`. */
export const counting = (pages: Set<object>, sockets: UpgradeProtocol): UpgradeProtocol => ({
  ...sockets,
  handleUpgrade: (request, socket, head) => {
    // A connection may be lost while its request is being admitted.
    if (!socket.destroyed) {
      pages.add(socket)
      socket.once("close", () => pages.delete(socket))
    }
    sockets.handleUpgrade(request, socket, head)
  }
})

/** The time between two pallets, in milliseconds. */
export const palletMillis = 4_000

/** The most trucks. Loading all of them takes about four hours with an open page. */
export const trucksAtMost = 200

const carriers = ["Northline Freight", "Halden Transport", "Brook & Sons"]

const truckOf = (n: number): DemoData.Truck => ({
  business: "acme",
  facility: "west",
  number: `SHP-${5100 + n}`,
  orderNumber: `SO-${9100 + n}`,
  direction: "OUTBOUND",
  dockSlug: "D2",
  carrier: carriers[n % carriers.length]!,
  pallets: 16
})

/** The pallets of a truck in their order. One of them is on no order. */
const loadOf = (truck: DemoData.Truck): ReadonlyArray<string> =>
  DemoData.lpnsOf(truck).toSpliced(5, 0, DemoData.lpnOf(truck, 99))

/** Waits for the time between two pallets, and until a page is open. */
const turn: Effect.Effect<void, never, OpenPages> = Effect.gen(function*() {
  const pages = yield* OpenPages
  do yield* Effect.sleep(palletMillis)
  while (pages.size === 0)
})

/** Continues to load a truck, unless it has departed. */
const load = Effect.fnUntraced(function*(truck: DemoData.Truck) {
  const { listShipments } = yield* ShipmentStore
  const { arrive, depart } = yield* Shipments
  const { business, dockSlug, facility, number: shipmentNumber } = truck
  const scopes = [{ business, facilities: [facility] }]
  const filter = { business, facility, shipmentNumber, status: undefined }
  const { items: [present] } = yield* listShipments(scopes, filter, { limit: 1, after: 0 })
  const status = present?.shipment.status ?? "SCHEDULED"
  if (status !== "SCHEDULED" && status !== "ARRIVED") return
  yield* turn
  const id = present === undefined
    ? yield* DemoData.announce(truck, yield* Clock.currentTimeMillis)
    : String(present.shipment.id)
  if (status === "SCHEDULED") yield* arrive(id, { dockSlug }, DemoData.tower)
  for (const lpn of loadOf(truck).slice(present?.shipment.pallets.length ?? 0)) {
    yield* turn
    yield* DemoData.pass(truck, id, [lpn], yield* Clock.currentTimeMillis)
  }
  yield* turn
  yield* depart(id, {}, DemoData.tower)
})

/** Loads trucks as long as the server runs. */
export const layer = Layer.effectDiscard(
  Effect.forEach(Array.from({ length: trucksAtMost }, (_, n) => truckOf(n + 1)), (truck) =>
    load(truck).pipe(
      Effect.tapError((error) => Effect.logWarning(`The demo's truck ${truck.number} waits`, error)),
      Effect.retry(Schedule.spaced("1 minute"))
    ), { discard: true }).pipe(Effect.withTracerEnabled(false), Effect.forkScoped)
)
