/** Filters of a list, kept in the address so that what they show can be shared. */
import { useState } from "preact/hooks"
import { query, setQuery } from "../router.ts"
import { submitting } from "./forms.ts"
import { Plain, TextInput } from "./Parts.tsx"

/** A filter: a text, a day, or one of several choices, of which the empty one comes first. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly type?: "date" | undefined
  readonly choices?: ReadonlyArray<readonly [value: string, label: string]>
}

/** What the filters of these names say; an absent one is empty. */
export const filtersOf = (filters: ReadonlyArray<Filter>): Readonly<Record<string, string>> =>
  Object.fromEntries(filters.map(({ name }) => [name, query.value.get(name) ?? ""]))

const change = ({ currentTarget: { name, value } }: {
  readonly currentTarget: HTMLInputElement | HTMLSelectElement
}): void => setQuery({ [name]: value.trim() })

interface FiltersProps {
  readonly filters: ReadonlyArray<Filter>
  readonly mark?: Pick<Filter, "name" | "label">
}

export const Filters = ({ filters, mark }: FiltersProps) => {
  const given = filtersOf(filters)
  const isMarked = mark !== undefined && query.value.has(mark.name)
  const isFiltered = isMarked || Object.values(given).some((value) => value !== "")
  const [isOpen, setOpen] = useState(isFiltered)
  const cleared = Object.fromEntries(
    [...filters, ...(mark === undefined ? [] : [mark])].map(({ name }) => [name, ""])
  )
  const opener = isFiltered ? "Show filters in use" : "Show filters"
  return (
    <form
      class="filters no-print"
      data-open={isOpen}
      role="search"
      aria-label="Filters"
      onSubmit={submitting(() => undefined)}
    >
      <Plain class="on-phone" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide filters" : opener}
      </Plain>
      {filters.map(({ choices, label, name, type }) => (
        <label key={name}>
          {label}
          {choices === undefined
            ? (
              <TextInput
                key={given[name]}
                name={name}
                type={type}
                defaultValue={given[name]}
                onChange={change}
              />
            )
            : (
              <select name={name} value={given[name]} onChange={change}>
                {choices.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
              </select>
            )}
        </label>
      ))}
      {mark === undefined ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={isMarked}
            onChange={({ currentTarget: { checked } }) => setQuery({ [mark.name]: checked ? "1" : "" })}
          />
          {mark.label}
        </label>
      )}
      {isFiltered
        ? <Plain onClick={() => setQuery(cleared)}>Clear filters</Plain>
        : null}
    </form>
  )
}
