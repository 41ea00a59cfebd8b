/** A shipment with its orders and items: on a screen, and as a sheet on paper. */
import { useState } from "preact/hooks"
import { discrepanciesOfShipment, documents, palletsOfShipment, shipment } from "../api/operations.ts"
import { Fault, run } from "../api/request.ts"
import { href } from "../router.ts"
import { locate, place, session } from "../session.ts"
import { Download } from "../ui/Download.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { readPages } from "../ui/pages.ts"
import type { Rows } from "../ui/pages.ts"
import { Crumbs, Direction, Empty, FaultNote, Missing, Status, Time, Waiting } from "../ui/Parts.tsx"
import { BigProgress } from "../ui/Progress.tsx"
import { Discrepancies } from "./Discrepancies.tsx"
import type { Discrepancy } from "./Discrepancies.tsx"
import { DocumentTable } from "./Documents.tsx"
import type { Row as RecordedDocument } from "./Documents.tsx"
import { Exceptions, loadExceptions } from "./Exceptions.tsx"
import type { Shown as Exception } from "./Exceptions.tsx"
import { facts, OrderCard, seenOf } from "./OrderCard.tsx"
import type { Seen, Shown } from "./OrderCard.tsx"
import { Tower } from "./Tower.tsx"

/** The most pallets that the page names; beyond them it counts. */
const namedAtMost = 1000

