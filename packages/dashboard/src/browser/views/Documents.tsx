/** The record of documents of a facility: their senders, times, contents and changes. */
import { document as recorded, documents } from "../api/operations.ts"
import type { DocumentRow as Row, RecordedDocument } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, slugsOf, thingAt } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { Empty, EmptyCard, LoadedData, Part, SendExample, ThingHead } from "../ui/Frame.tsx"
import { filtersOf, isNarrowed, ListPage, Rows } from "../ui/lists.tsx"
import type { Column, Filter } from "../ui/lists.tsx"
import { usePolled } from "../ui/loaded.ts"
import { nameOfPrincipal } from "../ui/lookup.ts"
import { Badge, Facts, firstOf, Time, useShown } from "../ui/Parts.tsx"
import { amount, nameIn, optionsOf } from "../ui/words.ts"
import type { BadgeText } from "../ui/words.ts"

const outcomes: Readonly<Record<Row["outcome"], BadgeText>> = {
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

type Change = RecordedDocument["changes"][number]

const kinds: Readonly<Record<Change["type"], string>> = {
  SHIPMENT: "Shipment",
  ORDER: "Order",
  ORDER_ITEM: "Item"
}

const changes: Readonly<Record<Change["change"], BadgeText>> = {
  REMOVED: ["Removed", "bad"],
  CREATED: ["Created", "ok"],
  UPDATED: ["Updated", "calm"]
}

const shownAtMost = 100

const Changes = ({ record }: { readonly record: RecordedDocument }) => {
  const { created, removed, replaced, updated } = record.counts
  const all = created + removed + updated
  const [first, more] = useShown(record.changes, shownAtMost, "changes")
  return (
    <Part
      id="changes"
      title="What it did"
      beside={
        <span class="soft count">
          <Counts {...record} />
          {all > record.changes.length ? `; the first ${record.changes.length} are listed` : ""}
        </span>
      }
    >
      <Rows
        classes="cards"
        rows={first.map((change, at) => ({ ...change, at }))}
        id={({ at }) => at}
        columns={[
          [
            "Reference",
            ({ reference }) => reference === "" ? <span class="soft">Without a reference</span> : reference,
            "main mono"
          ],
          ["Change", ({ at, change }) => {
            // The record lists entities that were removed for good first, then replaced ones.
            const isReplaced = change === "REMOVED" && at >= removed - replaced
            return <Badge of={isReplaced ? ["Replaced", "none"] : changes[change]} />
          }, "end"],
          ["Kind", ({ type }) => kinds[type], "left nowrap"],
          ["Id", ({ id }) => id, "number end", "Id"]
        ]}
      />
      {more}
    </Part>
  )
}

const Content = ({ record }: { readonly record: RecordedDocument }) => (
  <>
    <ThingHead
      list="documents"
      at={record}
      title={`Document ${record.id}`}
      badges={<Outcome {...record} />}
    />
    <section class="card overview" aria-label="Overview">
      <Facts
        of={[
          [
            "Shipment",
            record.shipmentId === 0
              ? record.shipmentNumber
              : <a href={href(`/shipments/${record.shipmentId}`)}>{record.shipmentNumber}</a>
          ],
          [record.orderNumbers.length === 1 ? "Order" : "Orders", record.orderNumbers.join(", ") || "–"],
          ["Received", <Time time={record.receivedAt} near />],
          ["Sent by", nameOfPrincipal(record.clientId)],
          [record.strategies.length > 1 ? "Strategies" : "Strategy", record.strategies.join(", ") || "–"],
          ["Refused with", record.code === "" ? "" : <Counts {...record} />],
          ["Correlation id", <span class="mono">{record.correlationId || "–"}</span>]
        ]}
      />
      <p>
        <a href={href("/documents", { at: slugOf(record), shipment: record.shipmentNumber })}>
          All documents of {record.shipmentNumber}
        </a>
      </p>
    </section>
    {record.changes.length > 0 ? <Changes record={record} /> : (
      <EmptyCard title="It changed nothing">
        {record.outcome === "REFUSED"
          ? record.remedy || "The service refused it and told the sender why."
          : "Everything already was as the document describes it."}
      </EmptyCard>
    )}
  </>
)

export const Document = ({ id }: { readonly id: string }) => {
  const state = usePolled(id, () =>
    thingAt(
      `/documents/${id}`,
      run(recorded, { id: Number(id) }),
      `There is no document ${id} that you may see. The record may have dropped it because of its age.`
    ))
  return (
    <LoadedData state={state} head={<ThingHead list="documents" title={`Document ${id}`} />}>
      {(record) => <Content record={record} />}
    </LoadedData>
  )
}
