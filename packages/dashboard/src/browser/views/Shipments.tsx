/** The shipments of a facility, or what a number on paper leads to. */
import { useState } from "preact/hooks"
import { shipments } from "../api/operations.ts"
import type { ShipmentRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { amount } from "../ui/amounts.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { Filters, filtersOf } from "../ui/Filters.tsx"
import type { Filter } from "../ui/Filters.tsx"
import { Empty, Loaded } from "../ui/Frame.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { PagedList } from "../ui/PagedList.tsx"
import { Choices, Direction, firstOf, Plain, ShipmentStatus, Time } from "../ui/Parts.tsx"
import { Progress } from "../ui/Progress.tsx"
import { Rows } from "../ui/Rows.tsx"
import type { Column } from "../ui/Rows.tsx"
import { SavedViews } from "../ui/SavedViews.tsx"
import { find, Results, Search } from "./Search.tsx"

type Status = Row["status"]

const filters: Readonly<Record<string, readonly [label: string, statuses: ReadonlyArray<Status>]>> = {
  open: ["Open", ["ARRIVED", "SCHEDULED"]],
  expected: ["Expected", ["SCHEDULED"]],
  docked: ["At dock", ["ARRIVED"]],
  departed: ["Departed", ["DEPARTED"]],
  cancelled: ["Cancelled", ["CANCELLED"]]
}

const timeOf = ({ expectedArrivalAt, statusEvents, status }: Row): string =>
  statusEvents.find((event) => event.status === status && status !== "SCHEDULED")?.completedAt ??
    expectedArrivalAt

const narrowing: ReadonlyArray<Filter> = [
  { name: "carrier", label: "Carrier" },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" }
]

/** Expected shipments are listed from the next one on, past ones from the latest. */
const orderOf = (status: Status) => status === "DEPARTED" || status === "CANCELLED" ? "LATEST" : "EARLIEST"

const numbersOf = ({ orders }: Row): ReadonlyArray<string> => orders.map(({ orderNumber }) => orderNumber)

const columns: ReadonlyArray<Column<Row>> = [
  ["Shipment", ({ id, shipmentNumber }) => <a href={href(`/shipments/${id}`)}>{shipmentNumber}</a>, "main"],
  ["Status", (row) => <ShipmentStatus shipment={row} />, "end"],
  ["Direction", ({ direction, dockSlug }) => (
    <>
      <Direction direction={direction} />
      {dockSlug === "" ? null : <span class="on-phone soft">, dock {dockSlug}</span>}
    </>
  ), "left"],
  ["Dock", ({ dockSlug }) => dockSlug, "not-phone"],
  ["Carrier", ({ carrier, trailerNumber }) => (
    <>
      {carrier}
      {trailerNumber === "" ? null : <span class="sub">Trailer {trailerNumber}</span>}
    </>
  ), "wide carrier"],
  [
    "Orders",
    (row) => firstOf(numbersOf(row)),
    "wide orders",
    (row) => numbersOf(row).length === 1 ? "Order" : "Orders"
  ],
  ["Pallets", (row) => <Progress shipment={row} />, "wide pallets"],
  ["Time", (row) => <Time time={timeOf(row)} near due={row.status === "SCHEDULED"} />, "number end when"]
]

const Nothing = ({ filter, isNarrowed, isWrong, place }: {
  readonly place: Place
  readonly isNarrowed: boolean
  readonly isWrong: boolean
  readonly filter: string
}) => {
  if (isNarrowed) {
    return (
      <Empty title="No shipment matches these filters">
        Enter the whole name of the carrier, as documents spell it. A shipment counts on the day of its
        departure or, before that, of its arrival or expected arrival. Try another status, or clear the
        filters.
      </Empty>
    )
  }
  if (isWrong) {
    return (
      <Empty title="No shipment has discrepancies">
        A shipment is listed here when one of its pallets is missing, or when a pallet has passed that belongs
        elsewhere. Try another status, or clear the filter.
      </Empty>
    )
  }
  return (
    <Empty title={filter === "open" ? "No shipment is open" : "No shipment has this status"}>
      A shipment of {place.business.name} appears here once a document names it for {place.facility.name}{" "}
      (<code>{slugOf(place)}</code>). The <a href="/v1/docs/">reference of the interface</a>{" "}
      has an example to send.
    </Empty>
  )
}

const SearchOf = ({ place, search }: { readonly place: Place; readonly search: string }) => {
  const [pages, setPages] = useState(1)
  const state = useLoaded(
    JSON.stringify([slugOf(place), search]),
    () => find(place, search, pages),
    { extent: pages }
  )
  useLive(followedOf(place), { onMessage: state.reload }, state.reload, state.reloadNow)
  return (
    <Loaded state={state}>
      {(found) => <Results found={found} place={place} search={search} more={() => setPages(pages + 1)} />}
    </Loaded>
  )
}

const chosenStatus = () => {
  const chosen = query.value.get("status") ?? "open"
  const filter = chosen in filters ? chosen : "open"
  return { filter, statuses: filters[filter]![1] }
}

/** What the list of a place is asked for, beside its status. */
const askedOf = (place: Place) => {
  const { carrier, from = "", to = "" } = filtersOf(narrowing)
  return { ...slugsOf(place), carrier: carrier || undefined, ...dayRange(from, to) }
}

const Tools = ({ place }: { readonly place: Place }) => {
  const { filter, statuses } = chosenStatus()
  const asked = { ...askedOf(place), discrepancies: query.value.has("discrepancies") ? "true" : "" }
  return (
    <>
      <Choices
        label="Status"
        options={Object.entries(filters).map(([name, [label]]) => [name, label])}
        chosen={filter}
        choose={(name) => setQuery({ status: name === "open" ? "" : name })}
      />
      <a class="button not-phone no-print" href={href("/trace")}>Trace a lot</a>
      <Download
        name={`shipments-${slugOf(place)}-${filter}`}
        paths={statuses.map((status) => pathOf("shipments", { ...asked, status, order: orderOf(status) }))}
      />
    </>
  )
}

const palletsOf = (rows: ReadonlyArray<Row>): string => {
  const sum = (of: (progress: Row["progress"]) => number): number =>
    rows.reduce((total, { progress }) => total + of(progress), 0)
  const passed = sum(({ passedPallets, unexpectedPallets }) => passedPallets - unexpectedPallets)
  const unexpected = sum(({ unexpectedPallets }) => unexpectedPallets)
  return `${amount(passed)} of ${amount(sum(({ expectedPallets }) => expectedPallets))} pallets have passed` +
    (unexpected === 0 ? "" : `, ${amount(unexpected)} unexpected`)
}

const ListOf = ({ place }: { readonly place: Place }) => {
  const { filter, statuses } = chosenStatus()
  const given = filtersOf(narrowing)
  const isWrong = query.value.has("discrepancies")
  const asked = askedOf(place)
  return (
    <>
      <Filters filters={narrowing} mark={{ name: "discrepancies", label: "With discrepancies" }} />
      <PagedList
        id={JSON.stringify([slugOf(place), filter, isWrong, given])}
        noun="shipment"
        read={statuses.map((status) => (after) =>
          run(shipments, {
            ...asked,
            status,
            order: orderOf(status),
            discrepancies: isWrong ? true : undefined,
            after
          })
        )}
        followed={followedOf(place)}
        isChangedByMessages
        total={palletsOf}
        empty={
          <Nothing
            place={place}
            filter={filter}
            isNarrowed={Object.values(given).some((text) => text !== "")}
            isWrong={isWrong}
          />
        }
      >
        {(rows) => <Rows rows={rows} id={({ id }) => id} columns={columns} />}
      </PagedList>
    </>
  )
}

export const Shipments = ({ place }: { readonly place: Place }) => {
  const search = query.value.get("q") ?? ""
  return (
    <>
      <div class="view-head">
        <h1>Shipments</h1>
        <SavedViews />
      </div>
      <div class="toolbar">
        {/* The field keeps its place and the focus while its results come and go. */}
        <Search value={search} />
        {search === "" ?
          <Tools place={place} /> :
          <Plain onClick={() => setQuery({ q: "" })}>Show all shipments</Plain>}
      </div>
      {search === "" ? <ListOf place={place} /> : <SearchOf key={search} place={place} search={search} />}
    </>
  )
}
