/**
 * Lists as comma-separated values (RFC 4180), as spreadsheets and databases read them (D13).
 *
 * Guarantee: no cell is a formula, whatever customers have sent. A list of any length takes the memory of a page, and is read
 * no faster than its client takes it. An answer that ends is complete: one that cannot be completed breaks off.
 */
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { csv } from "@dockline/core/internal/wire/Accept"
import type { Page } from "@dockline/core/Page"
import { Capacity } from "@dockline/core/RequestLimits"
import { Data, Effect, Option, Schedule, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentPrincipal } from "../api/Authorization.ts"

/** What a cell shows: of a place its slug, and of a list its entries with `; ` between them. */
export type Cell = string | number | boolean | null | { readonly slug: string } | ReadonlyArray<string>

/** The columns of a list: their names, and how each is read from an entry. */
export type Table<Row> = ReadonlyArray<readonly [column: string, cellOf: (row: Row) => Cell]>

/** The most entries of one answer. */
export const rowLimit = 100_000

/** Writes entries under a header. */
export const write = <Row>(table: Table<Row>, rows: ReadonlyArray<Row>): string =>
  line(table.map(([column]) => column)) + lines(table, rows)

const lines = <Row>(table: Table<Row>, rows: ReadonlyArray<Row>): string =>
  rows.map((row) => line(table.map(([, cellOf]) => cellOf(row)))).join("")

const line = (cells: ReadonlyArray<Cell>): string => `${cells.map(cell).join(",")}\r\n`

const cell = (value: Cell): string => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return value === null ? "" : quoted(plain(textOf(value)))
}

const textOf = (value: string | { readonly slug: string } | ReadonlyArray<string>): string => {
  if (typeof value === "string") return value
  return "slug" in value ? value.slug : value.join("; ")
}

/**
 * Spreadsheets take a text that begins so for a formula, which may run programs and send data away. Where they separate
 * cells by semicolons or tabs, a cell begins after each of these, and after each end of a line; a quotation mark there is
 * written twice, which begins and ends a quotation of nothing.
 */
const plain = (value: string): string => {
  const inert = value.replaceAll(/(^|[;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "$1'")
  return /^[\t\r\n]/.test(value) ? `'${inert}` : inert
}

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll("\"", "\"\"")}"` : value

/** A list that is read in pages. */
export interface List<Query, Row, E, R> {
  readonly table: Table<Row>
  readonly query: Query
  readonly read: (query: Query) => Effect.Effect<Page<Row>, E, R>
  /** The parameter with which a page begins at the `next` of the one before. */
  readonly at: (next: string) => Partial<Query>
}

/**
 * Answers with the page that is asked for by `limit`, and a header `Link` that leads to the next; without `limit`, with the
 * page and all that follow it. Each of these is read when the client has taken the one before, and takes its turn with the
 * requests, so that a slow client holds up nobody.
 */
export const respond = Effect.fnUntraced(
  function*<Query extends { readonly limit?: number | undefined }, Row, E extends CatalogueError, R>(
    { at, query, read, table }: List<Query, Row, E, R>,
    headers: Readonly<Record<string, string>>
  ) {
    // Lists give pages of 100, but what is computed as a whole comes at once.
    const whole = { ...query, limit: query.limit ?? rowLimit }
    const first = yield* read(whole)
    const text = write(table, first.items)
    const { next } = first
    if (next === null) return HttpServerResponse.text(text, { headers, contentType })
    if (query.limit !== undefined) {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const parameters = new URLSearchParams(url.slice(url.indexOf("?")))
      for (const [name, value] of Object.entries(at(next))) parameters.set(name, String(value))
      const link = `<?${parameters.toString()}>; rel="next"`
      return HttpServerResponse.text(text, { headers: { ...headers, link }, contentType })
    }
    const context = yield* Effect.context<R>()
    const takeOn = yield* Capacity
    const { clientId } = yield* CurrentPrincipal
    const follow = (next: string) =>
      takeOn(clientId, read({ ...whole, ...at(next) })).pipe(
        Effect.retry({
          while: ({ category }) => category === "unavailable",
          schedule: Schedule.spaced("1 second"),
          times: 5
        })
      )
    const rest = Stream.paginate(
      { next, count: first.items.length },
      ({ count, next }) =>
        Effect.gen(function*() {
          if (count >= rowLimit) return yield* new TooLong()
          const { items, next: end } = yield* follow(next)
          return [
            [lines(table, items)],
            end === null ? Option.none() : Option.some({ next: end, count: count + items.length })
          ] as const
        })
    )
    const body = Stream.make(text).pipe(
      Stream.concat(rest),
      Stream.tapError((error) => Effect.logWarning("An answer in CSV breaks off", error)),
      Stream.encodeText,
      Stream.provideContext(context)
    )
    return HttpServerResponse.stream(body, { headers, contentType })
  }
)

const contentType = `${csv}; charset=utf-8; header=present`

/** The list goes on after {@link rowLimit} entries: the answer breaks off, as a client would take its end for that of the list. */
class TooLong extends Data.TaggedError("TooLong") {
  override readonly message = `The list has more than ${rowLimit} entries`
}
