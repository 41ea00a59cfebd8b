/**
 * The process of one run. It is told what to do over its channel, says how it went, and cleans up when it is told to
 * stop or when nobody listens any more.
 */
import { run } from "./Run.ts"
import type { RunMessage, RunOptions } from "./RunOptions.ts"

const stopping = new AbortController()
process.once("SIGTERM", () => stopping.abort())
process.once("disconnect", () => stopping.abort())
// A terminal tells the whole group; the harness passes it on in its own words.
process.on("SIGINT", () => {})

const reply = (message: RunMessage): void => {
  if (process.connected) process.send?.(message, () => process.exit())
  else process.exit()
}

const failed = (failure: unknown): void =>
  reply({ failure: failure instanceof Error ? failure.stack ?? failure.message : String(failure) })

// What nobody waited for ends the run too, but not before it has cleaned up: a paused instance cannot end itself.
let thrown: unknown
process.on("uncaughtException", (failure) => {
  thrown ??= failure
  stopping.abort()
})

process.once("message", (options) => {
  run(options as RunOptions, stopping.signal).then(
    (result) => thrown === undefined ? reply({ result }) : failed(thrown),
    (failure: unknown) => failed(thrown ?? failure)
    // What cannot be said is a failure, too.
  ).catch(failed)
})
