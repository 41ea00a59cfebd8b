/**
 * The page of something that operators change, drawn from the declarations: its facts, the form of its change, what is below it, and what can
 * be done with it.
 */
import type { Declaration } from "../../../pages/Declarations.ts"
import { operationAt, perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { href, navigate } from "../../router.ts"
import { session } from "../../session.ts"
import { Loaded, PageHead, ThingHead } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { AskedTwice, Facts, Plain } from "../../ui/Parts.tsx"
import { labelOf, wordIn } from "./Field.tsx"
import { useChange } from "./Form.tsx"
import { List } from "./List.tsx"
import { Losing, useOutcome } from "./Outcome.tsx"
import type { Outcome } from "./Outcome.tsx"
import { overrideOf } from "./Overrides.tsx"
import { addressOf, operationBelow, partsOf, titleOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { placesOf, valueOf } from "./Value.tsx"
import type { Grant } from "./Value.tsx"

/** The path above another one. */
const above = (path: string): string => path.slice(0, path.lastIndexOf("/"))

/** What can be done by one operation: at once, or by a form that opens. */
export const Change = ({ operation, outcome, path }: {
  readonly operation: Declaration
  readonly path: string
  readonly outcome: Outcome
}) => {
  const { button, form } = useChange(operation, { path, outcome })
  return form ?? (
    <section class="card overview settings no-print" aria-label={operation.summary}>
      <p class="soft">{operation.description}</p>
      {button}
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

/** What people call a row of a list that a view holds. */
const nameOf = (row: Row): string =>
  isGrant(row)
    ? `${wordIn("permissions", String(row.permissions[0]))} at ${placesOf(row)}`
    : String(row["id"] ?? row["slug"])

/** A list that the view holds, whose rows are added and removed one at a time. */
const ViewList = ({ of, outcome, part, rows: all }: {
  readonly part: Resource & { readonly segment: string }
  readonly of: string
  readonly rows: ReadonlyArray<Row>
  readonly outcome: Outcome
}) => {
  const { path, pattern, segment } = part
  const title = labelOf(segment)
  const rows = all.flatMap((row): ReadonlyArray<Row> => isGrant(row) ? singles(row) : [row])
  const add = operationAt("POST", pattern)
  const { button, form } = useChange(add, { path, outcome, isAsked: false })
  const withdraw = operationAt("POST", `${pattern}/withdraw`)
  const remove = withdraw ?? operationBelow("DELETE", pattern)
  const takeBack = (row: Row): Promise<unknown> =>
    withdraw === undefined
      ? perform("DELETE", `${path}/${encodeURIComponent(String(row["id"]))}`)
      : perform("POST", `${path}/withdraw`, { [segment]: [row] })
  const names = Array.from(new Set(rows.flatMap((row) => Object.keys(row))))
  const columns: ReadonlyArray<Column<Row>> = [
    ...names.map((name, at): Column<Row> => [
      labelOf(name),
      (row) => valueOf(name, row) || "–",
      at === 0 ? "main" : "wide"
    ]),
    ...(remove === undefined ? [] : [
      ["Change", (row) => (
        <AskedTwice
          word={withdraw === undefined ? "Delete" : "Withdraw"}
          of={nameOf(row)}
          act={() => outcome.act(() => takeBack(row), `${nameOf(row)}: ${remove.description}`)}
        />
      ), "number wide"] as Column<Row>
    ])
  ]
  return (
    <>
      <PageHead title={title} lead={add?.description} isPart>{button}</PageHead>
      {form}
      <section class="card" aria-label={`${title} of ${of}`}>
        {rows.length === 0
          ? <p class="soft none">None.</p>
          : <Rows rows={rows} id={(row) => nameOf(row)} columns={columns} />}
      </section>
    </>
  )
}

/** What is below something: a list, a page of its own, a list that its view holds, or something to do. */
const PartOf = ({ name, outcome, part, row }: {
  readonly part: Resource & { readonly segment: string }
  readonly name: string
  readonly row: Row
  readonly outcome: Outcome
}) => {
  const { Part } = overrideOf(part.pattern)
  if (Part !== undefined) return <Part resource={part} row={row} outcome={outcome} />
  const read = operationAt("GET", part.pattern)
  if (read !== undefined) return read.kind === "list" ? <List resource={part} isPart /> : null
  const list = row[part.segment]
  if (Array.isArray(list)) {
    return <ViewList part={part} of={name} rows={list as ReadonlyArray<Row>} outcome={outcome} />
  }
  const change = operationAt("POST", part.pattern)
  return change === undefined ? null : <Change operation={change} path={part.path} outcome={outcome} />
}

const Head = ({ name, outcome, resource, row }: {
  readonly resource: Resource
  readonly name: string
  readonly row: Row
  readonly outcome: Outcome
}) => {
  const { path, pattern } = resource
  const list = above(path)
  const parts = list.split("/")
  const parent = parts.length > 4 ? above(list) : undefined
  const { badges, links } = overrideOf(pattern)
  const change = operationAt("PATCH", pattern)
  const { enabled, id } = row
  const set = (next: boolean): void => outcome.act(() => perform("PATCH", path, { enabled: next }), "Saved.")
  const root = parts.slice(0, 4).join("/")
  return (
    <ThingHead
      list={[addressOf(root), titleOf(root)]}
      above={parent === undefined
        ? undefined
        : <a href={href(addressOf(parent))}>{decodeURIComponent(parent.split("/").at(-1)!)}</a>}
      title={name}
      badges={badges?.(row) ?? (typeof enabled === "boolean" ? valueOf("enabled", row) : undefined)}
    >
      {partsOf(resource).filter((part) => operationAt("GET", part.pattern)?.kind === "read").map((part) => (
        <a key={part.path} class="button" href={href(addressOf(part.path))}>{labelOf(part.segment)}</a>
      ))}
      {links?.(path)}
      <a class="button" href={href("/audit", { subject: path.slice("/v1/operator/".length) })}>Audit</a>
      {change?.body?.properties?.["enabled"] === undefined || typeof enabled !== "boolean"
        ? null
        : id === session.value?.clientId
        ? <span class="soft">You</span>
        : enabled
        ? <AskedTwice word="Disable" act={() => set(false)} />
        : <Plain onClick={() => set(true)}>Enable</Plain>}
    </ThingHead>
  )
}

const Content = ({ reload, resource, row }: {
  readonly resource: Resource
  readonly row: Row
  readonly reload: () => void
}) => {
  const { path, pattern } = resource
  const outcome = useOutcome(reload)
  const parts = partsOf(resource)
  const segments = parts.map(({ segment }) => segment)
  const { correlationId: _, ...view } = row
  const name = String(
    row["name"] ?? row["baseUrl"] ?? row["slug"] ?? decodeURIComponent(path.split("/").at(-1)!)
  )
  /** What is read stands first, and what is done beside it. */
  const [beside = [], lists = []] = [false, true].map((isRead) =>
    parts.filter((part) =>
      (operationAt("GET", part.pattern) !== undefined || Array.isArray(row[part.segment])) === isRead
    )
  )
  const partOf = (part: (typeof parts)[number]) => (
    <PartOf key={part.path} part={part} name={name} row={row} outcome={outcome} />
  )
  const change = operationAt("PATCH", pattern)
  const remove = operationAt("DELETE", pattern)
  const facts = overrideOf(pattern).facts?.(row) ??
    Object.keys(view).filter((field) => field !== "enabled" && !segments.includes(field))
      .map((field) => [labelOf(field), valueOf(field, view)] as const)
  const { button, form } = useChange(change, {
    path,
    outcome,
    word: "Change…",
    values: Object.fromEntries(
      Object.keys(change?.body?.properties ?? {}).map((field) => [field, row[field]])
    ),
    without: ["enabled", ...segments]
  })
  return (
    <>
      <Head resource={resource} name={name} row={row} outcome={outcome} />
      {outcome.notice}
      {form ?? (
        <section class="card overview settings" aria-label="Overview">
          <Facts of={facts} />
          {button}
        </section>
      )}
      {beside.length === 0 ? lists.map(partOf) : (
        <div class="split">
          <div class="view-part">{lists.map(partOf)}</div>
          <div class="view-part">{beside.map(partOf)}</div>
        </div>
      )}
      {remove === undefined || row["id"] === session.value?.clientId ? null : (
        <Losing
          word={remove.summary}
          name={name}
          act={() =>
            outcome.act(async () => {
              await perform("DELETE", path)
              const list = above(path)
              navigate(addressOf(list.split("/").length > 4 ? above(list) : list))
            })}
        >
          {remove.description}
        </Losing>
      )}
    </>
  )
}

export const Entity = ({ resource }: { readonly resource: Resource }) => {
  const state = usePolled(resource.path, async () => await perform("GET", resource.path) as Row)
  const name = decodeURIComponent(resource.path.split("/").at(-1)!)
  const list = resource.path.split("/").slice(0, 4).join("/")
  return (
    <Loaded state={state} head={<ThingHead list={[addressOf(list), titleOf(list)]} title={name} />}>
      {(row) => <Content resource={resource} row={row} reload={state.reloadNow} />}
    </Loaded>
  )
}
