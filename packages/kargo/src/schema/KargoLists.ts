/**
 * Reads whole lists page by page for an operation of GraphQL, because Kargo's schema has no pages.
 *
 * Guarantee: a list that is longer than its limit is refused, never cut. All lists of an operation together stay within the limits on
 * entries and text (D8.8). Data that several fields of an operation need is read once, even if reading fails. The pallets of the requested
 * shipments of a facility are read together, for at most {@link shipmentsAtMost} shipments at a time. {@link forget} discards the data that
 * was read before a mutation.
 */
import type { PalletView } from "@dockline/core/movement/PalletOperations"
import { answerTextOf } from "@dockline/core/shipment/ShipmentSize"
import type { ShipmentView } from "@dockline/core/shipment/View"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { AnswerTooLarge, InvalidRequest, OperationTooCostly } from "@dockline/core/values/Errors"
import type { Page } from "@dockline/core/values/Page"
import type { GraphqlContext, SchemaServices } from "@dockline/graphql-adapter/schema/Schema"
import { Effect, Result } from "effect"

/** The most shipments of one list. */
export const shipmentsAtMost = 1000

/** The data that an operation has read, with its number of entries and its approximate length in characters. */
interface Reading {
  entries: number
  text: number
  readonly pallets: Map<number, Result.Result<ReadonlyArray<PalletView>, CatalogueError>>
  /** The shipments whose pallets are to be read, by business and facility. */
  readonly keys: Map<string, Set<number>>
  readonly arrived: Map<string, Result.Result<ReadonlyArray<ShipmentView>, CatalogueError>>
}

const readings = new WeakMap<GraphqlContext, Reading>()

const readingOf = (context: GraphqlContext): Reading => {
  const empty = { entries: 0, text: 0, pallets: new Map(), keys: new Map(), arrived: new Map() }
  const reading = readings.get(context) ?? empty
  readings.set(context, reading)
  return reading
}

/** Forgets the data that an operation has read, but not its size. */
export const forget = (context: GraphqlContext): void => {
  const { arrived, pallets, keys } = readingOf(context)
  arrived.clear()
  pallets.clear()
  keys.clear()
}

/** The result for a key: from the map, or else by reading and adding it to the map. */
const once = <Key, A, E>(
  results: Map<Key, Result.Result<A, E>>,
  key: Key,
  read: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const result = results.get(key)
    return result === undefined
      ? Effect.flatMap(Effect.result(read), (result) => {
        results.set(key, result)
        return Effect.fromResult(result)
      })
      : Effect.fromResult(result)
  })

export interface ShipmentsQuery {
  readonly business: string
  readonly facility: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly status?: "ARRIVED"
  readonly discrepancies?: boolean | undefined
}

/** The number of entries that a shipment counts as: one for itself, each order and each item, because they are shown with it. */
const entriesOf = ({ orders }: ShipmentView): number =>
  orders.reduce((sum, { items }) => sum + 1 + items.length, 1)

interface Weight {
  readonly entries: number
  readonly text: number
}

const weighShipment = (shipment: ShipmentView): Weight => ({
  entries: entriesOf(shipment),
  text: answerTextOf(shipment, shipment.orders.map(({ items }) => items))
})

const weighPallet = (pallet: PalletView): Weight => ({
  entries: 1 + pallet.events.length,
  text: textOf(pallet)
})

const textOf = (entry: unknown): number => JSON.stringify(entry).length

export const makeLists = ({ config: { answerTextLimit, limits }, pallets, shipments }: SchemaServices) => {
  /** All entries of a list. Fails with `tooMany` if the list is longer than `most`. */
  const all = Effect.fnUntraced(function*<A, E, E2 = never>(
    reading: Reading,
    page: (after: string) => Effect.Effect<Page<A>, E>,
    weigh: (entry: A) => Weight,
    limit?: { readonly most: number; readonly tooMany: E2 }
  ) {
    const rows: Array<A> = []
    let after: string | null = ""
    while (after !== null) {
      const { items, next }: Page<A> = yield* page(after)
      for (const item of items) {
        const { entries, text } = weigh(item)
        rows.push(item)
        reading.entries += entries
        reading.text += text
      }
      if (reading.entries > limits.entries) return yield* new OperationTooCostly({ limit: limits.entries })
      if (reading.text > answerTextLimit) return yield* new AnswerTooLarge({ limit: answerTextLimit })
      if (limit !== undefined && rows.length > limit.most) return yield* Effect.fail(limit.tooMany)
      after = next
    }
    return rows
  })

  const shipmentsOf = (query: ShipmentsQuery, path: string, context: GraphqlContext) =>
    all(
      readingOf(context),
      (after) => shipments.list({ ...query, order: "EARLIEST", after }, context.session.principal),
      weighShipment,
      {
        most: shipmentsAtMost,
        tooMany: new InvalidRequest({
          errors: [{ path, detail: `holds more than ${shipmentsAtMost} shipments: ask for a shorter time` }]
        })
      }
    )

  /** The pallets of shipments, shipment by shipment. */
  const palletsOf = (
    place: { readonly business: string; readonly facility: string },
    ids: ReadonlyArray<number>,
    context: GraphqlContext
  ) => {
    let rest = ids
    return all(
      readingOf(context),
      (after) =>
        Effect.tap(
          pallets.ofShipments(place, rest, Number(after), context.session.principal),
          ({ items }) =>
            Effect.sync(() => {
              const last = items.at(-1)
              // The next page may continue within the last shipment of this page.
              if (last !== undefined) rest = rest.slice(rest.indexOf(last.shipmentId))
            })
        ),
      weighPallet
    )
  }

  return {
    all: <A, E>(page: (after: string) => Effect.Effect<Page<A>, E>, context: GraphqlContext) =>
      all(readingOf(context), page, (entry) => ({ entries: 1, text: textOf(entry) })),

    /**
     * The shipments of a query in the order of their times. `path` names the argument that the client has to change if there are too many.
     */
    shipments: shipmentsOf,

    /** The shipments at the docks of a facility. */
    arrived: (business: string, facility: string, context: GraphqlContext) =>
      once(
        readingOf(context).arrived,
        `${business}/${facility}`,
        shipmentsOf({ business, facility, status: "ARRIVED" }, "currentShipment", context)
      ),

    /**
     * The pallets of a shipment, in id order. The first field that reads pallets of a facility reads the pallets of all shipments requested
     * so far. The fields of a list make their requests before any of them reads.
     */
    pallets: (shipment: ShipmentView, context: GraphqlContext) => {
      const reading = readingOf(context)
      const { business, facility, id } = shipment
      const place = { business: business.slug, facility: facility.slug }
      const key = `${place.business}/${place.facility}`
      const keys = reading.keys.get(key) ?? new Set()
      reading.keys.set(key, keys)
      if (!reading.pallets.has(id)) keys.add(id)
      return Effect.suspend((): Effect.Effect<ReadonlyArray<PalletView>, CatalogueError> => {
        const result = reading.pallets.get(id)
        if (result !== undefined) return Effect.fromResult(result)
        keys.delete(id)
        const ids = [id, ...keys].slice(0, shipmentsAtMost)
        for (const each of ids) keys.delete(each)
        return Effect.flatMap(Effect.result(palletsOf(place, ids, context)), (result) => {
          const byShipment = Result.map(result, (pallets) => Map.groupBy(pallets, (each) => each.shipmentId))
          const ofShipment = (id: number) => Result.map(byShipment, (pallets) => pallets.get(id) ?? [])
          for (const each of ids) reading.pallets.set(each, ofShipment(each))
          return Effect.fromResult(ofShipment(id))
        })
      })
    }
  }
}
