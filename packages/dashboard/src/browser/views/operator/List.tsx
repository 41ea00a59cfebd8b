/** A list of what operators change, drawn from its declaration: its columns, its filters, and the form for something new. */
import { useState } from "preact/hooks"
import { readPages } from "../../api/operations.ts"
import { operationAt, pageOf, pageSize, perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { withQuery } from "../../api/request.ts"
import { href, query } from "../../router.ts"
import { businessOptions } from "../../session.ts"
import { dayRange } from "../../time.ts"
import { counted } from "../../ui/amounts.ts"
import { Download } from "../../ui/Download.tsx"
import { Empty, Loaded, PageHead } from "../../ui/Frame.tsx"
import { Filters, Rows } from "../../ui/lists.tsx"
import type { Column, Filter } from "../../ui/lists.tsx"
import { useFollowed } from "../../ui/loaded.ts"
import { More, over } from "../../ui/Parts.tsx"
import { labelOf } from "./Field.tsx"
import { useChange } from "./Form.tsx"
import { useOutcome } from "./Outcome.tsx"
import { overrideOf } from "./Overrides.tsx"
import { addressOf, idOf, rowOf, titleOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { valueOf } from "./Value.tsx"

/** The filters as their declaration has them; a time is chosen as a day. */
const filtersIn = (resource: Resource): ReadonlyArray<Filter> =>
  Object.entries(operationAt("GET", resource.pattern)?.filters?.properties ?? {}).map(([name, schema]) => {
    const choices = name === "business" ? businessOptions() : schema.enum?.filter((word) => word !== "")
      .map((word) => [word, word] as const)
    const text = query.value.get(name) ?? ""
    const others = choices?.some(([word]) => word === text) === false && text !== ""
      ? [[text, text] as const]
      : []
    return {
      name,
      label: labelOf(name),
      ...(name === "from" || name === "to" ? { type: "date" as const } : {}),
      ...(choices === undefined ? {} : { choices: [["", "Any"] as const, ...choices, ...others] })
    }
  })

/** The most columns that are drawn; the file for spreadsheets has all. */
const mostColumns = 7

const columnsOf = (resource: Resource, rows: ReadonlyArray<Row>): ReadonlyArray<Column<Row>> => {
  const names = operationAt("GET", resource.pattern)?.columns ?? []
  const isNamed = rows.some((row) => "name" in row)
  const first = isNamed ? "name" : names[0] ?? "id"
  const main = (row: Row) => {
    const id = idOf(resource, row)
    const page = rowOf(resource, id)
    const name = String(row[first] || id)
    return over(
      page === undefined ? name : <a href={href(addressOf(page.path))}>{name}</a>,
      isNamed && id !== name ? id : ""
    )
  }
  const others = names.filter((name) => name !== first && !(isNamed && (name === "id" || name === "slug")))
  return [
    [labelOf(first), main, "main"],
    ...others.slice(0, mostColumns - 1).map((name): Column<Row> => [
      labelOf(name),
      (row) => valueOf(name, row),
      rows.some((row) => typeof row[name] === "number") ? "number wide" : "wide",
      labelOf(name)
    ])
  ]
}

interface ListProps {
  readonly resource: Resource
  /** Whether it is one of several parts of a page. */
  readonly isPart?: boolean
}

export const List = ({ isPart = false, resource }: ListProps) => {
  const { path, pattern } = resource
  const { columns, empty, lead, order } = overrideOf(pattern)
  const title = titleOf(path)
  const filters = filtersIn(resource)
  const { from = "", to = "", ...words } = Object.fromEntries(
    filters.map(({ name }) => [name, query.value.get(name) ?? ""])
  )
  const filter = { ...words, ...dayRange(from, to) }
  const target = withQuery(path, filter)
  const [pages, setPages] = useState(1)
  const state = useFollowed(target, () =>
    readPages(pages, async (after) =>
      // A list answers with a page of its rows.
      pageOf(
        await perform("GET", withQuery(path, { ...filter, limit: pageSize, after })) as {
          readonly items: ReadonlyArray<Row>
          readonly next: string | null
        }
      )), { extent: pages, followed: () => undefined })
  const outcome = useOutcome(state.reloadNow)
  const create = operationAt("POST", pattern)
  const { button, form } = useChange(create, { path, outcome, isFirst: !isPart })
  return (
    <>
      <PageHead title={title} lead={lead} isPart={isPart}>
        <Download
          name={title.toLowerCase()}
          what={isPart ? title.toLowerCase() : undefined}
          paths={[`/api${target}`]}
        />
        {button}
      </PageHead>
      {outcome.notice}
      {filters.length === 0 ? null : <Filters filters={filters} />}
      {form}
      <Loaded state={state}>
        {({ hasMore, rows }) => (
          <section class="card" aria-label={title}>
            {rows.length === 0
              ? <Empty title={empty?.[0] ?? "Nothing is here yet"}>{empty?.[1] ?? create?.description}</Empty>
              : (
                <>
                  <Rows
                    rows={order === undefined ? rows : rows.toSorted(order)}
                    id={(row) => idOf(resource, row)}
                    columns={columns ?? columnsOf(resource, rows)}
                    classes={`rows cards${filters.length === 0 ? "" : " audit"}`}
                  />
                  <p class="totals">
                    {counted(rows.length, "entry", "entries")}
                    {hasMore ? " shown; there are more" : ""}
                  </p>
                  {hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
                </>
              )}
          </section>
        )}
      </Loaded>
    </>
  )
}
