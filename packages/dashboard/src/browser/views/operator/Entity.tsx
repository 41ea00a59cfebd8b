/**
 * The page of an entity that operators read or change, generated from the declarations: its facts, the form of its change, the entities
 * below it, and its actions.
 */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Declaration } from "../../../pages/Declarations.ts"
import { operationAt, perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { href, navigate } from "../../router.ts"
import { session } from "../../session.ts"
import { Loaded, PageHead, ThingHead } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { AskedTwice, Plain } from "../../ui/Parts.tsx"
import { useChange } from "./Form.tsx"
import { List } from "./List.tsx"
import { Losing, useOutcome } from "./Outcome.tsx"
import type { Outcome } from "./Outcome.tsx"
import { overrideOf } from "./Overrides.tsx"
import {
  addressOf,
  below,
  labelOf,
  lastOf,
  nameOf,
  operationsOfRow,
  partsOf,
  titleOf,
  wayTo
} from "./Resource.ts"
import type { Part, Resource } from "./Resource.ts"
import { columnsOf, hasSent, placesOf, rowsOf, valueOf, View, wordIn } from "./Value.tsx"
import type { Grant } from "./Value.tsx"

/** The buttons and the form of one operation, with its answer if that says more than a sentence. */
export const Change = ({ operation, outcome, path, row }: {
  readonly operation: Declaration
  readonly path: string
  readonly outcome: Outcome
  /** The entity on which it acts. */
  readonly row?: Row
}) => {
  const { facts, words } = overrideOf(operation.pattern)
  const { answer, button, form } = useChange(operation, { path, outcome, words: row && words?.(row) })
  return form ?? (
    <section class="card overview settings no-print" aria-label={operation.summary}>
      <p class="soft">{operation.description}</p>
      {button}
      {answer === undefined || !hasSent(answer) ? null : <View row={answer} facts={facts?.(answer)} />}
    </section>
  )
}

/** Whether a row is a grant: permissions at facilities. */
const isGrant = (row: Row): row is Row & Grant => Array.isArray(row["permissions"]) && "facilities" in row

/** A grant as its single permissions at single places. */
const singles = (grant: Row & Grant): ReadonlyArray<Row & Grant> => {
  const places = grant.facilities === "*" ? ["*" as const] : grant.facilities.map((each) => [each])
  return places.flatMap((facilities) =>
    grant.permissions.map((permission) => ({ ...grant, facilities, permissions: [permission] }))
  )
}

/** The name of a row of a list in a view. */
const nameIn = (row: Row): string =>
  isGrant(row)
    ? `${wordIn("permissions", String(row.permissions[0]))} at ${placesOf(row)}`
    : String(row["id"] ?? row["slug"] ?? JSON.stringify(row))

/** A list in a view, whose rows are added and removed one at a time if there are operations for that. */
const ViewList = ({ of, outcome, part, rows: all, view }: {
  readonly part: Part
  readonly of: string
  readonly rows: ReadonlyArray<Row>
  readonly view: Row
  readonly outcome: Outcome
}) => {
  const { path, pattern, segment } = part
  const title = labelOf(segment)
  const { columns, order } = overrideOf(pattern)
  const rows = all.flatMap((row): ReadonlyArray<Row> => isGrant(row) ? singles(row) : [row])
  const add = operationAt("POST", pattern)
  const { button, form } = useChange(add, { path, outcome, isAsked: false })
  const withdraw = operationAt("POST", `${pattern}/withdraw`)
  const remove = withdraw ?? operationsOfRow("DELETE", pattern)[0]
  const takeBack = (row: Row): Promise<unknown> =>
    withdraw === undefined
      ? perform("DELETE", `${path}/${encodeURIComponent(String(row["id"]))}`)
      : perform("POST", `${path}/withdraw`, { [segment]: [row] })
  const taking: Column<Row> = ["Change", (row) => (
    <AskedTwice
      word={withdraw === undefined ? "Delete" : "Withdraw"}
      of={nameIn(row)}
      act={() => outcome.act(() => takeBack(row), `${nameIn(row)}: ${remove?.description}`)}
    />
  ), "number wide"]
  const names = Array.from(new Set(rows.flatMap((row) => Object.keys(row))))
  return (
    <>
      <PageHead title={title} lead={add?.description} isPart>{button}</PageHead>
      {form}
      <section class="card" aria-label={`${title} of ${of}`}>
        {rows.length === 0
          ? <p class="soft none">None.</p>
          : (
            <Rows
              rows={order === undefined ? rows : rows.toSorted(order)}
              id={nameIn}
              columns={[
                ...(columns?.({ outcome, path, view }) ?? columnsOf(names, rows)),
                ...(remove === undefined ? [] : [taking])
              ]}
            />
          )}
      </section>
    </>
  )
}

interface ContentProps {
  readonly resource: Resource
  readonly row: Row
  readonly outcome: Outcome
}

/** A part below an entity: a list, a page of its own, a list in its view, or an action. */
const PartOf = ({ outcome, part, resource, row }: ContentProps & { readonly part: Part }) => {
  const read = operationAt("GET", part.pattern)
  if (read !== undefined) return read.kind === "list" ? <List resource={part} isPart /> : null
  const rows = rowsOf(row[part.segment])
  if (rows !== undefined) {
    return <ViewList part={part} of={nameOf(resource, row)} rows={rows} view={row} outcome={outcome} />
  }
  const change = operationAt("POST", part.pattern)
  return change === undefined
    ? null
    : <Change operation={change} path={part.path} outcome={outcome} row={row} />
}

/** A button that enables or disables an entity with such a switch; operators cannot shut themselves out. */
const Switch = ({ outcome, resource: { path, pattern }, row: { enabled, id } }: ContentProps) => {
  if (operationAt("PATCH", pattern)?.body?.properties?.["enabled"] === undefined) return null
  if (id === session.value?.clientId) return <span class="soft">You</span>
  const set = (next: boolean): void => outcome.act(() => perform("PATCH", path, { enabled: next }), "Saved.")
  return enabled === true
    ? <AskedTwice word="Disable" act={() => set(false)} />
    : <Plain onClick={() => set(true)}>Enable</Plain>
}

const Head = ({ children, resource, row }: {
  readonly resource: Resource
  readonly row?: Row
  readonly children?: ComponentChildren
}) => {
  const { list, parent } = wayTo(resource)
  const { badges, lead } = overrideOf(resource.pattern)
  return (
    <ThingHead
      list={[addressOf(list), titleOf(list)]}
      above={parent === undefined ? undefined : <a href={href(addressOf(parent))}>{lastOf(parent)}</a>}
      title={nameOf(resource, row)}
      badges={row &&
        (badges?.(row) ?? (typeof row["enabled"] === "boolean" ? valueOf("enabled", row) : undefined))}
      lead={typeof lead === "string" ? lead : row && lead?.(row)}
    >
      {children}
    </ThingHead>
  )
}

/** The lists of an entity, with its actions beside them. */
const Parts = (props: ContentProps) => {
  const { resource, row } = props
  const { facts } = overrideOf(resource.pattern)
  const operations = partsOf(resource)
  const own = facts !== undefined ? [] : Object.keys(row)
    .filter((name) => rowsOf(row[name])?.length && operations.every(({ segment }) => segment !== name))
    .map((name) => below(resource, name))
  const [lists, beside] = [true, false].map((isRead) =>
    [...operations, ...own].filter(({ pattern, segment }) =>
      (operationAt("GET", pattern) !== undefined || Array.isArray(row[segment])) === isRead
    ).map((part) => <PartOf key={part.path} part={part} {...props} />)
  )
  return beside?.length === 0 ? <>{lists}</> : (
    <div class="split">
      <div class="view-part">{lists}</div>
      <div class="view-part">{beside}</div>
    </div>
  )
}

const Content = ({ isPart, reload, resource, value }: {
  readonly resource: Resource
  /** The loaded value: a view, or a list that is replaced as a whole. */
  readonly value: Row | ReadonlyArray<Row>
  readonly isPart: boolean
  readonly reload: () => void
}) => {
  const { path, pattern } = resource
  const outcome = useOutcome(reload)
  const [draft, setDraft] = useState<unknown>()
  const { Beside, facts, lead, links, noun = lastOf(pattern) } = overrideOf(pattern)
  const { correlationId: _, ...row } = Array.isArray(value) ? { [noun]: value } : value as Row
  const name = nameOf(resource, row)
  const segments = partsOf(resource).map(({ segment }) => segment)
  const change = operationAt("PATCH", pattern) ?? operationAt("PUT", pattern)
  const remove = operationAt("DELETE", pattern)
  const { button, form } = useChange(change, {
    path,
    outcome,
    word: "Change…",
    name: noun,
    values: Array.isArray(value)
      ? value
      : Object.fromEntries(Object.keys(change?.body?.properties ?? {}).map((field) => [field, row[field]])),
    without: change?.method === "PATCH" ? ["enabled", ...segments] : [],
    onChange: setDraft
  })
  const props = { resource, row, outcome }
  const lists = Object.keys(row).filter((field) => rowsOf(row[field])?.length)
  const overview = form ?? (
    <section class="card overview settings" aria-label="Overview">
      <View row={row} facts={facts?.(row)} without={["enabled", ...segments, ...lists]} />
      {button}
    </section>
  )
  return (
    <>
      {isPart
        ? (
          <PageHead
            isPart
            title={<a href={href(addressOf(path))}>{name}</a>}
            lead={typeof lead === "function" ? lead(row) : lead}
          />
        )
        : (
          <Head resource={resource} row={row}>
            {partsOf(resource).filter((part) => operationAt("GET", part.pattern)?.kind === "read").map((
              part
            ) => (
              <a key={part.path} class="button" href={href(addressOf(part.path))}>{labelOf(part.segment)}</a>
            ))}
            {links?.(path)}
            <a class="button" href={href("/audit", { subject: path.slice("/v1/operator/".length) })}>Audit</a>
            <Switch {...props} />
          </Head>
        )}
      {outcome.notice}
      {Beside === undefined
        ? (
          <>
            {overview}
            <Parts {...props} />
          </>
        )
        : (
          <div class="split">
            <div class="view-part">
              {overview}
              <Parts {...props} />
            </div>
            <Beside path={path} value={draft ?? value} />
          </div>
        )}
      {remove === undefined || row["id"] === session.value?.clientId ? null : (
        <Losing
          word={remove.summary}
          name={name}
          act={() =>
            outcome.act(async () => {
              await perform("DELETE", path)
              const { list, parent = list } = wayTo(resource)
              navigate(addressOf(parent))
            })}
        >
          {remove.description}
        </Losing>
      )}
    </>
  )
}

/** An entity at a path of the operator interface, on a page of its own or as a part of another. */
export const Entity = ({ isPart = false, resource }: {
  readonly resource: Resource
  readonly isPart?: boolean
}) => {
  const state = usePolled(
    resource.path,
    async () => await perform("GET", resource.path) as Row | ReadonlyArray<Row>
  )
  const content = (
    <Loaded state={state} head={isPart ? null : <Head resource={resource} />}>
      {(value) => <Content resource={resource} value={value} isPart={isPart} reload={state.reloadNow} />}
    </Loaded>
  )
  return isPart ? <section class="view-part" aria-label={nameOf(resource)}>{content}</section> : content
}
