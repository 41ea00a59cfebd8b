/**
 * The pages of operators, each generated from the declared operations at its address: a list, or an entity with its facts, the form of its
 * change, the entities below it, and its actions.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { operationAt, perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { href, navigate, path } from "../../router.ts"
import { session } from "../../session.ts"
import { LoadedData, PageHead, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { ConfirmButton, Plain } from "../../ui/Parts.tsx"
import { Change, LossForm, useChange, useOutcome } from "./Change.tsx"
import type { Outcome } from "./Change.tsx"
import { List, ViewList } from "./List.tsx"
import { overrideOf } from "./Overrides.tsx"
import {
  addressOf,
  below,
  firstChanges,
  firstLists,
  labelOf,
  lastOf,
  nameOf,
  partsOf,
  resourceAt,
  titleOf,
  wayTo
} from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { fieldsOf, rowsOf, valueOf, View } from "./Value.tsx"

const Nav = () => {
  const current = useRef<HTMLAnchorElement>(null)
  // On a phone, some links are outside the screen.
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [path.value])
  return (
    <nav class="toolbar no-print" aria-label="Pages of operators">
      <div class="choices">
        {firstLists().map((list) => {
          const target = addressOf(list.path)
          const isCurrent = path.value.startsWith(target)
          return (
            <a
              key={target}
              ref={isCurrent ? current : null}
              href={href(target)}
              aria-current={isCurrent ? "true" : undefined}
            >
              {titleOf(list.path)}
            </a>
          )
        })}
      </div>
    </nav>
  )
}

/** The actions on the service as a whole, below the first list. They are rare, so the reader has to open them first. */
const OfService = () => {
  const outcome = useOutcome(() => undefined)
  return (
    <details class="card losing no-print">
      <summary>The service as a whole…</summary>
      {outcome.notice}
      {firstChanges().map((operation) => (
        <Change key={operation.pattern} operation={operation} path={operation.pattern} outcome={outcome} />
      ))}
    </details>
  )
}

/** The page at the address, below links to the pages of operators. */
export const Operator = ({ unknown }: { readonly unknown: ComponentChildren }) => {
  const resource = resourceAt(path.value)
  if (resource === undefined) return <>{unknown}</>
  const { pattern } = resource
  const isFirst = firstLists()[0]?.pattern === pattern && firstChanges().length > 0
  return (
    <>
      <Nav />
      <div class="view-part" key={path.value}>
        {operationAt("GET", pattern)?.kind === "list"
          ? <List resource={resource} />
          : <Entity resource={resource} />}
        {isFirst ? <OfService /> : null}
      </div>
    </>
  )
}

interface EntityProps {
  readonly resource: Resource
  /** Whether the entity is shown as a part of another page. */
  readonly isPart?: boolean | undefined
}

interface ContentProps {
  readonly resource: Resource
  readonly row: Row
  readonly outcome: Outcome
}

/** A part below an entity: a list, a list in its view, or an action; nothing for a part that has its own page. */
const PartOf = ({ outcome, part, resource, row }: ContentProps & { readonly part: Resource }) => {
  const read = operationAt("GET", part.pattern)
  if (read !== undefined) return read.kind === "list" ? <List resource={part} isPart /> : null
  const rows = rowsOf(row[lastOf(part.pattern)])
  if (rows !== undefined) {
    return <ViewList resource={part} of={nameOf(resource, row)} rows={rows} view={row} outcome={outcome} />
  }
  const operation = operationAt("POST", part.pattern)
  return operation && <Change operation={operation} path={part.path} outcome={outcome} row={row} />
}

/** A button that enables or disables an entity; operators cannot disable themselves. */
const Switch = ({ outcome, resource: { path, pattern }, row: { enabled, id } }: ContentProps) => {
  if (operationAt("PATCH", pattern)?.body?.properties?.["enabled"] === undefined) return null
  if (id === session.value?.clientId) return <span class="soft">You</span>
  const set = (next: boolean): void => outcome.act(() => perform("PATCH", path, { enabled: next }), "Saved.")
  return enabled === true
    ? <ConfirmButton word="Disable" act={() => set(false)} />
    : <Plain onClick={() => set(true)}>Enable</Plain>
}

