/** The shipments of a facility, or what a number on paper leads to. */
import { useState } from "preact/hooks"
import { shipments } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { ShipmentsResult } from "../api/results.ts"
import { href, query, setQuery } from "../router.ts"
import { place, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { useAnnounced } from "../ui/announced.tsx"
import { Download, pathOf } from "../ui/Download.tsx"
import { Filters, filtersOf } from "../ui/Filters.tsx"
import type { Filter } from "../ui/Filters.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { readPages } from "../ui/pages.ts"
import type { Rows } from "../ui/pages.ts"
import { Direction, Empty, FaultNote, Heads, More, ShipmentStatus, Time, Waiting } from "../ui/Parts.tsx"
import { Progress } from "../ui/Progress.tsx"
import { find, Results, Search } from "./Search.tsx"

type Row = ShipmentsResult["shipments"]["nodes"][number]
type ShipmentStatus = Row["status"]

/** The filters by status, as people call them. */
const filters: Readonly<Record<string, readonly [label: string, statuses: ReadonlyArray<ShipmentStatus>]>> = {
  open: ["Open", ["ARRIVED", "SCHEDULED"]],
  expected: ["Expected", ["SCHEDULED"]],
  docked: ["At dock", ["ARRIVED"]],
  departed: ["Departed", ["DEPARTED"]],
  cancelled: ["Cancelled", ["CANCELLED"]]
}

const timeOf = ({ expectedArrivalAt, statusEvents, status }: Row): string =>
  statusEvents.find((event) => event.status === status && status !== "SCHEDULED")?.completedAt ??
    expectedArrivalAt

/** The filters beside that by status. */
const narrowing: ReadonlyArray<Filter> = [
  { name: "carrier", label: "Carrier" },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" }
]

/** What a list is narrowed to. */
interface Narrowed {
  readonly statuses: ReadonlyArray<ShipmentStatus>
  readonly isWrong: boolean
  readonly given: Readonly<Record<string, string>>
}

/** What the filters ask of the service, for a status: what is to come from the next on, what is over from the last. */
const asked = ({ business, facility }: Place, status: ShipmentStatus, { given, isWrong }: Narrowed) => ({
  business: business.slug,
  facility: facility.slug,
  status,
  order: status === "DEPARTED" || status === "CANCELLED" ? "LATEST" as const : "EARLIEST" as const,
  carrier: given["carrier"] || undefined,
  ...dayRange(given["from"]!, given["to"]!),
  ...(isWrong ? { discrepancies: true } : {})
})

/** Those of each status, one status after the other. */
const list = async (place: Place, narrowed: Narrowed, pages: number): Promise<Rows<Row>> => {
  const found = await Promise.all(
    narrowed.statuses.map((status) =>
      readPages(
        pages,
        async (after) => (await run(shipments, { ...asked(place, status, narrowed), after })).shipments
      )
    )
  )
  return {
    rows: found.flatMap(({ rows }) => rows),
    hasMore: found.some(({ hasMore }) => hasMore),
    pages
  }
}

const Line = ({ row }: { readonly row: Row }) => {
  const numbers = row.orders.map(({ orderNumber }) => orderNumber)
  return (
    <tr>
      <td class="main">
        <a href={href(`/shipments/${row.id}`)}>{row.shipmentNumber}</a>
      </td>
      <td class="end">
        <ShipmentStatus shipment={row} />
      </td>
      <td class="left">
        <Direction direction={row.direction} />
        {row.dockSlug === "" ? null : <span class="on-phone soft">, dock {row.dockSlug}</span>}
      </td>
      <td class="not-phone">{row.dockSlug}</td>
      <td class="wide carrier">
        {row.carrier}
        {row.trailerNumber === "" ? null : <span class="sub">Trailer {row.trailerNumber}</span>}
      </td>
      <td class="wide orders" data-label={numbers.length === 1 ? "Order" : "Orders"}>
        {numbers.length > 2
          ? `${numbers.slice(0, 2).join(", ")} and ${numbers.length - 2} more`
          : numbers.join(", ")}
      </td>
      <td class="wide pallets">
        <Progress shipment={row} />
      </td>
      <td class="number end when">
        <Time time={timeOf(row)} near due={row.status === "SCHEDULED"} />
      </td>
    </tr>
  )
}

const Table = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <table class="table rows cards">
    <Heads names={["Shipment", "Status", "Direction", "Dock", "Carrier", "Orders", "Pallets", ["Time"]]} />
    <tbody>
      {rows.map((row) => <Line key={row.id} row={row} />)}
    </tbody>
  </table>
)

