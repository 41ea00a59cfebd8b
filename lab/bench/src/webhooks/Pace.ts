/**
 * Messages at a steady pace, whatever becomes of those before, and how long each takes to arrive.
 */
import type { Channel } from "../Channel.ts"
import type { Appended } from "../graphql/Workload.ts"
import { percentile } from "../Report.ts"
import { assertComplete } from "./Contestants.ts"
import type { Sender } from "./Contestants.ts"
import type { Came, SinkCommand } from "./Sink.ts"
import { clock } from "./Workload.ts"

/** Times in milliseconds. */
export interface Latency {
  /** From before a message is stored until the sink has it. */
  readonly p50: number
  readonly p99: number
  /** The middle of how long storing takes of that. */
  readonly enqueue: number
}

/** How long the last messages may take to arrive, in milliseconds. */
const patience = 60_000

/** Stores messages, `pace` a second. */
const send = async (
  sender: Sender,
  from: number,
  count: number,
  pace: number
): Promise<ReadonlyArray<Appended>> => {
  const begun = clock()
  const enqueued: Array<Promise<Appended>> = []
  while (enqueued.length < count) {
    const due = Math.min(count, Math.floor((clock() - begun) * pace / 1000) + 1)
    while (enqueued.length < due) enqueued.push(sender.ask<Appended>({ one: from + enqueued.length }))
    const millis = begun + enqueued.length * 1000 / pace - clock()
    await Promise.race([new Promise((resolve) => setTimeout(resolve, Math.max(0, millis))), sender.failed])
  }
  return Promise.all(enqueued)
}

/** Stores messages at a pace until all are delivered, and says what came: complete, or it fails. */
export const measure = async (
  sink: Channel<SinkCommand>,
  sender: Sender,
  count: number,
  pace: number
): Promise<{ readonly enqueued: ReadonlyArray<Appended>; readonly arrivals: Came["arrivals"] }> => {
  await sink.ask({ reset: count })
  await sender.ask({ go: true })
  const enqueued = await send(sender, 0, count, pace)
  await Promise.race([sink.ask({ reached: true }, patience), sender.failed]).catch(() => {})
  const { arrivals, repeats } = await sink.ask<Came>({ report: true })
  assertComplete(arrivals.length, count, repeats)
  return { enqueued, arrivals }
}

/** The times of messages that all have arrived at the endpoint of that base path. */
export const latencyOf = (
  enqueued: ReadonlyArray<Appended>,
  arrivals: Came["arrivals"],
  base: string
): Latency => {
  const times = new Map(arrivals)
  const latencies = Float64Array.from(
    enqueued,
    ({ id, startedAt }) => times.get(`${base} ${id}`)! - startedAt
  ).sort()
  const enqueues = Float64Array.from(enqueued, ({ endedAt, startedAt }) => endedAt - startedAt).sort()
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    enqueue: percentile(enqueues, 0.5)
  }
}
