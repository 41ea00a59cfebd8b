/**
 * The result of `bench overload`: a row for each stretch, and the aims.
 */
import type { Observed } from "../mix/Drive.ts"
import { kinds } from "../mix/Life.ts"
import type { Manners } from "../mix/Task.ts"
import { markdownTable, textTable } from "../Table.ts"
import { aimsOf, goodRateOf } from "./Aims.ts"
import type { Leg, Result } from "./Aims.ts"

const titles: Readonly<Record<Manners, string>> = {
  rude: "Clients that send on whatever they are told",
  polite: "Clients that wait as `Retry-After` says"
}

const columns = [
  "load",
  "due/s",
  "left out/s",
  "good/s",
  "of peak",
  "refused/s",
  "timeouts",
  "errors",
  "p50 ms",
  "p99 ms",
  "memory MiB",
  "loop p99 ms",
  "loop max ms",
  "DB connections"
]

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

const cellsOf = (observed: Observed, peak: number): ReadonlyArray<string> => {
  const { databaseConnections, loop, residentPeak, tally } = observed
  const perSecond = (count: number): string => (count / tally.seconds).toFixed(0)
  return [
    perSecond(tally.due),
    perSecond(tally.held),
    perSecond(tally.good),
    (goodRateOf(observed) / peak).toFixed(2),
    perSecond(tally.refused),
    String(tally.timeouts),
    String(tally.errors),
    tally.p50.toFixed(1),
    tally.p99.toFixed(0),
    mebibytes(residentPeak),
    loop.p99.toFixed(0),
    loop.max.toFixed(0),
    String(databaseConnections)
  ]
}

const nameOf = ({ factor, isRecovery }: Leg): string => `${factor} ×${isRecovery ? " again" : ""}`

const rowsOf = ({ legs, peak }: Result, manners: Manners): ReadonlyArray<ReadonlyArray<string>> =>
  legs.filter((leg) => leg.manners === manners).map((leg) => [nameOf(leg), ...cellsOf(leg.observed, peak)])

const shown = (result: Result): ReadonlyArray<Manners> =>
  (["rude", "polite"] as const).filter((manners) => rowsOf(result, manners).length > 0)

const aimLines = (result: Result, manners: Manners): ReadonlyArray<string> =>
  aimsOf(result, manners).map(({ isMet, text }) => `${isMet ? "met" : "not met"}: ${text}`)

const firstErrors = ({ legs }: Result): ReadonlyArray<string> => [
  ...new Set(
    legs.flatMap(({ observed }) => observed.tally.firstError === null ? [] : [observed.tally.firstError])
  )
]

/**
 * Where the processor's time went, and what PostgreSQL waited for: whether a load that fell behind was held up by the
 * service, by its disk, or by a machine that had less to give.
 */
const coreColumns = [
  "load",
  "servers",
  "PostgreSQL",
  "generator",
  "customers",
  "others",
  "idle",
  "disk",
  "stolen",
  "CPU ms a good answer",
  "PostgreSQL waits for disk",
  "for locks",
  "longest without a write ms",
  "webhooks behind"
]

const coreRows = ({ legs }: Result): ReadonlyArray<ReadonlyArray<string>> =>
  legs.map((leg) => {
    const { blocked, cores, rest, tally, waiting } = leg.observed
    const cost = (cores.servers + cores.postgres) / goodRateOf(leg.observed) * 1000
    const shares = [cores.servers, cores.postgres, cores.load, cores.customers, rest.others, rest.idle]
    return [
      `${nameOf(leg)}, ${leg.manners}`,
      ...[...shares, rest.disk, rest.stolen, cost, blocked.disk, blocked.locks].map((each) =>
        each.toFixed(2)
      ),
      tally.silence.toFixed(0),
      String(waiting)
    ]
  })

const kindColumns = ["load", ...kinds.flatMap((kind) => [`${kind} p50`, `${kind} p99`])]

const kindRows = ({ legs }: Result): ReadonlyArray<ReadonlyArray<string>> =>
  legs.map((leg) => [
    `${nameOf(leg)}, ${leg.manners}`,
    ...kinds.flatMap((kind) => {
      const { p50, p99 } = leg.observed.tally.kinds[kind]
      return [p50.toFixed(1), p99.toFixed(0)]
    })
  ])

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    result.machine,
    result.settings,
    `Saturated at ${result.peak.toFixed(0)} good answers/s`,
    "",
    ...shown(result).flatMap((manners) => [
      titles[manners],
      "",
      ...textTable(columns, rowsOf(result, manners)),
      "",
      ...aimLines(result, manners),
      ""
    ]),
    "Where the time of the cores went",
    "",
    ...textTable(coreColumns, coreRows(result)),
    "",
    ...firstErrors(result).map((error) => `error: ${error}`)
  ].join("\n")

const isLeft = (column: number): boolean => column === 0

/** The result as a page of Markdown: the figures as they were measured. */
export const toMarkdown = (result: Result): string =>
  [
    "# Overload, as measured",
    "",
    "Written by `npm run bench -- overload --write`; lab/bench/README.md says what is measured and how. Times are those of",
    "good answers, from when a request was due; memory is the most that was resident.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- ${result.settings}`,
    `- saturated at ${result.peak.toFixed(0)} good answers/s`,
    "",
    ...shown(result).flatMap((manners) => [
      `## ${titles[manners]}`,
      "",
      ...markdownTable(columns, rowsOf(result, manners), isLeft),
      "",
      ...aimLines(result, manners).map((line) => `- ${line}`),
      ""
    ]),
    "## Times by what was asked",
    "",
    "Milliseconds.",
    "",
    ...markdownTable(kindColumns, kindRows(result), isLeft),
    "",
    "## Where the time of the cores went",
    "",
    ...markdownTable(coreColumns, coreRows(result), isLeft),
    "",
    "## The search for the peak",
    "",
    ...markdownTable(columns, searchRows(result), isLeft),
    "",
    ...firstErrors(result).map((error) => `- error: \`${error}\``),
    ...(firstErrors(result).length > 0 ? [""] : [])
  ].join("\n")

const searchRows = ({ peak, search }: Result): ReadonlyArray<ReadonlyArray<string>> =>
  search.map((observed, at) => [String(at + 1), ...cellsOf(observed, peak)])
