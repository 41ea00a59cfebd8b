/**
 * Shows the result of a command: as a table or a record, with `--json` as the service's JSON, or with `--csv` as the service's CSV. At most
 * one page of a list is held in memory.
 */
import { Effect, Predicate, Stream } from "effect"
import { jsonText, printableLines, wrongUsage } from "./Failure.ts"
import { Json } from "./GlobalFlags.ts"
import type * as Pages from "./Pages.ts"
import type { Chunk, List } from "./Pages.ts"
import { Screen } from "./Screen.ts"
import type { Answer } from "./ServiceCalls.ts"
import * as Table from "./Table.ts"
import { fieldsOf, linesOf } from "./Table.ts"
import type { Columns } from "./Table.ts"

type Output = Pick<Answer<unknown>, "body" | "value">

/** Shows an answer, if it has a body: a list as a table of its fields, an object as a record, a text unchanged. */
export const answer = Effect.fnUntraced(function*({ body, value }: Output, nothing?: string) {
  if (body === undefined) return
  const screen = yield* Screen
  if (yield* Json) return yield* screen.data(jsonText(body, 2))
  if (Array.isArray(value)) return yield* writeTable(fieldsOf(value[0] ?? {}), Stream.succeed(value), nothing)
  yield* screen.data(Predicate.isObject(value) ? Table.record(linesOf(value), screen.columns) : String(value))
})

/** Reports success of an operation whose answer has nothing to show. */
export const done = (sentence: string) => Effect.flatMap(Screen, ({ say }) => say(sentence))

/**
 * Shows an endless list as it arrives; with `--json`, one document a line. From the first row on, the columns are wide enough for the
 * `expected` rows.
 */
export const endless =
  <A>(columns: Columns<A>, expected: ReadonlyArray<A> = []) => <E, R>(pages: Stream.Stream<Chunk<A>, E, R>) =>
    Effect.gen(function*() {
      if (!(yield* Json)) {
        return yield* writeTable(columns, Stream.map(pages, ({ items }) => items), undefined, expected)
      }
      const screen = yield* Screen
      yield* Stream.runForEach(pages, ({ bodies }) =>
        bodies.length === 0
          ? Effect.void
          : screen.data(bodies.map((body) => jsonText(body)).join("\n")))
    })

/** Writes a list: a table, CSV, or JSON. */
export const list = Effect.fnUntraced(
  function*<A>({ csv, pages }: List<A>, columns: Columns<A>, nothing: string) {
    const isJson = yield* Json
    if (csv !== undefined) {
      return yield* isJson ? wrongUsage("Give either --json or --csv") : writeCsv(csv)
    }
    if (isJson) return yield* writeJson(pages)
    yield* writeTable(columns, Stream.map(pages, ({ items }) => items), nothing)
  }
)

/** Writes a list in CSV unchanged; for a terminal, without its control characters. */
const writeCsv = Effect.fnUntraced(function*<E, R>(csv: Effect.Effect<Pages.CsvTable, E, R>) {
  const { next, text } = yield* csv
  const { columns, part, say } = yield* Screen
  yield* Stream.runForEach(text, (lines) => part(columns === undefined ? lines : printableLines(lines)))
  if (next !== undefined) yield* say(`More entries follow: --after ${next}`)
})

/** Writes `{items, next}` over all pages as one document. */
const writeJson = Effect.fnUntraced(function*<A, E, R>(pages: Stream.Stream<Chunk<A>, E, R>) {
  const screen = yield* Screen
  let count = 0
  let next: string | null = null
  yield* Stream.runForEach(pages, (page) =>
    Effect.gen(function*() {
      next = page.next
      if (page.bodies.length === 0) return
      const text = page.bodies.map((body) => jsonText(body)).join(",\n")
      yield* screen.data(count === 0 ? `{"items":[\n${text}` : `,${text}`)
      count += page.bodies.length
    }))
  yield* screen.data(`${count === 0 ? "{\"items\":[" : ""}],"next":${jsonText(next)}}`)
})

/** Writes rows as a table. The columns fit the first page and the expected rows; a later page with wider cells widens them. */
const writeTable = Effect.fnUntraced(function*<A, E, R>(
  columns: Columns<A>,
  pages: Stream.Stream<ReadonlyArray<A>, E, R>,
  nothing: string | undefined,
  expected: ReadonlyArray<A> = []
) {
  const screen = yield* Screen
  const head = Object.keys(columns).map((title) => title.toUpperCase())
  let widths = Table.widths([head, ...expected.map((item) => Table.cells(columns, item))])
  let least: ReadonlyArray<number> = []
  let isFirst = true
  yield* Stream.runForEach(pages, (items) => {
    if (items.length === 0) return Effect.void
    const all = items.map((item) => Table.cells(columns, item))
    const widthsNeeded = Table.widths(all)
    widths = widthsNeeded.map((width, index) => Math.max(width, widths[index] ?? 0))
    least = Table.leasts(all).map((width, index) => Math.max(width, least[index] ?? 0))
    const fit = screen.columns === undefined ? widths : Table.fit(widths, screen.columns, least)
    const isNarrowed = screen.columns !== undefined
    const lines = isFirst ? [head, ...all] : all
    isFirst = false
    return screen.data(lines.map((row) => Table.line(row, fit, isNarrowed)).join("\n"))
  })
  if (isFirst && nothing !== undefined) yield* screen.say(nothing)
})