const Nothing = ({ filter, isNarrowed, isWrong, place }: {
  readonly place: Place
  readonly isNarrowed: boolean
  readonly isWrong: boolean
  readonly filter: string
}) =>
  isNarrowed
    ? (
      <Empty title="No shipment matches these filters">
        <p>
          Write the whole name of the carrier, as documents do. A day is that of the departure, else of the
          arrival, else of the expected arrival. Try another status, or clear the filters.
        </p>
      </Empty>
    )
    : isWrong
    ? (
      <Empty title="No shipment has discrepancies">
        <p>
          A shipment is listed here once one of its pallets is missing, or a pallet has passed that belongs
          elsewhere. Try another status, or look at all shipments.
        </p>
      </Empty>
    )
    : (
      <Empty title={filter === "open" ? "No shipment is open" : "No shipment has this status"}>
        <p>
          A shipment of {place.business.name} appears here once a document names it for {place.facility.name}
          {" "}
          (<code>{slugOf(place)}</code>). The <a href="/v1/docs/">reference of the interface</a>{" "}
          has an example to send.
        </p>
      </Empty>
    )

/** What a number leads to, in place of the list. */
const SearchOf = ({ place, search }: { readonly place: Place; readonly search: string }) => {
  const [pages, setPages] = useState(1)
  const { fault, reload, reloadNow, value } = useLoaded(
    JSON.stringify([slugOf(place), search]),
    () => find(place, search, pages),
    { extent: pages }
  )
  useLive(liveOf(place), { onMessage: () => reload() }, reload, reloadNow)
  return (
    <>
      <div class="toolbar">
        <Search value={search} />
        <button type="button" class="plain" onClick={() => setQuery({ q: "" })}>
          Show all shipments
        </button>
      </div>
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined
        ? fault === undefined ? <Waiting /> : null
        : <Results found={value} place={place} search={search} more={() => setPages(pages + 1)} />}
    </>
  )
}

/** What tells that the list of a place has changed. */
const liveOf = ({ business, facility }: Place) =>
  facility.messages ? { business: business.slug, facility: facility.slug } : undefined

const ListOf = ({ place }: { readonly place: Place }) => {
  const chosen = query.value.get("status") ?? "open"
  const filter = chosen in filters ? chosen : "open"
  const [pages, setPages] = useState(1)
  const given = filtersOf(narrowing)
  const isNarrowed = Object.values(given).some((text) => text !== "")
  const narrowed = { statuses: filters[filter]![1], isWrong: query.value.has("discrepancies"), given }
  const key = JSON.stringify([slugOf(place), narrowed])
  const { fault, reload, reloadNow, value } = useLoaded(
    key,
    () => list(place, narrowed, pages),
    { extent: pages }
  )
  const { announcement, shown, waiting } = useAnnounced(key, value, "shipment")

  useLive(liveOf(place), { onMessage: () => reload() }, reload, reloadNow)

  return (
    <>
      <div class="toolbar">
        <Search value="" />
        <div class="choices" role="group" aria-label="Status">
          {Object.entries(filters).map(([name, [label]]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === filter}
              onClick={() => {
                setPages(1)
                setQuery({ status: name === "open" ? "" : name })
              }}
            >
              {label}
            </button>
          ))}
        </div>
        <Download
          name={`shipments-${slugOf(place)}-${filter}`}
          paths={narrowed.statuses.map((status) => {
            const { discrepancies, ...others } = asked(place, status, narrowed)
            return pathOf("shipments", {
              ...others,
              discrepancies: discrepancies === true ? "true" : ""
            })
          })}
        />
      </div>
      <Filters filters={narrowing} mark={{ name: "discrepancies", label: "With discrepancies" }} />
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined
        ? fault === undefined ? <Waiting /> : null
        : (
          <section class="card">
            {shown.length === 0 && waiting === 0
              ? (
                <Nothing
                  place={place}
                  filter={filter}
                  isNarrowed={isNarrowed}
                  isWrong={narrowed.isWrong}
                />
              )
              : <Table rows={shown} />}
            {value.hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
          </section>
        )}
      {announcement}
    </>
  )
}

/** The view. */
export const Shipments = () => {
  const chosen = place.value
  const search = query.value.get("q") ?? ""
  return (
    <>
      <div class="view-head">
        <h1>Shipments</h1>
      </div>
      {chosen === undefined
        ? null
        : search === ""
        ? <ListOf key={slugOf(chosen)} place={chosen} />
        : <SearchOf key={slugOf(chosen)} place={chosen} search={search} />}
    </>
  )
}
