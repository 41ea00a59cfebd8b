/** Reads lists page by page. */
import type { Page } from "./operations.ts"

export interface Read<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** Reads at most this many pages, one after another; the first may be given. */
export const readPages = async <A>(
  pages: number,
  read: (after: string | null) => Promise<Page<A> | undefined>,
  first?: Page<A>
): Promise<Read<A>> => {
  const rows: Array<A> = []
  let page = first ?? await read(null)
  for (let at = 1; page !== undefined; at++) {
    rows.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return { rows, hasMore: false }
    if (at >= pages) return { rows, hasMore: true }
    page = await read(page.pageInfo.endCursor)
  }
  return { rows, hasMore: false }
}
