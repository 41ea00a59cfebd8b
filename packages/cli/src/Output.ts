/**
 * What a command shows: tables and records for people, with `--json` the body of the answer for scripts.
 *
 * Guarantee: `--json` writes one JSON document, which is what the service answered; a list is one document however many
 * pages it took, and no more than a page of it is held at a time.
 */
import { Effect, Stream } from "effect"
import type { Answer } from "./Operator.ts"
import type { Chunk } from "./Pages.ts"
import { jsonText } from "./Printable.ts"
import { Screen } from "./Screen.ts"
import { Json } from "./Settings.ts"
import * as Table from "./Table.ts"
import type { Column } from "./Table.ts"

/** Shows one thing. */
export const record = Effect.fnUntraced(function*<A>(columns: ReadonlyArray<Column<A>>, answer: Answer<A>) {
  const screen = yield* Screen
  const text = (yield* Json)
    ? jsonText(answer.body, 2)
    : Table.record(columns, answer.value, screen.columns)
  yield* screen.data(text)
})

/** Shows one thing that holds a secret which the service will not tell again. */
export const revealed = Effect.fnUntraced(function*<A>(
  columns: ReadonlyArray<Column<A>>,
  answer: Answer<A>,
  sentence: string
) {
  // The sentence comes after: a failure to write must not be taken for a secret that was shown.
  yield* record(columns, answer)
  yield* (yield* Screen).say(sentence)
})

/** Says that something was done which has no answer to show. */
export const done = (sentence: string) => Effect.flatMap(Screen, ({ say }) => say(sentence))

/** Shows a list that is no page: all there is. */
export const whole = Effect.fnUntraced(function*<A>(
  columns: ReadonlyArray<Column<A>>,
  answer: Answer<ReadonlyArray<A>>,
  nothing: string
) {
  const screen = yield* Screen
  if (yield* Json) return yield* screen.data(jsonText(answer.body, 2))
  yield* rows(columns, Stream.succeed(answer.value), nothing)
})

/** Shows a list, page by page as it comes. */
export const list = Effect.fnUntraced(function*<A, E, R>(
  columns: ReadonlyArray<Column<A>>,
  pages: Stream.Stream<Chunk<A>, E, R>,
  nothing: string
) {
  if (yield* Json) return yield* document(pages)
  yield* rows(columns, Stream.map(pages, ({ items }) => items), nothing)
})

/** `{items, next}` over all pages, as one page would be. */
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

/** A table whose columns are as wide as the first page needs, and wider from a page on that needs more. */
const rows = Effect.fnUntraced(function*<A, E, R>(
  columns: ReadonlyArray<Column<A>>,
  pages: Stream.Stream<ReadonlyArray<A>, E, R>,
  nothing: string
) {
  const screen = yield* Screen
  const head = columns.map(({ title }) => title.toUpperCase())
  let widths: ReadonlyArray<number> = []
  yield* Stream.runForEach(pages, (items) => {
    if (items.length === 0) return Effect.void
    const isFirst = widths.length === 0
    const all = items.map((item) => Table.cells(columns, item))
    const needed = Table.widths([head, ...all])
    widths = needed.map((width, index) => Math.max(width, widths[index] ?? 0))
    const fitted = screen.columns === undefined ? widths : Table.fit(widths, screen.columns)
    const isNarrowed = screen.columns !== undefined
    return screen.data(
      (isFirst ? [head, ...all] : all).map((row) => Table.line(row, fitted, isNarrowed)).join("\n")
    )
  })
  if (widths.length === 0) yield* screen.say(nothing)
})
