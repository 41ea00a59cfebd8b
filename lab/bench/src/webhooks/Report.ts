/**
 * The result of the webhook benchmark: medians of the rounds, and the ratios of each round.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import type { BacklogMeasured } from "./Backlog.ts"
import { contestants, titles } from "./Contestants.ts"
import type { Contestant } from "./Contestants.ts"
import type { FairnessLeg } from "./Fairness.ts"
import type { RatesLeg } from "./Rates.ts"

/** Everything that is reported; a part that was not measured is absent. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly settings: string
  readonly rates: ReadonlyArray<RatesLeg> | undefined
  readonly backlog: ReadonlyArray<BacklogMeasured> | undefined
  readonly fairness: ReadonlyArray<FairnessLeg> | undefined
}

/** The aims: the least ratios of deliveries a second, and the most of the p99 beside an endpoint that hangs. */
export const aims = { graphile: 3, "local-queue": 1, bare: 0.6, fairness: 1.2 } as const

interface Section {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly lines: ReadonlyArray<string>
}

interface Figure {
  readonly column: string
  readonly digits: number
  readonly of: (leg: RatesLeg) => number | undefined
}

const figures: ReadonlyArray<Figure> = [
  { column: "deliveries/s", digits: 0, of: ({ throughput }) => throughput.perSecond },
  { column: "p50 ms", digits: 1, of: ({ latency }) => latency?.p50 },
  { column: "p99 ms", digits: 1, of: ({ latency }) => latency?.p99 },
  { column: "enqueue ms", digits: 1, of: ({ latency }) => latency?.enqueue },
  { column: "sender CPU µs", digits: 0, of: ({ throughput }) => throughput.cpu.sender },
  { column: "PostgreSQL CPU µs", digits: 0, of: ({ throughput }) => throughput.cpu.postgres },
  { column: "sink CPU µs", digits: 0, of: ({ throughput }) => throughput.cpu.sink }
]

const shown = (value: number | undefined, digits: number): string =>
  value === undefined ? "–" : value.toFixed(digits)

const rateOf = (legs: ReadonlyArray<RatesLeg>, contestant: Contestant, round: number): number =>
  legs.find((leg) => leg.contestant === contestant && leg.round === round)!.throughput.perSecond

const roundsOf = (legs: ReadonlyArray<{ readonly round: number }>): ReadonlyArray<number> => [
  ...new Set(legs.map(({ round }) => round))
]

/** A line about ratios: their median, each of them, and whether the aim is met. */
const ratioLine = (
  what: string,
  ratios: ReadonlyArray<number>,
  aim: string,
  isMet: (ratio: number) => boolean
) => {
  const rounds = ratios.map((ratio) => ratio.toFixed(2)).join(", ")
  const middle = median(ratios)
  return `${what}: ${middle.toFixed(2)} (rounds: ${rounds}); aim ${aim}: ${isMet(middle) ? "met" : "not met"}`
}

const ratesSection = (legs: ReadonlyArray<RatesLeg>): Section => {
  const rows = contestants.map((contestant) => {
    const own = legs.filter((leg) => leg.contestant === contestant)
    const cells = figures.map(({ digits, of }) => {
      const values = own.map(of).filter((value) => value !== undefined)
      return shown(values.length === 0 ? undefined : median(values), digits)
    })
    return [titles[contestant], ...cells]
  })
  const lines = (["graphile", "local-queue", "bare"] as const).map((other) =>
    ratioLine(
      `Deliveries, Dockline / ${titles[other]}`,
      roundsOf(legs).map((round) => rateOf(legs, "dockline", round) / rateOf(legs, other, round)),
      `at least ${aims[other]}`,
      (ratio) => ratio >= aims[other]
    )
  )
  return {
    title: "Deliveries out of a backlog, and the way of one message",
    columns: ["", ...figures.map(({ column }) => column)],
    rows,
    lines: [...lines, `A request has ${legs[0]!.throughput.bytes} bytes`]
  }
}

