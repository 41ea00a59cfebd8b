/** The docks of a facility: which shipment is at each of them, how far it is, what comes next and what has left. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { board } from "../api/operations.ts"
import type { BoardRow, Brief, Message } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayOf, namedTime, startOfDay } from "../time.ts"
import { brief } from "../ui/brief.ts"
import { Connection } from "../ui/Connection.tsx"
import { EmptyCard, FaultNote, Waiting } from "../ui/Frame.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { textOf } from "../ui/messageKinds.ts"
import { newest, since, withNewer, withNewest } from "../ui/newest.ts"
import { Alert, Direction, isShort, Plain, Time, Wrong } from "../ui/Parts.tsx"
import { ExceptionBadge, loadExceptions } from "./DockExceptions.tsx"
import type { OpenExceptions, Reported } from "./DockExceptions.tsx"
import { arrivedAt, Lanes } from "./DockLanes.tsx"
import type { Board } from "./DockLanes.tsx"
import { SoundSwitch, useWrongPallets, WrongPalletList } from "./WrongPallets.tsx"

const listedAtMost = 8

/** The shipments at docks, the last one to arrive first. */
const loadDocked = async (place: Place): Promise<Board["docked"]> => {
  const { nodes } = await run(board, { ...slugsOf(place), status: "ARRIVED" })
  return nodes.toSorted((one, other) => arrivedAt(one) < arrivedAt(other) ? 1 : -1)
}

const loadExpected = async (place: Place): Promise<Omit<Board, "docked">> => {
  const { nodes, pageInfo } = await run(board, {
    ...slugsOf(place),
    status: "SCHEDULED",
    order: "EARLIEST",
    first: 50
  })
  return { expected: nodes, hasMoreExpected: pageInfo.hasNextPage }
}

/** The shipments that have left since midnight, the last one first, by the messages of their departures. */
const leftToday = async (place: Place): Promise<ReadonlyArray<Entry>> => {
  const { messages } = await since(place, ["SHIPMENT_COMPLETE"], startOfDay(dayOf(new Date())))
  const left = messages.slice(-listedAtMost).toReversed()
  const found = await brief(left.map(({ message }) => textOf(message, "serviceShipmentId")))
  return left.flatMap(({ message, sentAt }) => {
    const shipment = found.get(textOf(message, "serviceShipmentId"))
    if (shipment === undefined) return []
    const leftAt = shipment.statusEvents.find(({ status }) => status === "DEPARTED")?.completedAt
    return [{ shipment, time: leftAt || sentAt }]
  })
}

interface Entry {
  readonly shipment: Omit<Brief, "statusEvents">
  readonly time: string
}

/** A list below the docks; its place is kept while it loads. */
const ShortList = ({ all, entries, exceptions, id, isDue = false, none, title }: {
  readonly id: string
  readonly title: string
  readonly entries: ReadonlyArray<Entry> | undefined
  /** Whether the shipments are still expected at their times. */
  readonly isDue?: boolean
  readonly none: string
  /** The page that has the whole list, where it is longer. */
  readonly all?: string | undefined
  readonly exceptions: OpenExceptions["of"]
}) => (
  <section class="card list" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {all === undefined ? null : <a href={href(all)}>All</a>}
    </header>
    {entries?.length === 0 ? <p class="soft none">{none}</p> : null}
    {entries === undefined || entries.length === 0 ? null : (
      <ul>
        {entries.map(({ shipment, time }) => (
          <li key={shipment.id}>
            <a href={href(`/shipments/${shipment.id}`)}>{shipment.shipmentNumber}</a>
            <span class="soft what">
              <Direction direction={shipment.direction} />
              <Wrong shipment={shipment} />
              <ExceptionBadge reported={exceptions.get(shipment.id)} />
              <span>{shipment.carrier}</span>
            </span>
            <Time time={time} near due={isDue} />
          </li>
        ))}
      </ul>
    )}
  </section>
)

const keptPallets = 200

/** How long the page counts pallets itself before it asks the service: requests are the cost of many open boards. */
const countedMillis = 10_000

/** Whether two messages report the same move of a pallet, so that the second changes no count. */
const isSame = (one: Message, other: Message): boolean =>
  ["servicePalletId", "serviceShipmentId", "direction"].every((name) =>
    textOf(one.message, name) === textOf(other.message, name)
  )

/** Whether a pallet went the way of its shipment. */
const isForward = ({ direction }: BoardRow, { message }: Message): boolean =>
  message["direction"] === (direction === "INBOUND" ? "UNLOADING" : "LOADING")

/**
 * A shipment with the pallets that have passed since it was loaded, counted as expected: messages do not say whether they were.
 * The next load corrects the count.
 */
const counted = (row: BoardRow, told: ReadonlyMap<string, Message>): BoardRow => {
  const more = Array.from(told.values()).filter(({ message }) =>
    textOf(message, "serviceShipmentId") === String(row.id)
  )
  return { ...row, progress: { ...row.progress, passedPallets: row.progress.passedPallets + more.length } }
}

