/**
 * The result of the GraphQL benchmarks: medians of the rounds, and the ratios of each round.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import { titles } from "./Contestants.ts"
import type { Contestant } from "./Contestants.ts"
import type { FanoutLeg } from "./Fanout.ts"
import type { HistoryResult } from "./History.ts"
import { pageSize } from "./Workload.ts"

/** Everything that is reported; a part that was not measured is absent. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly settings: string
  readonly history: HistoryResult | undefined
  readonly fanout: ReadonlyArray<FanoutLeg> | undefined
}

/** The aims of the issue. */
export const aims = { history: 1.3, yoga: 3, bare: 0.8 } as const

interface Leg {
  readonly round: number
  readonly contestant: Contestant
}

interface Section {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly lines: ReadonlyArray<string>
  /** Every measurement, with its round first. */
  readonly legs: ReadonlyArray<ReadonlyArray<string>>
}

/** A figure of a contestant in each round. */
const perRound = <L extends Leg>(
  legs: ReadonlyArray<L>,
  contestant: Contestant,
  value: (leg: L) => number
): ReadonlyArray<number> =>
  legs.filter((leg) => leg.contestant === contestant).toSorted((left, right) => left.round - right.round).map(
    value
  )

/** A line about ratios: their median, each of them, and whether an aim is met. */
const ratioLine = (what: string, ratios: ReadonlyArray<number>, aim?: number): string => {
  const middle = median(ratios)
  const rounds = ratios.map((ratio) => ratio.toFixed(2)).join(", ")
  const verdict = aim === undefined ? "" : `; aim ${aim}: ${middle >= aim ? "met" : "not met"}`
  return `${what}: ${middle.toFixed(2)} (rounds: ${rounds})${verdict}`
}

const divided = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): ReadonlyArray<number> =>
  left.map((value, at) => value / right[at]!)

/** Rows of medians and of every measurement, from the figures of a leg. */
const tablesOf = <L extends Leg>(
  legs: ReadonlyArray<L>,
  figures: (leg: L) => ReadonlyArray<readonly [number, number]>
) => {
  const contestants = [
    ...new Set(legs.filter(({ round }) => round === 1).map(({ contestant }) => contestant))
  ]
  const rows = contestants.map((contestant) => {
    const own = legs.filter((leg) => leg.contestant === contestant).map(figures)
    const medians = own[0]!.map(([, digits], at) => median(own.map((leg) => leg[at]![0])).toFixed(digits))
    return [titles[contestant], ...medians]
  })
  const all = legs.map((leg) => [
    String(leg.round),
    titles[leg.contestant],
    ...figures(leg).map(([value, digits]) => value.toFixed(digits))
  ])
  return { rows, legs: all }
}

const historySection = ({ answerBytes, legs, sameBytes }: HistoryResult): Section => {
  const rates = (contestant: Contestant) => perRound(legs, contestant, ({ measured }) => measured.perSecond)
  const yoga = rates("yoga")
  const faster = rates("mercurius").map((rate, at) => Math.max(rate, yoga[at]!))
  const tables = tablesOf(legs, ({ measured: { cpu, p50, p99, perSecond } }) => [
    [perSecond, 1],
    [p50, 1],
    [p99, 1],
    [cpu.server, 2],
    [cpu.postgres, 2],
    [cpu.client, 2]
  ])
  return {
    title: `(a) pushMessages of ${pageSize} messages`,
    columns: ["", "requests/s", "p50 ms", "p99 ms", "server CPU ms", "PostgreSQL CPU ms", "client CPU ms"],
    rows: tables.rows,
    legs: tables.legs,
    lines: [
      ratioLine("Dockline / the faster peer of the round", divided(rates("dockline"), faster), aims.history),
      ratioLine("Dockline / mercurius", divided(rates("dockline"), rates("mercurius"))),
      ratioLine("Dockline / graphql-yoga", divided(rates("dockline"), yoga)),
      ratioLine("Dockline / mercurius, jit: 1", divided(rates("dockline"), rates("mercurius-jit"))),
      `An answer has ${Math.round(answerBytes)} bytes; the answers of all are the same${
        sameBytes ? " to the byte" : " data"
      }`
    ]
  }
}

const fanoutSection = (legs: ReadonlyArray<FanoutLeg>): Section => {
  const rates = (contestant: Contestant) => perRound(legs, contestant, ({ measured }) => measured.perSecond)
  const latencies = (contestant: Contestant) => perRound(legs, contestant, ({ measured }) => measured.p50)
  const tables = tablesOf(legs, ({ measured: { append, cpu, p50, p99, perSecond } }) => [
    [perSecond, 0],
    [p50, 1],
    [p99, 1],
    [append, 1],
    [cpu.server, 1],
    [cpu.postgres, 1],
    [cpu.client, 1]
  ])
  return {
    title: "(b) one message to every subscriber",
    columns: [
      "",
      "deliveries/s",
      "p50 ms",
      "p99 ms",
      "append ms",
      "server CPU µs",
      "PostgreSQL CPU µs",
      "clients CPU µs"
    ],
    rows: tables.rows,
    legs: tables.legs,
    lines: [
      ratioLine("Deliveries, Dockline / yoga", divided(rates("dockline"), rates("yoga")), aims.yoga),
      ratioLine("Deliveries, Dockline / bare", divided(rates("dockline"), rates("bare")), aims.bare),
      ratioLine(
        "Time to the last client, yoga / Dockline",
        divided(latencies("yoga"), latencies("dockline"))
      ),
      ratioLine(
        "Time to the last client, bare / Dockline",
        divided(latencies("bare"), latencies("dockline"))
      ),
      `A frame has ${legs[0]!.measured.bytes} bytes`
    ]
  }
}

const sectionsOf = ({ fanout, history }: Result): ReadonlyArray<Section> => [
  ...(history === undefined ? [] : [historySection(history)]),
  ...(fanout === undefined ? [] : [fanoutSection(fanout)])
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

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string => {
  const sections = sectionsOf(result)
  return [
    "# GraphQL, as measured",
    "",
    "Written by `npm run bench -- graphql --write`; lab/bench/README.md says what is measured and how. Medians of the rounds;",
    "CPU time is user and system time for each request (a) or delivery (b).",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    "",
    ...sections.flatMap(({ columns, lines, rows, title }) => [
      `## ${title}`,
      "",
      ...markdownTable(columns, rows, (column) => column === 0),
      "",
      ...lines.map((line) => `- ${line}`),
      ""
    ]),
    "## Every measurement",
    "",
    ...sections.flatMap(({ columns, legs }) => [
      ...markdownTable(["round", "contestant", ...columns.slice(1)], legs, (column) => column === 1),
      ""
    ])
  ].join("\n")
}
