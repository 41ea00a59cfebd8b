/** A list that is read page by page. New rows are announced first, so that nothing moves under a finger. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Followed } from "../api/live.ts"
import type { Page } from "../api/operations.ts"
import { counted } from "./amounts.ts"
import { Loaded } from "./Frame.tsx"
import { useLive, useLoaded } from "./loaded.ts"
import { readPages } from "./pages.ts"
import { More } from "./Parts.tsx"

/** A button that says how many rows are new, also to screen readers, and shows them. */
export const Announcement = ({ count, noun, show }: {
  readonly count: number
  readonly noun: string
  readonly show: () => void
}) => (
  <div class="announce" role="status">
    {count === 0 ?
      null :
      <button type="button" onClick={show}>{counted(count, `new ${noun}`)}</button>}
  </div>
)

interface ListProps<A> {
  /** What identifies the list: another one is read from its start. */
  readonly id: string
  readonly noun: string
  /** Reads a page of each of the lists that stand here one after the other. */
  readonly read: ReadonlyArray<(after: string | null) => Promise<Page<A>>>
  /** Whose messages may change the list. */
  readonly followed?: Followed | undefined
  /** Whether each message is a reason to read the list again. */
  readonly isChangedByMessages?: boolean
  readonly empty: ComponentChildren
  readonly heading?: string
  /** What the rows add up to, beside their number. */
  readonly total?: (rows: ReadonlyArray<A>) => string
  readonly children: (rows: ReadonlyArray<A>, reload: () => void) => ComponentChildren
}

export const PagedList = <A extends { readonly id: number | string }>(
  { children, empty, followed, heading, id, isChangedByMessages = false, noun, read, total }: ListProps<A>
) => {
  const [chosen, setChosen] = useState({ id, pages: 1 })
  const pages = chosen.id === id ? chosen.pages : 1
  const state = useLoaded(id, async () => {
    const lists = await Promise.all(read.map((each) => readPages(pages, each)))
    return { pages, rows: lists.flatMap(({ rows }) => rows), hasMore: lists.some(({ hasMore }) => hasMore) }
  }, { extent: pages })
  const { reload, reloadNow, value } = state
  useLive(followed, isChangedByMessages ? { onMessage: reload } : {}, reload, reloadNow)

  const rows = value?.rows ?? []
  const key = `${id} ${value?.pages}`
  /** The rows that have been there since the page was opened or the announcement was taken. */
  const [seen, setSeen] = useState<{ readonly key: string; readonly ids: ReadonlySet<A["id"]> }>()
  const show = (): void => setSeen({ key, ids: new Set(rows.map((row) => row.id)) })
  if (value !== undefined && seen?.key !== key) show()
  const shown = rows.filter((row) => seen?.key !== key || seen.ids.has(row.id))
  return (
    <>
      <Loaded state={state}>
        {({ hasMore }) => (
          <section class="card" aria-labelledby={heading}>
            {rows.length === 0 ? empty : children(shown, reloadNow)}
            {rows.length === 0 ? null : (
              <p class="totals">
                {counted(shown.length, noun)}
                {hasMore ? " shown; there are more" : ""}
                {total === undefined ? null : <>{" · "}{total(shown)}</>}
              </p>
            )}
            {hasMore ? <More onClick={() => setChosen({ id, pages: pages + 1 })} /> : null}
          </section>
        )}
      </Loaded>
      <Announcement count={rows.length - shown.length} noun={noun} show={show} />
    </>
  )
}
