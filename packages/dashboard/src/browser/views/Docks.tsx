/** The docks of a facility: the shipment at each dock, its progress, the next trucks, and the trucks that have left. */
import type { DockBoard } from "@dockline/core/shipment/DockBoard"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { dockBoard } from "../api/operations.ts"
import type { DockRow, Message } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { marksOf, offeredParts } from "../capability.ts"
import { href, query, setQuery } from "../router.ts"
import { messagesOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { exactTime, isLate, namedTime, span, timeLeft } from "../time.ts"
import { Connection, EmptyCard, FaultNote, SendExample, Waiting } from "../ui/Frame.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { lpnIn, newest, withNewer, withNewest } from "../ui/messages.ts"
import { Alert, Direction, Plain, Time, Wrong } from "../ui/Parts.tsx"
import { BigProgress } from "../ui/Progress.tsx"
import { amount, compareNames } from "../ui/words.ts"
import { useWrongPallets, WrongPalletList } from "./WrongPallets.tsx"

const listedAtMost = 8

/** A list below the docks. */
const ShortList = ({ all, id, isDue = false, none, rows, timeOf, title }: {
  readonly id: string
  readonly title: string
  readonly rows: ReadonlyArray<DockRow>
  readonly timeOf: (row: DockRow) => string
  /** Whether the times are expected times, so that a past time is shown as late. */
  readonly isDue?: boolean
  readonly none: ComponentChildren
  /** The address of the page with the whole list, if the list is longer. */
  readonly all?: string | undefined
}) => (
  <section class="card list" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {all === undefined ? null : <a href={href(all)}>All</a>}
    </header>
    {rows.length === 0 ? <p class="soft none">{none}</p> : (
      <ul>
        {rows.slice(0, listedAtMost).map((row) => (
          <li key={row.id}>
            <a href={href(`/shipments/${row.id}`)}>{row.shipmentNumber}</a>
            <span class="soft what">
              <Direction direction={row.direction} />
              <Wrong shipment={row} />
              {marksOf(row)}
              <span>{row.carrier}</span>
            </span>
            <Time time={timeOf(row)} near due={isDue} />
          </li>
        ))}
      </ul>
    )}
  </section>
)

/** A note about things that need attention, with their number, and a link to their page. */
const Attention = ({ count, path, words }: {
  readonly count: number
  readonly words: string
  readonly path?: string
}) => {
  if (count === 0) return null
  const alert = <Alert tone="bad">{amount(count)} {words}</Alert>
  return path === undefined ? alert : <a class="attention" href={href(path)}>{alert}</a>
}

const keptPallets = 200

const Clock = () => {
  const [time, setTime] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setTime(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span class="clock">{namedTime(time)}</span>
}

const isKiosk = (): boolean => query.value.has("kiosk")

const openKiosk = (): void => {
  setQuery({ kiosk: "1" })
  void document.documentElement.requestFullscreen?.().catch(() => undefined)
}

/** The head of the board; on a wall it has a clock. */
const Head = ({ children, place }: {
  readonly place: Place
  /** Notes about things that need attention. */
  readonly children?: ComponentChildren
}) => (
  <div class="view-head">
    <h1>{isKiosk() ? place.facility.name : "Docks"}</h1>
    {children}
    {isKiosk()
      ? (
        <>
          <Connection />
          <Clock />
        </>
      )
      : <Plain class="not-phone" onClick={openKiosk}>Show on a wall</Plain>}
  </div>
)

const DocksOf = ({ place }: { readonly place: Place }) => {
  const source = messagesOf(place)
  const board = useLoaded(`docks ${slugOf(place)}`, () => run(dockBoard, slugsOf(place)))
  const reloadNow = (): void => {
    board.reloadNow()
    recent.reloadNow()
  }
  const wrong = useWrongPallets(place)
  const [passing, setPassing] = useState<ReadonlyArray<Message>>([])
  const recent = useLoaded(
    `recent ${slugOf(place)}`,
    () =>
      source === undefined
        ? Promise.resolve(undefined)
        : newest(place, ["PALLET_EVENT"], 20, passing[0])
  )
  useEffect(() => {
    if (recent.value !== undefined) setPassing(withNewer(recent.value, keptPallets))
  }, [recent.value])

  const onMessage = (message: Message): void => {
    if (message.messageType !== "PALLET_EVENT") return board.reloadNow()
    setPassing(withNewest(message, keptPallets))
    wrong.judge(message)
    // Pallets may pass faster than anybody reads.
    board.reload()
  }
  useLive(source, onMessage, board.reload, reloadNow)

  const { fault, value } = board
  if (value === undefined) {
    return (
      <>
        <Head place={place} />
        {fault === undefined ? <Waiting /> : <FaultNote fault={fault} retry={board.reload} />}
      </>
    )
  }
  const { departed, departedToday, docks, expected, moreExpected, shortToday } = value
  return (
    <>
      <Head place={place}>
        {offeredParts.value.map(({ attentionOf }) => attentionOf?.(value, place) ?? null)}
        <Attention count={value.detained} words="here too long" />
        <Attention count={value.late} words="late" path={`/shipments?at=${slugOf(place)}&status=expected`} />
        <Attention
          count={shortToday}
          words="left short today"
          path={`/shipments?at=${slugOf(place)}&status=departed&discrepancies=1`}
        />
      </Head>
      <WrongPalletList pallets={wrong} />
      <FaultNote fault={fault} retry={board.reload} />
      {docks.length === 0
        ? (
          <EmptyCard title={`${place.facility.name} has no docks yet`}>
            An operator adds them:{" "}
            <code>dockline dock create {place.business.slug} {place.facility.slug} D1</code>
          </EmptyCard>
        )
        : <Lanes board={value} place={place} passing={source === undefined ? undefined : passing} />}
      <div class="lists">
        <ShortList
          id="expected"
          title="Expected next"
          none={
            <>
              Nothing is expected. A truck appears here once a document names it. <SendExample />
            </>
          }
          all={expected.length > listedAtMost || moreExpected
            ? `/shipments?at=${slugOf(place)}&status=expected`
            : undefined}
          rows={expected}
          timeOf={({ expectedArrivalAt }) => expectedArrivalAt}
          isDue
        />
        <ShortList
          id="left"
          title="Left today"
          none="Nothing has left yet."
          all={departedToday > listedAtMost ? `/shipments?at=${slugOf(place)}&status=departed` : undefined}
          rows={departed}
          timeOf={({ departedAt }) => departedAt}
        />
      </div>
    </>
  )
}

export const Docks = ({ place }: { readonly place: Place }) => {
  const kiosk = isKiosk()
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute("data-kiosk", kiosk)
    const leave = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") setQuery({ kiosk: "" })
    }
    if (kiosk) addEventListener("keydown", leave)
    return () => {
      removeEventListener("keydown", leave)
      document.documentElement.removeAttribute("data-kiosk")
    }
  }, [kiosk])
  return <DocksOf key={slugOf(place)} place={place} />
}

