/**
 * The result of `bench scale`: what a year takes, what requests cost in it, and what follows for more of them.
 */
import { markdownTable, median, textTable } from "../Table.ts"
import { need } from "./Model.ts"
import type { Cost, Measured, Use } from "./Model.ts"

/** What a table takes. */
export interface TableSize {
  readonly name: string
  readonly rows: number
  /** Bytes of the rows, and of the indexes. */
  readonly heap: number
  readonly indexes: number
}

/** Requests of one kind, for one tenant. */
export interface Leg {
  readonly what: "document" | "pallet"
  readonly tenant: "largest" | "smallest"
  /** One for each round. */
  readonly costs: ReadonlyArray<Cost>
}

/** What it takes to drop the messages of a day. */
export interface Dropped {
  readonly messages: number
  /** Seconds and seconds of CPU time, deleted as the server does it. */
  readonly deleted: readonly [seconds: number, cpu: number]
  /** The same for a partition that is dropped. */
  readonly partition: readonly [seconds: number, cpu: number]
}

/** Everything that is reported. */
export interface Result {
  readonly date: string
  readonly machine: string
  readonly load: number
  readonly settings: string
  readonly skew: { readonly largest: number; readonly middle: number; readonly total: number }
  readonly sizes: ReadonlyArray<TableSize>
  readonly legs: ReadonlyArray<Leg>
  readonly dropped: Dropped
  readonly delivery: Cost
  /** How the measured year was used; the model takes more of it. */
  readonly use: Use
}

const costOf = (legs: ReadonlyArray<Leg>): Cost => {
  const costs = legs.flatMap((leg) => leg.costs)
  return {
    server: median(costs.map(({ server }) => server)),
    postgres: median(costs.map(({ postgres }) => postgres))
  }
}

const kept = ["message", "webhook_delivery"]
const perShipment = ["shipment", "customer_order", "order_item", "pallet", "pallet_event"]

const bytesOf = (sizes: ReadonlyArray<TableSize>, names: ReadonlyArray<string>): number =>
  sizes.filter(({ name }) => names.includes(name)).reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)

const rowsOf = (sizes: ReadonlyArray<TableSize>, name: string): number =>
  sizes.find((size) => size.name === name)?.rows ?? Number.NaN

/** The inputs of the model. */
export const measuredOf = ({ delivery, legs, sizes }: Result): Measured => ({
  document: costOf(legs.filter(({ what }) => what === "document")),
  pallet: costOf(legs.filter(({ what }) => what === "pallet")),
  delivery,
  shipmentBytes: bytesOf(sizes, perShipment) / rowsOf(sizes, "shipment"),
  messageBytes: bytesOf(sizes, kept) / rowsOf(sizes, "message")
})

const shipmentsPerDay = [1000, 10_000, 50_000, 100_000, 500_000, 1_000_000]

const count = (n: number): string => String(Math.round(n)).replaceAll(/\B(?=(\d{3})+$)/g, ",")

const mib = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0)

type Table = readonly [head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>]

const sizeTable = ({ sizes }: Result): Table => [
  ["table", "rows", "rows MiB", "indexes MiB", "bytes a row"],
  sizes.filter(({ heap, indexes }) => heap + indexes > 1024 ** 2).map(({ heap, indexes, name, rows }) => [
    name,
    count(rows),
    mib(heap),
    mib(indexes),
    count((heap + indexes) / rows)
  ])
]

const costTable = ({ legs }: Result): Table => [
  ["request", "tenant", "server CPU ms", "PostgreSQL CPU ms"],
  legs.map((leg) => {
    const { postgres, server } = costOf([leg])
    return [leg.what, leg.tenant, server.toFixed(2), postgres.toFixed(2)]
  })
]

const modelTable = (result: Result): Table => [
  [
    "shipments a day",
    "writes/s, busiest hour",
    "cores, servers",
    "instances",
    "cores, PostgreSQL",
    "GiB a year",
    "GiB of messages"
  ],
  shipmentsPerDay.map((each) => {
    const found = need(measuredOf(result), { ...result.use, shipmentsPerDay: each })
    return [
      count(each),
      found.writes.toFixed(found.writes < 10 ? 1 : 0),
      found.serverCores.toFixed(1),
      String(found.instances),
      found.postgresCores.toFixed(1),
      count(found.yearGiB),
      count(found.keptGiB)
    ]
  })
]

const facts = (result: Result): ReadonlyArray<string> => {
  const { deleted, messages, partition } = result.dropped
  const { messageBytes, shipmentBytes } = measuredOf(result)
  const { largest, middle, total } = result.skew
  return [
    `the largest tenant has ${count(largest)} of ${count(total)} shipments, the one in the middle ${
      count(middle)
    }`,
    `a shipment takes ${count(shipmentBytes)} bytes for good; a message with its delivery ${
      count(messageBytes)
    } bytes until it expires`,
    `a day of messages, ${count(messages)} of them: deleted in ${deleted[0].toFixed(2)} s with ${
      deleted[1].toFixed(2)
    } s of CPU time; dropped with its partition in ${partition[0].toFixed(2)} s with ${
      partition[1].toFixed(2)
    } s`
  ]
}

const modelled = ({ use }: Result): string =>
  `${use.documents} documents and ${use.pallets} pallets a shipment, one endpoint, messages for ${use.retentionDays} days; the \
busiest hour has ${use.peak} times the mean; processors are busy by ${use.busy * 100} % then`

/** The result for a terminal. */
export const toText = (result: Result): string =>
  [
    `${result.machine}; load ${result.load.toFixed(1)}`,
    result.settings,
    "",
    ...textTable(...sizeTable(result)),
    "",
    ...textTable(...costTable(result)),
    "",
    ...facts(result),
    "",
    modelled(result),
    ...textTable(...modelTable(result))
  ].join("\n")

/** The result as a page of Markdown. */
export const toMarkdown = (result: Result): string =>
  [
    "# A year of many tenants, as measured",
    "",
    "Written by `npm run bench -- scale --write`; bench/README.md says what is measured and how. Medians of the rounds.",
    "",
    `- ${result.date}`,
    `- ${result.machine}`,
    `- load average at the end: ${result.load.toFixed(1)}`,
    `- ${result.settings}`,
    ...facts(result).map((fact) => `- ${fact}`),
    "",
    "## What is stored",
    "",
    ...markdownTable(...sizeTable(result), (column) => column === 0),
    "",
    "## What a request costs in it",
    "",
    ...markdownTable(...costTable(result), (column) => column < 2),
    "",
    "## What more of it takes",
    "",
    `Computed from the above (\`bench/src/scale/Model.ts\`): ${modelled(result)}.`,
    "",
    ...markdownTable(...modelTable(result), () => false),
    ""
  ].join("\n")
