/** Rows that come while somebody looks are announced, so that nothing moves under a finger. */
import { useState } from "preact/hooks"
import type { Rows } from "./pages.ts"

/** Says how many are new, also to who does not see it, and shows them when it is pressed. */
export const Announcement = ({ count, noun, show }: {
  readonly count: number
  readonly noun: string
  readonly show: () => void
}) => (
  <div class="announce" role="status">
    {count === 0
      ? null
      : (
        <button type="button" onClick={show}>
          {count === 1 ? `1 new ${noun}` : `${count} new ${noun}s`}
        </button>
      )}
  </div>
)

/** The rows of a list that have been there since it was opened or its announcement taken, and the announcement. */
export const useAnnounced = <A extends { readonly id: number | string }>(
  listKey: string,
  listed: Rows<A> | undefined,
  noun: string
) => {
  const rows = listed?.rows
  const key = `${listKey} ${listed?.pages}`
  const [seen, setSeen] = useState<{ readonly key: string; readonly ids: ReadonlySet<A["id"]> }>()
  const show = (): void => setSeen({ key, ids: new Set((rows ?? []).map(({ id }) => id)) })
  if (rows !== undefined && seen?.key !== key) show()
  const shown = (rows ?? []).filter(({ id }) => seen?.key !== key || seen.ids.has(id))
  const waiting = (rows?.length ?? 0) - shown.length
  const announcement = <Announcement count={waiting} noun={noun} show={show} />
  return { shown, waiting, announcement }
}
