/** The history of a shipment, the latest first: documents with their senders, steps, pallets, and the entries of capabilities. */
import type { DocumentRow, SeenPallet, Shipment } from "../../api/operations.ts"
import type { HistoryEntry } from "../../capability.ts"
import { href } from "../../router.ts"
import { place, slugOf } from "../../session.ts"
import { Part } from "../../ui/Frame.tsx"
import { messagesOfStep, nameOfPrincipal } from "../../ui/lookup.ts"
import { webhookName } from "../../ui/messages.ts"
import { Alert, firstOf, Time, useShown } from "../../ui/Parts.tsx"
import { amount } from "../../ui/words.ts"
import { Counts, Outcome } from "../Documents.tsx"
import type { Whole } from "./ShipmentRead.ts"

const documentEntry = ({ clientId, id, orderNumbers, receivedAt, ...row }: DocumentRow): HistoryEntry => ({
  at: receivedAt,
  what: (
    <>
      <a href={href(`/documents/${id}`)}>Document {id}</a> <Outcome {...row} />
    </>
  ),
  details: (
    <>
      {orderNumbers.length === 0 ? "" : `${firstOf(orderNumbers)}: `}
      <Counts {...row} />
    </>
  ),
  by: clientId
})

const palletLink = ({ id: shipmentId }: Shipment, { id, lpn }: SeenPallet) => (
  <a href={href(`/shipments/${shipmentId}/pallets/${id}`)}>{lpn || id}</a>
)

const passage = ({ dockSlug, state }: SeenPallet): string =>
  `${state === "LOADED" ? "loaded" : "unloaded"} at dock ${dockSlug}`

/** A pallet that no order of the shipment expects. */
const strangerEntry = (shipment: Shipment, pallet: SeenPallet): HistoryEntry => ({
  at: pallet.lastSeenAt,
  what: <>Pallet {palletLink(shipment, pallet)} {passage(pallet)}</>,
  details: <Alert tone="bad">Not on this shipment</Alert>
})

/** Pallets that passed a dock one after another. */
const runEntry = (
  shipment: Shipment,
  [first, ...others]: ReadonlyArray<SeenPallet>
): ReadonlyArray<HistoryEntry> => {
  if (first === undefined) return []
  const last = others.reduce((latest, each) => each.lastSeenAt > latest.lastSeenAt ? each : latest, first)
  return [{
    at: last.lastSeenAt,
    what: others.length === 0
      ? <>Pallet {palletLink(shipment, first)} {passage(first)}</>
      : `${amount(others.length + 1)} pallets ${passage(first)}`,
    details: others.length === 0 ? undefined : <>The last was {palletLink(shipment, last)}.</>
  }]
}

type Step = Shipment["statusEvents"][number]

/** The messages to customers about a step, for readers who may read messages. */
const StepMessages = ({ shipment, step }: { readonly shipment: Shipment; readonly step: Step }) =>
  place.value?.facility.messages !== true ? null : (
    <>
      {messagesOfStep(shipment, step).map(({ id, messageType }) => (
        <span key={id}>
          {webhookName(messageType)}:{" "}
          <a href={href("/messages", { at: slugOf(shipment), find: String(id) })}>message {id}</a>
          {" "}
        </span>
      ))}
    </>
  )

const stepEntry = (shipment: Shipment, step: Step): HistoryEntry => ({
  at: step.completedAt,
  what: step.displayName,
  details: <StepMessages shipment={shipment} step={step} />,
  by: step.completedBy
})

const lastFirst = (entries: ReadonlyArray<HistoryEntry>): ReadonlyArray<HistoryEntry> =>
  entries.toSorted((one, other) => one.at < other.at ? 1 : Number(one.at > other.at) * -1)

/** The history. Expected pallets that passed between two other entries are merged into one entry for each way of passing. */
const historyOf = (
  { documents, history, seenPallets: { pallets }, shipment }: Whole
): ReadonlyArray<HistoryEntry> => {
  const others = lastFirst([
    ...history,
    ...pallets.filter(({ expected }) => !expected).map((pallet) => strangerEntry(shipment, pallet)),
    ...shipment.statusEvents.toReversed().filter(({ completed }) => completed)
      .map((step) => stepEntry(shipment, step)),
    ...documents.rows.map(documentEntry)
  ])
  const runs = Map.groupBy(
    pallets.filter(({ expected }) => expected),
    (pallet) => `${others.findIndex(({ at }) => at <= pallet.lastSeenAt)} ${passage(pallet)}`
  )
  return lastFirst([...Array.from(runs.values(), (run) => runEntry(shipment, run)).flat(), ...others])
}

const shownAtMost = 20

export const History = (whole: Whole) => {
  const { documents: { hasMore }, seenPallets: { isWhole }, shipment } = whole
  const [entries, more] = useShown(historyOf(whole), shownAtMost, "entries")
  return (
    <Part
      id="history"
      title="What happened"
      class="no-print"
      beside={
        <a
          class="count"
          href={href("/documents", { at: slugOf(shipment), shipment: shipment.shipmentNumber })}
        >
          All documents<span class="unseen">{" "}of {shipment.shipmentNumber}</span>
        </a>
      }
    >
      <ol class="events">
        {entries.map(({ at, by = "", details, what }, index) => (
          <li key={index}>
            <div>
              <b>{what}</b>
              {details === undefined ? null : <span class="sub">{details}</span>}
            </div>
            <span class="soft">
              <Time time={at} near />
              {by === "" ? null : <span class="sub">{nameOfPrincipal(by)}</span>}
            </span>
          </li>
        ))}
      </ol>
      {isWhole && !hasMore ? null : (
        <p class="order-empty soft">
          {isWhole ? "" : "Only the first pallets are listed. "}
          {hasMore ? "Earlier documents are in the list of all documents." : ""}
        </p>
      )}
      {more}
    </Part>
  )
}
