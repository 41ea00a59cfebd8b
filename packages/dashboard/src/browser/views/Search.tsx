/** The results for a number on paper: shipments, and documents that removed an LPN. */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { useEffect, useRef, useState } from "preact/hooks"
import { readPages, search } from "../api/operations.ts"
import type { Hit } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { messagesOf, slugOf } from "../session.ts"
import type { Place, PlaceNames } from "../session.ts"
import { submitting } from "../ui/forms.ts"
import { EmptyCard, LoadedData, Part } from "../ui/Frame.tsx"
import { Rows } from "../ui/lists.tsx"
import type { Column } from "../ui/lists.tsx"
import { useFollowed } from "../ui/loaded.ts"
import { Badge, More, over, SearchIcon, ShipmentStatus, TextInput, Time } from "../ui/Parts.tsx"

interface FoundShipment {
  readonly id: number
  readonly hits: readonly [Hit, ...ReadonlyArray<Hit>]
}

export interface Finding {
  readonly rows: ReadonlyArray<FoundShipment>
  /** The documents that removed the number as an LPN. */
  readonly removals: ReadonlyArray<Hit>
  readonly hasMore: boolean
}

/** The most hits of a page. */
const pageLimit = 20

/** Searches for a number at all facilities of the business that the reader may see, up to this many pages. */
export const find = async (
  { business: { slug } }: PlaceNames,
  text: string,
  pages: number
): Promise<Finding> => {
  const { hasMore, rows: nodes } = await readPages(
    pages,
    (after) => run(search, { business: slug, text, after, first: pageLimit })
  )
  const shipments = new Map<number, [Hit, ...Array<Hit>]>()
  for (const hit of nodes.filter(({ kind }) => kind !== "REMOVAL")) {
    const others = shipments.get(hit.shipmentId)
    if (others === undefined) shipments.set(hit.shipmentId, [hit])
    else others.push(hit)
  }
  return {
    rows: Array.from(shipments, ([id, hits]) => ({ id, hits })),
    removals: nodes.filter(({ kind }) => kind === "REMOVAL"),
    hasMore
  }
}

/** The address of the page of a shipment; it contains the LPN if an item or a pallet was found. */
export const pageOf = ({ kind, shipmentId, text }: Hit): string =>
  href(`/shipments/${shipmentId}`, kind === "ITEM" || kind === "PALLET" ? { q: text } : {})

/** Whether a text is the number for which the reader searched to find this page. */
export const isFound = (text: string): boolean => {
  const search = query.value.get("q")
  return search !== null && search !== "" && lpnKey(text).toLowerCase() === lpnKey(search).toLowerCase()
}

const Where = ({ hit: { kind, orderNumber, palletId, shipmentId, text } }: { readonly hit: Hit }) => {
  switch (kind) {
    case "PALLET":
      return (
        <>
          Pallet <a href={href(`/shipments/${shipmentId}/pallets/${palletId}`)}>{text}</a>, seen
        </>
      )
    case "ITEM":
      return <>Pallet {text}, expected by order {orderNumber}</>
    case "ORDER":
      return <>Order {text}</>
    case "TRAILER":
      return <>Trailer {text}</>
    default:
      return <>Shipment {text}</>
  }
}

export const columnsAt = (here: PlaceNames): ReadonlyArray<Column<FoundShipment>> => [
  [
    "Shipment",
    ({ hits: [first] }) =>
      over(
        <a href={pageOf(first)}>{first.shipmentNumber}</a>,
        first.facility.slug === here.facility.slug ? "" : first.facility.name
      ),
    "main"
  ],
  [
    "Status",
    ({ hits: [first] }) => <ShipmentStatus shipment={{ status: first.status, progress: first }} />,
    "end"
  ],
  [
    "Found",
    ({ hits }) =>
      hits.map((hit, index) => (
        <span key={hit.id} class={index === 0 ? undefined : "sub"}>
          <Where hit={hit} />
        </span>
      )),
    "left"
  ]
]

/** The documents that removed an LPN. */
export const Removals = ({ of }: { readonly of: ReadonlyArray<Hit> }) => (
  <ul class="removals">
    {of.map(({ documentId, id, removedAt, removedBy, shipmentNumber }) => (
      <li key={id}>
        <Badge of={["Removed", "bad"]} /> <Time time={removedAt} near /> by {removedBy},{" "}
        <a href={href(`/documents/${documentId}`)}>document {documentId}</a> for shipment {shipmentNumber}
      </li>
    ))}
  </ul>
)

/** The results for a number, page by page. */
export const Results = ({ place, text }: { readonly place: Place; readonly text: string }) => {
  const [pages, setPages] = useState(1)
  const state = useFollowed(
    JSON.stringify([slugOf(place), text]),
    () => find(place, text, pages),
    { extent: pages, source: () => messagesOf(place) }
  )
  return (
    <LoadedData state={state}>
      {({ hasMore, removals, rows }) => (
        <>
          {rows.length === 0 ? null : (
            <section class="card">
              <Rows rows={rows} columns={columnsAt(place)} />
              {hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
            </section>
          )}
          {rows.length > 0 || removals.length > 0 ?
            null :
            (
              <EmptyCard title={`Nothing has the number ${text}`}>
                Check the number: the last six characters are enough, but shorter numbers have to be complete.
                Dockline has searched for shipments, orders, trailers and LPNs at all facilities of{" "}
                {place.business.name}{" "}
                that you may see. An LPN is found when a document has named it or a tower has seen it, even
                after a document has removed it.
              </EmptyCard>
            )}
          {removals.length === 0 ? null : (
            <Part id="removals" title={`Pallet ${text} was removed`}>
              <Removals of={removals} />
            </Part>
          )}
        </>
      )}
    </LoadedData>
  )
}

const restMillis = 300

/**
 * The minimum length of a text that is searched for while the reader types. A shorter text needs Enter, because most short texts are the
 * beginning of a longer number, and match nothing.
 */
const shortest = 6

/** The search field: it searches while the reader types, and at once on Enter. */
export const Search = ({ value }: { readonly value: string }) => {
  const [text, setText] = useState(value)
  /** The last text for which this field has searched; any other value comes from the address. */
  const lastQuestion = useRef(value)
  useEffect(() => {
    if (value !== lastQuestion.current) setText(value)
    lastQuestion.current = value
  }, [value])
  const ask = (input: string): void => {
    lastQuestion.current = input
    setQuery({ q: input })
  }
  useEffect(() => {
    const input = text.trim()
    if (input === lastQuestion.current || (input !== "" && input.length < shortest)) return
    const timer = setTimeout(() => ask(input), input === "" ? 0 : restMillis)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <form
      class="search"
      role="search"
      aria-label="Find"
      onSubmit={submitting(() => ask(text.trim()))}
    >
      <SearchIcon />
      <TextInput
        name="q"
        type="search"
        value={text}
        placeholder="Shipment, order, trailer or LPN"
        aria-label="Find by number of the shipment, order or trailer, or by LPN"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button class="plain">Find</button>
    </form>
  )
}
