/**
 * Rows that belong to businesses: their keys in indexes, the claims of connections for reading them (ADR 17), the arguments of the
 * functions that read pages of lists, and how stores of capabilities read and change such rows (ADR 31). `ShipmentRows` does more for rows
 * that belong to a shipment.
 *
 * Guarantee: an operation ends within its deadline. A change is repeated after a conflict, and its announcement follows the commit. A read
 * claims its connection from the share of its client, in a cluster a connection to the node of the business. No two texts have the same
 * key.
 *
 * ```ts
 * const stores = Layer.effect(
 *   SealStore,
 *   Effect.map(operations, ({ call, read, write }) =>
 *     SealStore.of({
 *       add: (business, seal) =>
 *         write({ business: businessId(business) })(
 *           call(Schema.Int)`dockline.seal_add(${businessId(business)}, ${JSON.stringify(seal)})`
 *         ),
 *       list: (business, reader) =>
 *         read({ ...readsOf(reader), business: businessId(business) })(
 *           call(Schema.Array(Seal))`dockline.seals_of(${businessId(business)})`
 *         )
 *     }))
 * )
 * ```
 *
 * The id of a business is computed from its slug, here as in the table `business`, so that no statement has to look it up and a restored
 * database has the same ids. A number, LPN or SKU may take 4 KiB in UTF-8, but a B-tree row holds at most 2.7 KiB. So the key of a short
 * text is the prefix `=` and the text, and the key of a long text is the prefix `#` and its SHA-256.
 */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope, ReadScope } from "@dockline/core/access/Access"
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemKey } from "@dockline/core/shipment/Shipment"
import type { KeyedItem } from "@dockline/core/shipment/Shipment"
import type { TimePosition } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { createHash } from "node:crypto"
import { Nodes } from "../connections/Nodes.ts"
import { isPart, operations } from "../connections/StoreOperations.ts"
import type { StoreClaim } from "../connections/StoreOperations.ts"
import { bigintText } from "./RowFields.ts"

export { announcing, watching } from "../connections/Announcer.ts"
export type { Announcer } from "../connections/Announcer.ts"
export type { RowSchema } from "../connections/Statements.ts"
export { Deadline, operations, within } from "../connections/StoreOperations.ts"
export type { Operations } from "../connections/StoreOperations.ts"

/**
 * The claim of a read. Its holder is the set of all businesses that the client may read, whichever of them the read concerns. So a client
 * has one share for all its reads, and does not use the share of others. Clients that may read all businesses share another one.
 */
export const readsOf = (scope: BusinessScope | ReadonlyArray<ReadScope>): StoreClaim => {
  const slugs = scope === everything
    ? [everything]
    : scope.map((each) => typeof each === "string" ? each : each.business)
  const businesses = Array.from(new Set(slugs)).sort()
  if (businesses.includes(everything)) return { lane: "reads", holder: everything }
  const [first = ""] = businesses
  return businesses.length === 1
    ? readsOfBusiness(businessId(first))
    : { lane: "reads", holder: JSON.stringify(businesses) }
}

/** The claim of a read by a client of one business, from the id of the business. */
export const readsOfBusiness = (id: string): StoreClaim => ({ lane: "reads", holder: id })

/** The business and the facility to which a list is limited, if any. */
interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** The scopes that a list concerns. */
const scopesIn = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PlaceFilter, "business">) =>
  scopes.filter(({ business }) => business === everything || (filter.business ?? business) === business)

/** The id of the business of a list that concerns only one business: in a cluster only the node of that business is asked. */
const businessOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: Pick<PlaceFilter, "business">
): string | undefined => {
  const [slug = everything, ...others] = new Set(
    scopesIn(scopes, filter).map(({ business }) => filter.business ?? business)
  )
  return slug === everything || others.length > 0 ? undefined : businessId(slug)
}

/** The claim of a list. */
export const listsOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: Pick<PlaceFilter, "business">
): StoreClaim => ({ ...readsOf(scopes), business: businessOf(scopes, filter) })

/** The argument of `facilities_within`: the facilities in scope that match the filter; `null` for every facility. */
export const placesOf = (scopes: ReadonlyArray<ReadScope>, filter: PlaceFilter): string | null => {
  const places = scopesIn(scopes, filter)
    .map(({ business, facilities }) => [
      filter.business ?? (business === everything ? null : business),
      facilities === everything
        ? filter.facility === undefined ? null : [filter.facility]
        : facilities.filter((facility) => (filter.facility ?? facility) === facility)
    ])
  return places.some(([business, facilities]) => business === null && facilities === null)
    ? null
    : JSON.stringify(places)
}

/** The key of the number that filters a list; `null` for no filter. */
export const keyOf = (number: string | undefined): string | null =>
  number === undefined ? null : indexKey(number)

/**
 * The number of positions in a list for each millisecond. Two rows of one millisecond never have ids that differ by this number or more.
 */
