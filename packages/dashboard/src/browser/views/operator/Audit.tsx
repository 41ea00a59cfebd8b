/** What operators have changed: who, when, from where, and what was set; newest first, for a year. */
import { call } from "../../api/operator.ts"
import type { AuditView } from "../../api/operator.ts"
import { href, query } from "../../router.ts"
import { session } from "../../session.ts"
import { dayRange } from "../../time.ts"
import { Download, pathOf } from "../../ui/Download.tsx"
import { Filters, filtersOf } from "../../ui/Filters.tsx"
import type { Filter } from "../../ui/Filters.tsx"
import { Empty, PageHead } from "../../ui/Frame.tsx"
import { PagedList } from "../../ui/PagedList.tsx"
import { Time } from "../../ui/Parts.tsx"
import { Rows } from "../../ui/Rows.tsx"
import type { Column } from "../../ui/Rows.tsx"
import { SavedViews } from "../../ui/SavedViews.tsx"

/** The filters; the businesses are those that the session knows, and the one of the address. */
const filters = (): ReadonlyArray<Filter> => {
  const known = (session.value?.businesses ?? []).map(({ name, slug }) => [slug, name] as const)
  const asked = query.value.get("business") ?? ""
  const unknown = asked === "" || known.some(([slug]) => slug === asked) ? [] : [[asked, asked] as const]
  return [
    { name: "business", label: "Business", choices: [["", "Any"], ...known, ...unknown] },
    { name: "by", label: "By" },
    { name: "subject", label: "Subject" },
    { name: "from", label: "From", type: "date" },
    { name: "to", label: "To", type: "date" }
  ]
}

/** `CLIENT_CREATED` as `Client created`. */
const wordsOf = (action: AuditView["action"]): string => {
  const words = action.toLowerCase().replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The page of what was changed; absent where it has none, as after it was removed. */
const pageOf = (subject: string): string | undefined => {
  const [list = "", id = "", part = "", of = ""] = subject.split("/")
  switch (list) {
    case "businesses":
      return `/businesses/${id}${
        part === "facilities" ? `/facilities/${of}` : part === "field-map" ? "/field-map" : ""
      }`
    case "clients":
      return `/clients/${id}`
    case "webhook-endpoints":
      return `/webhooks/${id}`
    case "people":
      return "/people"
    default:
      return undefined
  }
}

const Subject = ({ entry: { details, subject } }: { readonly entry: AuditView }) => {
  const target = pageOf(subject)
  return (
    <>
      {target === undefined ? subject : <a href={href(target)}>{subject}</a>}
      {Object.keys(details).length === 0 ? null : (
        <details>
          <summary>What was set</summary>
          <pre tabindex={0}>{JSON.stringify(details, null, 2)}</pre>
        </details>
      )}
    </>
  )
}

const columns: ReadonlyArray<Column<AuditView>> = [
  ["Change", ({ action }) => wordsOf(action), "main"],
  ["When", ({ at }) => <Time time={at} near />, "number end"],
  ["Subject", (entry) => <Subject entry={entry} />, "wide"],
  ["By", ({ address, clientId }) => (
    <>
      {clientId}
      {address === "" ? null : <span class="sub">from {address}</span>}
    </>
  ), "wide"]
]

export const Audit = () => {
  const shown = filters()
  const given = filtersOf(shown)
  const { business = "", by = "", from = "", subject = "", to = "" } = given
  const asked = { business, clientId: by, subject, ...dayRange(from, to) }
  return (
    <>
      <PageHead title="Audit" lead="What operators have changed, newest first. Entries are kept for a year.">
        <Download name="audit" paths={[pathOf("operator/audit", asked)]} />
      </PageHead>
      <SavedViews />
      <Filters filters={shown} />
      <PagedList
        id={JSON.stringify(["audit", given])}
        noun="change"
        read={[async (after) => {
          const page = await call("GET /v1/operator/audit", { ...asked, after: after ?? "", limit: 50 })
          return { nodes: page.items, pageInfo: { hasNextPage: page.next !== null, endCursor: page.next } }
        }]}
        empty={
          <Empty title="No change is recorded">
            Changes to businesses, places, clients, people and endpoints appear here. A subject is a path
            below <code>/v1/operator</code>, such as <code>clients/acme-client</code>.
          </Empty>
        }
      >
        {(rows) => <Rows classes="cards audit" rows={rows} id={({ id }) => id} columns={columns} />}
      </PagedList>
    </>
  )
}
