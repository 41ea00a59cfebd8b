/**
 * Writes the log to standard output, which may be full, slow or gone.
 *
 * Guarantee: an output that cannot be written stops nothing, and takes bounded memory. What cannot be written is counted and
 * dropped; when the output can be written again, a line before the next one says how much was lost.
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { Console, Layer } from "effect"
import { Console as NodeConsole } from "node:console"
import { writeSync } from "node:fs"
import { Socket } from "node:net"
import { Writable } from "node:stream"

/** Writes a text, or says at once that it cannot; `failed` is called where that turns out later. */
export type Attempt = (text: string, onFailure: () => void) => boolean

/** The most characters that wait for a reader who is slow. */
export const mostWaiting = 1024 * 1024

const lostEntries = Metrics.counter(
  "dockline_log_lost_entries_total",
  "Entries of the log that standard output could not take: the disk is full, the reader is slow or gone",
  []
)

/** Writes to a file, without a buffer that keeps what was not written. */
export const toFile = (fd: number, write: typeof writeSync = writeSync): Attempt => {
  let isBroken = false
  return (text) => {
    const bytes = Buffer.from(isBroken ? `\n${text}` : text)
    let at = 0
    try {
      while (at < bytes.length) at += write(fd, bytes, at)
      isBroken = false
      return true
    } catch {
      isBroken ||= at > 0
      return false
    }
  }
}

/** Writes to a pipe, a socket or a terminal, which buffers what its reader does not take at once. */
export const toStream = (stream: {
  readonly writableLength: number
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown
}): Attempt =>
(text, onFailure) => {
  if (stream.writableLength > mostWaiting) return false
  stream.write(text, (error) => {
    if (error !== undefined && error !== null) onFailure()
  })
  return true
}

/** Writes texts as far as that is possible; `note` says how many were lost. */
export const make = (attempt: Attempt, note: (lostCount: number) => string) => {
  let lostCount = 0
  let untold = 0
  const lose = (): void => {
    lostCount++
    untold++
  }
  const tell = (): void => {
    const count = untold
    untold = 0
    const onFailure = (): void => void (untold += count)
    if (!attempt(note(count), onFailure)) onFailure()
  }
  return {
    lost: () => lostCount,
    write: (text: string): void => {
      if (untold > 0) tell()
      if (untold > 0 || !attempt(text, lose)) lose()
    }
  }
}

const ignore = (): void => undefined

/** An error of a stream without a listener ends the process. */
const guard = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  }
}

/** Writes all logs and what is written to the console to standard output; `note` is an entry about those that were lost. */
export const layer = (note: (lostCount: number) => string): Layer.Layer<never> => {
  guard()
  const { stdout } = process
  const output = make(stdout instanceof Socket ? toStream(stdout) : toFile(1), note)
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      output.write(text)
      done()
    }
  })
  const console = new NodeConsole({
    stdout: stream,
    stderr: process.stderr,
    colorMode: stdout.isTTY
  })
  return Layer.merge(
    Layer.succeed(Console.Console, console),
    Layer.effectDiscard(Metrics.observeCounter(lostEntries.of(), output.lost))
  )
}
