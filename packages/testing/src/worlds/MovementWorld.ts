/** The world of the suite of shipments in motion: a new business, and a client with all permissions there. */
import type { DocumentOrder } from "@dockline/core/document/Document"
import type { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { Intake } from "@dockline/core/document/Intake"
import { payloadOf } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import type { MovementStore } from "@dockline/core/movement/Movement"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import type { Shipments } from "@dockline/core/movement/Shipments"
import type { MessageField } from "@dockline/core/places/MessageField"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import { Effect } from "effect"
import { aClient, aDocument, anItem, aPalletEvent, orderOf, recently, unique } from "../generators/Given.ts"
import type * as Suite from "../Suite.ts"

/** The ports under test, and the ports that they need. */
export type MovementStores = MovementStore | IntakeStore | ShipmentStore | Directory | MessageLog

/** The services over these ports. */
export type MovementServices = MovementStores | Intake | Pallets | Shipments

/** Adds a test of the suite. */
export type AddTest = Suite.AddTest<MovementServices>

const facilities = [
  { slug: "east", name: "East", docks: ["D1", "D2"] },
  { slug: "west", name: "West", docks: ["D1"] }
]

/** A new business, and a client with all permissions there. */
export const aWorld = Effect.fnUntraced(function*(fieldMap: ReadonlyArray<MessageField> = []) {
  const directory = yield* Directory
  const intake = yield* Intake
  const pallets = yield* Pallets
  const log = yield* MessageLog
  const business = unique("moving")
  /** Sets the field map of the business. */
  const putFieldMap = (fieldMap: ReadonlyArray<MessageField>) =>
    directory.put([{ slug: business, name: business, fieldMap, facilities }])
  yield* putFieldMap(fieldMap)
  const client = aClient("mover", business, "*", "documents:write", "pallets:write", "shipments:write")
  const read = (types: ReadonlyArray<MessageType>) =>
    Effect.map(
      log.read({ business, facility: undefined, types }, { afterId: 0 }, 1000),
      ({ messages }) => messages
    )
  return {
    business,
    client,
    putFieldMap,
    /** Creates or updates a shipment, by default with a single new order. Returns the id of the shipment. */
    submit: Effect.fnUntraced(function*(
      shipmentNumber: string,
      documentOrders: ReadonlyArray<DocumentOrder> = [],
      facility = "east"
    ) {
      const orders = documentOrders.length === 0 ? [orderOf(`Order of ${shipmentNumber}`)] : documentOrders
      const document = aDocument({ business, facility, shipmentNumber }, ...orders)
      const { shipment } = yield* intake.submit(document, client)
      return shipment.id
    }),
    /** Records an event, by default of the pallet L1 at dock D1 of east. */
    record: (fields: Partial<PalletEvent>) => pallets.record(aPalletEvent({ business, ...fields }), client),
    /** The log of the business. */
    messages: read(messageTypes),
    /** The messages of the business about pallets and departures. */
    moves: read(["PALLET_EVENT", "SHIPMENT_COMPLETE"])
  }
})

/** The error with which a plan breaks. */
export const failure = new Error("broken")

/** A plan with one unreadable part. A storage that writes part by part may have written other parts when it breaks. */
export const breaking = <Plan extends object>(plan: Plan, name: keyof Plan): Plan =>
  Object.defineProperty({ ...plan }, name, {
    enumerable: true,
    get: () => {
      throw failure
    }
  })

/** The payloads of messages. */
export const payloads = (messages: ReadonlyArray<Message>) => messages.map(payloadOf)

/** An order with one item. */
export const withItem = (orderNumber: string, lpn: string, sku = "S1") =>
  orderOf(orderNumber, "APPEND", [anItem(lpn, sku)])

/** The code of a refusal. */
export const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

/** A time on the day before the tests. */
export const at = (second: number): Timestamp.Timestamp =>
  recently(`17:00:${String(second).padStart(2, "0")}.000Z`)

/** The links of the shipments of east, in id order. */
export const linksOf = Effect.fnUntraced(function*(business: string) {
  const store = yield* ShipmentStore
  const { items } = yield* store.listShipments(
    [{ business, facilities: "*" }],
    { business, facility: "east", shipmentNumber: undefined, status: undefined },
    { limit: 100, after: 0 }
  )
  return items.map(({ shipment }) => shipment.linkedShipmentIds.map(String))
})
