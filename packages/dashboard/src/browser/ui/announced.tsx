/** Rows that come while somebody looks are announced, so that nothing moves under a finger. */
import { useState } from "preact/hooks"
import type { Rows } from "./pages.ts"

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
  const announcement = waiting === 0 ? null : (
    <button type="button" class="announce" onClick={show}>
      {waiting === 1 ? `1 new ${noun}` : `${waiting} new ${noun}s`}
    </button>
  )
  return { shown, waiting, announcement }
}
