/** A list of entities that operators change, generated from its declaration: its columns, its filters, and the form for a new entity. */
import { useState } from "preact/hooks"
import { readPages } from "../../api/operations.ts"
import { operationAt, pageOf, pageSize, perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { withQuery } from "../../api/request.ts"
import { href, query, setQuery } from "../../router.ts"
import { businessOptions } from "../../session.ts"
import { dayRange } from "../../time.ts"
import { counted } from "../../ui/amounts.ts"
import { Download } from "../../ui/Download.tsx"
import { Empty, Loaded, PageHead } from "../../ui/Frame.tsx"
import { Filters, filtersOf, Rows } from "../../ui/lists.tsx"
import type { Column, Filter } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { AskedTwice, Choices, More, over, Plain } from "../../ui/Parts.tsx"
import { nameIn, optionsOf } from "../../ui/tables.ts"
import { useChange } from "./Form.tsx"
import { useOutcome } from "./Outcome.tsx"
import type { Outcome } from "./Outcome.tsx"
import { overrideOf } from "./Overrides.tsx"
import { addressOf, labelOf, lastOf, operationsOfRow, titleOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { columnsOf } from "./Value.tsx"

/** The filters from their declaration; readers choose a time as a day. */
const filtersIn = (pattern: string): ReadonlyArray<Filter> =>
  Object.entries(operationAt("GET", pattern)?.filters?.properties ?? {}).map(([name, schema]) => {
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

/** The field that identifies the rows of a list: by default the id or the slug, unless creations name another. */
const idOf = (pattern: string, row: Row): string =>
  String(row[operationAt("POST", pattern)?.creates ?? "id"] ?? row["id"] ?? row["slug"])

/** The most columns that are shown; the file for spreadsheets has all. */
const mostColumns = 7

const columnsIn = ({ path, pattern }: Resource, rows: ReadonlyArray<Row>): ReadonlyArray<Column<Row>> => {
  const names = operationAt("GET", pattern)?.columns ?? []
  const isNamed = rows.some((row) => "name" in row)
  const first = isNamed ? "name" : names[0] ?? "id"
  const others = names.filter((name) => name !== first && !(isNamed && (name === "id" || name === "slug")))
  const [[label] = [""], ...columns] = columnsOf([first, ...others.slice(0, mostColumns - 1)], rows)
  const main = (row: Row) => {
    const id = idOf(pattern, row)
    const name = String(row[first] || id)
    const isPage = operationsOfRow("GET", pattern).length > 0
    return over(
      isPage ? <a href={href(addressOf(`${path}/${encodeURIComponent(id)}`))}>{name}</a> : name,
      isNamed && id !== name ? id : ""
    )
  }
  return [[label, main, "main"], ...columns]
}

/** The actions on each row of a list that is a part of a page. */
const actionsIn = ({ path, pattern }: Resource, { act }: Outcome): ReadonlyArray<Column<Row>> =>
  operationsOfRow("POST", pattern, "below").filter(({ body }) => body === undefined).map((operation) => {
    const verb = lastOf(operation.pattern)
    const word = labelOf(verb)
    return [word, (row) => {
      const id = idOf(pattern, row)
      const run = (): void =>
        act(
          () => perform("POST", `${path}/${encodeURIComponent(id)}/${verb}`),
          `${operation.summary}: ${id}.`
        )
      return overrideOf(operation.pattern).isHarmless === true
        ? <Plain of={id} onClick={run}>{word}</Plain>
        : <AskedTwice word={word} of={id} act={run} />
    }, "number wide"]
  })

interface ListProps {
  readonly resource: Resource
  /** Whether it is one of several parts of a page. */
  readonly isPart?: boolean
}

export const List = ({ isPart = false, resource }: ListProps) => {
  const { path, pattern } = resource
  const { columns, lead, order, views, ...override } = overrideOf(pattern)
  const title = titleOf(path)
  const filters = views === undefined ? filtersIn(pattern) : []
  const { from = "", to = "", ...words } = filtersOf(filters)
  const choice = views && (nameIn(views, query.value.get("view")) ?? Object.keys(views)[0])
  const [, queries = [{ ...words, ...dayRange(from, to) }], empty = override.empty] = views?.[choice ?? ""] ??
    []
  const [pages, setPages] = useState(1)
  const state = usePolled(JSON.stringify([path, queries]), async () => {
    const lists = await Promise.all(queries.map((query) =>
      readPages(pages, async (after) =>
        // The answer of a list is a page of its rows.
        pageOf(
          await perform("GET", withQuery(path, { ...query, limit: pageSize, after })) as {
            readonly items: ReadonlyArray<Row>
            readonly next: string | null
          }
        ))
    ))
    return { rows: lists.flatMap(({ rows }) => rows), hasMore: lists.some(({ hasMore }) => hasMore) }
  }, pages)
  const outcome = useOutcome(state.reloadNow)
  const create = operationAt("POST", pattern)
  const { button, form } = useChange(create, { path, outcome, isFirst: !isPart })
  return (
    <>
      <PageHead title={title} lead={typeof lead === "string" ? lead : undefined} isPart={isPart}>
        {choice === undefined || views === undefined ? null : (
          <Choices
            label={title}
            options={optionsOf(views)}
            chosen={choice}
            choose={(view) => setQuery({ view: view === Object.keys(views)[0] ? "" : view })}
          />
        )}
        <Download
          name={title.toLowerCase()}
          what={isPart ? title.toLowerCase() : undefined}
          paths={queries.map((query) => `/api${withQuery(path, query)}`)}
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
                    id={(row) => idOf(pattern, row)}
                    columns={[
                      ...(columns?.({ outcome, path, view: {} }) ?? columnsIn(resource, rows)),
                      ...(isPart ? actionsIn(resource, outcome) : [])
                    ]}
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
