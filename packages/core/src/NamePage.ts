/**
 * Pages of what is named by a text rather than a number, in the order of the names.
 */
import type { Page } from "./ShipmentStore.ts"

/** Which part of a list: at most `limit` entities with names after `after`. */
export interface NamePage {
  readonly limit: number
  /** The name of the last entity of the page before; `""` for the first page. */
  readonly after: string
}

/**
 * Entities of a page in the order of their names, by code points as PostgreSQL's collation `C` has it, with one more
 * than the limit where there is more.
 */
export const nextNames = <A>(
  all: ReadonlyArray<A>,
  nameOf: (entity: A) => string,
  { limit, after }: NamePage
): ReadonlyArray<A> =>
  all
    .filter((entity) => compareNames(nameOf(entity), after) > 0)
    .sort((left, right) => compareNames(nameOf(left), nameOf(right)))
    .slice(0, limit + 1)

/** Cuts a page out of all entities. */
export const pageOfNames = <A>(
  all: Iterable<A>,
  nameOf: (entity: A) => string,
  page: NamePage
): Page<A> => {
  const found = nextNames(Array.from(all), nameOf, page)
  const items = found.slice(0, page.limit)
  return { items, next: items.length < found.length ? nameOf(items.at(-1)!) : null }
}

/** Surrogates, which stand for the highest code points, are not the highest UTF-16 units. */
const compareNames = (left: string, right: string): number => {
  if (left === right) return 0
  const lefts = Array.from(left, (character) => character.codePointAt(0)!)
  const rights = Array.from(right, (character) => character.codePointAt(0)!)
  const at = lefts.findIndex((point, index) => point !== rights[index])
  return at < 0 ? -1 : lefts[at]! - (rights[at] ?? -1)
}
