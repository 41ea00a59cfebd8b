/**
 * Makes the events of a page of messages, from the facts about them, which a single read loads, and with the local offsets of their times
 * (D24.1).
 */
import type { Message } from "@dockline/core/messages/Message"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import { defaultTimeZone } from "@dockline/core/places/Place"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import type { EpcisSettings } from "../domain/EpcisSettings.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { FactsRequest } from "../domain/EpcisStore.ts"
import type { EpcisEvent } from "../events/EpcisEvent.ts"
import { eventsOf, fieldsOf } from "../events/EventsOfMessage.ts"

/** The request for the facts that the events of messages need. */
export const requestOf = (messages: ReadonlyArray<Message>): FactsRequest => {
  const pallets = new Map<number, FactsRequest["pallets"][number]>()
  const dockIds = new Set<number>()
  const departures: Array<FactsRequest["departures"][number]> = []
  for (const message of messages) {
    const { id, shipmentId, type } = message
    const { dockId, palletId } = fieldsOf(message)
    // The last message of a pallet has the highest id.
    if (type === "PALLET_EVENT") pallets.set(palletId, { shipmentId, palletId, upTo: id })
    else if (dockId > 0) dockIds.add(dockId)
    if (type === "SHIPMENT_COMPLETE") departures.push({ shipmentId, messageId: id })
  }
  const facilities = Array.from(new Set(messages.map(({ facility }) => facility)))
  return { pallets: Array.from(pallets.values()), dockIds: Array.from(dockIds), facilities, departures }
}

/** A message with its events. */
export interface MessageEvents {
  readonly message: Message
  readonly events: ReadonlyArray<EpcisEvent>
}

/** Makes the function that makes the events of messages of one business. The messages have to be in the order of their ids. */
export const make = Effect.gen(function*() {
  const store = yield* EpcisStore
  const baseUrl = dashboardOf(yield* MovementSettings)

  return Effect.fnUntraced(function*(
    business: string,
    messages: ReadonlyArray<Message>,
    { companyPrefixes }: EpcisSettings
  ) {
    if (messages.length === 0) return []
    const facts = yield* store.facts(business, requestOf(messages))
    const offsets = new Map(Array.from(facts.timeZones, ([facility, zone]) => [facility, offsetsOf(zone)]))
    const naming = { baseUrl, companyPrefixes }
    return yield* Effect.forEach(messages, (message) =>
      Effect.map(
        eventsOf(message, facts, {
          naming,
          offsetAt: offsets.get(message.facility) ?? offsetsOf(defaultTimeZone)
        }),
        (events): MessageEvents => ({ message, events })
      ))
  })
})

/** Makes the function that computes the offset of a time zone at a time, such as `-05:00`, or `+00:00` for UTC. */
export const offsetsOf = (timeZone: string): (time: Timestamp) => string => {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
  return (time) => {
    const name = format.formatToParts(new Date(time)).find(({ type }) => type === "timeZoneName")?.value ?? ""
    // Historical offsets had seconds, which the standard does not allow.
    return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00"
  }
}
