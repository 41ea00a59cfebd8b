/** A recorded document: who sent it when, and each thing that it created, updated or removed. */
import { useState } from "preact/hooks"
import { document as recorded } from "../api/operations.ts"
import type { RecordedDocument } from "../api/operations.ts"
import { found, run } from "../api/request.ts"
import { href } from "../router.ts"
import { locate, slugOf } from "../session.ts"
import { EmptyCard, Loaded, ThingHead } from "../ui/Frame.tsx"
import { usePolled } from "../ui/loaded.ts"
import { Fact, More, Time } from "../ui/Parts.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Counts, Outcome } from "./Documents.tsx"

type Change = RecordedDocument["changes"][number]

const kinds: Readonly<Record<Change["type"], string>> = {
  SHIPMENT: "Shipment",
  ORDER: "Order",
  ORDER_ITEM: "Item"
}

const changes: Readonly<Record<Change["change"], readonly [word: string, tone: string]>> = {
  REMOVED: ["Removed", "bad"],
  CREATED: ["Created", "ok"],
  UPDATED: ["Updated", "calm"]
}

const shownAtMost = 100

const Changes = ({ shown }: { readonly shown: RecordedDocument }) => {
  const [isChosen, setChosen] = useState(false)
  const { created, removed, replaced, updated } = shown.counts
  const all = created + removed + updated
  const rows = (isChosen ? shown.changes : shown.changes.slice(0, shownAtMost))
    .map((change, at) => ({ ...change, at }))
  return (
    <section class="card order" aria-labelledby="changes">
      <header class="order-head">
        <h2 id="changes">What it did</h2>
        <span class="soft count">
          <Counts {...shown} />
          {all > shown.changes.length ? `; the first ${shown.changes.length} are listed` : ""}
        </span>
      </header>
      <Rows
        classes="cards"
        rows={rows}
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
            const [word, tone] = isReplaced ? ["Replaced", "none"] : changes[change]
            return <span class="badge" data-tone={tone}>{word}</span>
          }, "end"],
          ["Kind", ({ type }) => kinds[type], "left nowrap"],
          ["Id", ({ id }) => id, "number end", "Id"]
        ]}
      />
      {rows.length === shown.changes.length
        ? null
        : <More onClick={() => setChosen(true)}>Show all {shown.changes.length} changes</More>}
    </section>
  )
}

const Content = ({ shown }: { readonly shown: RecordedDocument }) => {
  document.title = `Document ${shown.id} · Dockline`
  const number = encodeURIComponent(shown.shipmentNumber)
  return (
    <>
      <ThingHead list="documents" at={shown} title={`Document ${shown.id}`} badges={<Outcome {...shown} />} />
      <section class="card overview" aria-label="Overview">
        <dl class="facts">
          <Fact name="Shipment">
            {shown.shipmentId === 0
              ? shown.shipmentNumber
              : <a href={href(`/shipments/${shown.shipmentId}`)}>{shown.shipmentNumber}</a>}
          </Fact>
          <Fact name={shown.orderNumbers.length === 1 ? "Order" : "Orders"}>
            {shown.orderNumbers.join(", ") || "–"}
          </Fact>
          <Fact name="Received">
            <Time time={shown.receivedAt} near />
          </Fact>
          <Fact name="Sent by">{shown.clientId}</Fact>
          <Fact name={shown.strategies.length > 1 ? "Strategies" : "Strategy"}>
            {shown.strategies.join(", ") || "–"}
          </Fact>
          {shown.code === "" ? null : (
            <Fact name="Refused with">
              <Counts {...shown} />
            </Fact>
          )}
          <Fact name="Correlation id">
            <span class="mono">{shown.correlationId || "–"}</span>
          </Fact>
        </dl>
        <p>
          <a href={href(`/documents?at=${slugOf(shown)}&shipment=${number}`)}>
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
}

export const Document = ({ id }: { readonly id: string }) => {
  const state = usePolled(id, async () => {
    const shown = await found(
      run(recorded, { id: Number(id) }),
      `There is no document ${id} that you may see. The record may have dropped it because of its age.`
    )
    locate(`/documents/${id}`, shown)
    return shown
  })
  return (
    <Loaded state={state} head={<ThingHead list="documents" title={`Document ${id}`} />}>
      {(shown) => <Content shown={shown} />}
    </Loaded>
  )
}
