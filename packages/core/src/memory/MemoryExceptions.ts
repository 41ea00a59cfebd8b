/**
 * Exceptions of shipments in memory. Each transaction runs in one step of the event loop, so transactions do not overlap.
 */
import { Effect, Layer, Result } from "effect"
import { ExceptionStore } from "../exceptions/ExceptionStore.ts"
import type { ShipmentException } from "../exceptions/ShipmentException.ts"
import { cutPage } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

export const exceptionStore: Layer.Layer<ExceptionStore, never, MemoryDatabase> = Layer.effect(
  ExceptionStore,
  Effect.map(MemoryDatabase, (database) => {
    const of = (shipmentId: number): ReadonlyArray<ShipmentException> =>
      database.exceptions.get(shipmentId) ?? []

    const transact = <A, E>(
      run: (now: Timestamp.Timestamp) => Result.Result<A, E>
    ): Effect.Effect<A, E> =>
      Effect.flatMap(Timestamp.now, (now) => Effect.suspend(() => Effect.fromResult(run(now))))

    return ExceptionStore.of({
      report: (shipmentId, palletId, decide) =>
        transact((now) => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return Result.succeed(null)
          const { location, shipment } = found
          const pallet = shipment.pallets.find(({ id }) => id === palletId)
          const snapshot = {
            now,
            location,
            shipmentNumber: shipment.number,
            exceptions: of(shipmentId).length,
            hasPallet: pallet !== undefined
          }
          return Result.map(decide(snapshot), (draft) => {
            const exception = {
              ...draft,
              id: database.nextId("exception"),
              lpn: pallet?.lpn ?? "",
              resolution: null
            }
            database.exceptions.set(shipmentId, [...of(shipmentId), exception])
            return { location, exception }
          })
        }),
      resolve: (shipmentId, exceptionId, decide) =>
        transact((now) => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return Result.succeed(null)
          const { location } = found
          const exception = of(shipmentId).find(({ id }) => id === exceptionId) ?? null
          return Result.map(decide({ now, location, exception }), (resolution) => {
            if (exception === null) return null
            const after = { ...exception, resolution: resolution ?? exception.resolution }
            const all = of(shipmentId).map((each) => each.id === exceptionId ? after : each)
            database.exceptions.set(shipmentId, all)
            return { location, exception: after }
          })
        }),
      ofShipment: (shipmentId, { after, limit }) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return null
          const rest = of(shipmentId).filter(({ id }) => id > after)
          return {
            location: found.location,
            page: cutPage(rest, limit, ({ id }) => ({ id: String(id), items: 0 }))
          }
        })
    })
  })
)
