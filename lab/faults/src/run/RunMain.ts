/**
 * The process of one run. It gets its options over its channel, reports the result, and cleans up when it is told to stop or when the
 * channel closes.
 */
import { run } from "./Run.ts"
import type { RunMessage, RunOptions } from "./RunOptions.ts"

const stopping = new AbortController()
process.once("SIGTERM", () => stopping.abort())
process.once("disconnect", () => stopping.abort())
// A terminal signals the whole group; the harness tells this process over the channel instead.
process.on("SIGINT", () => {})

const reply = (message: RunMessage): void => {
  if (process.connected) process.send?.(message, () => process.exit())
  else process.exit()
}

const failed = (failure: unknown): void =>
  reply({ failure: failure instanceof Error ? failure.stack ?? failure.message : String(failure) })

// An unhandled rejection ends the run too, but only after cleaning up: a paused instance cannot end itself.
let thrown: unknown
process.on("uncaughtException", (failure) => {
  thrown ??= failure
  stopping.abort()
})

process.once("message", (options) => {
  run(options as RunOptions, stopping.signal).then(
    (result) => thrown === undefined ? reply({ result }) : failed(thrown),
    (failure: unknown) => failed(thrown ?? failure)
    // A result that cannot be sent is a failure too.
  ).catch(failed)
})
