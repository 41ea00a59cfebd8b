/** What became of a lot, an SKU or an LPN, such as for a recall: its shipments and pallets, to look at, to print and to save. */
import { trace } from "../api/operations.ts"
import type { TraceRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import type { Place } from "../session.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { PagedList } from "../ui/PagedList.tsx"
import { Empty, Heads, Status, Time } from "../ui/Parts.tsx"

const keys = [["lot", "Lot"], ["sku", "SKU"], ["lpn", "LPN"]] as const

type Key = typeof keys[number][0]

/** The key by which goods are traced, and the text, as the address has them. */
const asked = (): readonly [key: Key, text: string] => {
  const given = keys.find(([key]) => query.value.has(key))
  return given === undefined ? ["lot", ""] : [given[0], query.value.get(given[0]) ?? ""]
}

/** Where the pallet of an item was seen last. */
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

const Rows = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <table class="table rows cards">
    <Heads
      names={["LPN", "SKU", "Lot", ["Quantity"], "Order", "Shipment", "Status", "Seen last", ["Left"]]}
    />
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td class="main mono">{row.lpn === "" ? <span class="soft">None</span> : row.lpn}</td>
          <td data-label="SKU">{row.sku}</td>
          <td data-label="Lot">
            {row.lot}
            {row.expirationDate === "" ? null : <span class="sub">Expires {row.expirationDate}</span>}
          </td>
          <td class="number nowrap" data-label="Quantity">{row.quantity} {row.quantityUnit}</td>
          <td data-label="Order">
            {row.orderNumber}
            {row.consigneeName === "" ? null : <span class="sub">{row.consigneeName}</span>}
          </td>
          <td data-label="Shipment">
            <a href={href(`/shipments/${row.shipmentId}`)}>{row.shipmentNumber}</a>
            <span class="sub">{row.facility.name}</span>
          </td>
          <td class="end">
            <Status status={row.status} />
          </td>
          <td data-label="Seen">
            <Seen row={row} />
          </td>
          <td class="number" data-label="Left">
            {row.departedAt === "" ? <span class="soft">Not yet</span> : <Time time={row.departedAt} near />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The goods of a business with a lot, an SKU or an LPN, at all facilities that the reader may see. */
export const Trace = ({ place: { business } }: { readonly place: Place }) => {
  const [key, text] = asked()
  const filter = { business: business.slug, [key]: text }
  const name = keys.find(([each]) => each === key)![1]
  const choose = (next: Key, value: string): void =>
    setQuery({ lot: "", sku: "", lpn: "", ...value === "" ? {} : { [next]: value } })
  return (
    <>
      <div class="view-head">
        <div>
          <h1>{text === "" ? "Trace" : `${name} ${text}`}</h1>
          <p class="lead">
            Where goods came from, where they went, and where their pallets were seen last: {business.name}
          </p>
        </div>
        {text === ""
          ? null
          : <Download name={`trace-${key}-${text}`} paths={[pathOf("trace", filter)]} />}
        <button type="button" class="plain not-phone no-print" onClick={() => print()}>Print</button>
      </div>
      <form
        class="filters no-print"
        data-open="true"
        role="search"
        aria-label="Trace"
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget)
          const chosen = keys.find(([each]) => each === given.get("key"))?.[0] ?? "lot"
          choose(chosen, String(given.get("text") ?? "").trim())
        }}
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
          <input
            key={`${key} ${text}`}
            type="text"
            name="text"
            required
            maxLength={1024}
            spellcheck={false}
            autocomplete="off"
            defaultValue={text}
          />
        </label>
        <button class="button">Trace</button>
      </form>
      {text === ""
        ? (
          <section class="card">
            <Empty title="A recall in one question">
              <p>
                Give a lot, an SKU or an LPN. Each item that has it is listed with its shipment and pallet.
              </p>
            </Empty>
          </section>
        )
        : (
          <PagedList
            id={JSON.stringify(filter)}
            noun="item"
            read={[(after) => run(trace, { ...filter, after })]}
            empty={
              <Empty title={`No item has the ${name} ${text}`}>
                <p>Capital letters, zeros and spaces count.</p>
              </Empty>
            }
          >
            {(rows) => <Rows rows={rows} />}
          </PagedList>
        )}
    </>
  )
}
