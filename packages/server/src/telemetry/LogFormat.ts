/**
 * Writes the log for people, or as JSON, with the annotations of the request and the ids of its trace.
 *
 * Guarantee: each entry is one line in JSON, whatever its text; no annotation replaces the time, the level, the
 * message or the trace.
 */
import { Context, Formatter, Layer, Logger, Predicate, Tracer } from "effect"

export const logFormats = ["pretty", "json"] as const

export type LogFormat = (typeof logFormats)[number]

/** For people on a terminal, else for programs. */
export const defaultLogFormat = (): LogFormat => process.stdout.isTTY ? "pretty" : "json"

/** An entry as its fields. */
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

const loggerOf = (format: LogFormat): Logger.Logger<unknown, void> => {
  switch (format) {
    case "pretty":
      return Logger.consolePretty()
    case "json":
      return Logger.withConsoleLog(Logger.map(entries, (entry) => Formatter.formatJson(entry)))
  }
}

/** Writes the log to standard output, in this format. */
export const layer = (format: LogFormat): Layer.Layer<never> => Logger.layer([loggerOf(format)])
