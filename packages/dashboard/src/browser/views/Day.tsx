/** What a day or a week of a facility was, to look at and to hand over. */
import { day } from "../api/operations.ts"
import type { DayRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { calendarDate, dayOf, daysAfter, now } from "../time.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { readPages } from "../ui/pages.ts"
import { Choices, Empty, Fact, Heads, Loaded } from "../ui/Parts.tsx"

/** Whole lists of docks, carriers and suppliers are read, but for very many. */
const pagesAtMost = 10

const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

const spans = [["1", "Day"], ["7", "Week"]] as const

/** Minutes as people say them: `48 min`, `2 h 51 min`. */
const duration = (minutes: number): string => {
  const whole = Math.round(minutes)
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

/** A number that leads to what it counts, where there is a list of that. */
const Counted = ({ count, to }: { readonly count: number; readonly to: string }) =>
  count === 0 ? <>0</> : <a href={href(to)}>{amount.format(count)}</a>

interface Days {
  /** The place, as addresses name it. */
  readonly at: string
  readonly from: string
  readonly to: string
}

/** The address of the shipments of the days. */
const shipmentsOf = (
  { at, from, to }: Days,
  status: string,
  more: Readonly<Record<string, string>> = {}
): string => `/shipments?${new URLSearchParams({ at, status, from, to, ...more }).toString()}`

const discrepant = { discrepancies: "1" }

const Totals = ({ days, of }: { readonly of: Row; readonly days: Days }) => {
  const timed = of.onTime + of.late
  return (
    <section class="card order" aria-label="Totals">
      <dl class="facts day-totals">
        <Fact name="Departed">
          <Counted count={of.departed} to={shipmentsOf(days, "departed")} />
          <span class="sub">{of.inbound} inbound, {of.outbound} outbound in all</span>
        </Fact>
        <Fact name="At a dock">
          <Counted count={of.atDock} to={shipmentsOf(days, "docked")} />
        </Fact>
        <Fact name="Expected">
          <Counted count={of.expected} to={shipmentsOf(days, "expected")} />
        </Fact>
        <Fact name="On time">
          {timed === 0 ? "–" : `${amount.format(100 * of.onTime / timed)} %`}
          <span class="sub">{of.late} of {timed} late</span>
        </Fact>
        <Fact name="Short">
          <Counted count={of.short} to={shipmentsOf(days, "departed", discrepant)} />
          <span class="sub">{of.over} over, {of.complete} complete</span>
        </Fact>
        <Fact name="Pallets">
          {amount.format(of.palletsIn)} in
          <span class="sub">{amount.format(of.palletsOut)} out</span>
        </Fact>
        <Fact name="Exceptions">
          <Counted count={of.exceptions} to={`/exceptions?at=${days.at}`} />
          <span class="sub">{of.openExceptions} open</span>
        </Fact>
        <Fact name="From arrival to departure">
          {duration(of.medianMinutes)}
          <span class="sub">At most {duration(of.longestMinutes)}</span>
        </Fact>
        <Fact name="Detained over 2 h">
          {amount.format(of.detained)}
          <span class="sub">{duration(of.detentionMinutes)} beyond it</span>
        </Fact>
      </dl>
    </section>
  )
}

const [width, height, foot] = [960, 180, 24]

/** Bars, one for each hour or day: how many shipments have departed, are at a dock, or are expected. */
const Bars = ({ label, of }: {
  readonly label: string
  readonly of: ReadonlyArray<readonly [name: string, row: Row | undefined]>
}) => {
  const most = Math.max(1, ...of.map(([, row]) => row?.shipments ?? 0))
  const step = width / of.length
  const tall = (count: number): number => count / most * (height - foot - 16)
  return (
    <section class="card order" aria-label={label}>
      <header class="order-head">
        <h2>{label}</h2>
        <span class="soft count legend">
          <i data-kind="departed" /> Departed <i data-kind="docked" /> At a dock <i data-kind="expected" />
          {" "}
          Expected
        </span>
      </header>
      <svg
        class="day-bars"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={of.filter(([, row]) => row !== undefined && row.shipments > 0)
          .map(([name, row]) => `${name}: ${row!.shipments}`).join(", ")}
      >
        {of.map(([name, row], at) => {
          const [departed, docked, expected] = [row?.departed ?? 0, row?.atDock ?? 0, row?.expected ?? 0]
          const parts = [["departed", departed, 0], ["docked", docked, departed], [
            "expected",
            expected,
            departed + docked
          ]] as const
          const middle = (at + 0.5) * step
          return (
            <g key={name}>
              {parts.map(([kind, count, below]) => (
                <rect
                  key={kind}
                  data-kind={kind}
                  x={at * step + step * 0.15}
                  width={step * 0.7}
                  y={height - foot - tall(below + count)}
                  height={tall(count)}
                />
              ))}
              {row === undefined || row.shipments === 0 ?
                null :
                <text x={middle} y={height - foot - tall(row.shipments) - 4}>{row.shipments}</text>}
              <text x={middle} y={height - 6}>{name}</text>
            </g>
          )
        })}
      </svg>
    </section>
  )
}

const Groups = ({ addressOf, kind, rows }: {
  readonly kind: "Dock" | "Carrier" | "Supplier"
  readonly rows: ReadonlyArray<Row>
  /** The list of what a row counts, if there is one. */
  readonly addressOf?: (row: Row) => string
}) => (
  <section class="card" aria-label={`By ${kind.toLowerCase()}`}>
    <table class="table rows cards">
      <Heads
        names={[
          kind,
          ["Shipments"],
          ["Departed"],
          ["Late"],
          ["Short"],
          ["Pallets in"],
          ["Pallets out"],
          [
            "Exceptions"
          ],
          ["Median"],
          ["Detained"]
        ]}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td class="main">
              {row.name === ""
                ? <span class="soft">Without</span>
                : addressOf === undefined
                ? row.name
                : <a href={href(addressOf(row))}>{row.name}</a>}
            </td>
            <td class="number end">
              {amount.format(row.shipments)}
              <span class="on-phone soft">&nbsp;shipments</span>
            </td>
            <td class="number" data-label="Departed">{amount.format(row.departed)}</td>
            <td class="number" data-label="Late">{amount.format(row.late)}</td>
            <td class="number" data-label="Short">{amount.format(row.short)}</td>
            <td class="number" data-label="Pallets in">{amount.format(row.palletsIn)}</td>
            <td class="number" data-label="Pallets out">{amount.format(row.palletsOut)}</td>
            <td class="number" data-label="Exceptions">{amount.format(row.exceptions)}</td>
            <td class="number nowrap" data-label="Median">{duration(row.medianMinutes)}</td>
            <td class="number" data-label="Detained">{amount.format(row.detained)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"))

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", timeZone: "UTC" })

const Shown = ({ days, rows }: { readonly days: Days; readonly rows: ReadonlyArray<Row> }) => {
  const of = (group: Row["group"]) => rows.filter((row) => row.group === group)
  const [total] = of("TOTAL")
  if (total === undefined || total.shipments === 0) {
    return (
      <section class="card">
        <Empty title={days.from === days.to ? "No shipment on this day" : "No shipment in this week"}>
          <p>A shipment counts when it departed, else when it arrived, else when it is expected.</p>
        </Empty>
      </section>
    )
  }
  const byHour = new Map(of("HOUR").map((row) => [row.name, row]))
  return (
    <>
      <Totals of={total} days={days} />
      {days.from === days.to
        ? <Bars label="By hour" of={hours.map((hour) => [hour, byHour.get(hour)])} />
        : <Bars label="By day" of={of("DATE").map((row) => [weekday.format(new Date(row.name)), row])} />}
      <Groups kind="Dock" rows={of("DOCK")} />
      <Groups
        kind="Carrier"
        rows={of("CARRIER")}
        addressOf={({ departed, name }) =>
          shipmentsOf(days, departed > 0 ? "departed" : "open", { carrier: name })}
      />
      <Groups kind="Supplier" rows={of("SUPPLIER")} />
    </>
  )
}

/** A day or a week of a facility. */
export const Day = ({ place }: { readonly place: Place }) => {
  const today = dayOf(new Date(now.value))
  const given = query.value.get("date") ?? ""
  const date = daysAfter(given, 0) === "" ? today : given
  const span = query.value.get("days") === "7" ? "7" : "1"
  const asked = { ...slugsOf(place), date, days: span }
  const days = { at: slugOf(place), from: date, to: daysAfter(date, Number(span) - 1) }
  const state = useLoaded(
    JSON.stringify(asked),
    () => readPages(pagesAtMost, (after) => run(day, { ...asked, after }))
  )
  useLive(followedOf(place), { onMessage: state.reload }, state.reload, state.reloadNow)
  const go = (to: string): void => setQuery({ date: to === today ? "" : to })
  return (
    <>
      <div class="view-head">
        <div>
          <h1>
            {span === "1" ? calendarDate(date) : `${calendarDate(days.from)} to ${calendarDate(days.to)}`}
          </h1>
          <p class="lead">{place.business.name}, {place.facility.name}</p>
        </div>
        <Download name={`day-${slugOf(place)}-${date}`} paths={[pathOf("day", asked)]} />
        <button type="button" class="plain not-phone no-print" onClick={() => print()}>Print</button>
      </div>
      <div class="toolbar no-print">
        <div class="day-steps">
          <button type="button" class="plain" onClick={() => go(daysAfter(date, -Number(span)))}>
            Before
          </button>
          <input
            key={date}
            type="date"
            aria-label={span === "1" ? "Day" : "First day"}
            defaultValue={date}
            onChange={({ currentTarget }) => go(currentTarget.value)}
          />
          <button type="button" class="plain" onClick={() => go(daysAfter(date, Number(span)))}>After</button>
        </div>
        <Choices
          label="Length"
          options={spans}
          chosen={span}
          choose={(length) => setQuery({ days: length === "1" ? "" : length })}
        />
      </div>
      <Loaded state={state}>
        {({ rows }) => <Shown days={days} rows={rows} />}
      </Loaded>
    </>
  )
}
