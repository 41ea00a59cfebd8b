/** The common report of all benchmarks: sections with a table of figures and lines below it, for a terminal and as a page. */
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { say } from "./BenchError.ts"
import * as Processes from "./Processes.ts"
import type { Leg } from "./Rounds.ts"

type Row = ReadonlyArray<string>

/** A table, with the lines below it. */
export interface Section {
  readonly title: string
  readonly columns: Row
  readonly rows: ReadonlyArray<Row>
  readonly lines?: ReadonlyArray<string>
  /** The number of text columns; one by default. */
  readonly texts?: number
  /** Whether only the page has it. */
  readonly isDetail?: boolean
}

/** The result of a benchmark. */
export interface Result {
  /** The name of its file. */
  readonly name: string
  readonly title: string
  /** The meaning of the figures. */
  readonly note: string
  readonly facts: ReadonlyArray<string>
  readonly sections: ReadonlyArray<Section>
}

/** The options of every benchmark. */
export interface Common {
  readonly write: boolean
  readonly directory: string | undefined
}

/** A figure that is measured. */
export interface Figure<Measured> {
  readonly column: string
  readonly digits: number
  /** `undefined` if it is not measured. */
  readonly of: (measured: Measured) => number | undefined
}

/** The median; the mean of the middle two when their number is even. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2
}

/** The value below which the given share of the values lies. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  Float64Array.from(values).sort()[Math.min(values.length - 1, Math.floor(values.length * share))] ??
    Number.NaN

const shown = (value: number | undefined, digits: number): string =>
  value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits)

/** The median of each figure of each contestant, and all of their measurements. */
export const sectionsOf = <Contestant extends string, Measured>(
  title: string,
  legs: ReadonlyArray<Leg<Contestant, Measured>>,
  titles: Readonly<Record<Contestant, string>>,
  figures: ReadonlyArray<Figure<Measured>>,
  lines: ReadonlyArray<string>
): ReadonlyArray<Section> => {
  const columns = figures.map(({ column }) => column)
  const contestants = [...new Set(legs.map(({ contestant }) => contestant))]
  const rows = contestants.map((contestant) => [
    titles[contestant],
    ...figures.map(({ digits, of }) => {
      const values = legs.filter((leg) => leg.contestant === contestant).map(({ measured }) => of(measured))
      return shown(values.includes(undefined) ? undefined : median(values as Array<number>), digits)
    })
  ])
  const every = legs.map(({ contestant, measured, round }) => [
    `${round}: ${titles[contestant]}`,
    ...figures.map(({ digits, of }) => shown(of(measured), digits))
  ])
  return [
    { title, columns: ["", ...columns], rows, lines },
    { title: `${title}: every measurement`, columns: ["round", ...columns], rows: every, isDetail: true }
  ]
}

/** The ratios of one contestant to another in each round. */
export const ratiosOf = <Contestant extends string, Measured>(
  legs: ReadonlyArray<Leg<Contestant, Measured>>,
  one: Contestant,
  other: Contestant,
  valueOf: (measured: Measured) => number
): ReadonlyArray<number> => {
  const values = (contestant: Contestant) =>
    legs.filter((leg) => leg.contestant === contestant).toSorted((left, right) => left.round - right.round)
      .map(({ measured }) => valueOf(measured))
  const others = values(other)
  return values(one).map((value, at) => value / others[at]!)
}

/** A line about ratios: their median, each of them, and whether an aim is met. */
export const ratioLine = (
  what: string,
  ratios: ReadonlyArray<number>,
  aim?: { readonly least: number } | { readonly most: number }
): string => {
  const middle = median(ratios)
  const line = `${what}: ${middle.toFixed(2)} (rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`
  if (aim === undefined) return line
  const [text, isMet] = "least" in aim
    ? [`at least ${aim.least}`, middle >= aim.least] as const
    : [`at most ${aim.most}`, middle <= aim.most] as const
  return `${line}; aim ${text}: ${isMet ? "met" : "not met"}`
}

/** A line about ratios of many rounds: their median, the middle half of them, and whether an aim is met. */
export const spreadLine = (
  what: string,
  ratios: ReadonlyArray<number>,
  aim?: { readonly most: number }
): string => {
  const [low, middle, high] = [percentile(ratios, 0.25), median(ratios), percentile(ratios, 0.75)]
  const line = `${what}: ${middle.toFixed(3)} (half of the rounds: ${low.toFixed(3)} to ${high.toFixed(3)})`
  return aim === undefined
    ? line
    : `${line}; aim at most ${aim.most}: ${middle <= aim.most ? "met" : "not met"}`
}

const widthsOf = ({ columns, rows }: Section, least: number) =>
  columns.map((_, at) => Math.max(least, ...[columns, ...rows].map((row) => row[at]!.length)))

const padded = (row: Row, widths: ReadonlyArray<number>, texts: number): Row =>
  row.map((cell, at) => at < texts ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))

const textOf = (section: Section): Row => {
  const { columns, lines = [], rows, texts = 1, title } = section
  const widths = widthsOf(section, 0)
  const table = [columns, ...rows].map((row) => padded(row, widths, texts).join("  "))
  return [title, "", ...table, "", ...lines, ...(lines.length > 0 ? [""] : [])]
}

const markdownOf = (section: Section): Row => {
  const { columns, lines = [], rows, texts = 1, title } = section
  const widths = widthsOf(section, 4)
  const line = (row: Row) => `| ${padded(row, widths, texts).join(" | ")} |`
  const rule = widths.map((width, at) => at < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)
  const listed = lines.map((each) => `- ${each}`)
  return [
    `## ${title}`,
    "",
    line(columns),
    `| ${rule.join(" | ")} |`,
    ...rows.map(line),
    "",
    ...listed,
    ...(listed.length > 0 ? [""] : [])
  ]
}

/** The result for a terminal. */
export const toText = ({ facts, sections }: Result): string =>
  [...facts, "", ...sections.filter(({ isDetail }) => isDetail !== true).flatMap(textOf)].join("\n")

/** The result as a page, with the measured figures. */
export const toMarkdown = ({ facts, name, note, sections, title }: Result): string =>
  [
    `# ${title}, as measured`,
    "",
    `Written by \`npm run bench -- ${
      name.split("-")[0]
    } --write\`; lab/bench/README.md says what is measured and how. ${note}`,
    "",
    ...facts.map((fact) => `- ${fact}`),
    "",
    ...sections.flatMap(markdownOf)
  ].join("\n")

/** Prints a result, and writes its page if it is to be kept. */
export const publish = Effect.fnUntraced(function*(given: Result, write: boolean) {
  const result = {
    ...given,
    facts: [`${new Date().toISOString()}; load at the end ${loadavg()[0]!.toFixed(1)}`, ...given.facts]
  }
  yield* Console.log(toText(result))
  if (!write) return
  writeFileSync(Processes.fileOf(`../results/${result.name}.md`), toMarkdown(result))
  yield* say(`Written to lab/bench/results/${result.name}.md`)
})
