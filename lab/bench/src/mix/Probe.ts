/**
 * Loaded into a server before its own program (`node --import`): tells memory and the delay of the event loop when
 * asked over the channel of the parent. The server's program is the bundled one, as it is; the probe costs it a timer.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** How often the delay is looked at, in milliseconds; a delay shorter than that is not seen. */
const resolution = 10

/** What a server is asked: `collect` has it collect its garbage first, so that what is left is in use. */
export interface ProbeCommand {
  readonly collect: boolean
}

/** What a server says of itself. */
export interface Vitals {
  /** Bytes. */
  readonly rss: number
  readonly heapUsed: number
  /** Memory outside of the heap that the heap holds. */
  readonly external: number
  /** Milliseconds that timers came late since the last time. */
  readonly loop: { readonly p99: number; readonly max: number }
}

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const delays = monitorEventLoopDelay({ resolution })
delays.enable()

const late = (nanoseconds: number): number =>
  delays.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - resolution)

const vitals = (): Vitals => {
  const loop = { p99: late(delays.percentile(99)), max: late(delays.max) }
  const { external, heapUsed, rss } = process.memoryUsage()
  return { rss, heapUsed, external, loop }
}

if (process.send !== undefined) {
  process.on("message", (message) => {
    const { command, id } = message as { readonly id: number; readonly command: ProbeCommand }
    // Twice: what a finalizer lets go is only garbage then.
    if (command.collect) {
      collectGarbage()
      collectGarbage()
    }
    process.send!({ id, answer: vitals() })
    // Once the timer that the collection has held up has come: its delay is of our making.
    setTimeout(() => delays.reset(), 2 * resolution).unref()
  })
  // The server must end when it is told to, channel or not.
  process.channel?.unref()
}
