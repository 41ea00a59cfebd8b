/**
 * The result: the cost of each item by the size of the document, and how it grows.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import { parts } from "./Measure.ts"
import type { Costs, Part } from "./Measure.ts"

/** The sizes that are measured; the last is beyond what a document and a shipment may hold. */
export const sizes = [10, 100, 1000, 10_000, 100_000] as const

/** One measurement. */
export interface Leg {
  readonly round: number
  readonly title: string
  readonly items: number
  readonly costs: Costs
}

/** Everything that is reported. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly settings: string
  readonly legs: ReadonlyArray<Leg>
}

/** Up to this ratio of the cost of an item at 10,000 to that at 100, the time counts as linear. */
export const aim = 1.5

const headings: Readonly<Record<Part, string>> = {
  decide: "`decide`",
  answer: "The answer: outcome and view",
  rows: "What PostgreSQL is sent: the rows of the plan as JSON"
}

const costsOf = (result: Result, part: Part, title: string, items: number): ReadonlyArray<number> =>
  result.legs
    .filter((leg) => leg.title === title && leg.items === items)
    .map(({ costs }) => costs[part])
    .filter((cost) => cost !== undefined)

const titlesOf = ({ legs }: Result): ReadonlyArray<string> => [...new Set(legs.map(({ title }) => title))]

/** How much more an item costs at 10,000 than at 100, round by round. */
const growthOf = (result: Result, part: Part, title: string): ReadonlyArray<number> => {
  const small = costsOf(result, part, title, 100)
  return costsOf(result, part, title, 10_000).map((large, round) => large / small[round]!)
}

/**
 * The power of the number of items that the time of a document grows with, from 100 to 10,000 items: the slope of a
 * line through the medians, both logarithmic. 1 is linear, 2 quadratic.
 */
const powerOf = (result: Result, part: Part, title: string): number => {
  const points = [100, 1000, 10_000].map((items) =>
    [Math.log(items), Math.log(items * median(costsOf(result, part, title, items)))] as const
  )
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) /
    points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

/** The median, and how far the rounds are from it. */
const shown = (costs: ReadonlyArray<number>): string => {
  if (costs.length === 0) return "–"
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  return `${median(costs).toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})`
}

const columns = ["ns an item", ...sizes.map((items) => items.toLocaleString("en")), "10,000 / 100", "power"]

const tableOf = (result: Result, part: Part): ReadonlyArray<ReadonlyArray<string>> =>
  titlesOf(result).map((title) => [
    title,
    ...sizes.map((items) => shown(costsOf(result, part, title, items))),
    median(growthOf(result, part, title)).toFixed(2),
    powerOf(result, part, title).toFixed(2)
  ])

const aimLine = (result: Result, part: Part): string => {
  const growth = titlesOf(result).map((title) => median(growthOf(result, part, title)))
  const most = Math.max(...growth)
  return `An item costs at most ${most.toFixed(2)} times as much at 10,000 as at 100; aim ${aim}: ${
    most <= aim ? "met" : "not met"
  }`
}

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    result.machine,
    result.settings,
    "",
    ...parts.flatMap((part) => [
      headings[part],
      "",
      ...textTable(columns, tableOf(result, part)),
      "",
      aimLine(result, part),
      ""
    ])
  ].join("\n")

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# The cost of a decision, as measured",
    "",
    "Written by `npm run bench -- decide --write`; bench/README.md says what is measured and how. Nanoseconds for each item",
    "of the document: the median of the rounds, the least and the most of them; – where a shipment would grow beyond its",
    "limits and is refused.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    "",
    ...parts.flatMap((part) => [
      `## ${headings[part]}`,
      "",
      ...markdownTable(columns, tableOf(result, part), (column) => column === 0),
      "",
      `- ${aimLine(result, part)}`,
      ""
    ])
  ].join("\n")
