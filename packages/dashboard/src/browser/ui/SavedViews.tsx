/** The saved views of a list: links that lead to them, and a form that saves what is shown now. */
import { useState } from "preact/hooks"
import { href, path, query } from "../router.ts"
import { addressOf, forgetView, longestName, mostViews, savedViews, saveView } from "../saved.ts"
import { submitting, useFocus } from "./forms.ts"
import { Plain } from "./Parts.tsx"

const inUse = (): string => {
  const filters = new URLSearchParams(query.value)
  filters.delete("at")
  filters.sort()
  return filters.toString()
}

const Naming = ({ close, filters }: { readonly filters: string; readonly close: () => void }) => {
  const first = useFocus<HTMLInputElement>()
  return (
    <form
      class="naming"
      aria-label="Save this view"
      onSubmit={submitting((valueOf) => {
        const name = valueOf("view")
        if (name !== "") saveView({ name, list: path.value, filters })
        close()
      })}
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <input
        name="view"
        aria-label="Name of the view"
        placeholder="Name of the view"
        required
        maxLength={longestName}
        autocomplete="off"
        ref={first}
      />
      <button class="plain">Save</button>
      <Plain onClick={close}>Cancel</Plain>
    </form>
  )
}

export const SavedViews = () => {
  const [isNaming, setNaming] = useState(false)
  const filters = inUse()
  const views = savedViews.value.filter(({ list }) => list === path.value)
  const isSaved = views.some((view) => view.filters === filters)
  const mayBeSaved = filters !== "" && !isSaved && savedViews.value.length < mostViews
  if (views.length === 0 && !mayBeSaved) return null
  return (
    <nav class="views no-print" aria-label="Saved views">
      {views.map((view) => (
        <span key={view.name} class="view-chip">
          <a href={href(addressOf(view))} aria-current={view.filters === filters ? "true" : undefined}>
            {view.name}
          </a>
          <button type="button" title={`Forget ${view.name}`} onClick={() => forgetView(view)}>
            <span aria-hidden="true">×</span>
            <span class="unseen">Forget {view.name}</span>
          </button>
        </span>
      ))}
      {isNaming
        ? <Naming filters={filters} close={() => setNaming(false)} />
        : mayBeSaved
        ? <Plain onClick={() => setNaming(true)}>Save this view</Plain>
        : null}
    </nav>
  )
}
