/** What is stored before a document comes, and programs over stores in memory. */
import {
  anItem,
  aShipment,
  earlier,
  now,
  places,
  services,
  without
} from "@dockline/testing/generators/Given"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { defaultIntakeConfig } from "../src/document/Intake.ts"
import type { IntakeConfig } from "../src/document/Intake.ts"
import { Directory } from "../src/places/Place.ts"
import type { OrderItem, OrderItemDraft, Shipment, ShipmentHeader } from "../src/shipment/Shipment.ts"

/** An item that is on an order. */
export const aStoredItem = (
  id: string,
  lpn: string,
  sku: string,
  fields: Partial<OrderItemDraft> = {}
): OrderItem => ({ ...anItem(lpn, sku, fields), id })

/** A stored shipment without its orders. */
export const headerOf = (shipment: Shipment): ShipmentHeader => without(shipment, "orders", "pallets")

/** The shipment S1 after it has departed. */
export const aDepartedShipment = (fields: Partial<Shipment> = {}): Shipment =>
  aShipment({ status: "DEPARTED", arrivedAt: earlier, departedAt: earlier, ...fields })

/** Runs a program over stores of its own that know {@link places}, with the clock at {@link now}. */
export const inMemory = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  config: IntakeConfig = defaultIntakeConfig
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.parse(now))
    const directory = yield* Directory
    yield* directory.put(places)
    return yield* program
  }).pipe(Effect.provide(services(config), { local: true }))
