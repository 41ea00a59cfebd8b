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

/** A dock without a shipment, and the shipment that it expects next. */
const FreeLane = ({ exceptions, next }: Pick<LaneProps, "exceptions" | "next">) => (
  <>
    <p class="lane-free">Free</p>
    {next === undefined ? null : (
      <p class="lane-next">
        Next <a href={href(`/shipments/${next.id}`)}>{next.shipmentNumber}</a>{" "}
        <span class="soft">{shortTime(next.expectedArrivalAt)}</span>{" "}
        <ExceptionBadge reported={exceptions.get(next.id)} />
      </p>
    )}
  </>
)

interface TakenProps extends Pick<LaneProps, "exceptions" | "passing"> {
  readonly row: BoardRow
  readonly others: ReadonlyArray<BoardRow>
}

/** The shipment at a dock, and others that are there too. */
const TakenLane = ({ exceptions, others, passing, row }: TakenProps) => (
  <>
    <p class="lane-shipment">
      <a href={href(`/shipments/${row.id}`)}>{row.shipmentNumber}</a>
      <span class="soft">{[row.carrier, row.trailerNumber].filter((text) => text !== "").join(", ")}</span>
    </p>
    {exceptions.has(row.id)
      ? (
        <p>
          <ExceptionBadge reported={exceptions.get(row.id)} />
        </p>
      )
      : null}
    <BigProgress shipment={{ ...row, status: "ARRIVED" }} />
    <p class="soft lane-since">Arrived {span(arrivedAt(row)) || <Time time={arrivedAt(row)} />}</p>
    {passing === undefined ? null : (
      <LastPallets
        messages={passing.filter(({ message }) => message["serviceShipmentId"] === String(row.id)).slice(
          0,
          3
        )}
      />
    )}
    {others.length === 0 ? null : (
      <p class="lane-others">
        Also here: {others.map((other, at) => (
          <>
            {at === 0 ? "" : ", "}
            <a href={href(`/shipments/${other.id}`)}>{other.shipmentNumber}</a>
            {exceptions.has(other.id) ? " " : null}
            <ExceptionBadge reported={exceptions.get(other.id)} />
          </>
        ))}
      </p>
    )}
  </>
)

interface LaneProps {
  readonly dock: string
  readonly rows: ReadonlyArray<BoardRow>
  readonly next?: BoardRow | undefined
  readonly passing: ReadonlyArray<Message> | undefined
  readonly exceptions: OpenExceptions["of"]
}

const Lane = ({ dock, exceptions, next, passing, rows: [row, ...others] }: LaneProps) => {
  const name = (
    <h2>
      <span class="unseen">Dock</span> {dock}
    </h2>
  )
  return row === undefined
    ? (
      <li class="lane card" data-free>
        {name}
        <FreeLane next={next} exceptions={exceptions} />
      </li>
    )
    : (
      <li class="lane card">
        <header>
          {name}
          <Direction direction={row.direction} />
        </header>
        <TakenLane row={row} others={others} passing={passing} exceptions={exceptions} />
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
