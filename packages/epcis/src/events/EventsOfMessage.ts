/**
 * The events of a message (D24): a pure function of the message and of the stored facts about its pallets and its shipment. The ledger of a
 * pallet has the event for each of its messages. The first message of a passage makes an event. Further messages of the same passage repeat
 * this event. A message after which the pallet no longer remains declares the event wrong (D24.3).
 *
 * Guarantee: the result depends only on the arguments, and on the records of a pallet only up to the message. The ids of events depend only
 * on the business, the message and the number of the event: they are UUIDs of version 5 (RFC 9562). So reading a message again gives the same
 * events, unless the settings or the places have changed. After each message, a pallet that remains by D6.6 has one valid event, in its
 * direction, and any other pallet has none.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import { remains, sightAgain } from "@dockline/core/shipment/Shipment"
import type { Sightings } from "@dockline/core/shipment/Shipment"
import type { DockId, MessageId, PalletId } from "@dockline/core/values/Id"
import { isTimestamp } from "@dockline/core/values/Timestamp"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { PalletDirection } from "@dockline/core/values/Vocabulary"
import { digest, hex, utf8 } from "@dockline/core/values/WebCrypto"
import { Effect, Predicate } from "effect"
import type { BizTransaction, EpcisEvent, EventBody, EventDraft } from "./EpcisEvent.ts"
import { dockUri, facilityUri, orderUri, palletUri, shipmentUri, trailerUri } from "./Identifiers.ts"
import type { Naming, PalletName } from "./Identifiers.ts"

/** A pallet with its records, in the order of recording. */
export interface PalletFacts extends PalletName {
  readonly records: ReadonlyArray<PalletRecord>
}

/** A pallet that remained when its shipment departed. */
export interface DeparturePallet extends PalletName {
  readonly direction: PalletDirection
}

/** The facts about a departure. */
export interface DepartureFacts {
  readonly departedAt: Timestamp
  /** `""` without a trailer. */
  readonly trailerNumber: string
  readonly pallets: ReadonlyArray<DeparturePallet>
}

/** The stored facts about messages. A message without its facts makes no event. */
export interface Facts {
  /** The pallets, by their ids. */
  readonly pallets: ReadonlyMap<number, PalletFacts>
  /** The slugs of docks by their ids. */
  readonly docks: ReadonlyMap<number, string>
  /** The time zones of facilities by their slugs. */
  readonly timeZones: ReadonlyMap<string, string>
  /** The departures, by the ids of their messages. */
  readonly departures: ReadonlyMap<number, DepartureFacts>
}

/** The settings by which the events of a facility are written. */
export interface Writing {
  readonly naming: Naming
  /** The offset of the facility's clocks from UTC at a time. */
  readonly offsetAt: (time: Timestamp) => string
}

/** The fields of payloads from which events are made. */
export interface MessageFields {
  /** 0 if the message concerns no pallet. */
  readonly palletId: PalletId
  /** 0 without a dock. */
  readonly dockId: DockId
  readonly orders: ReadonlyArray<string>
  /** The time of the event; the time at which the message was sent if its payload has none. */
  readonly occurredAt: Timestamp
}

/** Reads the fields of a message; missing fields are empty. */
export const fieldsOf = (message: Message): MessageFields => {
  const { dockId, occurredAt, orders, servicePalletId } = payloadOf(message)
  return {
    palletId: Number(servicePalletId ?? 0),
    dockId: Number(dockId ?? 0),
    orders: Array.isArray(orders) ? orders.filter(Predicate.isString) : [],
    occurredAt: Predicate.isString(occurredAt) && isTimestamp(occurredAt) ? occurredAt : message.sentAt
  }
}

/** The events of a message, without their ids. */
export const draftsOf = (message: Message, facts: Facts, writing: Writing): ReadonlyArray<EventDraft> => {
  const fields = fieldsOf(message)
  const make = bodiesOf(message, writing)
  const dock = facts.docks.get(fields.dockId)
  const draft = (number: number, body: EventBody): EventDraft => ({ messageId: message.id, number, body })
  switch (message.type) {
    case "PALLET_EVENT": {
      const pallet = facts.pallets.get(fields.palletId)
      const entry = pallet && ledgerOf(pallet.records).get(message.id)
      if (entry === undefined) return []
      const { declarationTime, record } = entry
      return [{
        messageId: record.messageId,
        number: 0,
        body: make.pallet(pallet!, record),
        ...(declarationTime === null
          ? {}
          : { errorDeclaration: { declarationTime, reason: "did_not_occur" } as const })
      }]
    }
    case "SHIPMENT_ARRIVED":
      return [draft(0, make.passage("arriving", fields.occurredAt, dock, fields.orders))]
    case "SHIPMENT_COMPLETE": {
      const departure = facts.departures.get(message.id)
      if (departure === undefined) return []
      const { departedAt } = departure
      return [
        draft(0, make.passage("departing", departedAt, dock, fields.orders)),
        ...(["LOADING", "UNLOADING"] as const).flatMap((direction, index) => {
          const body = make.load(direction, departure, dock, fields.orders)
          return body === undefined ? [] : [draft(1 + index, body)]
        })
      ]
    }
    default:
      return []
  }
}

