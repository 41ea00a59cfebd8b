/**
 * Writes the log for people, as JSON, or as logfmt, with the annotations of the request and the ids of its trace.
 *
 * Guarantee: in JSON and logfmt each entry is one line, whatever its text is, and has no control character of terminals. No annotation
 * replaces the time, the level, the message or the trace.
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { Console, Context, Formatter, Layer, Logger, Predicate, Tracer } from "effect"
import { Console as NodeConsole } from "node:console"
import { writeSync } from "node:fs"
import { Socket } from "node:net"
import { Writable } from "node:stream"

/** Writes a text, or returns at once that it cannot; calls `onFailure` if the writing fails later. */
export type Attempt = (text: string, onFailure: () => void) => boolean

/** The most characters that wait for a slow reader. */
export const mostWaiting = 1024 * 1024

const lostEntries = Metrics.counter(
  "dockline_log_lost_entries_total",
  "Log entries that were dropped because standard output did not accept them: the disk is full, or the reader is slow or gone",
  []
)

/** Writes to a file, without a buffer for text that was not written. */
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

/** Writes to a pipe, a socket or a terminal, which buffers data that its reader does not read at once. */
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

/**
 * Writes texts to an output, which may be full, slow or closed; `note` makes the line about lost entries.
 *
 * Guarantee: an output that cannot be written stops nothing, and needs bounded memory. Entries that cannot be written are counted and
 * dropped. When the output can be written again, a line before the next entry says how many entries were lost.
 */
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

/** Adds listeners for errors, because an error of a stream without a listener ends the process. */
const guard = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  }
}

/** Writes all logs, and the console except its errors, to standard output; `note` makes the line about lost entries. */
export const outputLayer = (note: (lostCount: number) => string): Layer.Layer<never> => {
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

export const logFormats = ["pretty", "json", "logfmt"] as const

export type LogFormat = (typeof logFormats)[number]

/** The format for people on a terminal, otherwise the format for programs. */
export const defaultLogFormat = (): LogFormat => process.stdout.isTTY ? "pretty" : "json"

export type LogEntry = Readonly<Record<string, unknown>>

const hexId = /^[0-9a-f]{16,32}$/

/** The ids of the span of an entry, if any. */
const traceOf = (context: Context.Context<never>): LogEntry => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span === undefined || !hexId.test(span.traceId)
    ? {}
    : { traceId: span.traceId.padStart(32, "0"), spanId: span.spanId }
}

const textOf = (message: unknown): string =>
  Predicate.isString(message)
    ? message
    : Array.isArray(message)
    ? message.map(textOf).join(" ")
    : Formatter.formatJson(message)

export const entries: Logger.Logger<unknown, LogEntry> = Logger.make((options) => {
  const { annotations, cause, level, message, timestamp } = Logger.formatStructured.log(options)
  return {
    timestamp,
    level,
    message: textOf(message),
    ...Object.fromEntries(Object.entries(annotations).filter(([name]) => !reservedNames.has(name))),
    ...traceOf(options.fiber.context),
    ...(cause === undefined ? {} : { cause })
  }
})

const reservedNames: ReadonlySet<string> = new Set([
  "timestamp",
  "level",
  "message",
  "traceId",
  "spanId",
  "cause"
])

/**
 * Escapes characters that JSON permits unescaped: DEL and the C1 controls, which terminals obey, and the line separators of Unicode.
 */
const visible = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** An entry as a line of JSON. */
export const json = (entry: LogEntry): string => visible(Formatter.formatJson(entry))

const pair = ([name, value]: readonly [string, unknown]): string => {
  const text = Predicate.isString(value) ? value : Formatter.formatJson(value)
  const visibleText = /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : visible(JSON.stringify(text))
  return `${name.replaceAll(/[^\w.-]/g, "_")}=${visibleText}`
}

/** An entry as a line of pairs, `name=value`. A value that is not plain text is written as in JSON. */
export const logfmt = (entry: LogEntry): string => Object.entries(entry).map(pair).join(" ")

const loggerOf = (format: LogFormat): Logger.Logger<unknown, void> => {
  switch (format) {
    case "pretty":
      return Logger.consolePretty()
    case "json":
      return Logger.withConsoleLog(Logger.map(entries, json))
    case "logfmt":
      return Logger.withConsoleLog(Logger.map(entries, logfmt))
  }
}

/** The entry about entries that could not be written. */
const lostEntry = (lostCount: number): LogEntry => ({
  timestamp: new Date().toISOString(),
  level: "WARN",
  message: `${lostCount} ${lostCount === 1 ? "entry" : "entries"} of the log could not be written and ${
    lostCount === 1 ? "is" : "are"
  } lost`,
  lost: lostCount
})

const lineOf = (format: LogFormat, entry: LogEntry): string =>
  format === "pretty"
    ? `${String(entry["timestamp"])} ${String(entry["level"])}: ${String(entry["message"])}`
    : format === "json"
    ? json(entry)
    : logfmt(entry)

/** Writes the log in a format to standard output, with the guarantee of {@link make}. */
export const layer = (format: LogFormat): Layer.Layer<never> =>
  Logger.layer([loggerOf(format)]).pipe(
    Layer.merge(outputLayer((lostCount) => `${lineOf(format, lostEntry(lostCount))}\n`))
  )
