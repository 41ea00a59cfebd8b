/**
 * Lists as comma-separated values (RFC 4180), for spreadsheets and databases (D13).
 *
 * Guarantee: no cell is a formula, whatever customers have sent. An answer needs only the memory of one page of the list, and pages are read
 * no faster than the client reads the answer. An answer that ends is complete: an answer that cannot be completed breaks off.
 */
import type { Cell, Table } from "@dockline/core/access/Operation"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import type { Page } from "@dockline/core/values/Page"
import { csv } from "@dockline/wire/MediaType"
import { Data, Effect, Option, Predicate, Schedule, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { FurtherPages } from "../api/Parts.ts"

/** The most entries of an answer. */
export const rowLimit = 100_000

/** Writes entries under a header. */
export const write = <Row>(table: Table<Row>, rows: ReadonlyArray<Row>): string =>
  line(table.map(([column]) => column)) + lines(table, rows)

const lines = <Row>(table: Table<Row>, rows: ReadonlyArray<Row>): string =>
  rows.map((row) => line(table.map(([, cellOf]) => cellOf(row)))).join("")

const line = (cells: ReadonlyArray<Cell>): string => `${cells.map(cell).join(",")}\r\n`

const cell = (value: Cell): string => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return value === null ? "" : quote(plain(textOf(value)))
}

const textOf = (value: string | { readonly slug: string } | ReadonlyArray<string>): string => {
  if (typeof value === "string") return value
  return "slug" in value ? value.slug : value.join("; ")
}

/**
 * Keeps spreadsheets from interpreting a text as a formula, which may run programs and send data away. If a spreadsheet separates cells by
 * semicolons or tabs, a cell also begins after each of these and after each line end. Quotation marks there are skipped, because
 * {@link quote} doubles them and the spreadsheet reads the pair as an empty quotation.
 */
const plain = (value: string): string => {
  const inert = value.replaceAll(/(^|[;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "$1'")
  return /^[\t\r\n]/.test(value) ? `'${inert}` : inert
}

const quote = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll("\"", "\"\"")}"` : value

/** A list that is read in pages. */
export interface List<Query, Row, E, R> {
  readonly table: Table<Row>
  readonly query: Query
  readonly read: (query: Query) => Effect.Effect<Page<Row>, E, R>
  /** The query parameter for the `next` of the previous page. */
  readonly at: (next: string) => Partial<Query>
}

/**
 * With `limit`, answers with one page and a header `Link` to the next. Without it, answers with that page and all following pages. Each
 * further page is read when the client has received the previous one, counts as a request, and takes its turn among requests. So neither a
 * slow client nor a client with many lists delays others.
 */
export const respond = Effect.fnUntraced(
  function*<Query extends { readonly limit?: number | undefined }, Row, E extends CatalogueError, R>(
    { at, query, read, table }: List<Query, Row, E, R>,
    headers: Readonly<Record<string, string>>
  ) {
    // Lists limit their pages to 100 entries, but a list that is computed as a whole is returned at once.
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
    const request = yield* HttpServerRequest.HttpServerRequest
    const pages = yield* FurtherPages
    const follow = (next: string, limit: number) =>
      pages.read(read({ ...query, limit, ...at(next) })).pipe(
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
          const { items, next: end } = yield* follow(next, rowLimit - count)
          return [
            [lines(table, items)],
            end === null ? Option.none() : Option.some({ next: end, count: count + items.length })
          ] as const
        })
    )
    const body = Stream.make(text).pipe(
      Stream.concat(rest),
      // The connection is cut only after the client has received all entries that were read.
      Stream.tapError((error) =>
        Effect.andThen(Effect.logWarning("An answer in CSV breaks off", error), untilSent(request))
      ),
      Stream.encodeText,
      Stream.provideContext(context)
    )
    return HttpServerResponse.stream(body, { headers, contentType })
  }
)

/** Waits until the process has sent all written data. A request of a fetch-style handler has no socket. */
const untilSent = ({ source }: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const socket = Predicate.hasProperty(source, "socket") ? source.socket : undefined
  // Lines that were written in this turn of the event loop are sent at its end.
  const look = Effect.sleep(sentMillis)
  const isWaiting = () =>
    Predicate.hasProperty(socket, "writableLength") && socket.writableLength !== 0 &&
    Predicate.hasProperty(socket, "destroyed") && socket.destroyed === false
  return Effect.repeat(look, { while: isWaiting })
}

const sentMillis = 20

const contentType = `${csv}; charset=utf-8; header=present`

/**
 * The list has more entries than {@link rowLimit}. The answer breaks off, because a client would mistake its end for the end of the list.
 */
class TooLong extends Data.TaggedError("TooLong") {
  override readonly message = `The list has more than ${rowLimit} entries`
}