/** Makes the bodies of the events of a message. */
const bodiesOf = (
  { business, facility, shipmentId }: Message,
  { naming, offsetAt }: Writing
) => {
  const place = { business, facility }
  const at = (time: Timestamp) => ({ eventTime: time, eventTimeZoneOffset: offsetAt(time) })
  const where = (dock: string | undefined) => ({
    ...(dock === undefined ? {} : { readPoint: { id: dockUri(naming, place, dock) } }),
    bizLocation: { id: facilityUri(naming, place) }
  })
  const transactions = (orders: ReadonlyArray<string>) => ({
    bizTransactionList: [
      ...orders.map((number): BizTransaction => ({
        type: "po",
        bizTransaction: orderUri(naming, business, number)
      })),
      { type: "desadv", bizTransaction: shipmentUri(naming, shipmentId) } as const
    ]
  })
  return {
    /** The event of a pallet that passes a dock. */
    pallet: (pallet: PalletFacts, { direction, dock, occurredAt, orders }: PalletRecord): EventBody => ({
      type: "ObjectEvent",
      ...at(occurredAt),
      epcList: [palletUri(naming, business, pallet)],
      action: "OBSERVE",
      bizStep: direction === "LOADING" ? "loading" : "unloading",
      disposition: "in_progress",
      ...where(dock),
      ...transactions(orders)
    }),
    /** The event of a shipment that arrives or departs. */
    passage: (
      bizStep: "arriving" | "departing",
      time: Timestamp,
      dock: string | undefined,
      orders: ReadonlyArray<string>
    ): EventBody => ({
      type: "ObjectEvent",
      ...at(time),
      epcList: [shipmentUri(naming, shipmentId)],
      action: "OBSERVE",
      bizStep,
      disposition: bizStep === "arriving" ? "in_progress" : "in_transit",
      ...where(dock),
      ...transactions(orders)
    }),
    /** The event of the pallets that leave on a truck, or that were unloaded from it; `undefined` without pallets. */
    load: (
      direction: PalletDirection,
      { departedAt, pallets, trailerNumber }: DepartureFacts,
      dock: string | undefined,
      orders: ReadonlyArray<string>
    ): EventBody | undefined => {
      const childEPCs = Array.from(
        new Set(
          pallets.filter((pallet) => pallet.direction === direction).map((pallet) =>
            palletUri(naming, business, pallet)
          )
        )
      )
      if (childEPCs.length === 0) return undefined
      const isLoaded = direction === "LOADING"
      return {
        ...(trailerNumber === ""
          ? { type: "AggregationEvent", parentID: shipmentUri(naming, shipmentId) }
          : { type: "AssociationEvent", parentID: trailerUri(naming, business, trailerNumber) }),
        ...at(departedAt),
        childEPCs,
        action: isLoaded ? "ADD" : "DELETE",
        bizStep: isLoaded ? "departing" : "unloading",
        disposition: isLoaded ? "in_transit" : "in_progress",
        ...where(dock),
        ...transactions(orders)
      }
    }
  }
}

/** The events of a message. */
export const eventsOf = (
  message: Message,
  facts: Facts,
  writing: Writing
): Effect.Effect<ReadonlyArray<EpcisEvent>> =>
  Effect.forEach(
    draftsOf(message, facts, writing),
    ({ body: { type, ...body }, errorDeclaration, messageId, number }) =>
      Effect.map(eventIdOf(message.business, messageId, number), (eventID): EpcisEvent => ({
        type,
        eventID,
        recordTime: message.sentAt,
        ...body,
        ...(errorDeclaration === undefined ? {} : { errorDeclaration })
      }))
  )

/** A recorded event of a pallet. */
export interface PalletRecord {
  readonly messageId: MessageId
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  /** The slug of the dock. */
  readonly dock: string
  readonly orders: ReadonlyArray<string>
}

/**
 * The entry of a message: the record of its event, which may belong to an earlier message, and the time at which the event was declared
 * wrong.
 */
export interface PalletEntry {
  readonly record: PalletRecord
  /** `null` for a valid event. */
  readonly declarationTime: Timestamp | null
}

/** The entries of the messages of a pallet, by the ids of the messages. The records have to be in the order of these ids. */
export const ledgerOf = (records: ReadonlyArray<PalletRecord>): ReadonlyMap<number, PalletEntry> => {
  const entries = new Map<number, PalletEntry>()
  let sightings: Sightings | null = null
  let last: PalletEntry | null = null
  for (const record of records) {
    sightings = sightAgain(sightings, record.direction, record.occurredAt, 0)
    last = entryAfter(last, record, remains(sightings))
    entries.set(record.messageId, last)
  }
  return entries
}

/** The entry of a record, given the previous entry. A record that does not change whether the pallet remains repeats the previous entry. */
const entryAfter = (last: PalletEntry | null, record: PalletRecord, isThere: boolean): PalletEntry => {
  if (last === null || last.declarationTime !== null) {
    return isThere || last === null ? { record, declarationTime: null } : last
  }
  return isThere ? last : { record: last.record, declarationTime: record.occurredAt }
}

/** The namespace of the ids: the UUID of version 5 of the URL `https://github.com/dockline/dockline/epcis`. */
const namespace = "e41af98a-bc98-5a8f-85c2-52b328fad640"

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The UUID of version 5 of a name in a namespace. */
export const uuidOf = (namespace: string, name: string): Effect.Effect<string> => {
  const space = bytesOf(namespace.replaceAll("-", ""))
  const text = utf8(name)
  const data = new Uint8Array(space.length + text.length)
  data.set(space)
  data.set(text, space.length)
  return Effect.map(digest("SHA-1", data), (whole) => {
    const bytes = whole.slice(0, 16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x50
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  })
}

/** The id of an event of a message of a business. */
export const eventIdOf = (business: string, messageId: MessageId, number: number): Effect.Effect<string> =>
  Effect.map(uuidOf(namespace, `${business}/${messageId}/${number}`), (uuid) => `urn:uuid:${uuid}`)
