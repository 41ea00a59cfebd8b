/**
 * The result: what each contestant did in each round, the medians, and the ratios of each round.
 */
import type { Measured } from "../load/Task.ts"
import { markdownTable, median, textTable } from "../Table.ts"
import { firstDocuments } from "./Documents.ts"
import type { Workload } from "./Documents.ts"

/** Who was measured: our server, the peer (a), pgbench (b), and our server without the record of documents. */
export type Contestant = "dockline" | "peer" | "limit" | "unrecorded"

/** The name of each contestant in tables. */
export const titles: Readonly<Record<Contestant, string>> = {
  dockline: "Dockline",
  peer: "(a) Fastify + postgres",
  limit: "(b) pgbench",
  unrecorded: "without the record"
}

/** One measurement. */
export interface Leg {
  readonly round: number
  readonly workload: Workload
  readonly contestant: Contestant
  readonly measured: Measured
}

/** Everything that is reported. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly settings: string
  readonly connections: number
  /** The items of a document. */
  readonly items: number
  readonly compared: number
  readonly legs: ReadonlyArray<Leg>
}

/** The aims for the ratios of requests per second: a document that comes alone has no batch to share. */
const aimOf = ({ connections }: Result, other: Exclude<Contestant, "dockline">): number =>
  other === "unrecorded" ? 0.95 : other === "limit" ? 0.7 : connections === 1 ? 1 : 1.5

/** The ratios of our requests per second to another's, round by round. */
export const ratiosOf = (
  { legs }: Result,
  workload: Workload,
  other: Exclude<Contestant, "dockline">,
  valueOf: (measured: Measured) => number = ({ perSecond }) => perSecond
): ReadonlyArray<number> => {
  const rateIn = (round: number, contestant: Contestant) => {
    const leg = legs.find((leg) =>
      leg.round === round && leg.workload === workload && leg.contestant === contestant
    )
    return leg === undefined ? undefined : valueOf(leg.measured)
  }
  return [...new Set(legs.map((leg) => leg.round))].flatMap((round) => {
    const ours = rateIn(round, "dockline")
    const theirs = rateIn(round, other)
    return ours === undefined || theirs === undefined ? [] : [ours / theirs]
  })
}

const columns = [
  "",
  "requests/s",
  "p50 ms",
  "p99 ms",
  "server CPU ms",
  "PostgreSQL CPU ms",
  "client CPU ms"
]

const rowOf = (
  result: Result,
  workload: Workload,
  contestant: Contestant
): ReadonlyArray<string> | undefined => {
  const measured = result.legs.filter((leg) => leg.workload === workload && leg.contestant === contestant)
    .map((leg) => leg.measured)
  if (measured.length === 0) return undefined
  const middle = (value: (measured: Measured) => number) => median(measured.map(value))
  return [
    titles[contestant],
    middle(({ perSecond }) => perSecond).toFixed(0),
    middle(({ p50 }) => p50).toFixed(1),
    middle(({ p99 }) => p99).toFixed(1),
    contestant === "limit" ? "–" : middle(({ cpu }) => cpu.server).toFixed(3),
    middle(({ cpu }) => cpu.postgres).toFixed(3),
    middle(({ cpu }) => cpu.client).toFixed(3)
  ]
}

/** The workloads that were measured. */
const workloadsIn = ({ legs }: Result): ReadonlyArray<Workload> => [
  ...new Set(legs.map(({ workload }) => workload))
]

const headingOf = ({ items }: Result, workload: Workload): string => {
  switch (workload) {
    case "PALLETS":
      return "Pallet events"
    case "FIRST":
      return `${firstDocuments} first documents of ${items} items`
    default:
      return `${items}-item ${workload}`
  }
}

const contestants: ReadonlyArray<Contestant> = ["dockline", "peer", "limit", "unrecorded"]

const tableOf = (result: Result, workload: Workload): ReadonlyArray<ReadonlyArray<string>> =>
  contestants.flatMap((contestant) => {
    const row = rowOf(result, workload, contestant)
    return row === undefined ? [] : [row]
  })

const ratioLines = (result: Result, workload: Workload): ReadonlyArray<string> =>
  contestants.flatMap((other) => other === "dockline" ? [] : [other]).flatMap((other) => {
    const ratios = ratiosOf(result, workload, other)
    if (ratios.length === 0) return []
    const middle = median(ratios)
    const rounds = ratios.map((ratio) => ratio.toFixed(2)).join(", ")
    const aim = aimOf(result, other)
    const isMet = middle >= aim ? "met" : "not met"
    const rate = `Dockline / ${titles[other]}: ${middle.toFixed(2)} (rounds: ${rounds}); aim ${aim}: ${isMet}`
    if (other !== "unrecorded") return [rate]
    const cpu = ratiosOf(result, workload, other, ({ cpu }) => cpu.server + cpu.postgres)
    return [
      rate,
      `The same of the CPU of server and PostgreSQL: ${median(cpu).toFixed(3)} (rounds: ${
        cpu.map((ratio) => ratio.toFixed(3)).join(", ")
      })`
    ]
  })

/** The result for a terminal. */
export const toText = (result: Result): string => {
  const sections = workloadsIn(result).map((workload) => {
    const lines = textTable(columns, tableOf(result, workload))
    return [headingOf(result, workload), "", ...lines, "", ...ratioLines(result, workload), ""].join("\n")
  })
  return [result.machine, result.settings, "", ...sections].join("\n")
}

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string => {
  const sections = workloadsIn(result).flatMap((workload) => [
    `## ${headingOf(result, workload)}`,
    "",
    ...markdownTable(columns, tableOf(result, workload), (column) => column === 0),
    "",
    ...ratioLines(result, workload).map((line) => `- ${line}`),
    ""
  ])
  const legs = result.legs.map(({ contestant, measured, round, workload }) => [
    String(round),
    workload,
    titles[contestant],
    measured.perSecond.toFixed(0),
    measured.p50.toFixed(1),
    measured.p99.toFixed(1)
  ])
  const legColumns = ["round", "workload", "contestant", "requests/s", "p50 ms", "p99 ms"]
  return [
    "# Document intake, as measured",
    "",
    "Written by `npm run bench -- intake --write`; lab/bench/README.md says what is measured and how. Medians of the rounds;",
    "CPU time is user and system time for each request.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    `- ${result.compared} answers of Dockline and its peer compared before, and found alike`,
    "",
    ...sections,
    "## Every measurement",
    "",
    ...markdownTable(legColumns, legs, (column) => column === 1 || column === 2),
    ""
  ].join("\n")
}
