/** The record of documents of a facility: who sent what when, and what it changed. */
import { documents } from "../api/operations.ts"
import type { DocumentRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { amount } from "../ui/amounts.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { Filters, filtersOf } from "../ui/Filters.tsx"
import type { Filter } from "../ui/Filters.tsx"
import { Empty, PageHead } from "../ui/Frame.tsx"
import { PagedList } from "../ui/PagedList.tsx"
import { firstOf, Time } from "../ui/Parts.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SavedViews } from "../ui/SavedViews.tsx"

const outcomes: Readonly<Record<Row["outcome"], readonly [word: string, tone: string]>> = {
  CREATED: ["Created", "ok"],
  UPDATED: ["Updated", "calm"],
  UNCHANGED: ["No change", "none"],
  REFUSED: ["Refused", "bad"]
}

/** The filter for documents that removed something, as addresses name it. */
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
      ...Object.entries(outcomes).map(([value, [word]]) => [value, word] as const)
    ]
  },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
  { name: "lpn", label: "Removed LPN" },
  { name: "correlation", label: "Correlation id" }
]

/** How many entities were new after a document, and how many were gone. */
const netOf = ({ created, removed, replaced }: Row["counts"]) => ({
  added: created - replaced,
  gone: removed - replaced
})

/** The outcome of a document; a removal comes first. */
export const Outcome = ({ counts, outcome }: Pick<Row, "counts" | "outcome">) => {
  const { added, gone } = netOf(counts)
  const [word, tone] = outcomes[outcome]
  if (gone === 0) return <span class="badge" data-tone={tone}>{word}</span>
  const removed = amount(gone)
  return (
    <span class="badge" data-tone="bad">
      {added === 0 ? `Removed ${removed}` : `Created ${amount(added)}, removed ${removed}`}
    </span>
  )
}

/** What a document did, in words; what it removed stands out. */
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

/** Recorded documents as a table: of a facility, or of one shipment. */
export const DocumentTable = ({ ofShipment = false, rows }: {
  readonly rows: ReadonlyArray<Row>
  readonly ofShipment?: boolean
}) => (
  <Rows
    rows={rows}
    id={({ id }) => id}
    columns={[
      [
        ofShipment ? "Document" : "Shipment",
        ({ id, shipmentNumber }) => (
          <a href={href(`/documents/${id}`)}>{ofShipment ? `Document ${id}` : shipmentNumber}</a>
        ),
        "main"
      ],
      ["Outcome", (row) => <Outcome {...row} />, "end"],
      ["Orders", ({ orderNumbers }) => firstOf(orderNumbers), "wide orders", "Orders"],
      ["What it did", (row) => <Counts {...row} />, "wide"],
      ["Sent by", ({ clientId }) => clientId, "left", "Sent by"],
      ["Received", ({ receivedAt }) => <Time time={receivedAt} near />, "number end"]
    ]}
  />
)

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
        for {place.facility.name}, whether the service accepts or refuses it.
      </Empty>
    )

export const Documents = ({ place }: { readonly place: Place }) => {
  const given = filtersOf(filters)
  const { correlation, from = "", lpn, order, outcome = "", shipment, to = "" } = given
  const asked = {
    ...slugsOf(place),
    shipmentNumber: shipment,
    orderNumber: order,
    correlationId: correlation,
    outcome: Object.hasOwn(outcomes, outcome) ? outcome as Row["outcome"] : undefined,
    lpn,
    ...dayRange(from, to)
  }
  const removed = outcome === removal ? true : undefined
  const isFiltered = Object.values(given).some((text) => text !== "")
  return (
    <>
      <PageHead
        title="Documents"
        lead="This record says who sent which document when, and what it changed. It does not keep the documents."
      >
        <Download
          name={`documents-${slugOf(place)}`}
          paths={[pathOf("documents", { ...asked, removed: removed && "true" })]}
        />
      </PageHead>
      <SavedViews />
      <Filters filters={filters} />
      <PagedList
        id={JSON.stringify([slugOf(place), given])}
        noun="document"
        read={[(after) => run(documents, { ...asked, removed, after })]}
        empty={<Nothing isFiltered={isFiltered} place={place} />}
      >
        {(rows) => <DocumentTable rows={rows} />}
      </PagedList>
    </>
  )
}
