/**
 * Rows that belong to businesses: their keys in indexes, the connections for reads of them (ADR 17), the arguments of the functions that
 * read pages of lists, and how stores of capabilities read and change such rows (ADR 31). For rows that belong to a shipment `ShipmentRows`
 * does more.
 *
 * Guarantee: an operation ends within its deadline. A change is repeated after a conflict, and its announcement follows the commit. A read
 * takes its connection from the share of its client, and in a cluster to the node of the business. No text has the key of another.
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
 * The id of a business is computed from its slug, here as in the table `business`, so that no statement has to look it up, and a restored
 * database has the same ids. A number, lpn or sku may take 4 KiB in UTF-8, but a B-tree row holds at most 2.7 KiB. A short text is its own
 * key, with the prefix `=`; a long one has its SHA-256, with the prefix `#`.
 */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope, ReadScope } from "@dockline/core/access/Access"
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemKey } from "@dockline/core/shipment/OrderItem"
import type { KeyedItem } from "@dockline/core/shipment/OrderItem"
import type { TimePosition } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { createHash } from "node:crypto"
import { isPart } from "../connections/Loan.ts"
import { Nodes } from "../connections/Nodes.ts"
import { operations } from "../connections/StoreOperations.ts"
import type { StoreClaim } from "../connections/StoreOperations.ts"
import { bigintText } from "./RowFields.ts"

export { announcing, watching } from "../connections/Announcer.ts"
export type { Announcer } from "../connections/Announcer.ts"
export { Deadline, within } from "../connections/Loan.ts"
export type { RowSchema } from "../connections/Statements.ts"
export { operations } from "../connections/StoreOperations.ts"
export type { Operations } from "../connections/StoreOperations.ts"

/**
 * The claim of a read. Its holder is the set of all businesses that the client may read, whichever of them the read is about: so a client
 * has one share for all its reads, and takes nothing from the share of others. Clients that may read all businesses have a separate share.
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

/** The claim of a read for a client of one business, by its id. */
export const readsOfBusiness = (id: string): StoreClaim => ({ lane: "reads", holder: id })

/** The places that a list is narrowed to. */
interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** The scopes that a list is about. */
const scopesIn = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PlaceFilter, "business">) =>
  scopes.filter(({ business }) => business === everything || (filter.business ?? business) === business)

/** The id of the business of a list, if it is about only one: in a cluster then only its node is asked. */
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

/** The argument of `facilities_within`: the places in scope that the filter names; `null` for every facility. */
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

/** The key of the number by which a list is filtered; `null` for all. */
export const keyOf = (number: string | undefined): string | null =>
  number === undefined ? null : indexKey(number)

/** A place has this many ids of one millisecond. No two rows of a millisecond have ids that differ by as much. */
export const idsOfMillisecond = 2 ** 22

/** The place before all, and the negative of that after all. */
const furthestPlace = 2n ** 63n - 1n

/**
 * Places distinguish milliseconds from 1970 to 2109, this many on either side of the middle; other times count as the first or the last.
 */
export const millisOfPlaces = 2 ** 41

/** The place of a time and an id (`list_place`). */
const placeOf = ({ at, id }: TimePosition): bigint => {
  const furthest = millisOfPlaces - 2
  const millis = Math.max(-furthest, Math.min(Date.parse(at) - millisOfPlaces, furthest))
  return -(BigInt(millis) * BigInt(idsOfMillisecond) + BigInt(id % idsOfMillisecond))
}

/** The place of the entry after which a page begins; for the first page, the place before all entries. */
export const placeAfter = (position: TimePosition | undefined): string =>
  String(position === undefined ? -furthestPlace : placeOf(position))

/** The place after which a page begins, from `before`, and its last place, from `since`; without times, the bounds of all places. */
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
  /** Its id, in a cluster. */
  readonly business: string | undefined
  /** The id in a statement; null if there is no such row. */
  readonly id: Statement.Fragment
}

/** Finds the owners of rows by an SQL function from ids of rows to ids of businesses. */
export const ownersBy = (find: `${string}_business`) =>
  Effect.map(
    Effect.all([operations, Nodes]),
    ([{ call, loan, sql }, nodes]) => (id: number): Effect.Effect<Owner, SqlError.SqlError> =>
      Effect.gen(function*() {
        const expression = sql`${sql.literal(`dockline.${find}`)}(${id}::bigint)`
        if (!(yield* nodes.isCluster)) return { business: undefined, id: expression }
        const anchor = yield* anchorOutside(sql, nodes, id)
        const look = call(Schema.NullOr(bigintText))`${expression}::text`
        const owner = yield* anchor === undefined ? look : loan({ lane: "reads", business: anchor })(look)
        return { business: owner ?? undefined, id: sql`${owner}::bigint` }
      })
  )

/** The number in place of a row's business in a cluster (`Nodes`); `undefined` inside a transaction, whose node is already fixed. */
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

/** The most ids of businesses that are remembered; a request needs the one of its business several times. */
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

/** Texts up to this many UTF-16 units (at most 1.5 KiB in UTF-8) are indexed as they are. */
const longestReadable = 512

/** The key that stands for a text in an index. */
export const indexKey = (text: string): string =>
  text.length <= longestReadable ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`

/** The key that stands for an LPN in an index. */
export const lpnIndexKey = (lpn: string): string => indexKey(lpnKey(lpn))

/** The key that stands for an item within its order. */
export const itemIndexKey = (item: KeyedItem): string => indexKey(itemKey(item))
