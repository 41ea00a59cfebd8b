/** The shipments that a number of a day or a week counts. */
import type { DayNumber } from "@dockline/core/Day"
import { dayShipments } from "../../api/operations.ts"
import type { DayShipmentRow } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import { href, query } from "../../router.ts"
import { slugOf } from "../../session.ts"
import type { Place } from "../../session.ts"
import { Download, pathOf } from "../../ui/Download.tsx"
import { PagedList } from "../../ui/PagedList.tsx"
import { Direction, Empty, Heads, ShipmentStatus, Time } from "../../ui/Parts.tsx"
import { asked, numbers, titleOf } from "./days.ts"

const DayTable = ({ rows }: { readonly rows: ReadonlyArray<DayShipmentRow> }) => (
  <table class="table rows cards">
    <Heads
      names={["Shipment", "Status", "Direction", "Dock", "Carrier", "Arrived", "Departed", ["Pallets in"], [
        "Pallets out"
      ], ["Open exceptions"]]}
    />
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td class="main">
            <a href={href(`/shipments/${row.id}`)}>{row.shipmentNumber}</a>
          </td>
          <td class="end">
            <ShipmentStatus shipment={{ status: row.status, progress: row }} />
          </td>
          <td data-label="Direction">
            <Direction direction={row.direction} />
          </td>
          <td data-label="Dock">{row.dockSlug}</td>
          <td data-label="Carrier">{row.carrier}</td>
          <td class="number" data-label="Arrived">
            {row.arrivedAt ? <Time time={row.arrivedAt} near /> : null}
          </td>
          <td class="number" data-label="Departed">
            {row.departedAt ? <Time time={row.departedAt} near /> : null}
          </td>
          <td class="number" data-label="Pallets in">{row.palletsIn}</td>
          <td class="number" data-label="Pallets out">{row.palletsOut}</td>
          <td class="number" data-label="Open exceptions">{row.openExceptions}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const groups = [["TOTAL", ""], ["DATE", "day"], ["HOUR", "hour"], ["DOCK", "dock"], ["CARRIER", "carrier"], [
  "SUPPLIER",
  "supplier"
]] as const

/** The page of these shipments. */
export const DayShipments = ({ place }: { readonly place: Place }) => {
  const days = asked(place)
  const given = query.value
  const counted =
    (Object.keys(numbers) as ReadonlyArray<DayNumber>).find((number) => number === given.get("counted")) ??
      "shipments"
  const group = groups.find(([kind]) => kind === given.get("group"))?.[0] ?? "TOTAL"
  const name = given.get("name") ?? ""
  const wanted = { ...days, group, name, counted }
  const back = new URLSearchParams(given)
  for (const each of ["group", "name", "counted"]) back.delete(each)
  const what = groups.find(([kind]) => kind === group)?.[1] ?? ""
  return (
    <>
      <div class="view-head">
        <div>
          <nav class="crumbs no-print" aria-label="Above this page">
            <a href={href(`/day?${back.toString()}`)}>{titleOf(days)}</a>
          </nav>
          <h1>
            {numbers[counted]}
            {what === "" ? "" : name === "" ? `, without ${what}` : `, ${what} ${name}`}
          </h1>
        </div>
        <Download
          name={`day-${slugOf(place)}-${days.date}-${counted}`}
          paths={[pathOf("day/shipments", wanted)]}
        />
      </div>
      <PagedList
        id={JSON.stringify(wanted)}
        noun="shipment"
        read={[(after) => run(dayShipments, { ...wanted, after })]}
        empty={<Empty title="No shipment is counted" />}
      >
        {(rows) => <DayTable rows={rows} />}
      </PagedList>
    </>
  )
}