export type Board = Omit<DockBoard, "business" | "facility">

/** The most docks that each have a lane, whether or not a shipment is there. */
const lanesAtMost = 12

/** Whether an event is so recent that it is highlighted. */
const isRecent = (time: string): boolean => Date.now() - Date.parse(time) < 5000

interface Passage {
  readonly id: string | number
  readonly name: string
  readonly time: string
}

/** The last pallets of a shipment that have passed: from messages that name LPNs or, without any, the one from the board. */
const lastOf = (
  { id, lastPalletId, lastPalletLpn, lastSeenAt }: DockRow,
  passing: ReadonlyArray<Message> | undefined
): ReadonlyArray<Passage> => {
  const passings = (passing ?? [])
    .filter(({ message }) => message["serviceShipmentId"] === String(id) && lpnIn(message) !== "")
    .slice(0, 3)
    .map(({ id, message, sentAt }) => ({ id, name: lpnIn(message), time: sentAt }))
  return passings.length > 0 || lastPalletId === ""
    ? passings
    : [{ id: lastPalletId, name: lastPalletLpn || `Pallet ${lastPalletId}`, time: lastSeenAt }]
}

const LastPallets = ({ pallets }: { readonly pallets: ReadonlyArray<Passage> }) =>
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
const Lanes = ({ board: { docks: all, expected }, passing, place }: {
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
