/** The record of documents of a facility: who sent what when, and what it changed. */
import { useState } from "preact/hooks"
import { documents } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { DocumentsResult } from "../api/results.ts"
import { href } from "../router.ts"
import { place, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { useAnnounced } from "../ui/announced.tsx"
import { Download, pathOf } from "../ui/Download.tsx"
import { Filters, filtersOf } from "../ui/Filters.tsx"
import type { Filter } from "../ui/Filters.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { readPages } from "../ui/pages.ts"
import { Empty, FaultNote, Heads, More, Time, Waiting } from "../ui/Parts.tsx"

/** A recorded document, as lists show it. */
export type Row = DocumentsResult["documents"]["nodes"][number]

const outcomes: Readonly<Record<Row["outcome"], readonly [word: string, tone: string]>> = {
  CREATED: ["Created", "ok"],
  UPDATED: ["Updated", "calm"],
  UNCHANGED: ["No change", "none"],
  REFUSED: ["Refused", "bad"]
}

/** The choice of documents that removed something, in addresses. */
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

const count = new Intl.NumberFormat()

/** How many entities were new after a document, and how many were gone. */
const netOf = ({ created, removed, replaced }: Row["counts"]) => ({
  added: created - replaced,
  gone: removed - replaced
})

/** What became of a document; that it removed something is said before all else. */
export const Outcome = ({ counts, outcome }: Pick<Row, "counts" | "outcome">) => {
  const { added, gone } = netOf(counts)
  const [word, tone] = outcomes[outcome]
  if (gone === 0) return <span class="badge" data-tone={tone}>{word}</span>
  const removed = count.format(gone)
  return (
    <span class="badge" data-tone="bad">
      {added === 0 ? `Removed ${removed}` : `Created ${count.format(added)}, removed ${removed}`}
    </span>
  )
}

/** What a document did, in words; what it removed stands out. */
export const Counts = ({ code, counts }: Pick<Row, "counts" | "code">) => {
  if (code !== "") return <span class="mono">{code}</span>
  const { replaced, updated } = counts
  const { added, gone } = netOf(counts)
  const parts = [
    gone === 0 ? null : <b class="removed">{count.format(gone)} removed</b>,
    replaced === 0 ? null : `${count.format(replaced)} replaced`,
    added === 0 ? null : `${count.format(added)} created`,
    updated === 0 ? null : `${count.format(updated)} updated`
  ].filter((part) => part !== null)
  return <>{parts.map((part, at) => [at === 0 ? "" : ", ", part])}</>
}

/** Recorded documents as a table: of a facility, or of one shipment. */
export const DocumentTable = ({ ofShipment = false, rows }: {
  readonly rows: ReadonlyArray<Row>
  readonly ofShipment?: boolean
}) => (
  <table class="table rows cards">
    <Heads
      names={[ofShipment ? "Document" : "Shipment", "Outcome", "Orders", "What it did", "Sent by", [
        "Received"
      ]]}
    />
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td class="main">
            <a href={href(`/documents/${row.id}`)}>
              {ofShipment ? `Document ${row.id}` : row.shipmentNumber}
            </a>
          </td>
          <td class="end">
            <Outcome {...row} />
          </td>
          <td class="wide orders" data-label="Orders">
            {row.orderNumbers.length > 2
              ? `${row.orderNumbers.slice(0, 2).join(", ")} and ${row.orderNumbers.length - 2} more`
              : row.orderNumbers.join(", ")}
          </td>
          <td class="wide">
            <Counts {...row} />
          </td>
          <td class="left" data-label="Sent by">{row.clientId}</td>
          <td class="number end">
            <Time time={row.receivedAt} near />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** What the filters ask of the service. */
const asked = ({ business, facility }: Place, given: Readonly<Record<string, string>>) => ({
  business: business.slug,
  facility: facility.slug,
  shipmentNumber: given["shipment"],
  orderNumber: given["order"],
  correlationId: given["correlation"],
  outcome: Object.hasOwn(outcomes, given["outcome"]!) ? given["outcome"] as Row["outcome"] : undefined,
  lpn: given["lpn"],
  ...dayRange(given["from"]!, given["to"]!)
})

const DocumentsOf = ({ place }: { readonly place: Place }) => {
  const given = filtersOf(filters)
  const [pages, setPages] = useState(1)
  const removed = given["outcome"] === removal ? true : undefined
  const key = JSON.stringify([slugOf(place), given])
  const { fault, reload, value } = useLoaded(
    key,
    () =>
      readPages(
        pages,
        async (after) => (await run(documents, { ...asked(place, given), removed, after })).documents
      ),
    { extent: pages }
  )
  const { announcement, shown } = useAnnounced(key, value, "document")
  useLive(undefined, {}, reload)
  const isFiltered = Object.values(given).some((text) => text !== "")
  return (
    <>
      <div class="view-head">
        <div>
          <h1>Documents</h1>
          <p class="lead">
            This record says who sent which document when, and what it changed. It does not keep the
            documents.
          </p>
        </div>
        <Download
          name={`documents-${slugOf(place)}`}
          paths={[pathOf("documents", { ...asked(place, given), removed: removed && "true" })]}
        />
      </div>
      <Filters filters={filters} />
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined ? fault === undefined ? <Waiting /> : null : (
        <section class="card">
          {shown.length > 0
            ? <DocumentTable rows={shown} />
            : isFiltered
            ? (
              <Empty title="No document matches these filters">
                <p>
                  Check the numbers: capital letters and zeros count. Days are those of the facility.
                </p>
              </Empty>
            )
            : (
              <Empty title="No documents yet">
                <p>
                  A document appears here as soon as a client sends it to{" "}
                  <code class="nowrap">POST /v1/documents</code> for{" "}
                  {place.facility.name}, whether the service takes it or refuses it.
                </p>
              </Empty>
            )}
          {value.hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
        </section>
      )}
      {announcement}
    </>
  )
}

/** The view. */
export const Documents = () => {
  const chosen = place.value
  return chosen === undefined ? null : <DocumentsOf key={slugOf(chosen)} place={chosen} />
}
