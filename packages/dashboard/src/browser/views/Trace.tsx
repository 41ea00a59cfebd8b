/** What became of a lot, an SKU or an LPN, such as for a recall: its shipments and pallets, to look at, to print and to save. */
import { trace } from "../api/operations.ts"
import type { TraceRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import type { Place } from "../session.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { submitting } from "../ui/forms.ts"
import { Empty, EmptyCard, PageHead, Print } from "../ui/Frame.tsx"
import { PagedList } from "../ui/PagedList.tsx"
import { Status, TextInput, Time } from "../ui/Parts.tsx"
import { Rows } from "../ui/Rows.tsx"
import type { Column } from "../ui/Rows.tsx"

const keys = [["lot", "Lot"], ["sku", "SKU"], ["lpn", "LPN"]] as const

type Key = typeof keys[number][0]

/** The key by which goods are traced, and the text, as the address has them. */
const asked = (): readonly [key: Key, text: string] => {
  const given = keys.find(([key]) => query.value.has(key))
  return given === undefined ? ["lot", ""] : [given[0], query.value.get(given[0]) ?? ""]
}

const Seen = ({ row }: { readonly row: Row }) =>
  row.seenAt === ""
    ? <span class="soft">Not seen</span>
    : (
      <>
        <a href={href(`/shipments/${row.seenShipmentId}/pallets/${row.palletId}`)}>
          {row.seenDirection === "LOADING" ? "Loaded" : "Unloaded"} at {row.seenDockSlug}
        </a>
        <span class="sub">
          <Time time={row.seenAt} near />
        </span>
        {row.seenShipmentId === row.shipmentId
          ? null
          : <span class="badge" data-tone="bad">On {row.seenShipmentNumber}</span>}
      </>
    )

/** A text with another one below it, if there is one. */
const over = (text: string, below: string) => (
  <>
    {text}
    {below === "" ? null : <span class="sub">{below}</span>}
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
    ({ facility, shipmentId, shipmentNumber }) => (
      <>
        <a href={href(`/shipments/${shipmentId}`)}>{shipmentNumber}</a>
        <span class="sub">{facility.name}</span>
      </>
    ),
    "",
    "Shipment"
  ],
  ["Status", ({ status }) => <Status status={status} />, "end"],
  ["Seen last", (row) => <Seen row={row} />, "", "Seen"],
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
  const [key, text] = asked()
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
        onSubmit={submitting((given) => {
          const chosen = keys.find(([each]) => each === given("key"))?.[0] ?? "lot"
          setQuery({ lot: "", sku: "", lpn: "", [chosen]: given("text") })
        })}
      >
        <label>
          By
          <select name="key">
            {keys.map(([value, label]) => (
              <option key={value} value={value} selected={value === key}>{label}</option>
            ))}
          </select>
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
            id={JSON.stringify(filter)}
            noun="item"
            read={[(after) => run(trace, { ...filter, after })]}
            empty={
              <Empty title={`No item has the ${name} ${text}`}>
                Capital letters, zeros and spaces count.
              </Empty>
            }
          >
            {(rows) => <Rows rows={rows} id={({ id }) => id} columns={columns} />}
          </PagedList>
        )}
    </>
  )
}
