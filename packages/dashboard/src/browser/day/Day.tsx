/** A summary of a day or a week of a facility, for reading and for handing over, compared with earlier days. */
import type { DayNumber } from "@dockline/core/day/Day"
import { readPages } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { numbersAdded } from "../capability.ts"
import { href, query, setQuery } from "../router.ts"
import { messagesOf, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { dayOf, daysAfter, now } from "../time.ts"
import { EmptyCard, LoadedData, PageHead, Print, SendExample } from "../ui/Frame.tsx"
import { Download, pathOf, Rows } from "../ui/lists.tsx"
import type { Column } from "../ui/lists.tsx"
import { useFollowed, useLoaded } from "../ui/loaded.ts"
import { Choices, Facts, over, Plain, useShown } from "../ui/Parts.tsx"
import { amount, compareNames } from "../ui/words.ts"
import { day as dayList, dayTrend, nameOfNumber, numberOf, queryOf, titleOf } from "./days.ts"
import type { DayRow as Row, TrendRow } from "./days.ts"
import { Against, duration, Lines, punctuality } from "./Trend.tsx"

/** Whole lists of docks, carriers and suppliers are read, up to this number of pages. */
const pagesAtMost = 10

const spans = [["1", "Day"], ["7", "Week"]] as const

/** A link to the shipments that a number of a group counts; plain text if the number is 0. */
const CountLink = ({ children, number, of }: {
  readonly of: Row
  readonly number: DayNumber
  readonly children: string
}) => {
  if (numberOf(of, number) === 0) return <span class="soft">{children}</span>
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
}) => <CountLink of={of} number={number}>{`${amount(numberOf(of, number))} ${word}`.trim()}</CountLink>

const Median = ({ of }: { readonly of: Row }) =>
  of.departed === 0
    ? <span class="soft">–</span>
    : <CountLink of={of} number="departed">{duration(of.medianMinutes)}</CountLink>

const Totals = ({ isDay, of, trend }: {
  readonly isDay: boolean
  readonly of: Row
  readonly trend: ReadonlyArray<TrendRow>
}) => {
  const timedShipments = of.onTime + of.late
  const percent = punctuality(of)
  const against = (figure: (row: TrendRow) => string | undefined) => (
    <Against isDay={isDay} of={figure} rows={trend} />
  )
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
              <>
                {count("inbound", "inbound")}, {count("outbound", "outbound")} in all
                {against(({ departed }) => amount(departed))}
              </>
            )
          ],
          ["At a dock", count("atDock")],
          ["Expected", count("expected")],
          [
            "On time",
            over(
              percent === undefined ? "–" : (
                <CountLink of={of} number={of.late > 0 ? "late" : "onTime"}>
                  {`${percent} %`}
                </CountLink>
              ),
              <>
                {count("late", "late")} of {timedShipments}
                {against((row) => punctuality(row)?.toString().concat(" %"))}
              </>
            )
          ],
          [
            "Short",
            over(
              count("short"),
              <>
                {count("over", "over")}, {count("complete", "complete")}
                {against(({ short }) => amount(short))}
              </>
            )
          ],
          [
            "Pallets",
            over(
              count("palletsIn", "in"),
              <>
                {count("palletsOut", "out")}
                {against(({ palletsIn, palletsOut }) =>
                  `${amount(palletsIn)} in and ${amount(palletsOut)} out`
                )}
              </>
            )
          ],
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
            over(
              <Median of={of} />,
              <>
                {of.departed === 0 ? "" : `At most ${duration(of.longestMinutes)}`}
                {against(({ departed, medianMinutes }) =>
                  departed === 0 ? undefined : duration(medianMinutes)
                )}
              </>
            )
          ],
          [
            "Detained",
            over(
              count("detained"),
              <>
                {of.detained === 0
                  ? "Of those that have departed"
                  : `${duration(of.detentionMinutes)} beyond the limit of the facility`}
                {against(({ detained }) => amount(detained))}
              </>
            )
          ]
        ]}
      />
    </section>
  )
}

const [width, height, foot] = [960, 130, 24]

