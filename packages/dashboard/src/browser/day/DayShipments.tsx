/** The shipments that a number of a day or a week counts. */
import { run } from "../api/request.ts"
import { numbersAdded } from "../capability.ts"
import { href, query } from "../router.ts"
import { slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { Empty } from "../ui/Frame.tsx"
import { Download, PagedList, pathOf } from "../ui/lists.tsx"
import type { Column } from "../ui/lists.tsx"
import { Direction, ShipmentStatus, Time } from "../ui/Parts.tsx"
import { nameIn } from "../ui/words.ts"
import { dayShipments, nameOfNumber, numberOf, numbers, queryOf, titleOf } from "./days.ts"
import type { DayShipmentRow } from "./days.ts"

const columns: ReadonlyArray<Column<DayShipmentRow>> = [
  ["Shipment", ({ id, shipmentNumber }) => <a href={href(`/shipments/${id}`)}>{shipmentNumber}</a>, "main"],
  ["Status", (row) => <ShipmentStatus shipment={{ status: row.status, progress: row }} />, "end"],
  ["Direction", ({ direction }) => <Direction direction={direction} />, "", "Direction"],
  ["Dock", ({ dockSlug }) => dockSlug, "", "Dock"],
  ["Carrier", ({ carrier }) => carrier, "", "Carrier"],
  ["Arrived", ({ arrivedAt }) => arrivedAt ? <Time time={arrivedAt} /> : null, "number", "Arrived"],
  ["Departed", ({ departedAt }) => departedAt ? <Time time={departedAt} /> : null, "number", "Departed"],
  ["Pallets", ({ palletsIn, palletsOut }) => palletsIn + palletsOut, "number", "Pallets"]
]

/** The columns of the numbers of other capabilities: the last number of each. */
const columnsAdded = (): ReadonlyArray<Column<DayShipmentRow>> =>
  numbersAdded().flatMap((numbers) => numbers.slice(-1)).map(([number, label]) => [
    label,
    (row) => numberOf(row, number),
    "number",
    label
  ])

/** The groupings of days, with their labels. */
const groups = {
  TOTAL: "",
  DATE: "day",
  HOUR: "hour",
  DOCK: "dock",
  CARRIER: "carrier",
  SUPPLIER: "supplier"
}

export const DayShipments = ({ place }: { readonly place: Place }) => {
  const days = queryOf(place)
  const parameters = query.value
  const number = nameIn(numbers(), parameters.get("counted")) ?? "shipments"
  const group = nameIn(groups, parameters.get("group")) ?? "TOTAL"
  const name = parameters.get("name") ?? ""
  const selection = { ...days, group, name, counted: number }
  const back = new URLSearchParams(parameters)
  for (const each of ["group", "name", "counted"]) back.delete(each)
  const what = groups[group]
  return (
    <>
      <div class="view-head">
        <div>
          <nav class="crumbs no-print" aria-label="Above this page">
            <a href={href(`/day?${back.toString()}`)}>{titleOf(days)}</a>
          </nav>
          <h1>
            {nameOfNumber(number)}
            {what === "" ? "" : name === "" ? `, without ${what}` : `, ${what} ${name}`}
          </h1>
        </div>
        <Download
          name={`day-${slugOf(place)}-${days.date}-${number}`}
          paths={[pathOf("day/shipments", selection)]}
        />
      </div>
      <PagedList
        queries={[selection]}
        read={(query) => run(dayShipments, query)}
        noun="shipment"
        empty={<Empty title="No shipment is counted" />}
        columns={[...columns, ...columnsAdded()]}
      />
    </>
  )
}
