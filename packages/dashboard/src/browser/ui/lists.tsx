/** Lists: tables of their rows, which are read page by page, and their filters. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { readPages } from "../api/operations.ts"
import type { Page } from "../api/operations.ts"
import { download, withQuery } from "../api/request.ts"
import { query, setQuery } from "../router.ts"
import type { MessageSource } from "../session.ts"
import { submitting, useWork } from "./forms.ts"
import { FaultNote, LoadedData, PageHead } from "./Frame.tsx"
import { useFollowed } from "./loaded.ts"
import { More, Plain, Select, TextInput } from "./Parts.tsx"
import { countText } from "./words.ts"
import type { Options } from "./words.ts"

/** A column: its name, the content of a cell, and the classes of its cells; the class `number` also aligns the name to the right. */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  classes?: string,
  /** The label of the cell on a phone. */
  label?: string | ((row: Row) => string)
]

interface RowsProps<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly classes?: string | undefined
  /** The class of a row that stands out. */
  readonly mark?: (row: Row) => string | undefined
  /** Identifies a row; by default its `id`, or its index if it has none. */
  readonly id?: (row: Row) => string | number
}

export const Rows = <Row extends object>(
  { classes = "rows cards", columns, id, mark, rows }: RowsProps<Row>
) => (
  <table class={`table ${classes}`}>
    <thead>
      <tr>
        {columns.map(([name, , classes = ""]) => (
          <th key={name} scope="col" class={/\bnumber\b/.test(classes) ? "number" : undefined}>{name}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, at) => (
        <tr
          key={id === undefined ? "id" in row ? String(row.id) : at : id(row)}
          class={mark?.(row)}
        >
          {columns.map(([name, cell, classes, label]) => (
            <td key={name} class={classes} data-label={typeof label === "function" ? label(row) : label}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

/** A button with the number of new rows, which shows them; screen readers announce it. */
export const Announcement = ({ count, noun, show }: {
  readonly count: number
  readonly noun: string
  readonly show: () => void
}) => (
  <div class="announce" role="status">
    {count === 0 ?
      null :
      <button type="button" onClick={show}>{countText(count, `new ${noun}`)}</button>}
  </div>
)

interface Entry {
  readonly id: number | string
}

interface ListProps<A extends Entry, Query> {
  readonly noun: string
  /** A query for each list; the lists are shown one after another. When a query changes, all lists begin at their first page. */
  readonly queries: ReadonlyArray<Query>
  readonly read: (request: Query & { readonly after: string | null }) => Promise<Page<A>>
  /** The messages that may change the list. */
  readonly source?: MessageSource | undefined
  /** Whether the list is read again after each message. */
  readonly isChangedByMessages?: boolean
  readonly empty: ComponentChildren
  readonly heading?: string
  /** A text about all rows, beside their number. */
  readonly total?: (rows: ReadonlyArray<A>) => string
  readonly columns?: ReadonlyArray<Column<A>>
  readonly classes?: string
  readonly children?: (rows: ReadonlyArray<A>, reload: () => void) => ComponentChildren
}

/** A list that is read page by page. A button announces new rows before they are shown, so that nothing moves while the reader reads. */
export const PagedList = <A extends Entry, Query extends object>({
  queries,
  classes,
  columns = [],
  empty,
  source,
  heading,
  isChangedByMessages = false,
  noun,
  read,
  total,
  children = (rows) => <Rows rows={rows} columns={columns} classes={classes} />
}: ListProps<A, Query>) => {
  const id = JSON.stringify([noun, queries])
  const [choice, setChosen] = useState({ id, pages: 1 })
  const pages = choice.id === id ? choice.pages : 1
  const state = useFollowed(id, async () => {
    const lists = await Promise.all(
      queries.map((each) => readPages(pages, (after) => read({ ...each, after })))
    )
    return { pages, rows: lists.flatMap(({ rows }) => rows), hasMore: lists.some(({ hasMore }) => hasMore) }
  }, { extent: pages, source: () => source, isChange: () => isChangedByMessages })
  const { reloadNow, value } = state

  const rows = value?.rows ?? []
  const key = `${id} ${value?.pages}`
  /** The rows when the pages were first loaded, or when the reader last clicked the announcement. */
  const [baseline, setBaseline] = useState<{ readonly key: string; readonly ids: ReadonlySet<A["id"]> }>()
  const show = (): void => setBaseline({ key, ids: new Set(rows.map((row) => row.id)) })
  if (value !== undefined && baseline?.key !== key) show()
  const visibleRows = rows.filter((row) => baseline?.key !== key || baseline.ids.has(row.id))
  return (
    <>
      <LoadedData state={state}>
        {({ hasMore }) => (
          <section class="card" aria-labelledby={heading}>
            {rows.length === 0 ? empty : children(visibleRows, reloadNow)}
            {rows.length === 0 ? null : (
              <p class="totals">
                {countText(visibleRows.length, noun)}
                {hasMore ? " shown; there are more" : ""}
                {total === undefined ? null : <>{" · "}{total(visibleRows)}</>}
              </p>
            )}
            {hasMore ? <More onClick={() => setChosen({ id, pages: pages + 1 })} /> : null}
          </section>
        )}
      </LoadedData>
      <Announcement count={rows.length - visibleRows.length} noun={noun} show={show} />
    </>
  )
}

/** A filter: a text, a day, or one of several choices, the first of which is empty. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly type?: "date" | undefined
  readonly choices?: Options
}

/** The values of the filters with these names; absent ones are empty. */
export const filtersOf = (filters: ReadonlyArray<Filter>): Readonly<Record<string, string>> =>
  Object.fromEntries(filters.map(({ name }) => [name, query.value.get(name) ?? ""]))

export const isNarrowed = (values: Readonly<Record<string, string>>): boolean =>
  Object.values(values).some((value) => value !== "")

const change = ({ currentTarget: { name, value } }: {
  readonly currentTarget: HTMLInputElement | HTMLSelectElement
}): void => setQuery({ [name]: value.trim() })

/** The filters of a list. They are part of the address, so that the filtered list can be shared. */
export const Filters = ({ filters, mark }: {
  readonly filters: ReadonlyArray<Filter>
  readonly mark?: Pick<Filter, "name" | "label">
}) => {
  const values = filtersOf(filters)
  const isMarked = mark !== undefined && query.value.has(mark.name)
  const isFiltered = isMarked || isNarrowed(values)
  const [isOpen, setOpen] = useState(isFiltered)
  const withoutFilters = Object.fromEntries(
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
                key={values[name]}
                name={name}
                type={type}
                defaultValue={values[name]}
                onChange={change}
              />
            )
            : <Select name={name} value={values[name]} options={choices} onChange={change} />}
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
        ? <Plain onClick={() => setQuery(withoutFilters)}>Clear filters</Plain>
        : null}
    </form>
  )
}

/** The page of a list with filters; the download applies the same filters. */
export const ListPage = <A extends Entry, Query extends object>({ filters, lead, name, path, title, ...list }:
  & ListProps<A, Query>
  & {
    readonly title: string
    readonly lead: string
    readonly filters: ReadonlyArray<Filter>
    /** The name of the file, and the path of the list in the REST interface. */
    readonly name: string
    readonly path: string
  }) => (
    <>
      <PageHead title={title} lead={lead}>
        <Download name={name} paths={list.queries.map((each) => pathOf(path, each))} />
      </PageHead>
      <Filters filters={filters} />
      <PagedList {...list} />
    </>
  )

/** Joins tables: only the first keeps its header. */
const joinTables = (tables: ReadonlyArray<string>): string =>
  tables.map((table, at) => at === 0 ? table : table.slice(table.indexOf("\n") + 1)).join("")

const save = async (paths: ReadonlyArray<string>, name: string): Promise<void> => {
  const table = joinTables(await Promise.all(paths.map((path) => download(path))))
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([table], { type: "text/csv" }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** A button that downloads lists of the REST interface as one table; the lists have the same columns. */
export const Download = ({ name, paths, what }: {
  readonly paths: ReadonlyArray<string>
  readonly name: string
  /** The content of the table, for pages with several downloads. */
  readonly what?: string | undefined
}) => {
  const { begin, fault, isBusy } = useWork()
  return (
    <>
      <Plain
        class="not-phone no-print"
        of={what && `of ${what}`}
        aria-disabled={isBusy}
        onClick={() => begin(() => save(paths, `${name.replaceAll(/[^\w.-]+/g, "-")}.csv`))}
      >
        {isBusy ? "Downloading…" : "Download CSV"}
      </Plain>
      <FaultNote fault={fault} />
    </>
  )
}

/** The path of a list of the REST interface, with its query. */
export const pathOf = (list: string, query: object): string => withQuery(`/api/v1/${list}`, query)
