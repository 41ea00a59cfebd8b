/**
 * The filters and pages that lists in memory share. Every storage must give the same pages for the same requests.
 */
import { Order, Struct } from "effect"
import { isInScope } from "../access/Access.ts"
import type { ReadScope } from "../access/Access.ts"
import type { PlaceFilter } from "../shipment/ShipmentStore.ts"
import { cursorOf, cutPage } from "../values/Page.ts"
import type { EntrySize, NewestPageRequest, Page, PageRequest, TimePosition } from "../values/Page.ts"

/** Whether a facility is within one of the scopes, and matches the business and facility of a filter, if the filter names them. */
export const isAt = (
  scopes: ReadonlyArray<ReadScope>,
  { business, facility }: Partial<PlaceFilter>,
  atBusiness: string,
  atFacility: string
): boolean =>
  (business ?? atBusiness) === atBusiness && (facility ?? atFacility) === atFacility &&
  scopes.some((scope) => isInScope(scope, atBusiness, atFacility))

/** Whether an entry has the values of a filter; `undefined` matches any value. */
export const agrees = <Entry extends object>(
  filter: { readonly [Name in keyof Entry]?: Entry[Name] | undefined },
  entry: Entry
): boolean => Struct.keys(filter).every((name) => filter[name] === undefined || filter[name] === entry[name])

/** A page in the order of ids. */
export const oldestFirst = <Entry>(
  matching: ReadonlyArray<Entry>,
  { after, limit }: PageRequest,
  idOf: (entry: Entry) => number,
  sizeOf: (entry: Entry) => Partial<EntrySize> = () => ({})
): Page<Entry> => {
  const rest = matching
    .filter((entry) => idOf(entry) > after)
    .sort((left, right) => idOf(left) - idOf(right))
  return cutPage(rest, limit, (entry) => ({ id: String(idOf(entry)), ...sizeOf(entry) }))
}

/** A page with the newest first: by times, and then by ids. */
export const newestByTime = <Entry>(
  matching: ReadonlyArray<Entry>,
  { after, limit }: NewestPageRequest,
  positionOf: (entry: Entry) => TimePosition,
  sizeOf: (entry: Entry) => Partial<EntrySize> = () => ({})
): Page<Entry> => {
  const rest = matching
    .filter((entry) => after === undefined || byTime(positionOf(entry), after) < 0)
    .sort((left, right) => byTime(positionOf(right), positionOf(left)))
  return cutPage(rest, limit, (entry) => ({ id: cursorOf(positionOf(entry)), ...sizeOf(entry) }))
}

/** Compares by times, and then by ids. */
export const byTime = (left: TimePosition, right: TimePosition): number =>
  Order.String(left.at, right.at) || left.id - right.id
