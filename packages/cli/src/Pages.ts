/**
 * Reads lists over all their pages; never reads more entries than the limit, or a page that is not shown.
 */
import { isCursor } from "@dockline/core/Page"
import { Effect, Option, Schema, Stream } from "effect"
import { Flag } from "effect/cli"
import * as Arguments from "./Arguments.ts"
import { WrongUsage } from "./Failure.ts"
import type { Answer } from "./OperatorConnection.ts"

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
  after: Arguments.text("after", "Go on after the next of an earlier list")
}

export interface Extent {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<string>
}

export const pages = <A, E, R>(
  { after, limit }: Extent,
  read: (query: { readonly limit: number; readonly after?: string }) => Effect.Effect<Answer<Page<A>>, E, R>
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

const wrongAfter = (after: string) =>
  Effect.fail(new WrongUsage({ message: `--after: "${after}" is not the next of an earlier list` }))

/** Reads lists in the order of ids or of times. */
export const timed = <A, E, R>(
  extent: Extent,
  read: (query: { readonly limit: number; readonly after?: string }) => Effect.Effect<Answer<Page<A>>, E, R>
): Stream.Stream<Chunk<A>, E | WrongUsage, R> =>
  pages<A, E | WrongUsage, R>(
    extent,
    (query) => query.after === undefined || isCursor(query.after) ? read(query) : wrongAfter(query.after)
  )

/** Reads lists whose cursors are whole numbers. */
export const numbered = <A, E, R>(
  extent: Extent,
  read: (query: { readonly limit: number; readonly after?: number }) => Effect.Effect<Answer<Page<A>>, E, R>
): Stream.Stream<Chunk<A>, E | WrongUsage, R> =>
  pages<A, E | WrongUsage, R>(extent, ({ after, limit }) => {
    if (after === undefined) return read({ limit })
    return /^\d{1,16}$/.test(after)
      ? read({ limit, after: Number(after) })
      : wrongAfter(after)
  })
