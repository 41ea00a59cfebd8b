/** What operators have changed: who, when, from where, and what was set; newest first, for a year. */
import type { AuditView } from "@dockline/core/operator/OperatorView"
import { call, pageOf } from "../../api/operator.ts"
import { href, query } from "../../router.ts"
import { businessOptions } from "../../session.ts"
import { dayRange } from "../../time.ts"
import { Empty } from "../../ui/Frame.tsx"
import { filtersOf, ListPage } from "../../ui/lists.tsx"
import type { Column, Filter } from "../../ui/lists.tsx"
import { over, Time } from "../../ui/Parts.tsx"

/** The filters; the businesses are those that the session knows, and the one of the address. */
const filters = (): ReadonlyArray<Filter> => {
  const businesses = businessOptions()
  const asked = query.value.get("business") ?? ""
  const unknown = asked === "" || businesses.some(([slug]) => slug === asked) ? [] : [[asked, asked] as const]
  return [
    { name: "business", label: "Business", choices: [["", "Any"], ...businesses, ...unknown] },
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
const addressOf = (subject: string): string | undefined => {
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
  const target = addressOf(subject)
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
  ["By", ({ address, clientId }) => over(clientId, address === "" ? "" : `from ${address}`), "wide"]
]

export const Audit = () => {
  const filterList = filters()
  const { business = "", by = "", from = "", subject = "", to = "" } = filtersOf(filterList)
  return (
    <ListPage
      title="Audit"
      lead="What operators have changed, newest first. Entries are kept for a year."
      filters={filterList}
      name="audit"
      path="operator/audit"
      asked={[{ business, clientId: by, subject, ...dayRange(from, to) }]}
      read={async (query) =>
        pageOf(await call("GET /v1/operator/audit", { ...query, after: query.after ?? "", limit: 50 }))}
      noun="change"
      empty={
        <Empty title="No change is recorded">
          Changes to businesses, places, clients, people and endpoints appear here. A subject is a path below
          {" "}
          <code>/v1/operator</code>, such as <code>clients/acme-client</code>.
        </Empty>
      }
      columns={columns}
      classes="cards audit"
    />
  )
}
