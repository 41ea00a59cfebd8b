/** The exceptions of a facility or of its business: the reports of people, urgent ones first, which can be resolved in place. */
import { useState } from "preact/hooks"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { messagesOf, places, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { useMovedFocus } from "../ui/forms.ts"
import { Empty } from "../ui/Frame.tsx"
import { Download, PagedList, pathOf } from "../ui/lists.tsx"
import { Choices } from "../ui/Parts.tsx"
import { ExceptionList } from "./ExceptionList.tsx"
import { exceptions } from "./ExceptionReads.ts"
import type { LocatedException as Row } from "./ExceptionReads.ts"

type Status = Row["status"]

const filters = [["OPEN", "Open"], ["RESOLVED", "Resolved"]] as const

/** The priorities to query for each list, in order: open exceptions by urgency, resolved ones all together, newest first. */
const priorities: Readonly<Record<Status, ReadonlyArray<Row["priority"] | undefined>>> = {
  OPEN: ["HIGH", "LOW"],
  RESOLVED: [undefined]
}

const mayResolve = (row: Row): boolean =>
  places.value.find((each) => slugOf(each) === slugOf(row))?.facility.reports === true

/** The id of the heading. It gets the focus when the focused entry leaves the list. */
const heading = "exceptions-heading"

const Entries = ({ isWide, reload, rows }: {
  readonly rows: ReadonlyArray<Row>
  /** Whether the rows belong to several facilities. */
  readonly isWide: boolean
  readonly reload: () => void
}) => {
  /** The ids of exceptions that the reader has resolved, but that the loaded data still shows as open. */
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const [notice, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  return (
    <>
      <p class="said unseen" role="status">{notice}</p>
      <ExceptionList
        exceptions={rows.filter(({ id, status }) => status === "RESOLVED" || !goneIds.has(id))}
        mayResolve={mayResolve}
        where={({ facility, shipmentId, shipmentNumber }) => (
          <>
            <a href={href(`/shipments/${shipmentId}`)}>{shipmentNumber}</a>
            {isWide ? <span class="soft">{facility.name}</span> : null}
          </>
        )}
        onResolve={({ id }) => {
          setGoneIds((before) => new Set([...before, id]))
          setSaid(`The exception of ${rows.find((row) => row.id === id)?.shipmentNumber} is resolved.`)
          moveFocus(heading)
          reload()
        }}
      />
    </>
  )
}

export const ExceptionPage = ({ place }: { readonly place: Place }) => {
  const status: Status = query.value.get("status") === "resolved" ? "RESOLVED" : "OPEN"
  const isWide = query.value.has("business")
  const at = { business: place.business.slug, facility: isWide ? undefined : place.facility.slug }
  const queries = priorities[status].map((priority) => ({ ...at, status, priority }))
  const where = isWide ? place.business.name : place.facility.name
  return (
    <>
      <div class="view-head">
        <h1 id={heading} tabindex={-1}>Exceptions</h1>
      </div>
      <div class="toolbar">
        <Choices
          label="Status"
          options={filters}
          choice={status}
          choose={(name) => setQuery({ status: name === "OPEN" ? "" : "resolved" })}
        />
        {place.business.facilities.length > 1
          ? (
            <Choices
              label="Where"
              options={[["", place.facility.name], ["1", `All of ${place.business.name}`]]}
              choice={isWide ? "1" : ""}
              choose={(business) => setQuery({ business })}
            />
          )
          : null}
        <Download
          name={`exceptions-${isWide ? place.business.slug : slugOf(place)}-${status.toLowerCase()}`}
          paths={queries.map((each) => pathOf("exceptions", each))}
        />
      </div>
      {/* Messages do not reload this list, which polls: following them only shows that the service is there. */}
      <PagedList
        queries={queries}
        read={(query) => run(exceptions, query)}
        noun="exception"
        heading={heading}
        source={messagesOf(place)}
        empty={
          <Empty title={status === "OPEN" ? `Nothing is open at ${where}` : "Nothing has been resolved yet"}>
            People report what is wrong with a shipment or a pallet, such as damage, on the page of the
            shipment.
          </Empty>
        }
      >
        {(rows, reload) => (
          <Entries
            key={JSON.stringify(queries)}
            rows={rows}
            isWide={isWide}
            reload={reload}
          />
        )}
      </PagedList>
    </>
  )
}