export const idsOfMillisecond = 2 ** 22

/** The position before all entries; its negative is the position after all entries. */
const furthestPlace = 2n ** 63n - 1n

/**
 * Positions distinguish the milliseconds from 1970 to 2109, this many on each side of the middle. Earlier and later times count as the
 * first or the last millisecond.
 */
export const millisOfPlaces = 2 ** 41

/** The position of a time and an id (`list_place`). */
const placeOf = ({ at, id }: TimePosition): bigint => {
  const furthest = millisOfPlaces - 2
  const millis = Math.max(-furthest, Math.min(Date.parse(at) - millisOfPlaces, furthest))
  return -(BigInt(millis) * BigInt(idsOfMillisecond) + BigInt(id % idsOfMillisecond))
}

/** The position of the entry after which a page begins; for the first page, the position before all entries. */
export const placeAfter = (position: TimePosition | undefined): string =>
  String(position === undefined ? -furthestPlace : placeOf(position))

/**
 * The position after which a page begins, by `after` and `to`, and the last position of the list, by `from`; without them, the bounds of
 * all positions.
 */
export const placesBetween = (
  after: TimePosition | undefined,
  { from, to }: { readonly from: Timestamp | undefined; readonly to: Timestamp | undefined }
): readonly [after: string, last: string] => {
  const places = [after, to === undefined ? undefined : { at: to, id: 0 }]
    .map((position) => position === undefined ? -furthestPlace : placeOf(position))
  return [
    String(places.reduce((one, other) => one > other ? one : other)),
    String(from === undefined ? furthestPlace : placeOf({ at: from, id: 0 }))
  ]
}

/** The owner of a row. */
export interface Owner {
  /** The id of the business in a cluster. */
  readonly business: string | undefined
  /**
   * The id of the business in a statement. If there is no such row, no row has this id: it is null, or in a cluster a number with a shard,
   * because a function of businesses returns null for null there, whatever it returns on one PostgreSQL.
   */
  readonly id: Statement.Fragment
}

/** Finds the owners of rows with an SQL function that maps ids of rows to ids of businesses. */
export const ownersBy = (find: `${string}_business`) =>
  Effect.map(
    Effect.all([operations, Nodes]),
    ([{ call, loan, sql }, nodes]) => (id: number): Effect.Effect<Owner, SqlError.SqlError> =>
      Effect.gen(function*() {
        const expression = sql`${sql.literal(`dockline.${find}`)}(${id}::bigint)`
        if (!(yield* nodes.isCluster)) return { business: undefined, id: expression }
        const anchor = yield* anchorOutside(sql, nodes, id)
        const look = call(Schema.NullOr(bigintText))`${expression}::text`
        const business = yield* anchor === undefined ? look : loan({ lane: "reads", business: anchor })(look)
        // A transaction stays on its node.
        const owner = business ?? ((yield* isPart(sql)) ? undefined : yield* nodes.nobody)
        return { business: owner, id: sql`${owner ?? null}::bigint` }
      })
  )

/**
 * The number that stands for the business of a row in a cluster (`Nodes`); `undefined` inside a transaction, whose node is already fixed.
 */
export const anchorOutside = (
  sql: SqlClient.SqlClient,
  nodes: Nodes,
  id: number
): Effect.Effect<string | undefined, SqlError.SqlError> =>
  Effect.flatMap(isPart(sql), (isPart) => isPart ? Effect.undefined : nodes.anchorOf(id))

/** Finds the owners of shipments. */
export const ownersOfShipments = ownersBy("shipment_business")

/** The turn of changes of a shipment: changes with the same turn run one after another. */
export const turnOfShipment = (id: number): string => JSON.stringify(["shipment", id])

/** Finds the owners of webhook endpoints. */
export const ownersOfEndpoints = ownersBy("webhook_business")

/** The most ids of businesses that are cached. A request needs the id of its business several times. */
const capacity = 1000

const businessIds = new Map<string, string>()

/** The id of a business: the first 60 bits of the SHA-256 of its slug, as a decimal number. */
export const businessId = (slug: string): string => {
  const present = businessIds.get(slug)
  if (present !== undefined) return present
  const id = BigInt(`0x${createHash("sha256").update(slug).digest("hex").slice(0, 15)}`).toString()
  if (businessIds.size >= capacity) businessIds.clear()
  businessIds.set(slug, id)
  return id
}

/** The longest text that is its own key, in UTF-16 units (at most 1.5 KiB in UTF-8). */
const longestReadable = 512

/** The key of a text in an index. */
export const indexKey = (text: string): string =>
  text.length <= longestReadable ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`

/** The key of an LPN in an index. */
export const lpnIndexKey = (lpn: string): string => indexKey(lpnKey(lpn))

/** The key of an item within its order. */
export const itemIndexKey = (item: KeyedItem): string => indexKey(itemKey(item))
