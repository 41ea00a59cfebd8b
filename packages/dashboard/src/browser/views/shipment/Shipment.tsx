/** The page of a shipment with its orders and items, to which the `url` of a message leads (D14.2); also as a printed sheet. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Message, Shipment as Shown } from "../../api/operations.ts"
import type { PalletChoice, ReportDraft } from "../../capability.ts"
import { offered } from "../../extensions.ts"
import { followedWith, noRights, place } from "../../session.ts"
import type { Rights } from "../../session.ts"
import { Download } from "../../ui/Download.tsx"
import { useWork } from "../../ui/forms.ts"
import { EmptyCard, FaultNote, Loaded, ThingHead, Waiting } from "../../ui/Frame.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { Direction, Facts, Plain, ShipmentStatus, Time } from "../../ui/Parts.tsx"
import { BigProgress } from "../../ui/Progress.tsx"
import { Discrepancies } from "./Discrepancies.tsx"
import { History } from "./History.tsx"
import { OrderCard, unseenItems } from "./OrderCard.tsx"
import type { Seen } from "./OrderCard.tsx"
import { loadAll } from "./ShipmentItems.ts"
import type { Items } from "./ShipmentItems.ts"
import { alone, load, rest } from "./ShipmentRead.ts"
import type { Whole } from "./ShipmentRead.ts"
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
const choicesOf = (items: Items | undefined, seen: Seen): ReadonlyArray<PalletChoice> => [
  ...(items === undefined ? [] : unseenItems(items, seen)).map(({ lpn }) => ({ id: "", lpn })),
  ...seen.pallets.map(({ id, lpn }) => ({ id, lpn }))
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
  const { discrepancies, items, seen, shipment } = whole
  const parts = offered.value.flatMap(({ ShipmentPart }) => ShipmentPart ?? [])
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
                shown={shipment}
                choices={choicesOf(items, seen)}
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
                  printed={printing.all === undefined ? undefined : printing.all.get(order.id) ?? []}
                  seen={seen}
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
  useLive(followedWith(value?.shipment), onMessage, reload, reloadNow)
  return (
    <Loaded state={{ ...state, value }} head={<ThingHead list="shipments" title={`Shipment ${id}`} />}>
      {(read) => (
        <Content
          {...read}
          isWhole={whole !== undefined || fault !== undefined}
          rights={rights}
          reload={reloadNow}
        />
      )}
    </Loaded>
  )
}
