/** Explains why a server did not start, in words rather than a stack. */
import { Cause, Config, Console, Effect, Predicate } from "effect"

/** Writes the reason to standard error. */
export const explain = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`dockline: ${reasonOf(Cause.squash(cause))}`)

/** The message of an error, with those of its causes that add to it. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return settingOf(error)
  const messages: Array<string> = []
  for (let each: unknown = error; Predicate.isObject(each); each = causeOf(each)) {
    const message = messageOf(each)
    if (message !== "" && !messages.some((other) => other.includes(message))) messages.push(message)
  }
  const reason = messages.join(": ") || String(error)
  return reason.includes("EADDRINUSE") ? `${reason}; set PORT to another one` : reason
}

/** `SchemaError(<what> at ["<variable>"])`, as a sentence. */
const settingOf = (error: Config.ConfigError): string => {
  const [, what, variable] = /^SchemaError\((.*?)\s+at \["(\w+)"\]\)$/s.exec(error.message) ?? []
  return variable === undefined
    ? error.message.replace(/^SourceError: /, "")
    : `the setting ${variable} is wrong: ${what}`
}

/** An SqlError keeps its cause within its reason. */
const causeOf = (error: object): unknown => {
  if (Predicate.hasProperty(error, "reason") && Predicate.isObject(error.reason)) return causeOf(error.reason)
  return Predicate.hasProperty(error, "cause") ? error.cause : undefined
}

const messageOf = (error: object): string => {
  const message = Predicate.hasProperty(error, "message") && Predicate.isString(error.message)
    ? error.message
    : ""
  const code = Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""
  return message === "" ? code : message
}
