/**
 * Lists over all their pages: `next` is followed until there is none, or until enough has been read.
 *
 * Guarantee: never more than the limit, and never a page that nobody reads.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { Flag } from "effect/cli"
import type { Answer } from "./Operator.ts"

/** A page as the service answers it. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** Which page is asked for. */
export interface PageQuery {
  readonly limit: number
  readonly after?: string
}

/** A page, with its items as they stood in the answer. */
export interface Chunk<A> {
  readonly items: ReadonlyArray<A>
  readonly bodies: ReadonlyArray<unknown>
  readonly next: string | null
}

/** The most entries that the service puts into one page. */
const pageLimit = 100

/** The flags of every list. */
export const flags = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("The most entries to list; all when absent"),
    Flag.withSchema(
      Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))
    ),
    Flag.optional
  ),
  after: Flag.String("after").pipe(
    Flag.withDescription("Go on after the next of an earlier list"),
    Flag.optional
  )
}

/** How much of a list is asked for. */
export interface Extent {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<string>
}

interface Position {
  readonly after: string | undefined
  readonly left: number
}

/** The pages of a list. */
export const pages = <A, E, R>(
  extent: Extent,
  read: (query: PageQuery) => Effect.Effect<Answer<Page<A>>, E, R>
): Stream.Stream<Chunk<A>, E, R> => {
  const start: Position = {
    after: Option.getOrUndefined(extent.after),
    left: Option.getOrElse(extent.limit, () => Infinity)
  }
  return Stream.paginate(start, ({ after, left }) =>
    Effect.map(
      read({ limit: Math.min(left, pageLimit), ...(after === undefined ? {} : { after }) }),
      ({ body, value: { items, next } }) => {
        const chunk: Chunk<A> = { items, bodies: (body as Page<unknown>).items, next }
        const rest = left - items.length
        const following = next === null || rest <= 0
          ? Option.none<Position>()
          : Option.some<Position>({ after: next, left: rest })
        return [[chunk], following] as const
      }
    ))
}