const backlogSection = (measured: ReadonlyArray<BacklogMeasured>): Section => ({
  title: "A large backlog",
  columns: [
    "",
    "deliveries/s",
    "first tenth",
    "slowest tenth",
    "fastest tenth",
    "last tenth",
    "peak memory MiB"
  ],
  rows: measured.map(({ deliveries, endpoints, peakMemory, perSecond, tenths }) => [
    `${deliveries} for ${endpoints} ${endpoints === 1 ? "endpoint" : "endpoints"}`,
    ...[perSecond, tenths[0]!, Math.min(...tenths), Math.max(...tenths), tenths.at(-1)!, peakMemory].map((
      value
    ) => value.toFixed(0))
  ]),
  lines: measured.flatMap(({ endpoints, fanout, tenths }) => [
    `Deliveries a second in each tenth, ${endpoints} ${endpoints === 1 ? "endpoint" : "endpoints"}: ${
      tenths.map((rate) => rate.toFixed(0)).join(", ")
    }`,
    ...(fanout === undefined
      ? []
      : [
        `One message to ${endpoints} endpoints: stored after ${
          fanout.enqueue.toFixed(1)
        } ms, the first has it after ${fanout.first.toFixed(1)} ms (medians), the last after p50 ${
          fanout.p50.toFixed(0)
        } ms, p99 ${fanout.p99.toFixed(0)} ms`
      ])
  ])
})

const fairnessSection = (legs: ReadonlyArray<FairnessLeg>): Section => {
  const of = (company: FairnessLeg["company"]) =>
    legs.filter((leg) => leg.company === company).toSorted((left, right) => left.round - right.round)
  const alone = of("alone")
  const beside = of("beside one that hangs")
  return {
    title: "An endpoint that answers",
    columns: ["", "p50 ms", "p99 ms"],
    rows: [alone, beside].map((own) => [
      own[0]!.company,
      median(own.map(({ latency }) => latency.p50)).toFixed(1),
      median(own.map(({ latency }) => latency.p99)).toFixed(1)
    ]),
    lines: [
      ratioLine(
        "p99 beside one that hangs / alone",
        beside.map(({ latency }, at) => latency.p99 / alone[at]!.latency.p99),
        `at most ${aims.fairness}`,
        (ratio) => ratio <= aims.fairness
      )
    ]
  }
}

const sectionsOf = ({ backlog, fairness, rates }: Result): ReadonlyArray<Section> => [
  ...(rates === undefined ? [] : [ratesSection(rates)]),
  ...(backlog === undefined ? [] : [backlogSection(backlog)]),
  ...(fairness === undefined ? [] : [fairnessSection(fairness)])
]

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    result.machine,
    result.settings,
    "",
    ...sectionsOf(result).flatMap(({ columns, lines, rows, title }) => [
      title,
      "",
      ...textTable(columns, rows),
      "",
      ...lines,
      ""
    ])
  ].join("\n")

const everyLeg = (legs: ReadonlyArray<RatesLeg>): ReadonlyArray<string> => [
  "## Every measurement",
  "",
  ...markdownTable(
    ["round", "contestant", ...figures.map(({ column }) => column)],
    legs.map((leg) => [
      String(leg.round),
      titles[leg.contestant],
      ...figures.map(({ digits, of }) => shown(of(leg), digits))
    ]),
    (column) => column === 1
  ),
  ""
]

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# Webhooks, as measured",
    "",
    "Written by `npm run bench -- webhooks --write`; lab/bench/README.md says what is measured and how. Medians of the",
    "rounds; CPU time is user and system time for each delivery.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    "",
    ...sectionsOf(result).flatMap(({ columns, lines, rows, title }) => [
      `## ${title}`,
      "",
      ...markdownTable(columns, rows, (column) => column === 0),
      "",
      ...lines.map((line) => `- ${line}`),
      ""
    ]),
    ...(result.rates === undefined ? [] : everyLeg(result.rates))
  ].join("\n")