/** The head of the page of an entity, or of a part that links to that page. */
const Head = ({ isPart, resource, row, ...props }: Pick<EntityProps, "resource" | "isPart"> & {
  readonly row?: Row
  readonly children?: ComponentChildren
}) => {
  const { path, pattern } = resource
  const { list, parent } = wayTo(resource)
  const name = nameOf(resource, row)
  const lead = operationAt("GET", pattern)?.presentation?.lead ?? (row && overrideOf(pattern).lead?.(row))
  return isPart === true
    ? <PageHead isPart title={<a href={href(addressOf(path))}>{name}</a>} lead={lead} />
    : (
      <ThingHead
        {...props}
        list={[addressOf(list), titleOf(list)]}
        above={parent === undefined ? undefined : <a href={href(addressOf(parent))}>{lastOf(parent)}</a>}
        title={name}
        badges={row && "enabled" in row ? valueOf("enabled", row) : undefined}
        lead={lead}
      />
    )
}

/** The lists of an entity, with its actions beside them. */
const Parts = ({ lists, ...props }: ContentProps & { readonly lists: ReadonlyArray<string> }) => {
  const { resource, row } = props
  const parts = partsOf(resource)
  const own = lists.map((name) => below(resource, name)).filter(({ pattern }) =>
    parts.every((part) => part.pattern !== pattern)
  )
  const [read, beside] = [true, false].map((isRead) =>
    [...parts, ...own].filter(({ pattern }) =>
      (operationAt("GET", pattern) !== undefined || Array.isArray(row[lastOf(pattern)])) === isRead
    ).map((part) => <PartOf key={part.path} part={part} {...props} />)
  )
  return beside?.length === 0 ? <>{read}</> : (
    <div class="split">
      <div class="view-part">{read}</div>
      <div class="view-part">{beside}</div>
    </div>
  )
}

const Content = ({ isPart, reload, resource, value }: EntityProps & {
  /** The loaded value: a view, or a list that is replaced as a whole. */
  readonly value: Row | ReadonlyArray<Row>
  readonly reload: () => void
}) => {
  const { path, pattern } = resource
  const outcome = useOutcome(reload)
  const [draft, setDraft] = useState<unknown>()
  const { Beside, links, noun = lastOf(pattern) } = overrideOf(pattern)
  const { correlationId: _, ...row } = Array.isArray(value) ? { [noun]: value } : value as Row
  const name = nameOf(resource, row)
  const segments = partsOf(resource).map((part) => lastOf(part.pattern))
  const read = operationAt("GET", pattern)
  const fields = read === undefined ? [] : fieldsOf(read, row)
  const lists = Object.keys(row).filter((name) =>
    rowsOf(row[name])?.length && read?.presentation?.fields?.includes(name) !== true
  )
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
  const content = (
    <>
      {form ?? (
        <section class="card overview settings" aria-label="Overview">
          <View
            row={row}
            fields={fields.filter((name) => ![...segments, ...lists, "enabled"].includes(name))}
          />
          {button}
        </section>
      )}
      <Parts {...props} lists={lists} />
    </>
  )
  return (
    <>
      <Head resource={resource} row={row} isPart={isPart}>
        {partsOf(resource).filter((part) => operationAt("GET", part.pattern)?.kind === "read").map((part) => (
          <a key={part.path} class="button" href={href(addressOf(part.path))}>
            {labelOf(lastOf(part.pattern))}
          </a>
        ))}
        {links?.(path)}
        <a class="button" href={href("/audit", { subject: path.slice("/v1/operator/".length) })}>Audit</a>
        <Switch {...props} />
      </Head>
      {outcome.notice}
      {Beside === undefined ? content : (
        <div class="split">
          <div class="view-part">{content}</div>
          <Beside path={path} value={draft ?? value} />
        </div>
      )}
      {remove === undefined || row["id"] === session.value?.clientId ? null : (
        <LossForm
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
        </LossForm>
      )}
    </>
  )
}

/** An entity at a path of the operator interface, on a page of its own or as a part of another. */
export const Entity = (props: EntityProps) => {
  const { isPart, resource } = props
  const state = usePolled(
    resource.path,
    async () => await perform("GET", resource.path) as Row | ReadonlyArray<Row>
  )
  const content = (
    <LoadedData state={state} head={isPart === true ? null : <Head {...props} />}>
      {(value) => <Content {...props} value={value} reload={state.reloadNow} />}
    </LoadedData>
  )
  return isPart === true
    ? <section class="view-part" aria-label={nameOf(resource)}>{content}</section>
    : content
}
