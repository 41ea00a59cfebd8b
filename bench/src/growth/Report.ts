/**
 * The result of `bench growth`: the cost of each thing by size, and how it grows.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import type { Curve, Point } from "./Curves.ts"
import type { Size } from "./Filled.ts"
import type { Cost } from "./Measure.ts"

/** Everything that is reported. */
export interface Result {
  readonly date: string
  readonly machine: string
  /** The load average of the machine when it ended: above its cores, times tell what else was running. */
  readonly load: number
  readonly settings: string
  readonly curves: ReadonlyArray<Curve>
}

/** The most by which a cost may grow. */
export const aim = 1.1

/** A size as words. */
export const described = ({ messages, shipments, tenants }: Size): string =>
  `${count(shipments)} shipments, ${count(messages)} messages, ${count(tenants)} tenants`

/** A number as people write it. */
export const count = (value: number): string => value.toLocaleString("en")

/** CPU time of the server and PostgreSQL together. */
export const cpuOf = ({ postgres, server }: Cost): number => server + postgres

/** How much more it costs at the point than at the one before (items) or the first (all else), round by round. */
export const growthOf = ({ over, points }: Curve, at: number): number => {
  const base = points[over === "items of a document" ? Math.max(0, at - 1) : 0]!
  return median(points[at]!.costs.map((cost, round) => cpuOf(cost) / cpuOf(base.costs[round]!)))
}

/** The growth of a curve: the most of its points after the first. */
export const mostGrowth = (curve: Curve): number =>
  Math.max(...curve.points.slice(1).map((_, at) => growthOf(curve, at + 1)))

const columns = (curve: Curve) => [
  curve.over,
  "p50 ms",
  "server CPU ms",
  "PostgreSQL CPU ms",
  "CPU ms (rounds)",
  curve.over === "items of a document" ? "to the one before" : "to the first"
]

const shown = (value: number): string => value < 0.1 ? value.toFixed(4) : value.toFixed(2)

const medianOf = ({ costs }: Point, of: (cost: Cost) => number): string => shown(median(costs.map(of)))

const rowsOf = (curve: Curve): ReadonlyArray<ReadonlyArray<string>> =>
  curve.points.map((point, at) => [
    count(point.at),
    medianOf(point, ({ p50 }) => p50),
    medianOf(point, ({ server }) => server),
    medianOf(point, ({ postgres }) => postgres),
    `${medianOf(point, cpuOf)} (${point.costs.map((cost) => shown(cpuOf(cost))).join(", ")})`,
    at === 0 ? "" : growthOf(curve, at).toFixed(2)
  ])

const aimLine = (curve: Curve): string => {
  const most = mostGrowth(curve)
  return `The CPU time grows to ${most.toFixed(2)} at most; aim at most ${aim}: ${
    most <= aim ? "met" : "not met"
  }`
}

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    `${result.machine}; load ${result.load.toFixed(1)}`,
    result.settings,
    "",
    ...result.curves.flatMap((curve) => [
      curve.title,
      "",
      ...textTable(columns(curve), rowsOf(curve)),
      "",
      aimLine(curve),
      ""
    ])
  ].join("\n")

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# Growth, as measured",
    "",
    "Written by `npm run bench -- growth --write`; bench/README.md says what is measured and how. Medians of the rounds;",
    "CPU time is user and system time for each request, or for each item of a document.",
    "",
    "![Curves of what a document, an item, a pallet event and a page of messages cost](growth.svg)",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- load average at the end: ${result.load.toFixed(1)}`,
    `- ${result.settings}`,
    "",
    ...result.curves.flatMap((curve) => [
      `## ${curve.title}`,
      "",
      ...markdownTable(columns(curve), rowsOf(curve), () => false),
      "",
      `- ${aimLine(curve)}`,
      ""
    ])
  ].join("\n")
