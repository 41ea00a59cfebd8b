/** What a number on paper leads to: shipments, a pallet that was seen, and documents that removed an LPN. */
import { documents, ordersByNumber, palletsByLpn, shipments } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { PalletsByLpnResult, ShipmentsResult, ShipmentsVariables } from "../api/results.ts"
import { href, query, setQuery } from "../router.ts"
import type { Place } from "../session.ts"
import { SearchIcon } from "../ui/Icons.tsx"
import { readPages } from "../ui/pages.ts"
import type { Rows } from "../ui/pages.ts"
import { Time } from "../ui/Parts.tsx"
import type { Row as RecordedDocument } from "./Documents.tsx"

type Row = ShipmentsResult["shipments"]["nodes"][number]
type Pallet = PalletsByLpnResult["pallets"]["nodes"][number]

/** What was found by a number. */
export interface Found extends Rows<Row> {
  /** The pallets with this LPN that were seen, by the id of their shipment. */
  readonly pallets: ReadonlyMap<number, Pallet>
  /** The last documents that removed it as an LPN. */
  readonly removals: ReadonlyArray<RecordedDocument>
}

/** The most documents that are shown of those that removed an LPN. */
const removalsAtMost = 5

/**
 * What a number on paper leads to, at all facilities of the business: the shipments with it, those of this trailer, those that
 * hold an order with it, those that expect a pallet of this LPN or on which one was seen, of each kind so many pages, and the
 * documents that removed it.
 */
const findExactly = async (business: string, number: string, pages: number): Promise<Found> => {
  const read = (filter: Partial<ShipmentsVariables>) =>
    readPages(pages, async (after) => (await run(shipments, { business, ...filter, after })).shipments)
  const [removed, byOrder, bySeen, ...direct] = await Promise.all([
    run(documents, { business, lpn: number, first: removalsAtMost }),
    readPages(pages, async (after) => (await run(ordersByNumber, { business, number, after })).orders),
    readPages(pages, async (after) => (await run(palletsByLpn, { business, lpn: number, after })).pallets),
    read({ number }),
    read({ trailer: number }),
    read({ lpn: number })
  ])
  const found = new Map(direct.flatMap(({ rows }) => rows).map((row) => [row.id, row]))
  const others = [...byOrder.rows, ...bySeen.rows].filter(({ shipmentId }) => !found.has(shipmentId))
  const numbers = Array.from(new Set(others.map(({ shipmentNumber }) => shipmentNumber)))
  for (const { rows } of await Promise.all(numbers.map((number) => read({ number })))) {
    for (const row of rows) if (others.some(({ shipmentId }) => shipmentId === row.id)) found.set(row.id, row)
  }
  return {
    rows: Array.from(found.values()),
    hasMore: [byOrder, bySeen, ...direct].some((read) => read.hasMore),
    pages,
    pallets: new Map(bySeen.rows.toReversed().map((pallet) => [pallet.shipmentId, pallet])),
    removals: removed.documents.nodes
  }
}

/** The same for a number in capital letters, or in small ones, where the number as it was written leads to nothing. */
export const find = async (
  { business: { slug } }: Place,
  number: string,
  pages: number
): Promise<Found> => {
  const spellings = new Set([number, number.toUpperCase(), number.toLowerCase()])
  for (const spelling of spellings) {
    const found = await findExactly(slug, spelling, pages)
    if (found.rows.length + found.removals.length > 0) return found
  }
  return { rows: [], hasMore: false, pages, pallets: new Map(), removals: [] }
}

/** The query that tells the page of a shipment what it was found by. */
export const foundBy = (search: string): string =>
  search === "" ? "" : `?${new URLSearchParams({ q: search }).toString()}`

/** Whether a text is what the page was found by. */
export const isFound = (text: string): boolean => {
  const search = query.value.get("q")
  return search !== null && search !== "" && text.toLowerCase() === search.toLowerCase()
}

/** A pallet that was found. */
export const FoundPallet = ({ pallet: { id, lpn, shipmentId } }: { readonly pallet: Pallet }) => (
  <span class="sub">
    Pallet <a href={href(`/shipments/${shipmentId}/pallets/${id}`)}>{lpn}</a>
  </span>
)

/** Says when documents removed an LPN, and who sent them. */
export const Removals = ({ removals, search }: Pick<Found, "removals"> & { readonly search: string }) => (
  <section class="card order" aria-labelledby="removals">
    <header class="order-head">
      <h2 id="removals">Pallet {search} was removed</h2>
    </header>
    <ul class="removals">
      {removals.map((document) => (
        <li key={document.id}>
          <span class="badge" data-tone="bad">Removed</span> <Time time={document.receivedAt} near /> by{" "}
          {document.clientId}, <a href={href(`/documents/${document.id}`)}>document {document.id}</a>{" "}
          for shipment {document.shipmentNumber}
        </li>
      ))}
    </ul>
  </section>
)

/** The field for a number. */
export const Search = ({ value }: { readonly value: string }) => (
  <form
    class="search"
    role="search"
    aria-label="Find"
    onSubmit={(event) => {
      event.preventDefault()
      setQuery({ q: String(new FormData(event.currentTarget).get("q") ?? "").trim() })
    }}
  >
    <SearchIcon />
    <input
      key={value}
      name="q"
      type="search"
      defaultValue={value}
      placeholder="Shipment, order, trailer or LPN"
      aria-label="Find by number of the shipment, order or trailer, or by LPN"
      autocomplete="off"
      spellcheck={false}
      maxLength={1024}
      onInput={({ currentTarget }) => {
        if (currentTarget.value === "") setQuery({ q: "" })
      }}
    />
    <button class="plain">Find</button>
  </form>
)