const Clock = () => {
  const [time, setTime] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setTime(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span class="clock">{namedTime(time)}</span>
}

export const isKiosk = (): boolean => query.value.has("kiosk")

const openKiosk = (): void => {
  setQuery({ kiosk: "1" })
  void document.documentElement.requestFullscreen?.().catch(() => undefined)
}

/** The head of the board; on a wall it has a clock. */
const Head = ({ children, place }: {
  readonly place: Place
  /** What needs attention. */
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
  /** After connecting, messages may come that a load has counted already. The page counts none until no message came during a load. */
  const isSettling = useRef(true)
  const hasCome = useRef(false)
  const atDocks = useLoaded(
    `docks ${slugOf(place)}`,
    async () => {
      hasCome.current = false
      const rows = await loadDocked(place)
      if (!hasCome.current) isSettling.current = false
      return rows
    },
    { spacingMillis: countedMillis }
  )
  /** The last message of each pallet that has passed since the load. */
  const [told, setTold] = useState<ReadonlyMap<string, Message>>(new Map())
  useEffect(() => setTold(new Map()), [atDocks.value])
  const expected = useLoaded(`expected ${slugOf(place)}`, () => loadExpected(place))
  const exceptions = useLoaded(`exceptions ${slugOf(place)}`, () => loadExceptions(place))
  const reload = (): void => {
    for (const each of [atDocks, expected, exceptions]) each.reload()
  }
  const reloadNow = (): void => {
    isSettling.current = true
    for (const each of [atDocks, expected, exceptions, left, recent]) each.reloadNow()
  }
  const fault = atDocks.fault ?? expected.fault
  const value = atDocks.value === undefined || expected.value === undefined
    ? undefined
    : { docked: atDocks.value.map((row) => counted(row, told)), ...expected.value }
  const left = useLoaded(
    `left ${slugOf(place)}`,
    () => followed === undefined ? Promise.resolve(undefined) : leftToday(place)
  )
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
    hasCome.current = true
    const id = textOf(message.message, "serviceShipmentId")
    switch (message.messageType) {
      case "EXCEPTION_REPORTED":
      case "EXCEPTION_RESOLVED":
        return exceptions.reloadNow()
      case "SHIPMENT_DISCREPANCIES":
        // The departure was told before.
        return
      case "SHIPMENT_COMPLETE":
        left.reload()
        break
      case "SHIPMENT_ARRIVED":
      case "SHIPMENT_CANCELLED":
        break
      case "PALLET_EVENT": {
        setPassing(withNewest(message, keptPallets))
        wrong.judge(message)
        const row = atDocks.value?.find((each) => String(each.id) === id)
        if (row === undefined || !isForward(row, message)) break
        const pallet = textOf(message.message, "servicePalletId")
        const wasTold = passing.some((other) => isSame(other, message))
        if (isSettling.current) return atDocks.reloadNow()
        if (!wasTold) setTold((before) => new Map(before).set(pallet, message))
        return atDocks.reload()
      }
      default:
        message.messageType satisfies never
    }
    // A shipment has come to a dock or left it, or a pallet has gone back.
    atDocks.reloadNow()
    if (expected.value?.expected.some((each) => String(each.id) === id) === true) expected.reloadNow()
  }
  useLive(followed, onMessage, reload, reloadNow)

  const open = exceptions.value
  const reported = open?.of ?? new Map<number, Reported>()
  // A badge that came later would move what stands below it.
  if (value === undefined || (open === undefined && exceptions.fault === undefined)) {
    return (
      <>
        <Head place={place} />
        {fault === undefined ? <Waiting /> : <FaultNote fault={fault} retry={reload} />}
      </>
    )
  }
  const short = (left.value ?? []).filter(({ shipment }) => isShort(shipment)).length
  const isEmpty = place.facility.docks.length === 0 && value.docked.length === 0
  return (
    <>
      <Head place={place}>
        {open === undefined || open.all.count === 0 ?
          null :
          (
            <a class="attention" href={href(`/exceptions?at=${slugOf(place)}`)}>
              <ExceptionBadge reported={open.all} hasMore={open.hasMore} />
              <span class="unseen">{" "}open</span>
            </a>
          )}
        {short > 0 && isKiosk() ? <Alert tone="bad">{short} left short today</Alert> : null}
        {followed === undefined ? null : <SoundSwitch isNeeded={wrong.all.length > 0} />}
      </Head>
      <WrongPalletList pallets={wrong} />
      <FaultNote fault={fault} retry={reload} />
      {isEmpty
        ? (
          <EmptyCard title={`${place.facility.name} has no docks yet`}>
            An operator adds them:{" "}
            <code>dockline dock create {place.business.slug} {place.facility.slug} D1</code>
          </EmptyCard>
        )
        : (
          <Lanes
            board={value}
            exceptions={reported}
            place={place}
            passing={followed === undefined ? undefined : passing}
          />
        )}
      <div class="lists">
        <ShortList
          id="expected"
          title="Expected next"
          none="Nothing is expected."
          all={value.expected.length > listedAtMost || value.hasMoreExpected
            ? `/shipments?at=${slugOf(place)}&status=expected`
            : undefined}
          entries={value.expected.slice(0, listedAtMost).map((row) => ({
            shipment: { ...row, status: "SCHEDULED" },
            time: row.expectedArrivalAt
          }))}
          isDue
          exceptions={reported}
        />
        {followed === undefined || (left.value === undefined && left.fault !== undefined) ? null : (
          <ShortList
            id="left"
            title="Left today"
            none="Nothing has left yet."
            entries={left.value}
            exceptions={reported}
          />
        )}
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
