/** The shipments of a facility, or the results for a number on paper. */
import { shipments } from "../api/operations.ts"
import type { ShipmentRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { shipmentsLinks } from "../capability.ts"
import { href, query, setQuery } from "../router.ts"
import { messagesOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayRange } from "../time.ts"
import { Empty, PageHead, SendExample } from "../ui/Frame.tsx"
import { Download, Filters, filtersOf, isNarrowed, PagedList, pathOf } from "../ui/lists.tsx"
import type { Column, Filter } from "../ui/lists.tsx"
import { Choices, Direction, firstOf, over, Plain, ShipmentStatus, Time } from "../ui/Parts.tsx"
import { Progress } from "../ui/Progress.tsx"
import { amount, nameIn, optionsOf } from "../ui/words.ts"
import { Results, Search } from "./Search.tsx"

type Status = Row["status"]

const filters = {
  open: ["Open", ["ARRIVED", "SCHEDULED"]],
  expected: ["Expected", ["SCHEDULED"]],
  docked: ["At dock", ["ARRIVED"]],
  departed: ["Departed", ["DEPARTED"]],
  cancelled: ["Cancelled", ["CANCELLED"]]
} as const satisfies Readonly<Record<string, readonly [label: string, statuses: ReadonlyArray<Status>]>>

const timeOf = ({ expectedArrivalAt, statusEvents, status }: Row): string =>
  statusEvents.find((event) => event.status === status && status !== "SCHEDULED")?.completedAt ??
    expectedArrivalAt

const narrowing: ReadonlyArray<Filter> = [
  { name: "carrier", label: "Carrier" },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" }
]

/** Lists of expected shipments begin with the next one, lists of past ones with the latest. */
const orderOf = (status: Status): "LATEST" | "EARLIEST" =>
  status === "DEPARTED" || status === "CANCELLED" ? "LATEST" : "EARLIEST"

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
  [
    "Carrier",
    ({ carrier, trailerNumber }) => over(carrier, trailerNumber === "" ? "" : `Trailer ${trailerNumber}`),
    "wide carrier"
  ],
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
      (<code>{slugOf(place)}</code>). <SendExample />
    </Empty>
  )
}

const chosenStatus = () => {
  const filter = nameIn(filters, query.value.get("status")) ?? "open"
  return { filter, statuses: filters[filter][1] }
}

/** The queries of the lists of a facility, one for each status. */
const queriesOf = (place: Place) => {
  const { carrier, from = "", to = "" } = filtersOf(narrowing)
  return chosenStatus().statuses.map((status) => ({
    ...slugsOf(place),
    carrier,
    ...dayRange(from, to),
    status,
    order: orderOf(status),
    discrepancies: query.value.has("discrepancies") ? true : undefined
  }))
}

const Tools = ({ place }: { readonly place: Place }) => {
  const { filter } = chosenStatus()
  return (
    <>
      <Choices
        label="Status"
        options={optionsOf(filters)}
        choice={filter}
        choose={(name) => setQuery({ status: name === "open" ? "" : name })}
      />
      {shipmentsLinks().map(({ label, target }) => (
        <a key={target} class="button not-phone no-print" href={href(target)}>{label}</a>
      ))}
      <Download
        name={`shipments-${slugOf(place)}-${filter}`}
        paths={queriesOf(place).map((each) => pathOf("shipments", each))}
      />
    </>
  )
}

const palletsOf = (rows: ReadonlyArray<Row>): string => {
  const sum = (of: (progress: Row["progress"]) => number): number =>
    rows.reduce((total, { progress }) => total + of(progress), 0)
  const passes = sum(({ passedPallets, unexpectedPallets }) => passedPallets - unexpectedPallets)
  const unexpected = sum(({ unexpectedPallets }) => unexpectedPallets)
  return `${amount(passes)} of ${amount(sum(({ expectedPallets }) => expectedPallets))} pallets have passed` +
    (unexpected === 0 ? "" : `, ${amount(unexpected)} unexpected`)
}

const ListOf = ({ place }: { readonly place: Place }) => (
  <>
    <Filters filters={narrowing} mark={{ name: "discrepancies", label: "With discrepancies" }} />
    <PagedList
      queries={queriesOf(place)}
      read={(query) => run(shipments, query)}
      noun="shipment"
      source={messagesOf(place)}
      isChangedByMessages
      total={palletsOf}
      empty={
        <Nothing
          place={place}
          filter={chosenStatus().filter}
          isNarrowed={isNarrowed(filtersOf(narrowing))}
          isWrong={query.value.has("discrepancies")}
        />
      }
      columns={columns}
    />
  </>
)

export const Shipments = ({ place }: { readonly place: Place }) => {
  const search = query.value.get("q") ?? ""
  return (
    <>
      <PageHead title="Shipments" />
      <div class="toolbar">
        {/* The field stays, with its focus, while its results come and go. */}
        <Search value={search} />
        {search === "" ?
          <Tools place={place} /> :
          <Plain onClick={() => setQuery({ q: "" })}>Show all shipments</Plain>}
      </div>
      {search === "" ? <ListOf place={place} /> : <Results key={search} place={place} text={search} />}
    </>
  )
}