/** Bars, one for each hour or day: the number of shipments that have departed, are at a dock, or are expected. */
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
          const [departed, atDock, expected] = [row?.departed ?? 0, row?.atDock ?? 0, row?.expected ?? 0]
          const parts = [["departed", departed, 0], ["docked", atDock, departed], [
            "expected",
            expected,
            departed + atDock
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

/** The number of problems with the shipments of a group. */
const troubleOf = ({ detained, late, short }: Row): number => late + short + detained

/** Orders groups by their number of problems, highest first, and then by their median time at the dock, longest first. */
const worstFirst = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.toSorted((one, other) =>
    troubleOf(other) - troubleOf(one) || other.medianMinutes - one.medianMinutes ||
    compareNames(one.name, other.name)
  )

const columns = [
  "shipments",
  "departed",
  "late",
  "short",
  "palletsIn",
  "palletsOut"
] as const

/** How many groups of a kind are shown at first, the worst ones; a button shows more. */
const groupsAtMost = 8

const Groups = ({ kind, rows }: {
  readonly kind: "Dock" | "Carrier" | "Supplier"
  readonly rows: ReadonlyArray<Row>
}) => {
  const [first, more] = useShown(rows, groupsAtMost, `${kind.toLowerCase()}s`)
  return (
    <section class="card group" aria-label={`By ${kind.toLowerCase()}`}>
      <Rows
        rows={first}
        columns={[
          [kind === "Dock" ? kind : `${kind}, worst first`, ({ name }) =>
            name === "" ? <span class="soft">Without</span> : name, "main"],
          ...[
            ...columns,
            ...numbersAdded().flatMap(([first]) =>
              first?.[0] ?? []
            ),
            "detained"
          ].map((
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
      {more}
    </section>
  )
}

/** The minimum number of hours in a chart. */
const hoursAtLeast = 8

/** The hours from the first to the last with a shipment, at least {@link hoursAtLeast}. */
const hoursOf = (rows: ReadonlyArray<Row>): ReadonlyArray<readonly [hour: string, row: Row | undefined]> => {
  const numbers = rows.map(({ name }) => Number(name))
  const first = Math.min(24 - hoursAtLeast, ...numbers)
  const last = Math.max(first + hoursAtLeast - 1, ...numbers)
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const hour = String(first + at).padStart(2, "0")
    return [hour, rows.find(({ name }) => name === hour)]
  })
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", timeZone: "UTC" })

/** The days; the last day gets the current counts. */
const withToday = (trend: ReadonlyArray<TrendRow>, total: Row): ReadonlyArray<TrendRow> =>
  trend.map((row, at) => at === trend.length - 1 ? { ...row, ...total } : row)

const Overview = ({ isDay, rows, trend }: {
  readonly isDay: boolean
  readonly rows: ReadonlyArray<Row>
  readonly trend: ReadonlyArray<TrendRow>
}) => {
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
  return (
    <>
      <Totals isDay={isDay} of={total} trend={trend} />
      <Lines rows={isDay ? withToday(trend, total) : trend} />
      {isDay
        ? <Bars label="By hour" of={hoursOf(of("HOUR"))} />
        : <Bars label="By day" of={of("DATE").map((row) => [weekday.format(new Date(row.name)), row])} />}
      <Groups kind="Carrier" rows={worstFirst(of("CARRIER"))} />
      <Groups kind="Supplier" rows={worstFirst(of("SUPPLIER"))} />
      <Groups kind="Dock" rows={of("DOCK")} />
    </>
  )
}

export const Day = ({ place }: { readonly place: Place }) => {
  const query = queryOf(place)
  const { date, days: span } = query
  const state = useFollowed(
    JSON.stringify(query),
    () => readPages(pagesAtMost, (after) => run(dayList, { ...query, after })),
    { source: () => messagesOf(place) }
  )
  // The earlier days rarely change. The page waits for them, so that nothing moves when they arrive; if they cannot be loaded, it shows
  // the day alone.
  const trend = useLoaded(`trend ${JSON.stringify(query)}`, () => run(dayTrend, query))
  const isWaiting = trend.value === undefined && trend.fault === undefined
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
          choice={span}
          choose={(length) => {
            if (length === span) return
            // A day becomes the week that ends with it, and a week becomes its last day.
            setQuery({ days: length === "1" ? "" : length })
            go(daysAfter(date, length === "1" ? 6 : -6))
          }}
        />
      </div>
      <LoadedData state={isWaiting ? { ...state, value: undefined } : state}>
        {({ rows }) => <Overview isDay={span === "1"} rows={rows} trend={trend.value?.nodes ?? []} />}
      </LoadedData>
    </>
  )
}
