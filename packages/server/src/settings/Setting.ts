/**
 * A setting: an environment variable with its kind, its default and its meaning, and the config that reads it.
 *
 * Guarantee: an error names the variable and its required form, and shows no value, which may be a secret; only the error about a list of
 * networks names the wrong network.
 */
import { oldestDays } from "@dockline/core/shipment/CheckIn"
import { signingSecretFault } from "@dockline/core/webhooks/WebhookInput"
import { leastConnections } from "@dockline/sql-storage/connections/Database"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import { Config, Option, Redacted, Result, Schema } from "effect"
import { isIP } from "node:net"

/** The kind of a variable: its permitted texts, and the values that they mean. */
export interface Kind<A> {
  /** The required form, as in “must be …”. */
  readonly name: string
  readonly read: (variable: string) => Config.Config<A>
}

/** A setting as a row of a table in Markdown. */
export interface SettingRow {
  readonly name: string
  readonly kind: string
  readonly default: string
  readonly meaning: string
}

export interface Setting<A> extends SettingRow {
  readonly config: Config.Config<A>
}

/** A setting with a default value. */
export const setting = <A>(
  name: string,
  kind: Kind<A>,
  value: A,
  meaning: string,
  display = `\`${value}\``
): Setting<A> => ({
  name,
  kind: kind.name,
  default: display,
  meaning,
  config: Config.withDefault(kind.read(name), value)
})

/** A setting that may be absent, or empty as in an env file; `display` describes the value that then applies. */
export const optional = <A>(
  name: string,
  kind: Kind<A>,
  display: string,
  meaning: string
): Setting<Option.Option<A>> => ({
  name,
  kind: kind.name,
  default: display,
  meaning,
  config: Config.flatMap(
    Config.withDefault(Config.String(name), ""),
    (text) => text === "" ? Config.succeed(Option.none()) : Config.map(kind.read(name), Option.some)
  )
})

const map = <A, B>({ name, read }: Kind<A>, f: (value: A) => B): Kind<B> => ({
  name,
  read: (variable) => Config.map(read(variable), f)
})

const checking = (name: string, faultOf: (text: string) => string | undefined): Kind<string> => {
  const schema = Schema.String.check(Schema.makeFilter(faultOf))
  return { name, read: (variable) => Config.schema(schema, variable) }
}

const matching = (name: string, isValid: (text: string) => boolean): Kind<string> =>
  checking(name, (text) => isValid(text) ? undefined : `must be ${name}`)

const numeric = (
  name: string,
  isKind: (value: number) => boolean,
  minimum: number,
  maximum = Number.MAX_VALUE
): Kind<number> => {
  const isValid = (value: number): boolean => isKind(value) && value >= minimum && value <= maximum
  // `matching` accepts only values that the pattern matches.
  return map(matching(name, (text) => text.trim() !== "" && isValid(Number(text))), Number)
}

const isUrl = (text: string, protocol: RegExp): boolean => protocol.test(URL.parse(text)?.protocol ?? "")

export const text: Kind<string> = { name: "text", read: (variable) => Config.NonEmptyString(variable) }

/** The values of a kind as values that are never shown. */
const hidden = (kind: Kind<string>): Kind<Redacted.Redacted> => map(kind, (value) => Redacted.make(value))

export const secret: Kind<Redacted.Redacted> = hidden(text)

/** True or false, in the words of `Config.Boolean`. */
export const flag: Kind<boolean> = map(
  matching("true or false", (text) => /^(?:true|yes|on|1|y|false|no|off|0|n)$/.test(text)),
  (text) => /^(?:true|yes|on|1|y)$/.test(text)
)

export const port: Kind<number> = numeric("a port, from 1 to 65535", Number.isInteger, 1, 65_535)

export const positive: Kind<number> = numeric("a whole number above 0", Number.isSafeInteger, 1)

/** The number of connections to the database, of which transactions get at least two, so that one business never has all of them. */
export const connections: Kind<number> = numeric(
  `a whole number of at least ${leastConnections}`,
  Number.isSafeInteger,
  leastConnections
)

