/**
 * The result of `bench lists`: the times of each page.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import type { Request } from "./Requests.ts"

/** One page, measured. */
export interface Leg {
  readonly request: Request
  /** How many entries the page has. */
  readonly entries: number
  /** Milliseconds from the request to the last byte of the answer. */
  readonly times: ReadonlyArray<number>
  /** Milliseconds of CPU time for each answer: what others do on the machine adds little to it. */
  readonly cpu: { readonly server: number; readonly postgres: number }
}

/** Everything that is reported. */
export interface Result {
  readonly date: string
  readonly machine: string
  /** The load average of the machine when it ended: above its cores, times tell what else was running. */
  readonly load: number
  readonly settings: string
  readonly legs: ReadonlyArray<Leg>
}

/** Milliseconds that the median of each page is to be below. */
export const aim = 20

/** The pages that take longer. */
export const slowOf = ({ legs }: Result): ReadonlyArray<Leg> =>
  legs.filter(({ request, times }) => median(times) >= (request.aim ?? aim))

const p99 = (times: ReadonlyArray<number>): number =>
  times.toSorted((left, right) => left - right)[Math.ceil(times.length * 0.99) - 1]!

const columns = [
  "list",
  "client",
  "filter",
  "page",
  "entries",
  "p50 ms",
  "p99 ms",
  "server CPU ms",
  "PostgreSQL CPU ms"
]

const rowOf = (
  { cpu, entries, request: { asker, filter, list, page }, times }: Leg
): ReadonlyArray<string> => [
  list,
  asker,
  filter,
  page,
  String(entries),
  median(times).toFixed(1),
  p99(times).toFixed(1),
  cpu.server.toFixed(1),
  cpu.postgres.toFixed(1)
]

const summary = (result: Result): string => {
  const medians = result.legs.map(({ times }) => median(times))
  const slow = slowOf(result).length
  const cpu = result.legs.map(({ cpu: { postgres, server } }) => server + postgres)
  return `${result.legs.length} pages; medians ${Math.min(...medians).toFixed(1)} to \
${Math.max(...medians).toFixed(1)} ms, half of them below ${
    median(medians).toFixed(1)
  } ms; aim: each below ${aim} ms: \
${slow === 0 ? "met" : `not met by ${slow}`}; CPU time of server and PostgreSQL: half of them below \
${median(cpu).toFixed(1)} ms, all but the most expensive below ${
    cpu.toSorted((left, right) => left - right).at(-2)!.toFixed(1)
  } ms`
}

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    `${result.machine}; load ${result.load.toFixed(1)}`,
    result.settings,
    "",
    ...textTable(columns, result.legs.map(rowOf)),
    "",
    summary(result)
  ]
    .join("\n")

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# Lists, as measured",
    "",
    "Written by `npm run bench -- lists --write`; lab/bench/README.md says what is measured and how.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- load average at the end: ${result.load.toFixed(1)}`,
    `- ${result.settings}`,
    `- ${summary(result)}`,
    "",
    ...markdownTable(columns, result.legs.map(rowOf), (column) => column < 4),
    ""
  ].join("\n")
