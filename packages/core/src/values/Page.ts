/**
 * Cuts lists into pages, in the order of ids, of names, or of times.
 *
 * Guarantee: a page is bounded by its limit, and by the rows and the characters that its entries hold.
 */
import { Result } from "effect"
import { InvalidParameter } from "./Errors.ts"
import * as Timestamp from "./Timestamp.ts"

/** The maximum and the default number of entities in a page. */
export const pageLimit = 100

/** The limit of a page, from a requested limit. */
export const limitOf = (limit = pageLimit): number => Math.max(1, Math.min(limit, pageLimit))

/** The id in a text, such as a part of a path; `undefined` for other text. */
export const idOf = (text: string): number | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** A part of a list in id order: at most `limit` entities with ids above `after`. */
export interface PageRequest {
  readonly limit: number
  /** The id of the last entity of the previous page; 0 for the first page. */
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

/** The size of an entry of a list. */
export interface EntrySize {
  /** The number of rows: one for the entry, and one for each entity listed in it, such as the orders and items of a shipment. */
  readonly rows: number
  /** The characters of their texts. */
  readonly text: number
}

/** The most rows of a page, and the most characters in their texts. A page ends early to stay within them, but holds at least one entry. */
export const pageBudget: EntrySize = { rows: 10_000, text: 4 * 1024 * 1024 }

/**
 * Cuts a page from entries in the order of the list. The caller reads one entry more than the limit, which shows whether more follow.
 * `show` returns the size of an entry, and as `id` the `after` of the page that follows it. An entry without a size counts as a row without
 * text.
 */
export const cutPage = <A>(
  entries: ReadonlyArray<A>,
  limit: number,
  show: (entry: A) => { readonly id: string } & Partial<EntrySize>
): Page<A> => {
  const items: Array<A> = []
  let [rowsHeld, textHeld] = [0, 0]
  for (const entry of entries.slice(0, limit)) {
    const { rows = 1, text = 0 } = show(entry)
    rowsHeld += rows
    textHeld += text
    if (items.length > 0 && (rowsHeld > pageBudget.rows || textHeld > pageBudget.text)) break
    items.push(entry)
  }
  return { items, next: items.length < entries.length ? show(items.at(-1)!).id : null }
}

/** A part of a list in name order: at most `limit` entities with names after `after`. */
export interface NamePageRequest {
  readonly limit: number
  /** The name of the last entity of the previous page; `""` for the first page. */
  readonly after: string
}

/** The entities of a page and one more, in the order of the code points of their names, as in PostgreSQL's collation `C`. */
export const nextNames = <A>(
  all: ReadonlyArray<A>,
  nameOf: (entity: A) => string,
  { limit, after }: NamePageRequest
): ReadonlyArray<A> =>
  all
    .filter((entity) => compareNames(nameOf(entity), after) > 0)
    .sort((left, right) => compareNames(nameOf(left), nameOf(right)))
    .slice(0, limit + 1)

/** Cuts a page in the order of names from all entities, which may be in any order. */
export const pageOfNames = <A>(
  all: Iterable<A>,
  nameOf: (entity: A) => string,
  page: NamePageRequest
): Page<A> =>
  cutPage(nextNames(Array.from(all), nameOf, page), page.limit, (entity) => ({ id: nameOf(entity) }))

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

/** The position of an entity in a list that is ordered by time and then by id. */
export interface TimePosition {
  readonly at: Timestamp.Timestamp
  readonly id: number
}

/** The `after` of the page that follows an entity in the order of times. */
export const cursorOf = ({ at, id }: { readonly at: string; readonly id: number }): string => `${at}_${id}`

/** The position that a cursor names; `undefined` for the first page. Text that is not a cursor is refused. */
export const positionOf = (text: string): Result.Result<TimePosition | undefined, InvalidParameter> => {
  if (text === "") return Result.succeed(undefined)
  const [at = "", digits = ""] = text.split("_")
  const id = idOf(digits)
  return id !== undefined && Timestamp.isTimestamp(at) && cursorOf({ at, id }) === text
    ? Result.succeed({ at, id })
    : Result.fail(noCursor())
}

/** A part of a list, newest first: at most `limit` entities after a position, by time and then by id. */
export interface NewestPageRequest {
  readonly limit: number
  /** The position of the last entity of the previous page; `undefined` for the first page. */
  readonly after: TimePosition | undefined
}

/** The page of a list with the newest first. */
export const newestPage = (
  { after = "", limit }: PageQuery
): Result.Result<NewestPageRequest, InvalidParameter> =>
  Result.map(positionOf(after), (position) => ({ limit: limitOf(limit), after: position }))

/** Whether a text is the `next` of a list in the order of ids or of times. */
export const isCursor = (text: string): boolean =>
  text === "0" || idOf(text) !== undefined || (text !== "" && Result.isSuccess(positionOf(text)))

/** The refusal of an `after` that cannot be the `next` of a page. */
const noCursor = (): InvalidParameter =>
  new InvalidParameter({ errors: [{ path: "after", detail: "must be the next of the previous page" }] })

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
