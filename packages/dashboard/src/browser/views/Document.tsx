/** A recorded document: who sent it when, and each thing that it created, updated or removed. */
import { document as recorded } from "../api/operations.ts"
import type { RecordedDocument } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, thingAt } from "../session.ts"
import { EmptyCard, Loaded, Part, ThingHead } from "../ui/Frame.tsx"
import { Rows } from "../ui/lists.tsx"
import { usePolled } from "../ui/loaded.ts"
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

const Changes = ({ shown }: { readonly shown: RecordedDocument }) => {
  const { created, removed, replaced, updated } = shown.counts
  const all = created + removed + updated
  const [first, more] = useShown(shown.changes, shownAtMost, "changes")
  return (
    <Part
      id="changes"
      title="What it did"
      beside={
        <span class="soft count">
          <Counts {...shown} />
          {all > shown.changes.length ? `; the first ${shown.changes.length} are listed` : ""}
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
            // What was removed and not created again comes first.
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

const Content = ({ shown }: { readonly shown: RecordedDocument }) => (
  <>
    <ThingHead list="documents" at={shown} title={`Document ${shown.id}`} badges={<Outcome {...shown} />} />
    <section class="card overview" aria-label="Overview">
      <Facts
        of={[
          [
            "Shipment",
            shown.shipmentId === 0
              ? shown.shipmentNumber
              : <a href={href(`/shipments/${shown.shipmentId}`)}>{shown.shipmentNumber}</a>
          ],
          [shown.orderNumbers.length === 1 ? "Order" : "Orders", shown.orderNumbers.join(", ") || "–"],
          ["Received", <Time time={shown.receivedAt} near />],
          ["Sent by", shown.clientId],
          [shown.strategies.length > 1 ? "Strategies" : "Strategy", shown.strategies.join(", ") || "–"],
          ["Refused with", shown.code === "" ? "" : <Counts {...shown} />],
          ["Correlation id", <span class="mono">{shown.correlationId || "–"}</span>]
        ]}
      />
      <p>
        <a href={href("/documents", { at: slugOf(shown), shipment: shown.shipmentNumber })}>
          All documents of {shown.shipmentNumber}
        </a>
      </p>
    </section>
    {shown.changes.length > 0 ? <Changes shown={shown} /> : (
      <EmptyCard title="It changed nothing">
        {shown.outcome === "REFUSED"
          ? "The service refused it and told the sender why. The sender can fix it and send it again."
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
      {(shown) => <Content shown={shown} />}
    </Loaded>
  )
}
