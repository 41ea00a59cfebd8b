/**
 * Shows the result of a command: as tables and records, with `--json` as one JSON document, which is the answer of the
 * service, or a list with `--csv` as the service writes it. At most one page of a list is held in memory.
 */
import { Effect, Stream } from "effect"
import type * as CsvText from "./CsvText.ts"
import { WrongUsage } from "./Failure.ts"
import { Json } from "./GlobalFlags.ts"
import type { Answer } from "./OperatorConnection.ts"
import type { Chunk, List } from "./Pages.ts"
import { jsonText, printableLines } from "./Printable.ts"
import { Screen } from "./Screen.ts"
import * as Table from "./Table.ts"
import type { Columns } from "./Table.ts"

export const record = <A>(columns: Columns<A>) => <E, R>(request: Effect.Effect<Answer<A>, E, R>) =>
  Effect.gen(function*() {
    const { body, value } = yield* request
    const screen = yield* Screen
    yield* screen.data((yield* Json) ? jsonText(body, 2) : Table.record(columns, value, screen.columns))
  })

/** Shows one text, as it is used elsewhere. */
export const text = <A>(show: (value: A) => string) => <E, R>(request: Effect.Effect<Answer<A>, E, R>) =>
  Effect.gen(function*() {
    const { body, value } = yield* request
    yield* (yield* Screen).data((yield* Json) ? jsonText(body, 2) : show(value))
  })

/** Shows one thing that holds a secret which the service will not show again. */
export const revealed =
  <A>(columns: Columns<A>, sentence: string) => <E, R>(request: Effect.Effect<Answer<A>, E, R>) =>
    // The sentence comes last: after a failed write it would claim that a secret was shown.
    Effect.andThen(record(columns)(request), done(sentence))

/** Reports success of an operation whose answer has nothing to show. */
export const done = (sentence: string) => Effect.flatMap(Screen, ({ say }) => say(sentence))

/** Shows a list that the service answers without pages. */
export const whole =
  <A>(columns: Columns<A>, nothing: string) =>
  <E, R>(request: Effect.Effect<Answer<ReadonlyArray<A>>, E, R>) =>
    Effect.gen(function*() {
      const { body, value } = yield* request
      if (yield* Json) return yield* (yield* Screen).data(jsonText(body, 2))
      yield* rows(columns, Stream.succeed(value), nothing)
    })

/**
 * Shows a list that has no end, as it arrives; with `--json`, one document a line. Columns have room for the `expected` rows from
 * the beginning.
 */
export const endless = <A>(columns: Columns<A>, expected: ReadonlyArray<A> = []) =>
<E, R>(
  pages: Stream.Stream<Chunk<A>, E, R>
) =>
  Effect.gen(function*() {
    if (!(yield* Json)) {
      return yield* rows(columns, Stream.map(pages, ({ items }) => items), undefined, expected)
    }
    const screen = yield* Screen
    yield* Stream.runForEach(pages, ({ bodies }) =>
      bodies.length === 0
        ? Effect.void
        : screen.data(bodies.map((body) => jsonText(body)).join("\n")))
  })

/** Shows a list, page by page as it arrives. */
export const list = <A>(columns: Columns<A>, nothing: string) => <E, R>({ csv, pages }: List<A, E, R>) =>
  Effect.gen(function*() {
    const isJson = yield* Json
    if (csv !== undefined) {
      return yield* isJson ? new WrongUsage({ message: "Say --json or --csv" }) : table(csv)
    }
    if (isJson) return yield* document(pages)
    yield* rows(columns, Stream.map(pages, ({ items }) => items), nothing)
  })

/** Writes a list in CSV as it is; to a terminal without the characters that would act there. */
const table = Effect.fnUntraced(function*<E, R>(csv: Effect.Effect<CsvText.Table, E, R>) {
  const { next, text } = yield* csv
  const { columns, part, say } = yield* Screen
  yield* Stream.runForEach(text, (lines) => part(columns === undefined ? lines : printableLines(lines)))
  if (next !== undefined) yield* say(`More follow: --after ${next}`)
})

/** Writes `{items, next}` over all pages as one document. */
const document = Effect.fnUntraced(function*<A, E, R>(pages: Stream.Stream<Chunk<A>, E, R>) {
  const screen = yield* Screen
  let written = 0
  let next: string | null = null
  yield* Stream.runForEach(pages, (page) =>
    Effect.gen(function*() {
      next = page.next
      if (page.bodies.length === 0) return
      const text = page.bodies.map((body) => jsonText(body)).join(",\n")
      yield* screen.data(written === 0 ? `{"items":[\n${text}` : `,${text}`)
      written += page.bodies.length
    }))
  yield* screen.data(`${written === 0 ? "{\"items\":[" : ""}],"next":${jsonText(next)}}`)
})

/** Writes a table. Its columns are as wide as the first page and the expected rows need, and wider from any later page that needs more. */
const rows = Effect.fnUntraced(function*<A, E, R>(
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
    const needed = Table.widths(all)
    widths = needed.map((width, index) => Math.max(width, widths[index] ?? 0))
    least = Table.leasts(all).map((width, index) => Math.max(width, least[index] ?? 0))
    const fitted = screen.columns === undefined ? widths : Table.fit(widths, screen.columns, least)
    const isNarrowed = screen.columns !== undefined
    const shown = isFirst ? [head, ...all] : all
    isFirst = false
    return screen.data(shown.map((row) => Table.line(row, fitted, isNarrowed)).join("\n"))
  })
  if (isFirst && nothing !== undefined) yield* screen.say(nothing)
})
