/** The exceptions of a facility or of its business: what people have reported, the urgent first, to be resolved in place. */
import { useState } from "preact/hooks"
import { exceptions } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { ExceptionsResult } from "../api/results.ts"
import { href, query, setQuery } from "../router.ts"
import { place, places, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { useAnnounced } from "../ui/announced.tsx"
import { Download, pathOf } from "../ui/Download.tsx"
import { useMovedFocus } from "../ui/focus.ts"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { readPages } from "../ui/pages.ts"
import type { Rows } from "../ui/pages.ts"
import { Empty, FaultNote, More, Waiting } from "../ui/Parts.tsx"
import { Line, openerOf, Resolve } from "./shipment/ExceptionForms.tsx"

type Row = ExceptionsResult["exceptions"]["nodes"][number]

type Status = Row["status"]

/** The two lists, as people call them. */
const filters = [["OPEN", "Open"], ["RESOLVED", "Resolved"]] as const

/** What is listed of each of them, one after the other: urgent is what is open, and of what is over the last comes first. */
const priorities: Readonly<Record<Status, ReadonlyArray<Row["priority"] | undefined>>> = {
  OPEN: ["HIGH", "LOW"],
  RESOLVED: [undefined]
}

const list = async (
  at: { readonly business: string; readonly facility: string | undefined },
  status: Status,
  pages: number
): Promise<Rows<Row>> => {
  const found = await Promise.all(priorities[status].map((priority) =>
    readPages(
      pages,
      async (after) => (await run(exceptions, { ...at, status, priority, after })).exceptions
    )
  ))
  return { rows: found.flatMap(({ rows }) => rows), hasMore: found.some(({ hasMore }) => hasMore), pages }
}

/** Whether the reader may resolve what belongs to a place. */
const mayResolve = (row: Row): boolean =>
  places.value.find((each) => slugOf(each) === slugOf(row))?.facility.reports === true

/** The id of the heading, where the focus goes when the entry on which it was has gone from the list. */
const heading = "exceptions-heading"

const Entries = ({ isWide, reload, rows }: {
  readonly rows: ReadonlyArray<Row>
  /** Whether they are of several facilities. */
  readonly isWide: boolean
  readonly reload: () => void
}) => {
  /** The id of the exception whose resolution is being written. */
  const [writing, setWriting] = useState("")
  /** Those that the reader has resolved, which are still in what was loaded. */
  const [resolved, setResolved] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  const shown = rows.filter(({ id, status }) => status === "RESOLVED" || !resolved.has(id))
  const close = (focusOn: string): void => {
    setWriting("")
    moveFocus(focusOn)
  }
  return (
    <>
      <p class="said unseen" role="status">{said}</p>
      <ul class="exceptions">
        {shown.map((exception) => (
          <Line
            key={exception.id}
            exception={exception}
            where={
              <>
                <a href={href(`/shipments/${exception.shipmentId}`)}>{exception.shipmentNumber}</a>
                {isWide ? <span class="soft">{exception.facility.name}</span> : null}
              </>
            }
            open={mayResolve(exception) ? () => setWriting(exception.id) : undefined}
            form={writing === exception.id
              ? (
                <Resolve
                  shipmentId={exception.shipmentId}
                  exceptionId={exception.id}
                  done={() => {
                    setResolved(new Set([...resolved, exception.id]))
                    setSaid(`The exception of ${exception.shipmentNumber} is resolved.`)
                    close(heading)
                    reload()
                  }}
                  cancel={() => close(openerOf(exception.id))}
                />
              )
              : undefined}
          />
        ))}
      </ul>
    </>
  )
}

const ExceptionsOf = ({ place }: { readonly place: Place }) => {
  const chosen = query.value.get("status")
  const status: Status = chosen === "resolved" ? "RESOLVED" : "OPEN"
  const isWide = query.value.has("business")
  const [pages, setPages] = useState(1)
  const at = { business: place.business.slug, facility: isWide ? undefined : place.facility.slug }
  const key = `exceptions ${slugOf(place)} ${status} ${isWide}`
  const { fault, reload, reloadNow, value } = useLoaded(key, () => list(at, status, pages), { extent: pages })
  const { announcement, shown, waiting } = useAnnounced(key, value, "exception")
  // Nothing tells of exceptions; what is followed tells that the service is there.
  useLive(
    place.facility.messages ? { business: place.business.slug, facility: place.facility.slug } : undefined,
    {},
    reload,
    reloadNow
  )
  const ofBusiness = place.business.facilities.length > 1
  const where = isWide ? place.business.name : place.facility.name
  return (
    <>
      <div class="toolbar">
        <div class="choices" role="group" aria-label="Status">
          {filters.map(([name, label]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === status}
              onClick={() => {
                setPages(1)
                setQuery({ status: name === "OPEN" ? "" : "resolved" })
              }}
            >
              {label}
            </button>
          ))}
        </div>
        {ofBusiness
          ? (
            <div class="choices" role="group" aria-label="Where">
              {[[false, place.facility.name], [true, `All of ${place.business.name}`]].map((
                [wide, label]
              ) => (
                <button
                  key={String(wide)}
                  type="button"
                  aria-pressed={wide === isWide}
                  onClick={() => {
                    setPages(1)
                    setQuery({ business: wide === true ? "1" : "" })
                  }}
                >
                  {label}
                </button>
              ))}
            </div>
          )
          : null}
        <Download
          name={`exceptions-${isWide ? place.business.slug : slugOf(place)}-${status.toLowerCase()}`}
          paths={priorities[status].map((priority) => pathOf("exceptions", { ...at, status, priority }))}
        />
      </div>
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined
        ? fault === undefined ? <Waiting /> : null
        : (
          <section class="card" aria-labelledby={heading}>
            {shown.length === 0 && waiting === 0
              ? (
                <Empty title={status === "OPEN" ? `Nothing is open at ${where}` : "Nothing was resolved yet"}>
                  <p>
                    People report what is wrong with a shipment or a pallet, such as damage, on the page of
                    the shipment.
                  </p>
                </Empty>
              )
              : <Entries key={key} rows={shown} isWide={isWide} reload={reloadNow} />}
            {value.hasMore ? <More onClick={() => setPages(pages + 1)} /> : null}
          </section>
        )}
      {announcement}
    </>
  )
}

/** The view. */
export const Exceptions = () => {
  const chosen = place.value
  return (
    <>
      <div class="view-head">
        <h1 id={heading} tabindex={-1}>Exceptions</h1>
      </div>
      {chosen === undefined ? null : <ExceptionsOf key={slugOf(chosen)} place={chosen} />}
    </>
  )
}
