/**
 * `bench dashboard`: how soon the first view is there and a pallet is on it, in a real browser, and what open boards cost
 * the server.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { attempt, BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import { cpuSecondsOf } from "./Cpu.ts"
import * as Boards from "./dashboard/Boards.ts"
import * as Browser from "./dashboard/Browser.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import * as Servers from "./Servers.ts"
import { markdownTable, median } from "./Table.ts"

/** What the command line says. */
export interface DashboardOptions {
  readonly rounds: number
  readonly pallets: number
  readonly boards: number
  readonly pace: number
  readonly seconds: number
  readonly pool: number
  readonly write: boolean
  readonly directory: string | undefined
}

interface Measured {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly aim: number
}

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1]!

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** A shipment at a dock of Acme East, and a way to let its next pallet pass. */
const makeShipment = async (baseUrl: string, token: string, tower: string, dock: string, pallets: number) => {
  const post = async (bearer: string, path: string, body: object) => {
    const response = await fetch(baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
    return await response.json() as { readonly shipment?: { readonly id: number } }
  }
  const number = `ASN-${dock}`
  const lpnOf = (at: number): string => `0034012345${dock}${String(at).padStart(6, "0")}`
  const { shipment } = await post(token, "/v1/documents", {
    business: "acme",
    facility: "east",
    direction: "INBOUND",
    shipmentNumber: number,
    orders: [{
      orderNumber: `PO-${dock}`,
      items: Array.from(
        { length: pallets },
        (_, at) => ({ lpn: lpnOf(at), sku: "OAT-500", quantity: 48, quantityUnit: "CASE" })
      )
    }]
  })
  let passed = 0
  /** Resolves with the LPN once the event was answered. */
  const pass = async (): Promise<string> => {
    const at = passed++
    await post(tower, "/v1/pallet-events", {
      eventId: `${dock}-${at}`,
      business: "acme",
      facility: "east",
      dockSlug: dock,
      direction: "UNLOADING",
      occurredAt: new Date().toISOString(),
      shipmentId: shipment!.id,
      labels: [{ name: "lpn", value: lpnOf(at % pallets) }]
    })
    return lpnOf(at)
  }
  return { number, pass }
}

/** Calls at a steady pace, whether or not the calls before have ended; rejects when one of them failed. */
const atPace = async (perSecond: number, seconds: number, call: (at: number) => Promise<unknown>) => {
  const begun = performance.now()
  const calls: Array<Promise<unknown>> = []
  for (let at = 0; at < perSecond * seconds; at++) {
    await sleep(Math.max(0, begun + at * 1000 / perSecond - performance.now()))
    calls.push(call(at))
  }
  await Promise.all(calls)
}

const measure = async (
  options: DashboardOptions,
  server: Servers.Server,
  tower: string,
  database: number
) => {
  const { boards, pace, pallets, rounds, seconds } = options
  const baseUrl = `http://127.0.0.1:${server.port}`
  const shipments = await Promise.all(
    ["D1", "D2"].map((dock) => makeShipment(baseUrl, server.token, tower, dock, 400))
  )
  const passAt = (at: number): Promise<string> => shipments[at % shipments.length]!.pass()
  await passAt(0)
  await passAt(1)
  const number = shipments[0]!.number
  const signedIn = await Browser.signIn(baseUrl)
  try {
    const views: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const { millis, page } = await Browser.openBoard(signedIn, number)
      views.push(millis)
      await page.context().close()
    }
    const { page, scriptBytes, seen } = await Browser.openBoard(signedIn, number)
    await page.getByText("Live", { exact: true }).waitFor()
    await Browser.notePallets(page)
    const answered: Array<readonly [lpn: string, at: number]> = []
    for (let at = 0; at < pallets; at++) {
      answered.push([await passAt(at), Date.now()])
      await sleep(100 + Math.random() * 100)
    }
    await sleep(1000)
    const shown = await Browser.notedPallets(page)
    const delays = answered.map(([lpn, at]) => (shown[lpn] ?? Number.POSITIVE_INFINITY) - at)

    const cost = async (): Promise<readonly [server: number, database: number]> => {
      const before = [cpuSecondsOf(server.pid), cpuSecondsOf(database)] as const
      await atPace(pace, seconds, passAt)
      return [
        (cpuSecondsOf(server.pid) - before[0]) / seconds * 100,
        (cpuSecondsOf(database) - before[1]) / seconds * 100
      ]
    }
    seen.begin()
    await atPace(pace, seconds, passAt)
    const asked = seen.end()
    await page.context().close()
    const cookie = signedIn.state.cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
    const more: Array<readonly [server: number, database: number]> = []
    for (let round = 0; round < 3; round++) {
      const alone = await cost()
      const opened = await Boards.open(boards, { baseUrl, cookie }, asked)
      await sleep(2000)
      const got = opened.messages()
      const together = await cost()
      if (opened.messages() - got < boards * pace * seconds * 0.95) {
        throw new Error(`the boards got ${opened.messages() - got} messages`)
      }
      await opened.close()
      more.push([together[0] - alone[0], together[1] - alone[1]])
    }
    return {
      requests: asked.bodies.length / asked.seconds,
      measured: [
        { name: "Script of the first view", value: scriptBytes() / 1024, unit: "KB", aim: 60 },
        { name: "First view, median", value: median(views), unit: "ms", aim: 1000 },
        { name: "First view, longest", value: Math.max(...views), unit: "ms", aim: 1000 },
        {
          name: "Pallet on the screen after its 201, p50",
          value: percentile(delays, 0.5),
          unit: "ms",
          aim: 500
        },
        {
          name: "Pallet on the screen after its 201, p95",
          value: percentile(delays, 0.95),
          unit: "ms",
          aim: 500
        },
        {
          name: `${boards} boards, the server`,
          value: median(more.map(([server]) => server)),
          unit: "% of a core",
          aim: 5
        },
        {
          name: `${boards} boards, PostgreSQL`,
          value: median(more.map(([, database]) => database)),
          unit: "% of a core",
          aim: Number.NaN
        }
      ] satisfies ReadonlyArray<Measured>
    }
  } finally {
    await signedIn.browser.close()
  }
}

