/**
 * How the lines of the log are written: for people, as JSON, or as logfmt. Each line has what is known of the request it
 * is about, and the ids of its trace.
 *
 * Guarantee: one line for each entry in JSON and logfmt, whatever its text holds; no annotation takes the place of the
 * time, the level, the message or the trace.
 */
import { Context, Formatter, Layer, Logger, Predicate, Tracer } from "effect"

/** The formats. */
export const logFormats = ["pretty", "json", "logfmt"] as const

/** How the log is written. */
export type LogFormat = (typeof logFormats)[number]

/** For people where one looks on, else for programs. */
export const defaultLogFormat = (): LogFormat => process.stdout.isTTY ? "pretty" : "json"

/** An entry as its fields. */
export type LogEntry = Readonly<Record<string, unknown>>

const hexId = /^[0-9a-f]{16,32}$/

/** The ids of the span that an entry was written in; none where nothing is traced. */
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

/** Makes the fields of an entry. */
export const entries: Logger.Logger<unknown, LogEntry> = Logger.make((options) => {
  const { annotations, cause, level, message, timestamp } = Logger.formatStructured.log(options)
  return {
    timestamp,
    level,
    message: textOf(message),
    ...Object.fromEntries(Object.entries(annotations).filter(([name]) => !reserved.has(name))),
    ...traceOf(options.fiber.context),
    ...(cause === undefined ? {} : { cause })
  }
})

const reserved: ReadonlySet<string> = new Set([
  "timestamp",
  "level",
  "message",
  "traceId",
  "spanId",
  "cause"
])

const pair = ([name, value]: readonly [string, unknown]): string => {
  const text = Predicate.isString(value) ? value : Formatter.formatJson(value)
  const shown = /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)
  return `${name.replaceAll(/[^\w.-]/g, "_")}=${shown}`
}

/** An entry as a line of pairs, `name=value`; a value with anything but plain text is written as in JSON. */
export const logfmt = (entry: LogEntry): string => Object.entries(entry).map(pair).join(" ")

const loggerOf = (format: LogFormat): Logger.Logger<unknown, void> => {
  switch (format) {
    case "pretty":
      return Logger.consolePretty()
    case "json":
      return Logger.withConsoleLog(Logger.map(entries, (entry) => Formatter.formatJson(entry)))
    case "logfmt":
      return Logger.withConsoleLog(Logger.map(entries, logfmt))
  }
}

/** Writes the log to standard output, in this format. */
export const layer = (format: LogFormat): Layer.Layer<never> => Logger.layer([loggerOf(format)])
