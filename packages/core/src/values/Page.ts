/**
 * Pages of lists: of what has an id, in the order of ids, and of what has a name, in the order of names.
 *
 * Guarantee: a page is bounded by its limit and by the number of order items that it holds.
 */

/** Which part of a list: at most `limit` entities with ids above `after`, in id order. */
export interface PageRequest {
  readonly limit: number
  /** The id of the last entity of the page before; 0 for the first page. */
  readonly after: number
}

/** A page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The id to ask the next page with; `null` on the last. */
  readonly next: string | null
}

/** A page ends early rather than hold more order items than this (but always holds at least one entity). */
export const pageItemBudget = 10_000

/**
 * Cuts a page from what was found, in id order, with one entry more than the limit where there is more: at most the
 * limit, and no more than the item budget allows, but at least one.
 */
export const cutPage = <A>(
  found: ReadonlyArray<A>,
  limit: number,
  sizeOf: (entry: A) => { readonly id: string; readonly items: number }
): Page<A> => {
  const items: Array<A> = []
  let held = 0
  for (const entry of found.slice(0, limit)) {
    held += sizeOf(entry).items
    if (items.length > 0 && held > pageItemBudget) break
    items.push(entry)
  }
  return { items, next: items.length < found.length ? sizeOf(items.at(-1)!).id : null }
}

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
