/** The page of a shipment with its orders and items, to which the `url` of a message leads (D14.2); also as a printed sheet. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Discrepancy, Message, Read, Shipment as Shown } from "../../api/operations.ts"
import type { PalletChoice, ReportDraft } from "../../capability.ts"
import { offeredParts } from "../../capability.ts"
import { href } from "../../router.ts"
import { messagesAbout, noRights, place } from "../../session.ts"
import type { Rights } from "../../session.ts"
import { useWork } from "../../ui/forms.ts"
import { EmptyCard, FaultNote, LoadedData, Part, ThingHead, Waiting } from "../../ui/Frame.tsx"
import { Download, Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { Badge, Direction, Facts, Plain, ShipmentStatus, Time, useShown } from "../../ui/Parts.tsx"
import { BigProgress } from "../../ui/Progress.tsx"
import { History } from "./History.tsx"
import { OrderCard, unseenItems } from "./OrderCard.tsx"
import { alone, load, loadAll, rest } from "./ShipmentRead.ts"
import type { Items, SeenPallets, Whole } from "./ShipmentRead.ts"
import { Steps } from "./Steps.tsx"

/** `driverLicensePlate` in words. */
const wordsOf = (name: string): string => {
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The steps of a shipment; a cancelled one has no further steps. */
const Milestones = ({ shipment: { status, statusEvents } }: { readonly shipment: Shown }) => (
  <ol class="steps" aria-label="Progress of the shipment">
    {statusEvents.filter(({ completed }) => completed || status !== "CANCELLED").map((
      { completed, completedAt, displayName, status: step }
    ) => (
      <li key={step} data-done={completed}>
        <b>{displayName}</b>
        {completed ? <Time time={completedAt} /> : <span class="soft">Not yet</span>}
      </li>
    ))}
  </ol>
)

/** The possible subjects of a report: first expected pallets that have not been seen, then those that were seen. */
const choicesOf = (items: Items | undefined, seenPallets: SeenPallets): ReadonlyArray<PalletChoice> => [
  ...(items === undefined ? [] : unseenItems(items, seenPallets)).map(({ lpn }) => ({ id: "", lpn })),
  ...seenPallets.pallets.map(({ id, lpn }) => ({ id, lpn }))
]

/** Prints the sheet of a shipment, after all of its items have been loaded. */
const usePrinting = (id: number, items: Items | undefined) => {
  const [all, setAll] = useState<Awaited<ReturnType<typeof loadAll>>>()
  const { begin, fault, isBusy } = useWork()
  useEffect(() => {
    if (all === undefined) return undefined
    const done = (): void => setAll(undefined)
    addEventListener("afterprint", done)
    print()
    return () => removeEventListener("afterprint", done)
  }, [all])
  const start = (): void => {
    if (items?.next === null) print()
    else if (items !== undefined) begin(async () => setAll(await loadAll(id)))
  }
  return { all, fault, isBusy, start }
}

interface ContentProps extends Whole {
  /** Whether everything about the shipment is loaded. Parts that appear later would move the visible ones. */
  readonly isWhole: boolean
  readonly rights: Rights
  readonly reload: () => void
}

const Content = ({ isWhole, reload, rights, ...whole }: ContentProps) => {
  const { discrepancies, items, seenPallets, shipment } = whole
  const parts = offeredParts.value.flatMap(({ ShipmentPart }) => ShipmentPart ?? [])
  const [draft, setDraft] = useState<ReportDraft>()
  const printing = usePrinting(shipment.id, items)
  return (
    <>
      <ThingHead
        list="shipments"
        at={shipment}
        title={shipment.shipmentNumber}
        badges={<ShipmentStatus shipment={shipment} />}
        lead={<Direction direction={shipment.direction} />}
      >
        <Download
          name={`pallets-${shipment.shipmentNumber}`}
          paths={[`/api/v1/shipments/${shipment.id}/pallets`]}
          what="pallets"
        />
        <Plain
          class="no-print"
          aria-disabled={items === undefined || printing.isBusy}
          onClick={printing.start}
        >
          {printing.isBusy ? "Loading all items…" : "Print"}
        </Plain>
      </ThingHead>
      <FaultNote fault={printing.fault} retry={printing.start} />
      <section class="card overview" aria-label="Overview">
        {shipment.status === "CANCELLED" ? null : <BigProgress shipment={shipment} />}
        <Milestones shipment={shipment} />
        <Facts
          of={[
            ["Dock", shipment.dockSlug],
            ["Carrier", shipment.carrier],
            ["Trailer", shipment.trailerNumber],
            ...shipment.additionalFields.map(({ name, value }) => [wordsOf(name), value] as const),
            ["Expected", <Time time={shipment.expectedArrivalAt} />]
          ]}
        />
      </section>
      {isWhole
        ? (
          <>
            <Steps shipment={shipment} rights={rights} mayMove={rights.steps} reload={reload} />
            {parts.map((ShipmentPart, at) => (
              <ShipmentPart
                key={at}
                shipment={shipment}
                choices={choicesOf(items, seenPallets)}
                mayReport={rights.reports}
                draft={draft}
                setDraft={setDraft}
                reload={reload}
              />
            ))}
            <Discrepancies
              discrepancies={discrepancies}
              shipmentId={shipment.id}
              report={rights.reports && parts.length > 0 ? setDraft : undefined}
            />
            {shipment.orders.length === 0
              ? (
                <EmptyCard title="No orders">
                  Its orders have moved to other shipments. The next document for this number adds new ones.
                </EmptyCard>
              )
              : shipment.orders.map((order) => (
                <OrderCard
                  key={order.id}
                  order={order}
                  items={items}
                  printItems={printing.all === undefined ? undefined : printing.all.get(order.id) ?? []}
                  seenPallets={seenPallets}
                  shipment={shipment}
                />
              ))}
            <History {...whole} />
          </>
        )
        : <Waiting />}
    </>
  )
}

/** How long a page waits for everything about a shipment before it shows the shipment alone; usually, everything arrives in time. */
const patienceMillis = 300

export const Shipment = ({ id }: { readonly id: string }) => {
  const [early, setEarly] = useState<Shown>()
  const before = useRef<Whole>(null)
  const state = useLoaded<Whole>(id, async () => {
    const shipment = await load(id)
    const previous = before.current?.shipment.id === shipment.id ? before.current : undefined
    const showEarly = (): void => setEarly(shipment)
    if (previous === undefined) setTimeout(showEarly, patienceMillis)
    try {
      return before.current = await rest(shipment, previous)
    } catch (error) {
      showEarly()
      throw error
    }
  })
  const { fault, reload, reloadNow, value: whole } = state
  const value = whole ?? (early?.id === Number(id) ? alone(early) : undefined)
  const rights = value === undefined ? noRights : place.value?.facility ?? noRights
  const onMessage = ({ message }: Message): void => {
    if (message["serviceShipmentId"] === id) reload()
  }
  useLive(messagesAbout(value?.shipment), onMessage, reload, reloadNow)
  return (
    <LoadedData state={{ ...state, value }} head={<ThingHead list="shipments" title={`Shipment ${id}`} />}>
      {(read) => (
        <Content
          {...read}
          isWhole={whole !== undefined || fault !== undefined}
          rights={rights}
          reload={reloadNow}
        />
      )}
    </LoadedData>
  )
}

const kinds: Readonly<Record<Discrepancy["kind"], string>> = {
  SHORT: "Missing",
  OVER: "Not on this shipment",
  WRONG_SHIPMENT: "Wrong shipment",
  WRONG_DOCK: "Wrong dock"
}

/** Begins a report of a problem; `undefined` if the reader may not report problems. */
type Reports = ((draft: ReportDraft) => void) | undefined

const shownAtMost = 50

const Explanation = (
  { discrepancy: { dockSlug, expectedOnId, expectedOnNumber, kind } }: { readonly discrepancy: Discrepancy }
) => {
  switch (kind) {
    case "SHORT":
      return <>It was expected and has not passed.</>
    case "OVER":
      return <>It passed at dock {dockSlug}, but no order expects it.</>
    case "WRONG_SHIPMENT":
      return (
        <>
          It passed here, but is expected on{" "}
          <a href={href(`/shipments/${expectedOnId}`)}>{expectedOnNumber}</a>.
        </>
      )
    case "WRONG_DOCK":
      return <>It was last seen at dock {dockSlug}, and this shipment is not there.</>
  }
}

const draftOf = ({ dockSlug, expectedOnNumber, kind, lpn, palletId }: Discrepancy): ReportDraft => ({
  kind: kind === "SHORT" ? "SHORT" : "OVER",
  pallet: { id: palletId, lpn },
  description: {
    SHORT: "Expected, and has not passed",
    OVER: "Passed, but no order expects it",
    WRONG_SHIPMENT: `Passed here, but is expected on ${expectedOnNumber}`,
    WRONG_DOCK: `Last seen at dock ${dockSlug}`
  }[kind]
})

const nameOf = ({ lpn, palletId }: Discrepancy): string => lpn || `Pallet ${palletId} without an LPN`

const columnsOf = (shipmentId: number, report: Reports): ReadonlyArray<Column<Discrepancy>> => [
  [
    "LPN",
    (row) =>
      row.palletId === ""
        ? nameOf(row)
        : <a href={href(`/shipments/${shipmentId}/pallets/${row.palletId}`)}>{nameOf(row)}</a>,
    "main mono"
  ],
  [
    "What is wrong",
    ({ kind, provisional }) => (
      <Badge
        of={[kinds[kind], kind === "SHORT" && !provisional ? "bad" : "warn"]}
      />
    ),
    "wide"
  ],
  ["Why", (row) => <Explanation discrepancy={row} />, "wide"],
  ...(report === undefined ? [] : [
    [
      "Exception",
      (row: Discrepancy) => <Plain of={nameOf(row)} onClick={() => report(draftOf(row))}>Report</Plain>,
      "wide number no-print"
    ] as const
  ])
]

/** The section of discrepancies on a shipment's page; absent if there are none. */
const Discrepancies = ({ discrepancies: { hasMore, rows }, report, shipmentId }: {
  readonly discrepancies: Read<Discrepancy>
  readonly report: Reports
  readonly shipmentId: number
}) => {
  const [first, more] = useShown(rows, shownAtMost, "discrepancies")
  if (rows.length === 0) return null
  const isProvisional = rows.some(({ provisional }) => provisional)
  const isShort = !isProvisional && rows.some(({ kind }) => kind === "SHORT")
  return (
    <Part
      id="discrepancies"
      title="Discrepancies"
      beside={
        <>
          <Badge of={[`${rows.length}${hasMore ? " or more" : ""}`, isShort ? "bad" : "warn"]} />
          <span class="soft count">
            {isProvisional ? "These may change until the shipment departs" : "As they were at departure"}
          </span>
        </>
      }
    >
      <Rows
        rows={first}
        id={({ kind, lpn, palletId }) => `${kind} ${palletId} ${lpn}`}
        columns={columnsOf(shipmentId, report)}
      />
      {more}
    </Part>
  )
}
