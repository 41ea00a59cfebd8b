/** The lanes of a board: which shipment is at each dock, how far it is, and what was reported of it. */
import type { BoardRow, Message } from "../api/operations.ts"
import { href } from "../router.ts"
import type { Place } from "../session.ts"
import { exactTime, shortTime, span } from "../time.ts"
import { palletName } from "../ui/messageKinds.ts"
import { Direction, Time } from "../ui/Parts.tsx"
import { BigProgress } from "../ui/Progress.tsx"
import { ExceptionBadge } from "./DockExceptions.tsx"
import type { OpenExceptions } from "./DockExceptions.tsx"

export interface Board {
  readonly docked: ReadonlyArray<BoardRow>
  readonly expected: ReadonlyArray<BoardRow>
  readonly hasMoreExpected: boolean
}

/** The most docks that have a lane each, whether or not a shipment is there. */
const lanesAtMost = 12

export const arrivedAt = ({ statusEvents }: BoardRow): string =>
  statusEvents.find(({ status }) => status === "ARRIVED")?.completedAt ?? ""

/** Whether something has just happened, so that it is highlighted. */
const isRecent = (time: string): boolean => Date.now() - Date.parse(time) < 5000

/** The last pallets of a shipment that have passed. */
const LastPallets = ({ messages }: { readonly messages: ReadonlyArray<Message> }) =>
  messages.length === 0
    ? <p class="lane-last soft">No pallet in the last hours</p>
    : (
      <ol class="lane-last" aria-label="Last pallets">
        {messages.map(({ id, message, sentAt }) => (
          <li key={id} class={isRecent(sentAt) ? "fresh" : undefined}>
            <span class="mono">{palletName(message)}</span>
            <time dateTime={sentAt} class="soft">{exactTime(sentAt)}</time>
          </li>
        ))}
      </ol>
    )

interface LaneProps {
  readonly dock: string
  readonly rows: ReadonlyArray<BoardRow>
  readonly next?: BoardRow | undefined
  readonly passing: ReadonlyArray<Message> | undefined
  readonly exceptions: OpenExceptions["of"]
}

/** A dock with the shipment that is there, and others that are there too; without one, with the shipment that it expects next. */
const Lane = ({ dock, exceptions, next, passing, rows: [row, ...others] }: LaneProps) => {
  const name = (
    <h2>
      <span class="unseen">Dock</span> {dock}
    </h2>
  )
  const linked = ({ id, shipmentNumber }: BoardRow) => <a href={href(`/shipments/${id}`)}>{shipmentNumber}</a>
  const badge = ({ id }: BoardRow) => <ExceptionBadge reported={exceptions.get(id)} />
  if (row === undefined) {
    return (
      <li class="lane card" data-free>
        {name}
        <p class="lane-free">Free</p>
        {next === undefined ? null : (
          <p class="lane-next">
            Next {linked(next)} <span class="soft">{shortTime(next.expectedArrivalAt)}</span> {badge(next)}
          </p>
        )}
      </li>
    )
  }
  const ofRow = passing?.filter(({ message }) => message["serviceShipmentId"] === String(row.id))
  return (
    <li class="lane card">
      <header>
        {name}
        <Direction direction={row.direction} />
      </header>
      <p class="lane-shipment">
        {linked(row)}
        <span class="soft">{[row.carrier, row.trailerNumber].filter((text) => text !== "").join(", ")}</span>
      </p>
      {exceptions.has(row.id) ? <p>{badge(row)}</p> : null}
      <BigProgress shipment={{ ...row, status: "ARRIVED" }} />
      <p class="soft lane-since">Arrived {span(arrivedAt(row)) || <Time time={arrivedAt(row)} />}</p>
      {ofRow === undefined ? null : <LastPallets messages={ofRow.slice(0, 3)} />}
      {others.length === 0 ? null : (
        <p class="lane-others">
          Also here: {others.map((other, at) => (
            <>
              {at === 0 ? "" : ", "}
              {linked(other)}
              {exceptions.has(other.id) ? " " : null}
              {badge(other)}
            </>
          ))}
        </p>
      )}
    </li>
  )
}

/** The lanes of all docks, or of those that are taken where there are very many. */
export const Lanes = ({ board, exceptions, passing, place: { facility } }: {
  readonly board: Board
  readonly exceptions: OpenExceptions["of"]
  readonly place: Place
  readonly passing: ReadonlyArray<Message> | undefined
}) => {
  const known = new Set(facility.docks)
  const at = (dock: string) => board.docked.filter(({ dockSlug }) => dockSlug === dock)
  const free = facility.docks.filter((dock) => at(dock).length === 0)
  const isCrowded = facility.docks.length > lanesAtMost
  const shown = facility.docks.filter((dock) => !isCrowded || !free.includes(dock))
  const lost = board.docked.filter(({ dockSlug }) => !known.has(dockSlug))
  return (
    <>
      <ul class="lanes" data-many={shown.length + lost.length > 3}>
        {shown.map((dock) => (
          <Lane
            key={dock}
            dock={dock}
            rows={at(dock)}
            next={board.expected.find(({ dockSlug }) => dockSlug === dock)}
            passing={passing}
            exceptions={exceptions}
          />
        ))}
        {lost.length === 0
          ? null
          : <Lane dock="No dock named" rows={lost} passing={passing} exceptions={exceptions} />}
      </ul>
      {isCrowded && free.length > 0 ? <p class="soft">Free: {free.join(", ")}</p> : null}
    </>
  )
}
