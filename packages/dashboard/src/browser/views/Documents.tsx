/** The record of documents of a facility: their senders, times, contents and changes. */
import { documents } from "../api/operations.ts"
import type { DocumentRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { amount } from "../ui/amounts.ts"
import { Empty, SendExample } from "../ui/Frame.tsx"
import { filtersOf, isNarrowed, ListPage } from "../ui/lists.tsx"
import type { Column, Filter } from "../ui/lists.tsx"
import { nameOfPrincipal } from "../ui/lookup.ts"
import { Badge, firstOf, Time } from "../ui/Parts.tsx"
import type { Toned } from "../ui/tables.ts"
import { nameIn, optionsOf } from "../ui/tables.ts"

const outcomes: Readonly<Record<Row["outcome"], Toned>> = {
  CREATED: ["Created", "ok"],
  UPDATED: ["Updated", "calm"],
  UNCHANGED: ["No change", "none"],
  REFUSED: ["Refused", "bad"]
}

const removal = "REMOVED"

const filters: ReadonlyArray<Filter> = [
  { name: "shipment", label: "Shipment" },
  { name: "order", label: "Order" },
  {
    name: "outcome",
    label: "Outcome",
    choices: [
      ["", "Any"],
      [removal, "Removed"],
      ...optionsOf(outcomes)
    ]
  },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
  { name: "lpn", label: "Removed LPN" },
  { name: "correlation", label: "Correlation id" }
]

/** The net numbers of entities that a document added and removed. */
const netOf = ({ created, removed, replaced }: Row["counts"]) => ({
  added: created - replaced,
  gone: removed - replaced
})

/** The outcome of a document; a removal comes first. */
export const Outcome = ({ counts, outcome }: Pick<Row, "counts" | "outcome">) => {
  const { added, gone } = netOf(counts)
  if (gone === 0) return <Badge of={outcomes[outcome]} />
  const removed = amount(gone)
  return (
    <Badge
      of={[added === 0 ? `Removed ${removed}` : `Created ${amount(added)}, removed ${removed}`, "bad"]}
    />
  )
}

/** The changes of a document in words; removals stand out. */
export const Counts = ({ code, counts }: Pick<Row, "counts" | "code">) => {
  if (code !== "") return <span class="mono">{code}</span>
  const { replaced, updated } = counts
  const { added, gone } = netOf(counts)
  const parts = [
    gone === 0 ? null : <b class="removed">{amount(gone)} removed</b>,
    replaced === 0 ? null : `${amount(replaced)} replaced`,
    added === 0 ? null : `${amount(added)} created`,
    updated === 0 ? null : `${amount(updated)} updated`
  ].filter((part) => part !== null)
  return <>{parts.map((part, at) => [at === 0 ? "" : ", ", part])}</>
}

const columns: ReadonlyArray<Column<Row>> = [
  ["Shipment", ({ id, shipmentNumber }) => <a href={href(`/documents/${id}`)}>{shipmentNumber}</a>, "main"],
  ["Outcome", (row) => <Outcome {...row} />, "end"],
  ["Orders", ({ orderNumbers }) => firstOf(orderNumbers), "wide orders", "Orders"],
  ["What it did", (row) => <Counts {...row} />, "wide"],
  ["Sent by", ({ clientId }) => nameOfPrincipal(clientId), "left", "Sent by"],
  ["Received", ({ receivedAt }) => <Time time={receivedAt} near />, "number end"]
]

const Nothing = ({ isFiltered, place }: { readonly isFiltered: boolean; readonly place: Place }) =>
  isFiltered
    ? (
      <Empty title="No document matches these filters">
        Check the numbers: capital letters and zeros count. Days are those of the facility.
      </Empty>
    )
    : (
      <Empty title="No documents yet">
        A document appears here as soon as a client sends it to <code class="nowrap">POST /v1/documents</code>
        {" "}
        for {place.facility.name}, whether the service accepts or refuses it. <SendExample />
      </Empty>
    )

export const Documents = ({ place }: { readonly place: Place }) => {
  const values = filtersOf(filters)
  const { correlation, from = "", lpn, order, outcome = "", shipment, to = "" } = values
  const query = {
    ...slugsOf(place),
    shipmentNumber: shipment,
    orderNumber: order,
    correlationId: correlation,
    outcome: nameIn(outcomes, outcome),
    removed: outcome === removal ? true : undefined,
    lpn,
    ...dayRange(from, to)
  }
  return (
    <ListPage
      title="Documents"
      lead="This record says who sent which document when, and what it changed. It does not keep the documents."
      filters={filters}
      name={`documents-${slugOf(place)}`}
      path="documents"
      queries={[query]}
      read={(query) => run(documents, query)}
      noun="document"
      empty={<Nothing isFiltered={isNarrowed(values)} place={place} />}
      columns={columns}
    />
  )
}
