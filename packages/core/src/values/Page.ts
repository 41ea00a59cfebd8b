/**
 * Cuts lists into pages, in the order of ids, of names, or of times.
 *
 * Guarantee: a page is bounded by its limit and by the number of order items that it holds.
 */
import { Result } from "effect"
import { InvalidParameter } from "./Errors.ts"
import * as Timestamp from "./Timestamp.ts"

/** The most entities of one page, and how many it holds unless asked for fewer. */
export const pageLimit = 100

/** The limit of a page, from a requested one. */
export const limitOf = (limit = pageLimit): number => Math.max(1, Math.min(limit, pageLimit))

/** The id in a text, such as a part of a path; `undefined` for other text. */
export const idOf = (text: string): number | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** A part of a list in id order: at most `limit` entities with ids above `after`. */
export interface PageRequest {
  readonly limit: number
  /** The id of the last entity of the page before; 0 for the first page. */
  readonly after: number
}

/** A page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The `after` of the next page; `null` on the last page. */
  readonly next: string | null
}

/** The page with each entity in another form. */
export const mapPage = <A, B>({ items, next }: Page<A>, f: (item: A) => B): Page<B> => ({
  items: items.map(f),
  next
})

/** The most order items of a page: it ends early instead of holding more, but it always holds at least one entity. */
export const pageItemBudget = 10_000

/**
 * Cuts a page from the entities that were found, in id order. The caller reads one more than the limit, so that the page
 * knows whether more follow.
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

/** A part of a list in name order: at most `limit` entities with names after `after`. */
export interface NamePageRequest {
  readonly limit: number
  /** The name of the last entity of the page before; `""` for the first page. */
  readonly after: string
}

/**
 * The entities of a page in the order of their names, plus one more if there is one. Names compare by code points, as in
 * PostgreSQL's collation `C`.
 */
export const nextNames = <A>(
  all: ReadonlyArray<A>,
  nameOf: (entity: A) => string,
  { limit, after }: NamePageRequest
): ReadonlyArray<A> =>
  all
    .filter((entity) => compareNames(nameOf(entity), after) > 0)
    .sort((left, right) => compareNames(nameOf(left), nameOf(right)))
    .slice(0, limit + 1)

/** Cuts a page from all entities. */
export const pageOfNames = <A>(
  all: Iterable<A>,
  nameOf: (entity: A) => string,
  page: NamePageRequest
): Page<A> =>
  cutPage(
    nextNames(Array.from(all), nameOf, page),
    page.limit,
    (entity) => ({ id: nameOf(entity), items: 0 })
  )

/** A request for a page of a list. */
export interface PageQuery {
  /** The size of the page, clamped to 1 to 100; 100 when absent. */
  readonly limit?: number | undefined
  /** The `next` of the previous page; the first page when absent or `""`. */
  readonly after?: string | undefined
}

/** The page of a list in name order. */
export const namePage = ({ after = "", limit }: PageQuery): NamePageRequest => ({
  limit: limitOf(limit),
  after
})

/** Where an entity stands in a list in the order of times, and of ids where times are the same. */
export interface TimePosition {
  readonly at: Timestamp.Timestamp
  readonly id: number
}

/** The `after` of the page that follows an entity in the order of times. */
export const cursorOf = ({ at, id }: TimePosition): string => `${at}_${id}`

/** The position that a cursor names; `undefined` for the first page, `null` for a text that is no cursor. */
export const positionOf = (text: string): TimePosition | null | undefined => {
  if (text === "") return undefined
  const [at = "", digits = ""] = text.split("_")
  const id = idOf(digits)
  return id !== undefined && Timestamp.parse(at) === at && cursorOf({ at, id }) === text ? { at, id } : null
}

/** Whether a text is the `next` of a list in the order of ids or of times. */
export const isCursor = (text: string): boolean =>
  text === "0" || idOf(text) !== undefined || (text !== "" && positionOf(text) !== null)

/** Refuses an `after` that no page has given. */
export const noCursor = (): InvalidParameter =>
  new InvalidParameter({ errors: [{ path: "after", detail: "must be the next of the page before" }] })

/** The page of a list in id order. */
export const idPage = (
  { after: text = "", limit }: PageQuery
): Result.Result<PageRequest, InvalidParameter> => {
  const after = text === "" || text === "0" ? 0 : idOf(text)
  return after === undefined ? Result.fail(noCursor()) : Result.succeed({ limit: limitOf(limit), after })
}

/** Compares by code points: UTF-16 units would sort the surrogates of high code points before other characters. */
const compareNames = (left: string, right: string): number => {
  if (left === right) return 0
  const lefts = Array.from(left, (character) => character.codePointAt(0)!)
  const rights = Array.from(right, (character) => character.codePointAt(0)!)
  const at = lefts.findIndex((point, index) => point !== rights[index])
  return at < 0 ? -1 : lefts[at]! - (rights[at] ?? -1)
}
