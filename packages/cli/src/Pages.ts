/**
 * Reads lists over all their pages; never reads more entries than the limit, or a page that is not shown. A list in CSV is one
 * answer of the service.
 */
import { isCursor } from "@dockline/core/Page"
import { Effect, Option, Pipeable, Schema, Stream } from "effect"
import { Flag } from "effect/cli"
import * as Arguments from "./Arguments.ts"
import * as CsvText from "./CsvText.ts"
import { WrongUsage } from "./Failure.ts"
import type { Answer, Failures, OperatorConnection } from "./OperatorConnection.ts"

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** A page, with its items both decoded and as they were in the answer. */
export interface Chunk<A> extends Page<A> {
  readonly bodies: ReadonlyArray<unknown>
}

const pageLimit = 100

export const flags = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("The most entries to list; all when absent"),
    Flag.withSchema(
      Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))
    ),
    Flag.optional
  ),
  after: Arguments.text("after", "Go on after the next of an earlier list"),
  csv: Arguments.isSet(
    "csv",
    `Write the list as CSV, for spreadsheets: all of it, or a page of up to ${pageLimit} with --limit`
  )
}

export interface Extent {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<string>
  readonly csv: boolean
}

/** A list, to be shown. */
export class List<A, E, R> extends Pipeable.Class {
  readonly pages: Stream.Stream<Chunk<A>, E, R>
  /** The list as the service writes it in CSV, if it is to be shown so. */
  readonly csv: Effect.Effect<CsvText.Table, Failures, OperatorConnection> | undefined

  constructor(pages: List<A, E, R>["pages"], csv?: List<A, E, R>["csv"]) {
    super()
    this.pages = pages
    this.csv = csv
  }
}

type Read<A, After, E, R> = (
  query: { readonly limit?: number; readonly after?: After }
) => Effect.Effect<Answer<Page<A>>, E, R>

const inPages = <A, E, R>(
  { after, limit }: Extent,
  read: Read<A, string, E, R>
): Stream.Stream<Chunk<A>, E, R> =>
  Stream.paginate({ after, left: Option.getOrElse(limit, () => Infinity) }, ({ after, left }) =>
    Effect.map(
      read({ limit: Math.min(left, pageLimit), ...Arguments.ifGiven("after", after) }),
      ({ body, value: { items, next } }) => {
        const chunk: Chunk<A> = { items, bodies: (body as Page<unknown>).items, next }
        const rest = left - items.length
        const following = { after: Option.fromNullOr(next), left: rest }
        return [[chunk], next === null || rest <= 0 ? Option.none() : Option.some(following)] as const
      }
    ))

const inCsv = <A>(
  { after, limit }: Extent,
  read: Read<A, string, Failures, OperatorConnection>
): Effect.Effect<CsvText.Table, Failures, OperatorConnection> => {
  if (Option.isSome(limit) && limit.value > pageLimit) {
    return Effect.fail(
      new WrongUsage({
        message: `--csv writes pages of up to ${pageLimit}; leave --limit out for the whole list`
      })
    )
  }
  return CsvText.request(read({ ...Arguments.ifGiven("limit", limit), ...Arguments.ifGiven("after", after) }))
}

/** Reads a list, page by page or as one table in CSV. */
export const pages = <A>(
  extent: Extent,
  read: Read<A, string, Failures, OperatorConnection>
): List<A, Failures, OperatorConnection> =>
  new List(inPages(extent, read), extent.csv ? inCsv(extent, read) : undefined)

const wrongAfter = (after: string) =>
  Effect.fail(new WrongUsage({ message: `--after: "${after}" is not the next of an earlier list` }))

/** Reads lists in the order of ids or of times. */
export const timed = <A>(
  extent: Extent,
  read: Read<A, string, Failures, OperatorConnection>
): List<A, Failures, OperatorConnection> =>
  pages(
    extent,
    (query) => query.after === undefined || isCursor(query.after) ? read(query) : wrongAfter(query.after)
  )

/** Reads lists whose cursors are whole numbers. */
export const numbered = <A>(
  extent: Extent,
  read: Read<A, number, Failures, OperatorConnection>
): List<A, Failures, OperatorConnection> =>
  pages(extent, ({ after, ...query }) => {
    if (after === undefined) return read(query)
    return /^\d{1,16}$/.test(after)
      ? read({ ...query, after: Number(after) })
      : wrongAfter(after)
  })
