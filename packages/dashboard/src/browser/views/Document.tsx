/** A recorded document: its sender and time, and each entity that it created, updated or removed. */
import { document as recorded } from "../api/operations.ts"
import type { RecordedDocument } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, thingAt } from "../session.ts"
import { EmptyCard, Loaded, Part, ThingHead } from "../ui/Frame.tsx"
import { Rows } from "../ui/lists.tsx"
import { usePolled } from "../ui/loaded.ts"
import { nameOfPrincipal } from "../ui/lookup.ts"
import { Badge, Facts, Time, useShown } from "../ui/Parts.tsx"
import type { Toned } from "../ui/tables.ts"
import { Counts, Outcome } from "./Documents.tsx"

type Change = RecordedDocument["changes"][number]

const kinds: Readonly<Record<Change["type"], string>> = {
  SHIPMENT: "Shipment",
  ORDER: "Order",
  ORDER_ITEM: "Item"
}

const changes: Readonly<Record<Change["change"], Toned>> = {
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
    <Loaded state={state} head={<ThingHead list="documents" title={`Document ${id}`} />}>
      {(record) => <Content record={record} />}
    </Loaded>
  )
}
