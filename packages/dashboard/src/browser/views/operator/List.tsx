/**
 * Lists of entities that operators change, generated from declarations: columns, filters, the form for a new entity, and the buttons that
 * change a row. A list is read page by page, or it is a part of a view.
 */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { readPages } from "../../api/operations.ts"
import { operationAt, perform, readList } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { withQuery } from "../../api/request.ts"
import { href, query, setQuery } from "../../router.ts"
import { businessOptions } from "../../session.ts"
import { dayRange } from "../../time.ts"
import { Empty, LoadedData, PageHead } from "../../ui/Frame.tsx"
import { Download, Filters, filtersOf, Rows } from "../../ui/lists.tsx"
import type { Column, Filter } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { Choices, More, over } from "../../ui/Parts.tsx"
import { countText, nameIn, optionsOf } from "../../ui/words.ts"
import { Action, useChange, useOutcome } from "./Change.tsx"
import type { Outcome } from "./Change.tsx"
import { overrideOf } from "./Overrides.tsx"
import { addressOf, labelOf, lastOf, operationsOfRow, titleOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { byUrgency, columnsOf, placesOf, wordIn } from "./Value.tsx"
import type { Grant } from "./Value.tsx"

/** The declared filters of a list; a filter by time becomes a choice of days. */
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

/** Whether a row is a grant: permissions at facilities. */
const isGrant = (row: Row): row is Row & Grant => Array.isArray(row["permissions"]) && "facilities" in row

/** A row, or, for a grant, one row for each permission at each place: each of them can be withdrawn separately. */
const singles = (row: Row): ReadonlyArray<Row> => {
  if (!isGrant(row)) return [row]
  const places = row.facilities === "*" ? ["*" as const] : row.facilities.map((each) => [each])
  return places.flatMap((facilities) =>
    row.permissions.map((permission) => ({ ...row, facilities, permissions: [permission] }))
  )
}

/** The text that identifies a row: its id or slug, unless the operation that creates rows names another field. */
const idOf = (pattern: string, row: Row): string =>
  isGrant(row)
    ? `${wordIn("permissions", String(row.permissions[0]))} at ${placesOf(row)}`
    : String(
      row[operationAt("POST", pattern)?.creates ?? "id"] ?? row["id"] ?? row["slug"] ?? JSON.stringify(row)
    )

/** The most columns that are shown; the file for spreadsheets has all. */
const mostColumns = 7

const columnsIn = ({ path, pattern }: Resource, rows: ReadonlyArray<Row>): ReadonlyArray<Column<Row>> => {
  const { columns, presentation } = operationAt("GET", pattern) ?? {}
  const isNamed = rows.some((row) => "name" in row)
  const names = (columns ?? Array.from(new Set(rows.flatMap((row) => Object.keys(row)))))
    .filter((name) => !isNamed || !["name", "id", "slug"].includes(name))
  const entries = presentation?.fields ??
    [...(isNamed ? ["name"] : []), ...names].slice(0, columns && mostColumns)
  const [first, ...others] = columnsOf(entries, rows)
  if (first === undefined) return []
  const [heading, content] = first
  const isPage = operationsOfRow("GET", pattern).length > 0
  const main = (row: Row): ComponentChildren => {
    const id = idOf(pattern, row)
    const name = row[entries[0]!] === "" ? id : content(row)
    return over(
      isPage ? <a href={href(addressOf(`${path}/${encodeURIComponent(id)}`))}>{name}</a> : name,
      isNamed && id !== row["name"] ? id : ""
    )
  }
  return [[heading, main, "main"], ...others]
}

/** The actions on each row of a list that is a part of a page. */
const actionsIn = ({ path, pattern }: Resource, { act }: Outcome): ReadonlyArray<Column<Row>> => {
  const withdrawal = operationAt("POST", `${pattern}/withdraw`)
  return [
    ...operationsOfRow("POST", pattern, "below"),
    ...(operationsOfRow("GET", pattern).length > 0 ? [] : operationsOfRow("DELETE", pattern)),
    ...(withdrawal === undefined ? [] : [withdrawal])
  ].filter((operation) => operation === withdrawal || operation.body === undefined).map((operation) => {
    const { description, method, summary } = operation
    const [, rest = ""] = /^\/:\w+(.*)$/.exec(operation.pattern.slice(pattern.length)) ?? []
    const word = method === "DELETE" ? "Delete" : labelOf(lastOf(operation.pattern))
    return [word, (row) => {
      const id = idOf(pattern, row)
      const change = (): Promise<unknown> =>
        operation === withdrawal
          ? perform(method, `${path}/withdraw`, { [lastOf(pattern)]: [row] })
          : perform(method, `${path}/${encodeURIComponent(id)}${rest}`)
      return (
        <Action
          operation={operation}
          word={word}
          of={id}
          act={() => act(change, `${summary}: ${id}. ${description}`)}
        />
      )
    }, "number wide"]
  })
}

interface TableProps {
  readonly resource: Resource
  readonly rows: ReadonlyArray<Row>
  readonly outcome: Outcome
  /** Columns in place of the declared ones. */
  readonly columns?: ReadonlyArray<Column<Row>> | undefined
  readonly isPart: boolean
  readonly classes?: string
}

const Table = ({ columns, isPart, outcome, resource, rows, ...props }: TableProps) => (
  <Rows
    rows={rows.flatMap(singles).toSorted(byUrgency)}
    id={(row) => idOf(resource.pattern, row)}
    columns={[
      ...(columns ?? columnsIn(resource, rows)),
      ...(isPart ? actionsIn(resource, outcome) : [])
    ]}
    {...props}
  />
)

/** A list within a view. Its rows are added and removed one at a time if there are operations for this. */
export const ViewList = ({ of, outcome, resource, rows, view }: {
  readonly resource: Resource
  readonly of: string
  readonly rows: ReadonlyArray<Row>
  readonly view: Row
  readonly outcome: Outcome
}) => {
  const { path, pattern } = resource
  const title = labelOf(lastOf(pattern))
  const add = operationAt("POST", pattern)
  const { button, form } = useChange(add, { path, outcome })
  const columns = overrideOf(pattern).columns?.(rows, view, outcome)
  return (
    <>
      <PageHead title={title} lead={add?.description} isPart>{button}</PageHead>
      {form}
      <section class="card" aria-label={`${title} of ${of}`}>
        {rows.length === 0
          ? <p class="soft none">None.</p>
          : <Table resource={resource} rows={rows} columns={columns} outcome={outcome} isPart />}
      </section>
    </>
  )
}

/** The operation that adds to a list, and its path. If the path of a new entity has a slug, the form asks for the slug. */
const additionTo = ({ path, pattern }: Resource) => {
  const [set] = operationsOfRow("PUT", pattern)
  const add = operationAt("POST", pattern)
  if (add !== undefined || set === undefined) return { add, at: path }
  const { properties, required = [], ...body } = set.body ?? {}
  const slug = { type: "string", maxLength: 63, description: "Its permanent name in addresses" } as const
  return {
    add: { ...set, body: { ...body, properties: { slug, ...properties }, required: ["slug", ...required] } },
    at: `${path}/:slug`
  }
}

/** A list that is read page by page, on its own page or as a part of another page. */
export const List = ({ isPart = false, resource }: {
  readonly resource: Resource
  readonly isPart?: boolean
}) => {
  const { path, pattern } = resource
  const { views } = overrideOf(pattern)
  const { empty, lead } = operationAt("GET", pattern)?.presentation ?? {}
  const title = titleOf(path)
  const filters = views === undefined ? filtersIn(pattern) : []
  const { from = "", to = "", ...words } = filtersOf(filters)
  const [first = ""] = Object.keys(views ?? {})
  const choice = nameIn(views ?? {}, query.value.get("view")) ?? first
  const [, queries = [{ ...words, ...dayRange(from, to) }], nothing = empty?.[0]] = views?.[choice] ?? []
  const [pages, setPages] = useState(1)
  const state = usePolled(JSON.stringify([path, queries]), async () => {
    const lists = await Promise.all(
      queries.map((query) => readPages(pages, (after) => readList(path, query, after)))
    )
    return { rows: lists.flatMap(({ rows }) => rows), hasMore: lists.some(({ hasMore }) => hasMore) }
  }, pages)
  const outcome = useOutcome(state.reloadNow)
  const { add: create, at } = additionTo(resource)
  const { button, form } = useChange(create, { path: at, outcome, isFirst: !isPart })
  return (
    <>
      <PageHead title={title} lead={lead} isPart={isPart}>
        {views === undefined ? null : (
          <Choices
            label={title}
            options={optionsOf(views)}
            choice={choice}
            choose={(view) => setQuery({ view: view === first ? "" : view })}
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
      <LoadedData state={state}>
        {({ hasMore, rows }) => (
          <section class="card" aria-label={title}>
            {rows.length === 0
              ? <Empty title={nothing ?? "Nothing is here yet"}>{empty?.[1] ?? create?.description}</Empty>
              : (
                <>
                  <Table
                    resource={resource}
                    rows={rows}
                    outcome={outcome}
                    isPart={isPart}
                    classes={`rows cards${filters.length === 0 ? "" : " audit"}`}
                  />
                  <p class="totals">
                    {countText(rows.length, "entry", "entries")}
                    {hasMore ? " shown; there are more" : ""}
                  </p>
                  {hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
                </>
              )}
          </section>
        )}
      </LoadedData>
    </>
  )
}
