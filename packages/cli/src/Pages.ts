/**
 * Reads lists over all their pages, but no more entries than the limit, and each page only when it is to be shown. A list in CSV is
 * one answer of the service.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { isCursor, pageLimit } from "@dockline/core/values/Page"
import type { Page } from "@dockline/core/values/Page"
import { Duration, Effect, Option, Predicate, Schema, Stream } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import * as Arguments from "./Arguments.ts"
import { notConnected, WrongUsage } from "./Failure.ts"
import type { NotConnected } from "./Failure.ts"
import { call, csv, ServiceCalls } from "./ServiceCalls.ts"
import type { CallInput, Failures } from "./ServiceCalls.ts"

/** A list as the CSV that the service writes (D13). */
export interface CsvTable {
  /** The text of the table, in parts as they arrive. */
  readonly text: Stream.Stream<string, NotConnected>
  /** The cursor of the next page; `undefined` when nothing follows. */
  readonly next: string | undefined
}

const notCsv = notConnected(
  "The service does not write this list as CSV. Check that both have the same version"
)

/**
 * Requests a list as CSV.
 *
 * Guarantee: a list that breaks off ends the run with a failure, so that nobody mistakes a part for the whole.
 */
export const requestCsv = Effect.fnUntraced(function*(list: Operation.AnyList, input: CallInput) {
  const { headers, stream } = yield* csv(list, input)
  if (!/^text\/csv\b/i.test(headers["content-type"] ?? "")) return yield* notCsv
  const { timeoutMillis } = yield* Effect.flatMap(ServiceCalls, ({ connection }) => connection)
  const text = stream.pipe(
    Stream.mapError(() => notConnected("The list broke off: what was written is incomplete", true)),
    Stream.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () =>
        Stream.fail(notConnected(
          `No more of the list has arrived for ${
            Duration.format(Duration.millis(timeoutMillis))
          }: what was written is incomplete`,
          true
        ))
    }),
    Stream.decodeText
  )
  return { text, next: nextOf(headers["link"]) } satisfies CsvTable
})

/** The cursor in the link to the next page. */
const nextOf = (link: string | undefined): string | undefined => {
  const [, query = ""] = /^<\?([^>]*)>; rel="next"$/.exec(link ?? "") ?? []
  const parameters = new URLSearchParams(query)
  return parameters.get("after") ?? parameters.get("afterId") ?? undefined
}

/** A page with its items, both decoded and as the JSON of the answer. */
export interface Chunk<A> extends Page<A> {
  readonly bodies: ReadonlyArray<unknown>
}

const isNumber = (text: string): boolean => /^\d{1,16}$/.test(text)

/** Whether a text may be the `next` of a list. */
const isNext: Readonly<Record<Operation.Cursor, (text: string) => boolean>> = {
  id: isNumber,
  count: isNumber,
  message: isNumber,
  position: isCursor,
  name: () => true
}

/** The flags that choose the part of a list to show, and its format. */
export const flags = ({ cursor }: Pick<Operation.AnyList, "cursor">) => ({
  limit: Arguments.limit("The most entries to list; all when absent"),
  after: Flag.String("after").pipe(
    Flag.withDescription("Continue after the next of an earlier list"),
    Flag.withSchema(
      Schema.String.check(
        Schema.makeFilter((text) => isNext[cursor](text) || "is not the next of an earlier list")
      )
    ),
    Flag.optional
  ),
  csv: Arguments.switchFlag(
    "csv",
    `Write the list as CSV, for spreadsheets: all of it, or a page of up to ${pageLimit} with --limit`
  )
})

export type Extent = Command.Command.Config.Infer<ReturnType<typeof flags>>

export interface List<A> {
  readonly pages: Stream.Stream<Chunk<A>, Failures, ServiceCalls>
  /** The list as CSV; absent unless the command line asks for CSV. */
  readonly csv?: Effect.Effect<CsvTable, Failures, ServiceCalls>
}

/** Reads a list, page by page or as one table in CSV. */
export const read = <Op extends Operation.AnyList>(
  operation: Op,
  { params = {}, query = {} }: CallInput,
  { after: start, csv, limit }: Extent
): List<Op["row"]["Type"]> => {
  const inputOf = (after: Option.Option<string>, limit?: number): CallInput => ({
    params,
    query: { ...query, limit, [afterOf(operation)]: Option.getOrUndefined(after) }
  })
  const pages = Stream.paginate(
    { after: start, left: Option.getOrElse(limit, () => Infinity) },
    ({ after, left }) =>
      Effect.map(
        call(operation, inputOf(after, Math.min(left, pageLimit))),
        ({ body, value: { items, next } }) => {
          const chunk: Chunk<Op["row"]["Type"]> = { items, bodies: bodiesOf(body), next }
          const rest = left - items.length
          const following = { after: Option.fromNullOr(next), left: rest }
          return [[chunk], next === null || rest <= 0 ? Option.none() : Option.some(following)] as const
        }
      )
  )
  if (!csv) return { pages }
  if (Option.exists(limit, (entries) => entries > pageLimit)) {
    const message = `--csv writes pages of up to ${pageLimit}; leave --limit out for the whole list`
    return { pages, csv: Effect.fail(new WrongUsage({ message })) }
  }
  return { pages, csv: requestCsv(operation, inputOf(start, Option.getOrUndefined(limit))) }
}

/** The entries of a page, as the JSON of the answer. */
export const bodiesOf = (page: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(page, "items") && Array.isArray(page.items) ? page.items : []

const afterOf = ({ cursor }: Operation.AnyList): string => cursor === "message" ? "afterId" : "after"
