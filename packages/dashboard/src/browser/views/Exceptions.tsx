/** The exceptions of a facility or of its business: what people have reported, the urgent first, to be resolved in place. */
import { useState } from "preact/hooks"
import { exceptions } from "../api/operations.ts"
import type { LocatedException as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, places, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { useMovedFocus } from "../ui/forms.ts"
import { Empty } from "../ui/Frame.tsx"
import { PagedList } from "../ui/PagedList.tsx"
import { Choices } from "../ui/Parts.tsx"
import { SavedViews } from "../ui/SavedViews.tsx"
import { Line, openerOf, Resolve } from "./shipment/ExceptionForms.tsx"

type Status = Row["status"]

/** The two lists, as people call them. */
const filters = [["OPEN", "Open"], ["RESOLVED", "Resolved"]] as const

/** The queries of each list, one after the other: open exceptions by urgency, resolved ones newest first. */
const priorities: Readonly<Record<Status, ReadonlyArray<Row["priority"] | undefined>>> = {
  OPEN: ["HIGH", "LOW"],
  RESOLVED: [undefined]
}

/** Whether the reader may resolve what belongs to a place. */
const mayResolve = (row: Row): boolean =>
  places.value.find((each) => slugOf(each) === slugOf(row))?.facility.reports === true

/** The id of the heading, which gets the focus when the focused entry leaves the list. */
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

export const Exceptions = ({ place }: { readonly place: Place }) => {
  const status: Status = query.value.get("status") === "resolved" ? "RESOLVED" : "OPEN"
  const isWide = query.value.has("business")
  const at = { business: place.business.slug, facility: isWide ? undefined : place.facility.slug }
  const id = `exceptions ${slugOf(place)} ${status} ${isWide}`
  const where = isWide ? place.business.name : place.facility.name
  return (
    <>
      <div class="view-head">
        <h1 id={heading} tabindex={-1}>Exceptions</h1>
        <SavedViews />
      </div>
      <div class="toolbar">
        <Choices
          label="Status"
          options={filters}
          chosen={status}
          choose={(name) => setQuery({ status: name === "OPEN" ? "" : "resolved" })}
        />
        {place.business.facilities.length > 1
          ? (
            <Choices
              label="Where"
              options={[["", place.facility.name], ["1", `All of ${place.business.name}`]]}
              chosen={isWide ? "1" : ""}
              choose={(business) => setQuery({ business })}
            />
          )
          : null}
        <Download
          name={`exceptions-${isWide ? place.business.slug : slugOf(place)}-${status.toLowerCase()}`}
          paths={priorities[status].map((priority) => pathOf("exceptions", { ...at, status, priority }))}
        />
      </div>
      {/* Nothing tells of exceptions; what is followed tells that the service is there. */}
      <PagedList
        id={id}
        noun="exception"
        heading={heading}
        read={priorities[status].map((priority) => (after) =>
          run(exceptions, { ...at, status, priority, after })
        )}
        followed={followedOf(place)}
        empty={
          <Empty title={status === "OPEN" ? `Nothing is open at ${where}` : "Nothing has been resolved yet"}>
            People report what is wrong with a shipment or a pallet, such as damage, on the page of the
            shipment.
          </Empty>
        }
      >
        {(rows, reload) => <Entries key={id} rows={rows} isWide={isWide} reload={reload} />}
      </PagedList>
    </>
  )
}
