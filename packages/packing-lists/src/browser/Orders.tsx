/** The outcomes of orders, and their faults. */
import { Badge, href, Rows } from "@dockline/dashboard/browser/PageParts"
import type { Column, Toned } from "@dockline/dashboard/browser/PageParts"
import type { OrderOutcome, PackingListOrder } from "../domain/PackingList.ts"
import type { CellFault } from "../mapping/CellFault.ts"
import { fieldWords } from "../mapping/FieldWords.ts"

const outcomes: Readonly<Record<OrderOutcome, readonly [before: Toned, after: Toned]>> = {
  CREATED: [["Would be created", "ok"], ["Created", "ok"]],
  UPDATED: [["Would be updated", "calm"], ["Updated", "ok"]],
  REFUSED: [["Would be refused", "bad"], ["Refused", "bad"]],
  FAULTY: [["Has faults", "bad"], ["Has faults, not sent", "bad"]]
}

/** The place and the description of a fault: `D2, Qty: is no number`. */
export const faultText = ({ column, detail, field, name, row, sheet, value }: CellFault): string => {
  const cell = row === 0 ? "The file" : column === "" ? `Row ${row}` : `${column}${row}`
  const at = [
    ...sheet === "" ? [] : [`Sheet ${sheet}`],
    cell,
    ...name === "" || name === column ? [] : [name]
  ]
  const what = name === "" && field !== "" ? `${fieldWords[field] ?? field} ` : ""
  return `${at.join(", ")}: ${value === "" ? "" : `“${value}” `}${what}${detail}`
}

export const Faults = ({ faults }: { readonly faults: ReadonlyArray<CellFault> }) =>
  faults.length === 0 ? null : (
    <ul>
      {faults.map((fault) => <li key={faultText(fault)} class="removed">{faultText(fault)}</li>)}
    </ul>
  )

const orderColumns = (isSent: boolean): ReadonlyArray<Column<PackingListOrder>> => [
  [
    "Order",
    ({ orderNumber, shipmentId }) =>
      isSent && shipmentId !== ""
        ? <a href={href(`/shipments/${shipmentId}`)}>{orderNumber}</a>
        : orderNumber,
    "main"
  ],
  ["Outcome", ({ outcome }) => <Badge of={outcomes[outcome][isSent ? 1 : 0]} />, "end"],
  ["Shipment", ({ shipmentNumber }) => shipmentNumber, "left", "Shipment"],
  ["Created", ({ created }) => created, "number", "Items created"],
  ["Updated", ({ updated }) => updated, "number", "Items updated"],
  ["Removed", ({ removed }) => removed, "number", "Items removed"],
  ["What is wrong", ({ faults }) => <Faults faults={faults} />, "wide"]
]

/** Orders with their outcomes. */
export const Orders = ({ isSent, orders }: {
  readonly isSent: boolean
  readonly orders: ReadonlyArray<PackingListOrder>
}) => (
  <Rows
    classes="cards"
    id={({ orderNumber, shipmentNumber }) => `${shipmentNumber} ${orderNumber}`}
    rows={orders}
    columns={orderColumns(isSent)}
  />
)
