/**
 * The result of `bench soak`: how each series goes, what is held at rest, what was delivered, and the verdict.
 */
import { markdownTable, textTable } from "../Table.ts"
import { sparkline } from "./Picture.ts"
import { isBack, trendOf } from "./Trend.ts"
import type { Bound, Idle, Series } from "./Trend.ts"

/** Everything that was measured. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly settings: string
  readonly minutes: number
  readonly rate: number
  readonly series: ReadonlyArray<Series>
  readonly idle: ReadonlyArray<Idle>
  /** What was sent and delivered, in words. */
  readonly counts: ReadonlyArray<string>
  /** What does not hold of what is promised. */
  readonly faults: ReadonlyArray<string>
}

/** What speaks against a flat soak; empty when nothing does. */
export const findingsOf = ({ faults, idle, series }: Result): ReadonlyArray<string> => [
  ...series.filter((each) => trendOf(each).isFlat === false).map((each) => {
    const { first, growth, last } = trendOf(each)
    return `${each.name} does not stay flat: ${first.toFixed(1)} in the first third, ${
      last.toFixed(1)
    } in the last, \
${percent(growth)} over the last two (${boundText(each.bound)}; ${each.points.length} points)`
  }),
  ...idle.filter((each) => !isBack(each)).map(({ after, before, name }) =>
    `${name}: ${before} at rest before, ${after} after`
  ),
  ...faults
]

const percent = (share: number): string => `${share >= 0 ? "+" : ""}${(share * 100).toFixed(1)} %`

const boundText = (bound: Bound): string =>
  bound.kind === "none"
    ? "–"
    : bound.kind === "growth"
    ? `growth ≤ ${bound.most * 100} %`
    : `last/first ≤ ${bound.most}`

const columns = [
  "",
  "unit",
  "first third",
  "last third",
  "growth",
  "bound",
  "verdict",
  "from beginning to end"
]

const rowOf = (series: Series): ReadonlyArray<string> => {
  const { first, growth, isFlat, last } = trendOf(series)
  return [
    series.name,
    series.unit,
    first.toFixed(1),
    last.toFixed(1),
    percent(growth),
    boundText(series.bound),
    isFlat === undefined ? "–" : isFlat ? "flat" : "not flat",
    sparkline(series.points.map(({ value }) => value), 30)
  ]
}

const idleColumns = ["at rest", "before", "after", "verdict"]

const idleRow = (idle: Idle): ReadonlyArray<string> => [
  idle.name,
  String(idle.before),
  String(idle.after),
  isBack(idle) ? "back" : "not back"
]

const verdictLines = (result: Result): ReadonlyArray<string> => {
  const findings = findingsOf(result)
  return findings.length === 0
    ? ["Flat: no series grows, nothing is held at rest that was not before, everything was delivered."]
    : findings.map((finding) => `NOT FLAT: ${finding}`)
}

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    result.machine,
    result.settings,
    "",
    ...textTable(columns, result.series.map(rowOf)),
    "",
    ...textTable(idleColumns, result.idle.map(idleRow)),
    "",
    ...result.counts,
    "",
    ...verdictLines(result)
  ].join("\n")

/** The result as a page of Markdown beside its picture: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# Soak, as measured",
    "",
    "Written by `npm run bench -- soak --write`; bench/README.md says what is measured and how, and what the bounds are.",
    "Growth is that of the last two thirds, by the median of the slopes between all pairs of points.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    `- ${result.minutes} minutes at ${result.rate} requests/s`,
    ...result.counts.map((line) => `- ${line}`),
    "",
    "## Verdict",
    "",
    ...verdictLines(result).map((line) => `- ${line}`),
    "",
    "## Series",
    "",
    ...markdownTable(columns, result.series.map(rowOf), (column) => column < 2 || column > 5),
    "",
    "![Each series over time](soak.svg)",
    "",
    "## At rest",
    "",
    ...markdownTable(idleColumns, result.idle.map(idleRow), (column) => column === 0 || column === 3),
    ""
  ].join("\n")
