/**
 * The second part of the webhook benchmark: what becomes of a large backlog, for one endpoint and spread over many;
 * and how long one message takes to reach many endpoints. Ours alone: does the rate hold, and does memory stay bounded?
 */
import { Effect } from "effect"
import { attempt, say } from "../BenchError.ts"
import { residentOf } from "../Cpu.ts"
import type { Appended } from "../graphql/Workload.ts"
import { percentile } from "../Report.ts"
import type { Section } from "../Report.ts"
import { assertComplete, start } from "./Contestants.ts"
import type { Sender, StartOptions } from "./Contestants.ts"
import type { Place } from "./Rates.ts"
import type { Came } from "./Sink.ts"

/** How it is measured. */
export interface BacklogOptions extends StartOptions {
  /** Deliveries of a backlog. */
  readonly backlogSize: number
  /** Endpoints that share the second one, each with every message. */
  readonly endpoints: number
  /** Messages that are sent to every endpoint, one at a time. */
  readonly fanouts: number
}

/** How a backlog was delivered. */
interface BacklogMeasured {
  readonly endpoints: number
  readonly deliveries: number
  readonly perSecond: number
  /** Deliveries a second in each tenth of them. */
  readonly tenths: ReadonlyArray<number>
  /** The most memory of the sender so far, in MiB. */
  readonly peakMemory: number
  readonly fanout: FanoutMeasured | undefined
}

/** From before one message is stored until endpoints have it, in milliseconds. */
interface FanoutMeasured {
  /** The middle of the times until it is stored, and until the first endpoint has it. */
  readonly enqueue: number
  readonly first: number
  /** Until the last endpoint has it. */
  readonly p50: number
  readonly p99: number
}

const parts = 10

/** Deliveries a second in each part, by when they came. */
const ratesOf = (arrivals: Came["arrivals"]): ReadonlyArray<number> => {
  const size = Math.floor((arrivals.length - 1) / parts)
  return Array.from({ length: parts }, (_, part) => {
    const [, from] = arrivals[part * size]!
    const [, to] = arrivals[(part + 1) * size]!
    return size * 1000 / (to - from)
  })
}

const fanout = async (
  { sink }: Place,
  sender: Sender,
  from: number,
  options: BacklogOptions
): Promise<FanoutMeasured> => {
  const times: Array<readonly [enqueue: number, first: number, last: number]> = []
  for (let n = from; n < from + options.fanouts; n++) {
    await sink.ask({ reset: options.endpoints })
    const [{ endedAt, startedAt }, first, last] = await Promise.race([
      Promise.all([
        sender.ask<Appended>({ one: n }),
        sink.ask<number>({ first: true }),
        sink.ask<number>({ reached: true })
      ]),
      sender.failed
    ])
    times.push([endedAt - startedAt, first - startedAt, last - startedAt])
  }
  const at = (which: 0 | 1 | 2, share: number) =>
    percentile(Float64Array.from(times, (each) => each[which]).sort(), share)
  return { enqueue: at(0, 0.5), first: at(1, 0.5), p50: at(2, 0.5), p99: at(2, 0.99) }
}

const measure = Effect.fnUntraced(function*(place: Place, endpoints: number, options: BacklogOptions) {
  const database = yield* place.cluster.database(`bench_webhooks_backlog_${endpoints}`)
  const urls = endpoints === 1
    ? [place.url]
    : Array.from({ length: endpoints }, (_, at) => `${place.url}/e${at}`)
  const messages = Math.ceil(options.backlogSize / endpoints)
  const deliveries = messages * endpoints
  const sender = yield* start("dockline", database, urls, options)
  yield* place.sink.asking({ reset: deliveries })
  yield* sender.asking({ fill: messages, from: 0 })
  yield* place.cluster.settle(database)
  const { arrivals } = yield* attempt("backlog", async () => {
    await sender.ask({ go: true })
    await Promise.race([place.sink.ask({ reached: true }), sender.failed])
    const came = await place.sink.ask<Came>({ report: true })
    assertComplete(came.arrivals.length, deliveries, came.repeats)
    return came
  })
  const [[, first]] = arrivals as [Came["arrivals"][number]]
  const [, last] = arrivals.at(-1)!
  const measured: BacklogMeasured = {
    endpoints,
    deliveries,
    perSecond: (deliveries - 1) * 1000 / (last - first),
    tenths: ratesOf(arrivals),
    peakMemory: residentOf(sender.pid, "at most") / 2 ** 20,
    fanout: endpoints === 1
      ? undefined
      : yield* attempt("fan-out", () => fanout(place, sender, messages, options))
  }
  yield* say(
    `Backlog of ${deliveries} for ${nameOf(endpoints)}: ${
      measured.perSecond.toFixed(0)
    } deliveries/s, peak memory ${measured.peakMemory.toFixed(0)} MiB`
  )
  return measured
}, Effect.scoped)

const nameOf = (endpoints: number): string => `${endpoints} ${endpoints === 1 ? "endpoint" : "endpoints"}`

const sectionOf = (measured: ReadonlyArray<BacklogMeasured>): Section => ({
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
    `${deliveries} for ${nameOf(endpoints)}`,
    ...[perSecond, tenths[0]!, Math.min(...tenths), Math.max(...tenths), tenths.at(-1)!, peakMemory].map((
      value
    ) => value.toFixed(0))
  ]),
  lines: measured.flatMap(({ endpoints, fanout, tenths }) => [
    `Deliveries a second in each tenth, ${nameOf(endpoints)}: ${
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

/** Runs this part. */
export const backlog = Effect.fnUntraced(function*(place: Place, options: BacklogOptions) {
  return [sectionOf([yield* measure(place, 1, options), yield* measure(place, options.endpoints, options)])]
})
