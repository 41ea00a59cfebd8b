/** The shipments and pallets of a lot, an SKU or an LPN, such as for a recall, to read, to print and to save. */
import type { trace as capability } from "@dockline/core/trace/TraceCapability"
import { listsOf } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import type { Place } from "../session.ts"
import { submitting } from "../ui/forms.ts"
import { Empty, EmptyCard, PageHead, Print } from "../ui/Frame.tsx"
import { Download, PagedList, pathOf } from "../ui/lists.tsx"
import type { Column } from "../ui/lists.tsx"
import { Badge, over, Select, Status, TextInput, Time } from "../ui/Parts.tsx"

const traceList = listsOf<(typeof capability)["operations"]>()(
  "trace",
  { business: "String", lot: "String", sku: "String", lpn: "String" },
  "id lot sku lpn quantity quantityUnit expirationDate facility orderNumber consigneeName shipmentId shipmentNumber status departedAt \
palletId seenShipmentId seenShipmentNumber seenDirection seenDockSlug seenAt"
)
type Row = Of<typeof traceList>

const keys = [["lot", "Lot"], ["sku", "SKU"], ["lpn", "LPN"]] as const

type Key = typeof keys[number][0]

/** The kind of key and the text to trace goods by, from the address. */
const keyAndText = (): readonly [key: Key, text: string] => {
  const key = keys.find(([key]) => query.value.has(key))
  return key === undefined ? ["lot", ""] : [key[0], query.value.get(key[0]) ?? ""]
}

const Sighting = ({ row }: { readonly row: Row }) =>
  row.seenAt === ""
    ? <span class="soft">Not seen</span>
    : (
      <>
        {over(
          <a href={href(`/shipments/${row.seenShipmentId}/pallets/${row.palletId}`)}>
            {row.seenDirection === "LOADING" ? "Loaded" : "Unloaded"} at {row.seenDockSlug}
          </a>,
          <Time time={row.seenAt} near />
        )}
        {row.seenShipmentId === row.shipmentId
          ? null
          : <Badge of={[`On ${row.seenShipmentNumber}`, "bad"]} />}
      </>
    )

const columns: ReadonlyArray<Column<Row>> = [
  ["LPN", ({ lpn }) => lpn === "" ? <span class="soft">None</span> : lpn, "main mono"],
  ["SKU", ({ sku }) => sku, "", "SKU"],
  [
    "Lot",
    ({ expirationDate, lot }) => over(lot, expirationDate === "" ? "" : `Expires ${expirationDate}`),
    "",
    "Lot"
  ],
  ["Quantity", ({ quantity, quantityUnit }) => `${quantity} ${quantityUnit}`, "number nowrap", "Quantity"],
  ["Order", ({ consigneeName, orderNumber }) => over(orderNumber, consigneeName), "", "Order"],
  [
    "Shipment",
    ({ facility, shipmentId, shipmentNumber }) =>
      over(<a href={href(`/shipments/${shipmentId}`)}>{shipmentNumber}</a>, facility.name),
    "",
    "Shipment"
  ],
  ["Status", ({ status }) => <Status status={status} />, "end"],
  ["Seen last", (row) => <Sighting row={row} />, "", "Seen"],
  [
    "Left",
    ({ departedAt }) =>
      departedAt === "" ? <span class="soft">Not yet</span> : <Time time={departedAt} near />,
    "number",
    "Left"
  ]
]

/** The goods of a business with a lot, an SKU or an LPN, at all facilities that the reader may see. */
export const Trace = ({ place: { business } }: { readonly place: Place }) => {
  const [key, text] = keyAndText()
  const filter = { business: business.slug, [key]: text }
  const name = keys.find(([each]) => each === key)![1]
  return (
    <>
      <PageHead
        title={text === "" ? "Trace" : `${name} ${text}`}
        lead={`Where goods came from, where they went, and where their pallets were seen last: ${business.name}`}
      >
        {text === "" ? null : <Download name={`trace-${key}-${text}`} paths={[pathOf("trace", filter)]} />}
        <Print />
      </PageHead>
      <form
        class="filters no-print"
        data-open="true"
        role="search"
        aria-label="Trace"
        onSubmit={submitting((valueOf) => {
          const key = keys.find(([each]) => each === valueOf("key"))?.[0] ?? "lot"
          setQuery({ lot: "", sku: "", lpn: "", [key]: valueOf("text") })
        })}
      >
        <label>
          By
          <Select name="key" options={keys} first={key} />
        </label>
        <label>
          Exactly as on the item
          <TextInput key={`${key} ${text}`} name="text" required defaultValue={text} />
        </label>
        <button class="button">Trace</button>
      </form>
      {text === ""
        ? (
          <EmptyCard title="Trace goods for a recall">
            Enter a lot, an SKU or an LPN. The page then lists each item that has it, with its shipment and
            pallet.
          </EmptyCard>
        )
        : (
          <PagedList
            queries={[filter]}
            read={(query) => run(traceList, query)}
            noun="item"
            empty={
              <Empty title={`No item has the ${name} ${text}`}>
                Capital letters, zeros and spaces count.
              </Empty>
            }
            columns={columns}
          />
        )}
    </>
  )
}
