/** What a day or a week of a facility was, to look at and to hand over. */
import type { DayNumber } from "@dockline/core/day/Day"
import { readPages } from "../api/pages.ts"
import { run } from "../api/request.ts"
import type { DashboardCapability } from "../capability.ts"
import { numbersAdded } from "../extensions.ts"
import { href, query, setQuery } from "../router.ts"
import { followedOf, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayOf, daysAfter, now } from "../time.ts"
import { amount } from "../ui/amounts.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { EmptyCard, Loaded, PageHead, Print, SendExample } from "../ui/Frame.tsx"
import { icon } from "../ui/Icons.tsx"
import { Rows } from "../ui/lists.tsx"
import type { Column } from "../ui/lists.tsx"
import { useFollowed } from "../ui/loaded.ts"
import { Choices, Facts, over, Plain } from "../ui/Parts.tsx"
import { day as dayList } from "./dayLists.ts"
import type { DayRow as Row } from "./dayLists.ts"
import { nameOfNumber, numberOf, queryOf, titleOf } from "./days.ts"
import { DayShipments } from "./DayShipments.tsx"

/** Whole lists of docks, carriers and suppliers are read, but for very many. */
const pagesAtMost = 10

const spans = [["1", "Day"], ["7", "Week"]] as const

/** Minutes as people say them: `48 min`, `2 h 51 min`. */
const duration = (minutes: number): string => {
  const whole = Math.round(minutes)
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

/** Leads to the shipments that a number of a group counts, if there are any. */
const Leads = ({ children, number, of }: {
  readonly of: Row
  readonly number: DayNumber
  readonly children: string
}) => {
  if (numberOf(of, number) === 0) return <>{children}</>
  const address = new URLSearchParams(query.value)
  for (const [name, value] of [["group", of.group], ["name", of.name], ["counted", number]] as const) {
    address.set(name, value)
  }
  return <a href={href(`/day/shipments?${address.toString()}`)}>{children}</a>
}

const Count = ({ number, of, word = "" }: {
  readonly of: Row
  readonly number: DayNumber
  readonly word?: string | undefined
}) => <Leads of={of} number={number}>{`${amount(numberOf(of, number))} ${word}`.trim()}</Leads>

const Median = ({ of }: { readonly of: Row }) =>
  of.departed === 0 ? <>–</> : <Leads of={of} number="departed">{duration(of.medianMinutes)}</Leads>

const Totals = ({ of }: { readonly of: Row }) => {
  const timedShipments = of.onTime + of.late
  const count = (number: DayNumber, word?: string) => <Count of={of} number={number} word={word} />
  return (
    <section class="card order" aria-label="Totals">
      <Facts
        class="day-totals"
        of={[
          [
            "Departed",
            over(
              count("departed"),
              <>{count("inbound", "inbound")}, {count("outbound", "outbound")} in all</>
            )
          ],
          ["At a dock", count("atDock")],
          ["Expected", count("expected")],
          [
            "On time",
            over(
              timedShipments === 0 ? "–" : (
                <Leads of={of} number={of.late > 0 ? "late" : "onTime"}>
                  {`${Math.round(100 * of.onTime / timedShipments)} %`}
                </Leads>
              ),
              <>{count("late", "late")} of {timedShipments}</>
            )
          ],
          ["Short", over(count("short"), <>{count("over", "over")}, {count("complete", "complete")}</>)],
          ["Pallets", over(count("palletsIn", "in"), count("palletsOut", "out"))],
          ...numbersAdded().flatMap(([first, ...others]) =>
            first === undefined ? [] : [
              [
                first[1],
                over(
                  count(first[0]),
                  others.map(([number, label]) =>
                    count(number, label.toLowerCase().replace(first[1].toLowerCase(), "").trim())
                  )
                )
              ] as const
            ]
          ),
          [
            "From arrival to departure",
            over(<Median of={of} />, of.departed === 0 ? "" : `At most ${duration(of.longestMinutes)}`)
          ],
          [
            "Detained",
            over(count("detained"), `${duration(of.detentionMinutes)} beyond the limit of the facility`)
          ]
        ]}
      />
    </section>
  )
}

/** More docks have no room beside each other. */
const docksInPicture = 24

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

const columns = [
  "shipments",
  "departed",
  "late",
  "short",
  "palletsIn",
  "palletsOut"
] as const

const Groups = ({ kind, rows }: {
  readonly kind: "Dock" | "Carrier" | "Supplier"
  readonly rows: ReadonlyArray<Row>
}) => (
  <section class="card" aria-label={`By ${kind.toLowerCase()}`}>
    <Rows
      rows={rows}
      columns={[
        [kind, ({ name }) => name === "" ? <span class="soft">Without</span> : name, "main"],
        ...[...columns, ...numbersAdded().flatMap(([first]) => first?.[0] ?? []), "detained"].map((
          number
        ): Column<Row> => [
          nameOfNumber(number),
          (row) => <Count of={row} number={number} />,
          "number",
          nameOfNumber(number)
        ]),
        ["Median", (row) => <Median of={row} />, "number nowrap", "Median"]
      ]}
    />
  </section>
)

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"))

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", timeZone: "UTC" })

const Overview = ({ isDay, rows }: { readonly isDay: boolean; readonly rows: ReadonlyArray<Row> }) => {
  const of = (group: Row["group"]) => rows.filter((row) => row.group === group)
  const [total] = of("TOTAL")
  if (total === undefined || total.shipments === 0) {
    return (
      <EmptyCard title={isDay ? "No shipment on this day" : "No shipment in this week"}>
        A shipment counts on the day of its departure or, before that, of its arrival or expected arrival.
        Documents name shipments. <SendExample />
      </EmptyCard>
    )
  }
  const byHour = new Map(of("HOUR").map((row) => [row.name, row]))
  const docks = of("DOCK")
  return (
    <>
      <Totals of={total} />
      {isDay
        ? <Bars label="By hour" of={hours.map((hour) => [hour, byHour.get(hour)])} />
        : <Bars label="By day" of={of("DATE").map((row) => [weekday.format(new Date(row.name)), row])} />}
      {docks.length > 1 && docks.length <= docksInPicture
        ? <Bars label="At docks" of={docks.map((row) => [row.name === "" ? "Without" : row.name, row])} />
        : null}
      <Groups kind="Dock" rows={docks} />
      <Groups kind="Carrier" rows={of("CARRIER")} />
      <Groups kind="Supplier" rows={of("SUPPLIER")} />
    </>
  )
}

const Day = ({ place }: { readonly place: Place }) => {
  const query = queryOf(place)
  const { date, days: span } = query
  const state = useFollowed(
    JSON.stringify(query),
    () => readPages(pagesAtMost, (after) => run(dayList, { ...query, after })),
    { followed: () => followedOf(place) }
  )
  const go = (to: string): void => setQuery({ date: to === dayOf(new Date(now.value)) ? "" : to })
  return (
    <>
      <PageHead title={titleOf(query)} lead={`${place.business.name}, ${place.facility.name}`}>
        <Download name={`day-${slugOf(place)}-${date}`} paths={[pathOf("day", query)]} />
        <Print />
      </PageHead>
      <div class="toolbar no-print">
        <div class="day-steps">
          <Plain onClick={() => go(daysAfter(date, -Number(span)))}>
            Before
          </Plain>
          <input
            key={date}
            type="date"
            aria-label={span === "1" ? "Day" : "First day"}
            defaultValue={date}
            onChange={({ currentTarget }) => go(currentTarget.value)}
          />
          <Plain onClick={() => go(daysAfter(date, Number(span)))}>After</Plain>
        </div>
        <Choices
          label="Length"
          options={spans}
          chosen={span}
          choose={(length) => setQuery({ days: length === "1" ? "" : length })}
        />
      </div>
      <Loaded state={state}>
        {({ rows }) => <Overview isDay={span === "1"} rows={rows} />}
      </Loaded>
    </>
  )
}

const DayIcon = icon("M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M8 17v-3M12 17v-4M16 17v-2")

/** What days have on the dashboard. */
export const day: DashboardCapability = {
  name: "day",
  pages: [{ target: "/day", label: "Day", key: "y", List: Day, tab: { Icon: DayIcon, after: "/docks" } }],
  lists: { "/day/shipments": DayShipments }
}
