/**
 * Reads the events of EPCIS for clients (D24.4) by a cursor over the log of messages. The events of a page of messages are made from facts
 * that a single read loads, with the local offsets of their times (D24.1).
 *
 * Guarantee: a client gets events only of facilities where it may read messages. A page reads a bounded number of messages, and has the
 * token of the next page. A client that follows the pages of a query gets every event that was recorded before the query began, and no
 * event twice, except events that later messages repeat.
 */
import { allows, allowsEverywhere, everything, holds } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import type { Message, Position } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import { defaultTimeZone, Directory } from "@dockline/core/places/Place"
import type { ErrorOf } from "@dockline/core/values/CatalogueError"
import {
  CursorAhead,
  Forbidden,
  HistoryExpired,
  InvalidParameter,
  StorageUnavailable
} from "@dockline/core/values/Errors"
import { pageBudget, pageLimit } from "@dockline/core/values/Page"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Context, Effect, Layer } from "effect"
import type { EpcisSettings } from "../domain/EpcisSettings.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { FactsRequest } from "../domain/EpcisStore.ts"
import type { EpcisEvent } from "../events/EpcisEvent.ts"
import { eventsOf, fieldsOf } from "../events/EventsOfMessage.ts"
import * as EventQuery from "./EventQuery.ts"

/** The refusals of a query. */
export const queryErrors = [
  InvalidParameter,
  Forbidden,
  HistoryExpired,
  CursorAhead,
  Overloaded,
  StorageUnavailable
] as const

/** A page of events. */
export interface EventPage {
  readonly events: ReadonlyArray<EpcisEvent>
  /** The token of the next page; `null` on the last. */
  readonly next: string | null
}

/** The most messages that a page reads. */
export const scanLimit = 1000

/** The minimum cost of reading a place, in messages: each read is a statement, even if it finds no message. */
export const lookCost = 10

/** The number of messages that are read at once. */
export const chunkSize = 100

/** Reads events. */
export class EpcisEvents extends Context.Service<EpcisEvents, {
  /** The events of a query, given the texts of its parameters by their names. */
  readonly query: (
    parameters: Readonly<Record<string, string>>,
    principal: Principal
  ) => Effect.Effect<EventPage, ErrorOf<typeof queryErrors>>
}>()("@dockline/epcis/query/EpcisEvents") {
  static readonly layer: Layer.Layer<EpcisEvents, never, Directory | EpcisStore | MessageLog> = Layer.effect(
    EpcisEvents,
    Effect.gen(function*() {
      const log = yield* MessageLog
      const store = yield* EpcisStore
      const places = yield* makePlaces
      const eventsOf = yield* makeEventSource
      const baseUrl = dashboardOf(yield* MovementSettings)

      /** A chunk of the log. A read from the beginning of the log skips dropped messages. */
      const read = (
        { facility, business, query }: Omit<EventQuery.QueryPosition, "afterId" | "number"> & {
          readonly query: EventQuery.EventQuery
        },
        position: Position,
        limit: number
      ) => {
        const types = query.messageTypes
        const place = { business, facility: facility === "" ? undefined : facility, types }
        return log.read(place, position, limit).pipe(
          Effect.catchTag("HistoryExpired", (error) =>
            position.afterId === 0
              ? log.read(place, { ...position, afterId: error.droppedId }, limit)
              : Effect.fail(error))
        )
      }

      return EpcisEvents.of({
        query: Effect.fn("EpcisEvents.query")(function*(parameters, principal) {
          if (!holds(principal, "messages:read")) {
            return yield* new Forbidden({
              permission: "messages:read",
              business: everything,
              facility: everything
            })
          }
          const query = yield* Effect.fromResult(
            EventQuery.read(parameters, { baseUrl, companyPrefixes: [] })
          )
          const { matches, perPage, position: start, recordTimes: [since, before] } = query
          const memory = yield* AnswerMemory
          const results: Array<EpcisEvent> = []
          let [scans, text] = [0, 0]
          const pageAt = (position: EventQuery.QueryPosition): EventPage => ({
            events: results,
            next: EventQuery.tokenOf(position)
          })
          if (query.messageTypes.length === 0) return { events: results, next: null }

          const nextBusiness = places.businessesOf(query, principal)
          let business: string | null = start?.business ?? (yield* nextBusiness(""))
          while (business !== null) {
            const facilities = yield* places.facilitiesOf(query, principal, business)
            if (business === start?.business && !isFrom(start, facilities)) {
              const detail = "must be the token of an earlier page, whose places the client may still read"
              return yield* new InvalidParameter({ errors: [{ path: "nextPageToken", detail }] })
            }
            let settings: EpcisSettings | undefined
            for (const facility of facilities) {
              const here = { business, facility }
              const isStart = business === start?.business && facility === start.facility
              if (business === start?.business && facility < start.facility) continue
              let { afterId, number } = isStart ? start : { afterId: 0, number: 0 }
              for (let isMore = true; isMore;) {
                // Most messages make one event, so that an unfiltered query makes only a few more events than the page needs.
                const limit = query.isNarrowed ? chunkSize : Math.min(chunkSize, perPage - results.length + 1)
                const page = yield* read({ ...here, query }, { afterId, since }, limit)
                if (page.messages.length > 0) settings ??= yield* store.settings(business)
                const chunk = settings === undefined ? [] : yield* eventsOf(business, page.messages, settings)
                for (const { events, message } of chunk) {
                  if (before !== undefined && message.sentAt >= before) break
                  for (const [index, event] of events.entries()) {
                    if (index < number || !matches(event)) continue
                    const size = JSON.stringify(event).length
                    if (results.length === perPage || (results.length > 0 && text + size > pageBudget.text)) {
                      return pageAt({ ...here, afterId: message.id - 1, number: index })
                    }
                    yield* memory.reserve(size)
                    text += size
                    results.push(event)
                  }
                  afterId = message.id
                  number = 0
                }
                const last = page.messages.at(-1)
                scans += Math.max(lookCost, page.messages.length)
                isMore = page.more && last !== undefined && (before === undefined || last.sentAt < before)
                if (isMore && scans >= scanLimit) return pageAt({ ...here, afterId, number })
              }
              if (scans >= scanLimit) {
                const further = facilities.find((slug) => slug > facility)
                const place = further === undefined
                  ? { business: yield* nextBusiness(business), facility: "" }
                  : { business, facility: further }
                if (place.business === null) return { events: results, next: null }
                return pageAt({ business: place.business, facility: place.facility, afterId: 0, number: 0 })
              }
            }
            business = yield* nextBusiness(business)
          }
          return { events: results, next: null }
        })
      })
    })
  )
}

