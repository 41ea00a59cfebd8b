/** The lanes of a board: the shipment at each dock, its progress, and the marks of capabilities. */
import type { DockBoard } from "@dockline/core/shipment/DockBoard"
import type { DockRow, Message } from "../api/operations.ts"
import { marksOf } from "../extensions.ts"
import { href } from "../router.ts"
import { slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { exactTime, isLate, span, timeLeft } from "../time.ts"
import { amount, compareNames } from "../ui/amounts.ts"
import { lpnIn } from "../ui/messageKinds.ts"
import { Alert, Direction, Time } from "../ui/Parts.tsx"
import { BigProgress } from "../ui/Progress.tsx"

export type Board = Omit<DockBoard, "business" | "facility">

/** The most docks that each have a lane, whether or not a shipment is there. */
const lanesAtMost = 12

/** Whether an event is so recent that it is highlighted. */
const isRecent = (time: string): boolean => Date.now() - Date.parse(time) < 5000

interface Passed {
  readonly id: string | number
  readonly name: string
  readonly time: string
}

/** The last pallets of a shipment that have passed: from messages that name LPNs or, without any, the one from the board. */
const lastOf = (
  { id, lastPalletId, lastPalletLpn, lastSeenAt }: DockRow,
  passing: ReadonlyArray<Message> | undefined
): ReadonlyArray<Passed> => {
  const passings = (passing ?? [])
    .filter(({ message }) => message["serviceShipmentId"] === String(id) && lpnIn(message) !== "")
    .slice(0, 3)
    .map(({ id, message, sentAt }) => ({ id, name: lpnIn(message), time: sentAt }))
  return passings.length > 0 || lastPalletId === ""
    ? passings
    : [{ id: lastPalletId, name: lastPalletLpn || `Pallet ${lastPalletId}`, time: lastSeenAt }]
}

const LastPallets = ({ pallets }: { readonly pallets: ReadonlyArray<Passed> }) =>
  pallets.length === 0
    ? <p class="lane-last soft">No pallet yet</p>
    : (
      <ol class="lane-last" aria-label="Last pallets">
        {pallets.map(({ id, name, time }) => (
          <li key={id} class={isRecent(time) ? "fresh" : undefined}>
            <span class="mono">{name}</span>
            <time dateTime={time} class="soft">{exactTime(time)}</time>
          </li>
        ))}
      </ol>
    )

const linkTo = ({ id, shipmentNumber }: DockRow) => <a href={href(`/shipments/${id}`)}>{shipmentNumber}</a>

/** The next truck for a dock, and whether it is late. */
const Next = ({ row }: { readonly row: DockRow }) => (
  <p class="lane-next">
    Next {linkTo(row)} <Time time={row.expectedArrivalAt} near due /> {marksOf(row)}
  </p>
)

interface LaneProps {
  readonly dock: Board["docks"][number]
  readonly next?: DockRow | undefined
  readonly passing: ReadonlyArray<Message> | undefined
  readonly place: Place
}

/** A dock with its shipment, and links to others at the same dock; an empty dock shows the next expected shipment. */
const Lane = (
  { dock: { dockSlug, others: more, shipments: [row, ...others] }, next, passing, place }: LaneProps
) => {
  const name = (
    <h2>
      <span class="unseen">Dock</span> {dockSlug || "No dock named"}
    </h2>
  )
  const marks = row === undefined ? [] : marksOf(row)
  if (row === undefined) {
    return (
      <li class="lane card" data-free>
        {name}
        <p class="lane-free">Free</p>
        {next === undefined ? null : <Next row={next} />}
      </li>
    )
  }
  return (
    <li class="lane card">
      <header>
        {name}
        <Direction direction={row.direction} />
      </header>
      <p class="lane-shipment">
        {linkTo(row)}
        <span class="soft">{[row.carrier, row.trailerNumber].filter((text) => text !== "").join(", ")}</span>
      </p>
      {marks.length > 0 ? <p>{marks}</p> : null}
      <BigProgress shipment={row} />
      <p class="lane-since">
        {row.finishesAt === "" ? null : (
          <>
            <b>{timeLeft(row.finishesAt)}</b>
            <span class="soft">{" · "}</span>
          </>
        )}
        <span class="soft">arrived {span(row.arrivedAt) || <Time time={row.arrivedAt} />}</span>{" "}
        {isLate(row.detainedAt)
          ? <Alert tone="bad">{span(row.detainedAt).replace(/ ago$/, "") || "long"} over the limit</Alert>
          : null}
      </p>
      <LastPallets pallets={lastOf(row, passing)} />
      {next === undefined ? null : <Next row={next} />}
      {others.length === 0 ? null : (
        <p class="lane-others">
          Also here: {others.map((other, at) => (
            <>
              {at === 0 ? "" : ", "}
              {linkTo(other)}
              {marksOf(other).map((mark) => [" ", mark])}
            </>
          ))}
          {more === 0 ? null : (
            <>
              {" and "}
              <a href={href("/shipments", { at: slugOf(place), status: "docked" })}>{amount(more)} more</a>
            </>
          )}
        </p>
      )}
    </li>
  )
}

/** Shipments without a dock come last. */
const byName = (one: Board["docks"][number], other: Board["docks"][number]): number =>
  Number(one.dockSlug === "") - Number(other.dockSlug === "") ||
  compareNames(one.dockSlug, other.dockSlug)

/** The lanes of all docks or, if there are very many, of the occupied ones. */
export const Lanes = ({ board: { docks: all, expected }, passing, place }: {
  readonly board: Board
  readonly place: Place
  readonly passing: ReadonlyArray<Message> | undefined
}) => {
  const docks = all.toSorted(byName)
  const isFree = ({ shipments }: Board["docks"][number]): boolean => shipments.length === 0
  const isCrowded = docks.length > lanesAtMost
  const lanes = isCrowded ? docks.filter((dock) => !isFree(dock)) : docks
  const free = docks.filter(isFree)
  return (
    <>
      <ul class="lanes" data-many={lanes.length > 3} data-dense={lanes.length > lanesAtMost}>
        {lanes.map((dock) => (
          <Lane
            key={dock.dockSlug}
            dock={dock}
            next={expected.find(({ id }) => id === dock.nextId)}
            passing={passing}
            place={place}
          />
        ))}
      </ul>
      {isCrowded && free.length > 0
        ? <p class="soft">Free: {free.map(({ dockSlug }) => dockSlug).join(", ")}</p>
        : null}
    </>
  )
}
