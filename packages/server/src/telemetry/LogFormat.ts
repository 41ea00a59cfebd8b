/**
 * Writes the log for people, as JSON, or as logfmt, with the annotations of the request and the ids of its trace.
 *
 * Guarantee: each entry is one line in JSON and logfmt, whatever its text, and has no character that a terminal obeys; no annotation
 * replaces the time, the level, the message or the trace.
 */
import { Context, Formatter, Layer, Logger, Predicate, Tracer } from "effect"
import * as LogOutput from "./LogOutput.ts"

export const logFormats = ["pretty", "json", "logfmt"] as const

export type LogFormat = (typeof logFormats)[number]

/** For people on a terminal, else for programs. */
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

/** JSON without what JSON leaves as it is: DEL and the controls of C1, which terminals obey, and the separators of lines of Unicode. */
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

/** An entry as a line of pairs, `name=value`; a value with anything but plain text is written as in JSON. */
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

/** Writes the log in a format, also where standard output cannot be written for a time. */
export const layer = (format: LogFormat): Layer.Layer<never> =>
  Logger.layer([loggerOf(format)]).pipe(
    Layer.merge(LogOutput.layer((lostCount) => `${lineOf(format, lostEntry(lostCount))}\n`))
  )