/** Whether a position is at one of the facilities, or at the beginning of their business. */
const isFrom = (
  { afterId, facility, number }: EventQuery.QueryPosition,
  facilities: ReadonlyArray<string>
): boolean => facilities.includes(facility) || (facility === "" && afterId === 0 && number === 0)

/** Makes the functions that find the places where a client may read messages, in the order of the slugs. */
const makePlaces = Effect.map(Directory, (directory) => {
  type Scope = Pick<EventQuery.EventQuery, "places">

  /**
   * Makes the function that finds the next business after a slug that may have facilities whose messages the client may read; `null` without
   * one. `facilitiesOf` checks them.
   */
  const businessesOf = ({ places }: Scope, principal: Principal) => {
    const grants = principal.grants.filter(({ permissions }) => permissions.includes("messages:read"))
    const isAny = places === undefined && grants.some(({ business }) => business === everything)
    /** Slugs that were read ahead, in their order. */
    let slugs = isAny ? [] : (places ?? grants).map(({ business }) => business).toSorted()
    return Effect.fnUntraced(function*(after: string) {
      const next = () => slugs.find((slug) => slug > after)
      if (isAny && next() === undefined) {
        const { items } = yield* directory.list(everything, { after, limit: pageLimit })
        slugs = items.map(({ slug }) => slug)
      }
      return next() ?? null
    })
  }

  /** The slugs of the facilities of a business where the client may read messages. `""` means all facilities together. */
  const facilitiesOf = Effect.fnUntraced(function*(
    { places }: Scope,
    principal: Principal,
    business: string
  ) {
    const mayRead = (facility: string) => allows(principal, "messages:read", business, facility)
    if (places !== undefined) {
      const slugs = places.filter((place) => place.business === business).map(({ facility }) => facility)
      return Array.from(new Set(slugs)).filter(mayRead).toSorted()
    }
    if (allowsEverywhere(principal, "messages:read", business)) return [""]
    const slugs: Array<string> = []
    for (let after: string | null = ""; after !== null;) {
      const page: { readonly items: ReadonlyArray<{ readonly slug: string }>; readonly next: string | null } =
        yield* directory.facilities(business, { after, limit: pageLimit })
      slugs.push(...page.items.map(({ slug }) => slug))
      after = page.next
    }
    return slugs.filter(mayRead)
  })

  return { businessesOf, facilitiesOf }
})

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
export const makeEventSource = Effect.gen(function*() {
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
