/** The world of suites of reads: paged lists, shipments and orders within scopes, and a test implementation of `AnswerMemory` (D12.3). */
import type { ReadScope } from "@dockline/core/access/Access"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import type { MovementStore } from "@dockline/core/movement/Movement"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { OrderFilter, ShipmentFilter } from "@dockline/core/shipment/ShipmentStore"
import type { Page, PageRequest } from "@dockline/core/values/Page"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"
import type * as Suite from "../Suite.ts"
import type { IntakeStores } from "./IntakeWorld.ts"

/** The query of a page. `after` is empty for the first page, which is 0 as a number. */
export interface PageQuery {
  readonly limit: number
  readonly after: string
}

/** All pages of a list. */
export const pagesOf = Effect.fnUntraced(function*<A, E, R>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, E, R>,
  limit: number
) {
  const pages: Array<ReadonlyArray<A>> = []
  let after = ""
  for (;;) {
    const { items, next } = yield* list({ limit, after })
    pages.push(items)
    if (next === null) return pages
    after = next
  }
})

/** An `AnswerMemory` that records the requested characters, and grants at most `most` of them. */
export const anAnswerMemory = (most: number) => {
  const memory = { asked: 0 }
  const isWithin = (characters: number) => (memory.asked += characters) <= most
  return {
    memory,
    /** Runs an effect with this `AnswerMemory`. */
    within: Effect.provideService(AnswerMemory, {
      reserve: (characters) =>
        isWithin(characters) ? Effect.void : Effect.fail(new Overloaded({ retryAfterSeconds: 1 })),
      reserveNow: isWithin
    })
  }
}

/** The ports under test, and the ports that they need. */
export type ReadingStores = IntakeStores | MovementStore

/** Adds a case of the suite. */
export type AddTest = Suite.AddTest<ReadingStores>

/** A page larger than any case needs. */
const firstPage: PageRequest = { limit: 100, after: 0 }

/** Shipments within the scopes. */
export const listShipments = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope>,
  filter: Partial<ShipmentFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  return yield* store.listShipments(scopes, { ...none, ...filter }, page)
})

/** Orders within the scopes. */
export const listOrders = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope>,
  filter: Partial<OrderFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, orderNumber: undefined }
  return yield* store.listOrders(scopes, { ...none, ...filter }, page)
})
