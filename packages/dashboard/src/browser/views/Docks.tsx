/** The docks of a facility: the shipment at each dock, its progress, the next trucks, and the trucks that have left. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { dockBoard } from "../api/operations.ts"
import type { DockRow, Message } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { marksOf, offered } from "../extensions.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { namedTime } from "../time.ts"
import { amount } from "../ui/amounts.ts"
import { Connection } from "../ui/Connection.tsx"
import { EmptyCard, FaultNote, SendExample, Waiting } from "../ui/Frame.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { newest, withNewer, withNewest } from "../ui/newest.ts"
import { Alert, Direction, Plain, Time, Wrong } from "../ui/Parts.tsx"
import { Lanes } from "./DockLanes.tsx"
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
  const followed = followedOf(place)
  const board = useLoaded(`docks ${slugOf(place)}`, () => run(dockBoard, slugsOf(place)))
  const reloadNow = (): void => {
    board.reloadNow()
    recent.reloadNow()
  }
  const wrong = useWrongPallets()
  const [passing, setPassing] = useState<ReadonlyArray<Message>>([])
  const recent = useLoaded(
    `recent ${slugOf(place)}`,
    () =>
      followed === undefined
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
  useLive(followed, onMessage, board.reload, reloadNow)

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
        {offered.value.map(({ attentionOf }) => attentionOf?.(value, place) ?? null)}
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
        : <Lanes board={value} place={place} passing={followed === undefined ? undefined : passing} />}
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
