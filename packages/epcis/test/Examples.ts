/** Messages with the facts from which events are made. */
import type { Message } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { PalletDirection } from "@dockline/core/values/Vocabulary"
import type { DepartureFacts, Facts, Writing } from "@dockline/epcis/events/EventsOfMessage"
import type { PalletRecord } from "../src/events/EventsOfMessage.ts"

/** A message about a pallet, an arrival, or a departure at acme's facility east. */
export const aMessage = (id: number, type: string, payload: object = {}): Message => ({
  id,
  business: "acme",
  facility: "east",
  type,
  shipmentId: 7,
  sentAt: Timestamp.of(`2026-11-20T18:00:${String(id).padStart(2, "0")}.000Z`),
  json: JSON.stringify(payload)
})

/** A record of a pallet at D1, a minute after the previous one. */
export const aRecord = (
  messageId: number,
  direction: PalletDirection,
  minute = messageId
): PalletRecord => ({
  messageId,
  direction,
  occurredAt: Timestamp.of(`2026-11-20T17:${String(minute).padStart(2, "0")}:00.000Z`),
  dock: "D1",
  orders: ["PO-1"]
})

/** Facts about one pallet, about dock 3, and about a departure by message 9. */
export const someFacts = (
  records: ReadonlyArray<PalletRecord>,
  departure?: Partial<DepartureFacts>,
  lpn = "106141411234567897"
): Facts => ({
  pallets: new Map([[5, { id: 5, shipmentId: 7, lpn, records }]]),
  docks: new Map([[3, "D1"]]),
  timeZones: new Map(),
  departures: new Map(
    departure === undefined
      ? []
      : [[9, {
        departedAt: Timestamp.of("2026-11-20T18:05:00.000Z"),
        trailerNumber: "",
        pallets: [],
        ...departure
      }]]
  )
})

/** The default settings by which events are written. */
export const writing: Writing = {
  naming: { baseUrl: "https://dock.example.com/dashboard", companyPrefixes: [] },
  offsetAt: () => "-05:00"
}