export const count: Kind<number> = numeric("a whole number of at least 0", Number.isSafeInteger, 0)

/** A number of seconds from `minimum` to `maximum`, which must be below the 25 days that a timer lasts at most. */
export const seconds = (minimum: number, maximum: number): Kind<number> =>
  numeric(`a whole number from ${minimum} to ${maximum}`, Number.isSafeInteger, minimum, maximum)

export const days: Kind<number> = numeric("a number above 0", Number.isFinite, Number.MIN_VALUE)

/** The number of hours for which a reported time may lie in the past. */
export const lateHours: Kind<number> = numeric(
  `a whole number from 0 to ${oldestDays * 24}`,
  Number.isSafeInteger,
  0,
  oldestDays * 24
)

/** A number of {@link days}, or 0. */
export const daysOrNone: Kind<number> = numeric("a number of at least 0", Number.isFinite, 0)

export const url: Kind<string> = matching("an address, https://host", (text) => isUrl(text, /^https?:$/))

/** An address that people can contact, as one line of a file: a mail address or a page. */
export const contact: Kind<string> = matching(
  "mailto:name@host, or a page, https://host",
  (text) => /^(?:mailto:[^\s@]+@[^\s@]+|https:\S+)$/.test(text) && URL.canParse(text)
)

/** The address of a database, which holds a password. */
export const databaseUrl: Kind<Redacted.Redacted> = hidden(matching(
  "postgres://user:password@host:port/database",
  (text) => /^postgres(?:ql)?:\/\//.test(text)
))

export const localAddress: Kind<string> = matching(
  "an address, such as 203.0.113.7",
  (text) => isIP(text) !== 0
)

/** The id of a client in a form that fits a path. */
export const clientId: Kind<string> = matching(
  "at most 100 characters of printable ASCII without spaces",
  (text) => /^[\x21-\x7e]{1,100}$/.test(text)
)

/** An address that belongs to the operators. Signatures authenticate the calls to it, so it has no user name and password. */
export const ownUrl: Kind<string> = matching(
  "an address without user name and password, https://host/path",
  (text) => isUrl(text, /^https?:$/) && URL.parse(text)?.username === "" && URL.parse(text)?.password === ""
)

export const signingSecret: Kind<Redacted.Redacted> = hidden(
  matching("whsec_ and base64 of 24 to 64 bytes", (text) => signingSecretFault(text) === undefined)
)

/** Keys that encrypt secrets; the first key seals. */
export const secretsKeys: Kind<Redacted.Redacted> = hidden(
  checking("base64 of 32 bytes, several with commas", (text) => {
    const result = SecretsKey.parse(text)
    return Result.isFailure(result) ? result.failure.reason : undefined
  })
)

const entriesOf = (text: string): ReadonlyArray<string> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")

export const networks: Kind<ReadonlyArray<string>> = map(
  checking("networks, with commas between them", (text) =>
    entriesOf(text).flatMap((network) => {
      const fault = OutboundPolicy.networkFault(network)
      return fault === undefined ? [] : [`${network} ${fault}`]
    })[0]),
  (text) => entriesOf(text)
)

/** Some of these words, separated by commas. */
export const someOf = <A extends string>(words: ReadonlyArray<A>): Kind<ReadonlyArray<A>> => {
  const splitList = (text: string): ReadonlyArray<string> =>
    text.split(",").map((word) => word.trim().toLowerCase()).filter((word) => word !== "")
  const isKnown = (text: string) =>
    text.trim() === "none" || splitList(text).every((word) => words.some((each) => each === word))
  return map(
    matching(`some of ${words.join(", ")}, with commas between them, or none`, isKnown),
    (text) => words.filter((word) => splitList(text).includes(word))
  )
}

/** One of these words, in any case. */
export const word = <A extends string>(words: ReadonlyArray<A>): Kind<A> => {
  const wordOf = (text: string) => words.find((each) => each.toLowerCase() === text.toLowerCase())
  const name = `one of ${words.join(", ")}`
  // `matching` accepts only values that the pattern matches.
  return map(matching(name, (text) => wordOf(text) !== undefined), (text) => wordOf(text)!)
}
