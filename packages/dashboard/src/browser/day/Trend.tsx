/** Comparisons of a day with earlier days, and charts of the last fourteen days. */
import { calendarDate, dayOf, now } from "../time.ts"
import { Part } from "../ui/Frame.tsx"
import { amount } from "../ui/words.ts"
import type { TrendRow } from "./days.ts"

/** A number of minutes in words: `48 min`, `2 h 51 min`. */
export const duration = (minutes: number): string => {
  const whole = Math.round(minutes)
  if (whole < 60) return `${whole} min`
  return whole % 60 === 0 ? `${whole / 60} h` : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

/** The percentage of shipments that arrived on time, among those with an expected time; `undefined` without any. */
export const punctuality = ({ late, onTime }: Pick<TrendRow, "late" | "onTime">): number | undefined =>
  late + onTime === 0 ? undefined : Math.round(100 * onTime / (late + onTime))

/** The text of a figure of some days; `undefined` if the days have no such figure. */
type Figure = (row: TrendRow) => string | undefined

/** Compares a figure with the day or week before, and with the average. */
export const Against = ({ isDay, of, rows }: {
  readonly isDay: boolean
  readonly of: Figure
  readonly rows: ReadonlyArray<TrendRow>
}) => {
  const partOf = (kind: TrendRow["kind"], words: string): ReadonlyArray<string> => {
    const row = rows.find((each) => each.kind === kind && each.shipments > 0)
    const figure = row && of(row)
    return figure === undefined ? [] : [`${words} ${figure}`]
  }
  const parts = [...partOf("BEFORE", isDay ? "Day before" : "Week before"), ...partOf("AVERAGE", "average")]
  return parts.length === 0 ? null : <span class="sub against">{parts.join(" · ")}</span>
}

const [lineWidth, lineHeight, edge] = [320, 64, 6]

/** A line through the days with a value; the last one is marked. */
const Line = ({ format, label, rows, valueOf }: {
  readonly label: string
  readonly rows: ReadonlyArray<TrendRow>
  readonly valueOf: (row: TrendRow) => number | undefined
  readonly format: (value: number) => string
}) => {
  const most = Math.max(1, ...rows.map((row) => valueOf(row) ?? 0))
  const points = rows.flatMap((row, at) => {
    const value = valueOf(row)
    return value === undefined ? [] : [{
      date: row.date,
      value,
      x: edge + at * (lineWidth - 2 * edge) / Math.max(1, rows.length - 1),
      y: lineHeight - edge - value / most * (lineHeight - 2 * edge)
    }]
  })
  const last = points.at(-1)
  return (
    <figure class="trend">
      <figcaption>
        {label}: <b>{last === undefined ? "–" : format(last.value)}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${lineWidth} ${lineHeight}`}
        role="img"
        preserveAspectRatio="none"
        aria-label={`${label}: ${points.map(({ date, value }) => `${date} ${format(value)}`).join(", ")}`}
      >
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {last === undefined ? null : <path d={`M${last.x} ${last.y}h0`} />}
        {points.map(({ date, value, x }) => (
          <rect key={date} x={x - edge} width={2 * edge} height={lineHeight}>
            <title>{`${calendarDate(date)}: ${format(value)}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  )
}

/** Charts of pallets, punctuality and time at the dock over the last days, up to today; nothing unless two days have shipments. */
export const Lines = ({ rows }: { readonly rows: ReadonlyArray<TrendRow> }) => {
  const today = dayOf(new Date(now.value))
  const days = rows.filter(({ date, kind }) => kind === "DATE" && date <= today)
  return days.filter(({ shipments }) => shipments > 0).length < 2 ?
    null :
    (
      <Part id="trend" title="Fourteen days">
        <div class="trends">
          <Line
            label="Pallets"
            rows={days}
            valueOf={({ palletsIn, palletsOut }) => palletsIn + palletsOut}
            format={amount}
          />
          <Line label="On time" rows={days} valueOf={punctuality} format={(value) => `${value} %`} />
          <Line
            label="At the dock"
            rows={days}
            valueOf={({ departed, medianMinutes }) => departed === 0 ? undefined : medianMinutes}
            format={duration}
          />
        </div>
      </Part>
    )
}