/** `driverLicensePlate` in words. */
const wordsOf = (name: string): string => {
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The last documents for the number of the shipment. */
const Sent = ({ documents: { rows }, shown }: {
  readonly documents: Rows<RecordedDocument>
  readonly shown: Shown
}) => (
  <section class="card order no-print" aria-labelledby="documents">
    <header class="order-head">
      <h2 id="documents">Documents</h2>
      <a
        class="count"
        href={href(
          `/documents?${
            new URLSearchParams({
              at: `${shown.business.slug}/${shown.facility.slug}`,
              shipment: shown.shipmentNumber
            }).toString()
          }`
        )}
      >
        All<span class="unseen">{" "}documents of {shown.shipmentNumber}</span>
      </a>
    </header>
    <DocumentTable rows={rows} ofShipment />
  </section>
)

const Steps = ({ shown: { statusEvents } }: { readonly shown: Shown }) => (
  <ol class="steps" aria-label="Progress of the shipment">
    {statusEvents.map(({ completed, completedAt, displayName, status }) => (
      <li key={status} data-done={completed}>
        <b>{displayName}</b>
        {completed ? <Time time={completedAt} /> : <span class="soft">Not yet</span>}
      </li>
    ))}
  </ol>
)

interface ContentProps {
  readonly shown: Shown
  readonly seen: Seen
  readonly discrepancies: Rows<Discrepancy>
  readonly exceptions: ReadonlyArray<Exception>
  readonly documents: Rows<RecordedDocument>
  readonly mayReport: boolean
  /** The docks at which its towers can be played; `undefined` where they cannot. */
  readonly playedDocks: ReadonlyArray<string> | undefined
  readonly reload: () => void
}

const Content = (
  { discrepancies, documents, exceptions, mayReport, playedDocks, reload, seen, shown }: ContentProps
) => {
  document.title = `${shown.shipmentNumber} · Dockline`
  return (
    <>
      <div class="view-head">
        <div>
          <Crumbs>
            {shown.business.name}, {shown.facility.name}
            <span aria-hidden="true">/</span>
            <a href={href(`/shipments?at=${shown.business.slug}/${shown.facility.slug}`)}>Shipments</a>
          </Crumbs>
          <h1 class="title">
            {shown.shipmentNumber} <Status status={shown.status} />
          </h1>
          <p class="lead">
            <Direction direction={shown.direction} />
          </p>
        </div>
        <Download
          name={`pallets-${shown.shipmentNumber}`}
          paths={[`/api/v1/shipments/${shown.id}/pallets`]}
          what="pallets"
        />
        <button type="button" class="plain no-print" onClick={() => print()}>Print</button>
      </div>
      <section class="card overview" aria-label="Overview">
        <BigProgress counts={shown.progress} />
        <Steps shown={shown} />
        <dl class="facts">
          {facts([
            ["Dock", shown.dockSlug],
            ["Carrier", shown.carrier],
            ["Trailer", shown.trailerNumber],
            ...shown.additionalFields.map(({ name, value }) => [wordsOf(name), value] as const)
          ])}
          <div>
            <dt>Expected</dt>
            <dd>
              <Time time={shown.expectedArrivalAt} />
            </dd>
          </div>
        </dl>
      </section>
      {playedDocks === undefined || !["SCHEDULED", "ARRIVED"].includes(shown.status)
        ? null
        : <Tower shown={shown} seen={seen} docks={playedDocks} reload={reload} />}
      <Exceptions
        shipmentId={shown.id}
        exceptions={exceptions}
        pallets={seen.pallets}
        mayReport={mayReport}
        reload={reload}
      />
      <Discrepancies found={discrepancies} shipmentId={shown.id} />
      {shown.orders.length === 0
        ? (
          <section class="card">
            <Empty title="No orders">
              <p>
                Its orders have moved to other shipments. The next document for this number adds new ones.
              </p>
            </Empty>
          </section>
        )
        : shown.orders.map((order) => <OrderCard key={order.id} order={order} seen={seen} shown={shown} />)}
      {documents.rows.length === 0 ? null : <Sent documents={documents} shown={shown} />}
    </>
  )
}

/** The pallets that were seen: all, or the first {@link namedAtMost}. */
const loadSeen = async (id: string): Promise<Seen> => {
  const { hasMore, rows } = await readPages(
    namedAtMost / 100,
    async (after) => (await run(palletsOfShipment, { id: Number(id), after })).shipment!.pallets
  )
  return seenOf(rows, !hasMore)
}

/** The most documents that the page names. */
const documentsAtMost = 5

const loadDocuments = ({ business, facility, shipmentNumber }: Shown): Promise<Rows<RecordedDocument>> =>
  readPages(1, async (after) =>
    (await run(documents, {
      business: business.slug,
      facility: facility.slug,
      shipmentNumber,
      first: documentsAtMost,
      after
    })).documents)

/** The most pages of discrepancies that are read. */
const discrepancyPages = 3

/**
 * Where it differs from what was expected. Until it has departed, what is short is still to come: the list begins with that,
 * and cursors count, so that the reading begins behind it.
 */
const loadDiscrepancies = async (
  id: string,
  { progress: { missingPallets }, status }: Shown
): Promise<Rows<Discrepancy>> => {
  const isOver = status === "DEPARTED"
  const { rows, ...others } = await readPages(
    discrepancyPages,
    async (after) =>
      (await run(discrepanciesOfShipment, {
        id: Number(id),
        after: after ?? (isOver ? null : String(missingPallets))
      })).shipment!.discrepancies
  )
  return { rows: isOver ? rows : rows.filter(({ kind }) => kind !== "SHORT"), ...others }
}

const load = async (id: string): Promise<Shown> => {
  const found = await run(shipment, { id: Number(id) }).catch((thrown) => {
    if (!(thrown instanceof Fault) || thrown.code !== "SHIPMENT_NOT_FOUND") throw thrown
    return { shipment: null }
  })
  if (found.shipment !== null) {
    locate(`/shipments/${id}`, found.shipment)
    return found.shipment
  }
  throw new Fault(
    `There is no shipment ${id} that you may see. It may be at a facility where ${session.value?.name} has no rights.`,
    "SHIPMENT_NOT_FOUND"
  )
}

const none = { rows: [], hasMore: false, pages: 1 }

/** A shipment while no more is known of it. */
const alone = (shown: Shown) => ({
  shown,
  seen: seenOf([], false),
  discrepancies: none,
  exceptions: [],
  documents: none
})

/** How long a page waits for all that belongs to a shipment before it shows the shipment alone: usually all is there. */
const patienceMillis = 300

/** The view of the shipment with this id. */
export const Shipment = ({ id }: { readonly id: string }) => {
  const [early, setEarly] = useState<Shown>()
  const { fault, reload, reloadNow, value: whole } = useLoaded(id, async () => {
    const shown = load(id)
    shown.then((found) => setTimeout(() => setEarly(found), patienceMillis), () => undefined)
    const [seen, discrepancies, exceptions, documents] = await Promise.all([
      loadSeen(id).catch(() => seenOf([], false)),
      shown.then((shown) => loadDiscrepancies(id, shown)).catch(() => none),
      loadExceptions(id).catch(() => []),
      shown.then(loadDocuments).catch(() => none)
    ])
    return { shown: await shown, seen, discrepancies, exceptions, documents }
  })
  const value = whole ?? (early?.id === Number(id) && fault === undefined ? alone(early) : undefined)
  const facility = value === undefined ? undefined : place.value?.facility
  useLive(
    value !== undefined && facility?.messages === true
      ? { business: value.shown.business.slug, facility: value.shown.facility.slug }
      : undefined,
    {
      onMessage: ({ message }) => {
        if (message["serviceShipmentId"] === id) reload()
      }
    },
    reload,
    reloadNow
  )
  return (
    <>
      {value === undefined && fault !== undefined ? <Missing list="shipments">Shipment {id}</Missing> : null}
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined
        ? fault === undefined ? <Waiting /> : null
        : (
          <Content
            {...value}
            mayReport={facility?.reports === true}
            playedDocks={facility?.moves === true && place.value?.business.sandbox === true
              ? facility.docks
              : undefined}
            reload={reloadNow}
          />
        )}
    </>
  )
}
