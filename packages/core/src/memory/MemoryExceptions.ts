/**
 * Exceptions of shipments in memory. Each transaction runs in one step of the event loop, so transactions do not overlap.
 */
import { Effect, Layer, Result } from "effect"
import { ExceptionStore } from "../exceptions/ExceptionStore.ts"
import { statusOf } from "../exceptions/ShipmentException.ts"
import type { LocatedException, ShipmentException } from "../exceptions/ShipmentException.ts"
import { messageShipment } from "../movement/Payload.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { cutPage } from "../values/Page.ts"
import { MemoryDatabase, transactions } from "./MemoryDatabase.ts"
import type { Appending } from "./MemoryMessages.ts"

export const exceptionStore: Layer.Layer<ExceptionStore, never, MemoryDatabase> = Layer.effect(
  ExceptionStore,
  Effect.map(Effect.all([MemoryDatabase, transactions]), ([database, transact]) => {
    const of = (shipmentId: number): ReadonlyArray<ShipmentException> =>
      database.exceptions.get(shipmentId) ?? []

    return ExceptionStore.of({
      report: (shipmentId, { lpn, palletId }, decide, keep) =>
        transact(keep, (appending) => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return Result.succeed(null)
          const { shipment } = found
          const pallet = shipment.pallets.find((each) =>
            palletId === null ? lpn !== "" && each.lpn === lpn : each.id === palletId
          )
          const snapshot = {
            ...snapshotOf(found, appending),
            newExceptionId: database.lastId("exception") + 1,
            exceptions: of(shipmentId).length,
            pallet: pallet ?? null
          }
          return Result.map(decide(snapshot), ({ exception, message }) => {
            // First, as it may break, and nothing is taken back.
            Result.getOrThrow(database.messages.append([message], appending))
            database.nextId("exception")
            database.exceptions.set(shipmentId, [...of(shipmentId), exception])
            return locatedIn(found)(exception)
          })
        }),
      resolve: (shipmentId, exceptionId, decide, keep) =>
        transact(keep, (appending) => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return Result.succeed(null)
          const exception = of(shipmentId).find(({ id }) => id === exceptionId) ?? null
          return Result.map(decide({ ...snapshotOf(found, appending), exception }), (plan) => {
            if (plan === null) return exception === null ? null : locatedIn(found)(exception)
            Result.getOrThrow(database.messages.append([plan.message], appending))
            const all = of(shipmentId).map((each) => each.id === exceptionId ? plan.exception : each)
            database.exceptions.set(shipmentId, all)
            return locatedIn(found)(plan.exception)
          })
        }),
      ofShipment: (shipmentId, { after, limit }) =>
        Effect.sync(() => {
          const found = database.locatedShipment(shipmentId)
          if (found === null) return null
          const rest = of(shipmentId).filter(({ id }) => id > after)
          return {
            location: found.location,
            page: cutPage(rest.map(locatedIn(found)), limit, sizeOf)
          }
        }),
      list: (scopes, filter, { after, limit }) =>
        Effect.sync(() => {
          const rest = database.shipmentsWithin(scopes, filter).flatMap((each) =>
            of(each.shipment.id).map(locatedIn(each))
          )
            .filter(({ exception }) =>
              (after === 0 || exception.id < after) &&
              (filter.status ?? statusOf(exception)) === statusOf(exception) &&
              (filter.priority ?? exception.priority) === exception.priority
            )
            .sort((one, other) => other.exception.id - one.exception.id)
          return cutPage(rest, limit, sizeOf)
        })
    })
  })
)

const snapshotOf = ({ location, shipment }: LocatedShipment, { now }: Appending) => ({
  now,
  location,
  shipmentNumber: shipment.number,
  shipment: messageShipment({ location, shipment })
})

const locatedIn =
  ({ location, shipment }: LocatedShipment) => (exception: ShipmentException): LocatedException => ({
    location,
    shipmentId: shipment.id,
    shipmentNumber: shipment.number,
    exception
  })

const sizeOf = ({ exception }: LocatedException) => ({ id: String(exception.id), items: 0 })