const lineOf = ({ aim, name, unit, value }: Measured): ReadonlyArray<string> => [
  `${name}, ${unit}`,
  value.toFixed(1),
  Number.isNaN(aim) ? "–" : String(aim),
  Number.isNaN(aim) ? "–" : value <= aim ? "met" : "not met"
]

/** Runs the benchmark. */
export const dashboard = Effect.fnUntraced(function*(options: DashboardOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const server = yield* Servers.startDockline(yield* cluster.database("dashboard"), { pool: options.pool })
  const tower = yield* Servers.requestToken(`http://127.0.0.1:${server.port}`, "tower")
  yield* say("Measuring")
  const load = loadavg()[0]!
  const { measured, requests } = yield* attempt("measure", () => measure(options, server, tower, cluster.pid))
  const text = `# Dashboard, as measured

Written by \`npm run bench -- dashboard --write\`; bench/README.md says what is measured and how.

- ${new Date().toISOString()}; load before ${load.toFixed(1)}
- ${Machine.describe(cluster, directory, ["effect", "preact"])}
- ${options.rounds} first views; ${options.pallets} pallets one at a time; ${options.boards} boards with ${options.pace} pallets a second for ${options.seconds} s, 3 rounds, each beside a round without boards; a board asks ${
    requests.toFixed(2)
  } times a second

${
    markdownTable(["figure", "measured", "at most", "aim"], measured.map(lineOf), (column) => column === 0)
      .join(
        "\n"
      )
  }
`
  yield* Console.log(text)
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/dashboard.md"), text)
    yield* say("Written to bench/results/dashboard.md")
  }
  const late = measured.filter(({ value }) => !Number.isFinite(value))
  if (late.length > 0) return yield* new BenchError({ message: "pallets did not come onto the screen" })
}, Effect.scoped)
