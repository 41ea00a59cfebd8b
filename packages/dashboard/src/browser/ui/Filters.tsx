/** Filters of a list, kept in the address so that what they show can be shared. */
import { useState } from "preact/hooks"
import { query, setQuery } from "../router.ts"

/** A filter: a text, a day, or one of several choices, of which the empty one comes first. */
export interface Filter {
  /** Its name in the address. */
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

const Input = (
  { given, name, type }: Pick<Filter, "name" | "type"> & { readonly given: string | undefined }
) => {
  const common = { name, defaultValue: given, autocomplete: "off", onChange: change } as const
  return type === undefined
    ? <input type="text" maxLength={1024} spellcheck={false} {...common} />
    : <input type={type} {...common} />
}

interface FiltersProps {
  readonly filters: ReadonlyArray<Filter>
  /** A filter that is on or off. */
  readonly mark?: Pick<Filter, "name" | "label">
}

/** The filters, with a button that clears them. */
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
      onSubmit={(event) => event.preventDefault()}
    >
      <button type="button" class="plain on-phone" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide filters" : opener}
      </button>
      {filters.map(({ choices, label, name, type }) => (
        <label key={name}>
          {label}
          {choices === undefined
            ? <Input key={given[name]} name={name} type={type} given={given[name]} />
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
        ? <button type="button" class="plain" onClick={() => setQuery(cleared)}>Clear filters</button>
        : null}
    </form>
  )
}
