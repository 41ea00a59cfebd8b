/**
 * Reads whole lists for an operation, page by page: Kargo's schema has no pages.
 *
 * Guarantee: a list that is longer than its bound is refused, never cut, and all lists of an operation hold together no more
 * entries than its limit (D8.8). What several fields of an operation show is read once.
 */
import { InvalidRequest, OperationTooCostly } from "@dockline/core/Errors"
import type { Page } from "@dockline/core/Page"
import type { PalletView } from "@dockline/core/PalletView"
import type { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import type { GraphqlContext } from "../resolvers/Run.ts"
import type { SchemaServices } from "../resolvers/SchemaServices.ts"

/** The most shipments of one list. */
export const shipmentsAtMost = 1000

/** What an operation has read. */
interface Reading {
  entries: number
  readonly pallets: Map<number, ReadonlyArray<PalletView>>
  readonly arrived: Map<string, ReadonlyArray<ShipmentView>>
}

const readings = new WeakMap<GraphqlContext, Reading>()

const readingOf = (context: GraphqlContext): Reading => {
  const reading = readings.get(context) ?? { entries: 0, pallets: new Map(), arrived: new Map() }
  readings.set(context, reading)
  return reading
}

/** The filters of a list of shipments at a facility. */
export interface ShipmentsQuery {
  readonly business: string
  readonly facility: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly status?: "ARRIVED"
  readonly discrepancies?: boolean | undefined
}

/** How many entries a shipment counts as: its orders and items are shown with it. */
const entriesOf = ({ orders }: ShipmentView): number =>
  orders.reduce((sum, { items }) => sum + 1 + items.length, 1)

export const makeLists = ({ config: { limits }, pallets, shipments }: SchemaServices) => {
  /** All entries of a list; `tooMany` refuses more than `most`. */
  const all = Effect.fnUntraced(function*<A, E, E2 = never>(
    reading: Reading,
    page: (after: string) => Effect.Effect<Page<A>, E>,
    weigh: (entry: A) => number,
    bound?: { readonly most: number; readonly tooMany: E2 }
  ) {
    const found: Array<A> = []
    let after: string | null = ""
    while (after !== null) {
      const { items, next }: Page<A> = yield* page(after)
      for (const item of items) {
        found.push(item)
        reading.entries += weigh(item)
      }
      if (reading.entries > limits.entries) return yield* new OperationTooCostly({ limit: limits.entries })
      if (bound !== undefined && found.length > bound.most) return yield* Effect.fail(bound.tooMany)
      after = next
    }
    return found
  })

  const shipmentsOf = (query: ShipmentsQuery, path: string, context: GraphqlContext) =>
    all(
      readingOf(context),
      (after) => shipments.list({ ...query, order: "EARLIEST", after }, context.session.principal),
      entriesOf,
      {
        most: shipmentsAtMost,
        tooMany: new InvalidRequest({
          errors: [{ path, detail: `holds more than ${shipmentsAtMost} shipments: ask for a shorter time` }]
        })
      }
    )

  return {
    all: <A, E>(page: (after: string) => Effect.Effect<Page<A>, E>, context: GraphqlContext) =>
      all(readingOf(context), page, () => 1),

    /** The shipments of a query in the order of their times; `path` names the argument that bounds them. */
    shipments: shipmentsOf,

    /** The shipments that are at the docks of a facility. */
    arrived: (business: string, facility: string, context: GraphqlContext) =>
      Effect.suspend(() => {
        const { arrived } = readingOf(context)
        const key = `${business}/${facility}`
        const known = arrived.get(key)
        return known === undefined
          ? Effect.tap(
            shipmentsOf({ business, facility, status: "ARRIVED" }, "currentShipment", context),
            (found) => Effect.sync(() => arrived.set(key, found))
          )
          : Effect.succeed(known)
      }),

    /** The pallets of a shipment, in id order. */
    pallets: (id: number, context: GraphqlContext) =>
      Effect.suspend(() => {
        const reading = readingOf(context)
        const known = reading.pallets.get(id)
        return known === undefined
          ? Effect.tap(
            all(
              reading,
              (after) => pallets.ofShipment(String(id), { after: Number(after) }, context.session.principal),
              ({ events }) => 1 + events.length
            ),
            (found) => Effect.sync(() => reading.pallets.set(id, found))
          )
          : Effect.succeed(known)
      })
  }
}

/** See {@link makeLists}. */
export type Lists = ReturnType<typeof makeLists>
