/**
 * Messages at a steady pace, whatever becomes of those before, and how long each takes to arrive.
 */
import { percentile } from "../load/Task.ts"
import type { Sender } from "./Contestants.ts"
import type { Enqueued } from "./Control.ts"
import type { Sink } from "./SinkProcess.ts"
import type { Report } from "./SinkProtocol.ts"
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
export const send = async (
  sender: Sender,
  from: number,
  count: number,
  pace: number
): Promise<ReadonlyArray<Enqueued>> => {
  const begun = clock()
  const enqueued: Array<Promise<Enqueued>> = []
  while (enqueued.length < count) {
    const due = Math.min(count, Math.floor((clock() - begun) * pace / 1000) + 1)
    while (enqueued.length < due) enqueued.push(sender.one(from + enqueued.length))
    const millis = begun + enqueued.length * 1000 / pace - clock()
    await Promise.race([new Promise((resolve) => setTimeout(resolve, Math.max(0, millis))), sender.failed])
  }
  return Promise.all(enqueued)
}

/** Waits until everything that is expected has arrived, or for a minute. */
export const arrived = async (sink: Sink, sender: Sender): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, patience)))
  await Promise.race([sink.reached(), sender.failed, late]).finally(() => clearTimeout(timer))
}

/** The times of messages that all have arrived at the endpoint of that base path. */
export const latencyOf = (
  enqueued: ReadonlyArray<Enqueued>,
  arrivals: Report["arrivals"],
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
