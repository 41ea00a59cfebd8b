/** Reads lists page by page. */

/** A page of a list, as GraphQL gives it. */
interface Page<A> {
  readonly nodes: ReadonlyArray<A>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The entries of the pages that were read. */
export interface Rows<A> {
  readonly rows: ReadonlyArray<A>
  /** Whether there are more than these. */
  readonly hasMore: boolean
  /** How many pages were asked for. */
  readonly pages: number
}

/** Reads at most so many pages, one after another. */
export const readPages = async <A>(
  pages: number,
  read: (after: string | null) => Promise<Page<A>>
): Promise<Rows<A>> => {
  const rows: Array<A> = []
  let after: string | null = null
  for (let page = 0; page < pages; page++) {
    const { nodes, pageInfo }: Page<A> = await read(after)
    rows.push(...nodes)
    if (!pageInfo.hasNextPage) return { rows, hasMore: false, pages }
    after = pageInfo.endCursor
  }
  return { rows, hasMore: true, pages }
}
