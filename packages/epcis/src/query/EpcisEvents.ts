/**
 * Reads the events of EPCIS for clients (D24.4), over the log of messages by a cursor.
 *
 * Guarantee: a client gets events of the facilities where it may read messages. A page reads a bounded number of messages, and says where the
 * next one begins; a query whose pages are followed misses no event that was recorded before it, and has none twice, but for events that
 * messages tell again.
 */
import { allows, allowsEverywhere, everything, holds } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import type { Position } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import { Directory } from "@dockline/core/places/Directory"
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
import { Context, Effect, Layer } from "effect"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { EpcisEvent } from "../events/EpcisEvent.ts"
import * as EventQuery from "./EventQuery.ts"
import * as EventSource from "./EventSource.ts"

/** Why a query is refused. */
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

/** The most messages that a page reads. A place without messages counts as one. */
export const scanLimit = 1000

/** How many messages are read at once. */
export const chunkSize = 100

/** Reads events. */
export class EpcisEvents extends Context.Service<EpcisEvents, {
  /** The events of a query, whose parameters are texts by their names. */
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
      const eventsOf = yield* EventSource.make
      const baseUrl = dashboardOf(yield* MovementSettings)

      /** A chunk of the log; from its beginning, what was dropped by age is passed. */
      const read = (
        { facility, business, query }: Omit<EventQuery.QueryPosition, "afterId" | "number"> & {
          readonly query: EventQuery.EventQuery
        },
        position: Position
      ) => {
        const types = query.messageTypes
        const place = { business, facility: facility === "" ? undefined : facility, types }
        return log.read(place, position, chunkSize).pipe(
          Effect.catchTag("HistoryExpired", (error) =>
            position.afterId === 0
              ? log.read(place, { ...position, afterId: error.droppedId }, chunkSize)
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
          const room = yield* AnswerRoom
          const results: Array<EpcisEvent> = []
          let [scans, text] = [0, 0]
          const pageAt = (position: EventQuery.QueryPosition): EventPage => ({
            events: results,
            next: EventQuery.tokenOf(position)
          })
          if (query.messageTypes.length === 0) return { events: results, next: null }

          let business: string | null = start?.business ?? (yield* places.nextBusiness(query, principal, ""))
          while (business !== null) {
            const settings = yield* store.settings(business)
            for (const facility of yield* places.facilitiesOf(query, principal, business)) {
              const here = { business, facility }
              const isStart = business === start?.business && facility === start.facility
              if (business === start?.business && facility < start.facility) continue
              let { afterId, number } = isStart ? start : { afterId: 0, number: 0 }
              for (let isMore = true; isMore;) {
                const page = yield* read({ ...here, query }, { afterId, since })
                for (
                  const { events, message } of yield* eventsOf(business, page.messages, settings)
                ) {
                  if (before !== undefined && message.sentAt >= before) break
                  for (const [index, event] of events.entries()) {
                    if (index < number || !matches(event)) continue
                    const size = JSON.stringify(event).length
                    if (results.length === perPage || (results.length > 0 && text + size > pageBudget.text)) {
                      return pageAt({ ...here, afterId: message.id - 1, number: index })
                    }
                    yield* room.take(size)
                    text += size
                    results.push(event)
                  }
                  afterId = message.id
                  number = 0
                }
                const last = page.messages.at(-1)
                scans += Math.max(1, page.messages.length)
                isMore = page.more && last !== undefined && (before === undefined || last.sentAt < before)
                if (isMore && scans >= scanLimit) return pageAt({ ...here, afterId, number })
              }
              if (scans >= scanLimit) {
                const next = yield* places.after(query, principal, here)
                if (next === null) return { events: results, next: null }
                return pageAt({ ...next, afterId: 0, number: 0 })
              }
            }
            business = yield* places.nextBusiness(query, principal, business)
          }
          return { events: results, next: null }
        })
      })
    })
  )
}

/** The places where a client may read messages, in the order of the slugs. */
const makePlaces = Effect.map(Directory, (directory) => {
  type Scope = Pick<EventQuery.EventQuery, "places">

  /** The first business after a slug where the client may read messages of a facility; `null` if there is none. */
  const nextBusiness = Effect.fnUntraced(function*({ places }: Scope, principal: Principal, after: string) {
    const grants = principal.grants.filter(({ permissions }) => permissions.includes("messages:read"))
    const isAny = places === undefined && grants.some(({ business }) => business === everything)
    if (isAny) {
      const { items: [first] } = yield* directory.list(everything, { after, limit: 1 })
      return first?.slug ?? null
    }
    const slugs = (places ?? grants).map(({ business }) => business)
    return slugs.filter((slug) => slug > after).toSorted().at(0) ?? null
  })

  /** The slugs of the facilities of a business where the client may read messages; `""` for all of them together. */
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

  /** The place after one; `null` after the last. */
  const after = Effect.fnUntraced(function*(
    scope: Scope,
    principal: Principal,
    { business, facility }: Pick<EventQuery.QueryPosition, "business" | "facility">
  ) {
    const further = (yield* facilitiesOf(scope, principal, business)).find((slug) => slug > facility)
    if (further !== undefined) return { business, facility: further }
    const next = yield* nextBusiness(scope, principal, business)
    return next === null ? null : { business: next, facility: "" }
  })

  return { nextBusiness, facilitiesOf, after }
})
