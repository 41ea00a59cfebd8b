/** Lists that come in pages. */
import type { Page } from "@dockline/core/values/Page"
import { Effect } from "effect"

/** What a page is asked for with. `after` is empty for the first page: as a number, 0. */
export interface PageQuery {
  readonly limit: number
  readonly after: string
}

/** The pages of a list, up to the last, each after the one before it. */
export const pagesOf = Effect.fnUntraced(function*<A, E, R>(
  list: (query: PageQuery) => Effect.Effect<Page<A>, E, R>,
  limit: number
) {
  const pages: Array<ReadonlyArray<A>> = []
  let after = ""
  for (;;) {
    const { items, next } = yield* list({ limit, after })
    pages.push(items)
    if (next === null) return pages
    after = next
  }
})
