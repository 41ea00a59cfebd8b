/**
 * Loaded into a server before its own program (`node --import`): tells the delay of the event loop when asked over
 * the channel of the parent. The server's program is the bundled one, as it is; the probe costs it a timer.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

/** How often the delay is looked at, in milliseconds; a delay shorter than that is not seen. */
const resolution = 10

/** What a server says of itself: milliseconds that timers came late since the last time. */
export interface Vitals {
  readonly p99: number
  readonly max: number
}

const delays = monitorEventLoopDelay({ resolution })
delays.enable()

const late = (nanoseconds: number): number =>
  delays.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - resolution)

if (process.send !== undefined) {
  process.on("message", (message) => {
    const answer: Vitals = { p99: late(delays.percentile(99)), max: late(delays.max) }
    process.send!({ id: (message as { readonly id: number }).id, answer })
    delays.reset()
  })
  // The server must end when it is told to, channel or not.
  process.channel?.unref()
}
