/**
 * The URL of a database: `postgres://user:password@host:port/database`, with options of libpq, and with one host or several.
 *
 * Guarantee: an option means the same as in libpq, or is refused by name. Errors never show the password.
 */
import { Data, Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import type { NetConnectOpts } from "node:net"
import type { ConnectionOptions } from "node:tls"

/** A text is not a URL of PostgreSQL, or has an unsupported part; the reason names the part. */
export class InvalidPostgresUrl extends Data.TaggedError("InvalidPostgresUrl")<{ readonly reason: string }> {
  override get message(): string {
    return `Invalid URL; ${this.reason}`
  }
}

/** The address of a database. */
export interface PostgresAddress {
  /** The URL for the driver, which accepts a single host. */
  readonly url: Redacted.Redacted
  /** The hosts of the database, in the order in which they are tried. */
  readonly hosts: readonly [PostgresHost, ...ReadonlyArray<PostgresHost>]
  readonly target: SessionTarget
  readonly applicationName: string | undefined
  readonly connectSeconds: number | undefined
}

/** One host of a database. */
export interface PostgresHost {
  readonly host: string
  readonly port: number
  readonly socket: NetConnectOpts
  /** The encryptions to try, in order. */
  readonly encryption: readonly [Encryption, ...ReadonlyArray<Encryption>]
}

/** The options of TLS; `false` for no encryption. */
export type Encryption = ConnectionOptions | false

const optionNames: ReadonlySet<string> = new Set([
  "user",
  "password",
  "dbname",
  "options",
  "host",
  "port",
  "application_name",
  "connect_timeout",
  "target_session_attrs",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey"
])

/** The remedies for unsupported options of libpq. */
const remedies: Readonly<Record<string, string>> = {
  load_balance_hosts: "hosts are tried in their order; leave the option out",
  hostaddr: "write the address as the host",
  passfile: "write the password into the URL",
  service: "write what the service says into the URL",
  sslpassword: "use a key without a password"
}

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const

/** The values of `target_session_attrs` in libpq that suit a program which writes. */
const targets = ["any", "read-write", "primary"] as const

/** The sessions that are accepted: a value of `target_session_attrs`. */
export type SessionTarget = (typeof targets)[number]

/** Checks that an option has one of its permitted values. */
const among = <Value extends string>(values: ReadonlyArray<Value>, name: string, choice: string) => {
  const value = values.find((each) => each === choice)
  return value === undefined ? invalid(`${name} must be one of ${values.join(", ")}`) : Result.succeed(value)
}

const invalid = (reason: string) => Result.fail(new InvalidPostgresUrl({ reason }))

/** The parts of a URL: before the hosts, the hosts, and after them. */
const parts = /^([^:]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** Makes one URL for each host, because several hosts do not parse as a URL. */
const urlsOf = (text: string): ReadonlyArray<URL | null> => {
  const [, before = "", hosts = "", after = ""] = parts.exec(text) ?? []
  return hosts.includes(",")
    ? hosts.split(",").map((host) => URL.parse(`${before}${host}${after}`))
    : [URL.parse(text)]
}

/** Reads a URL and the certificates that it names. */
export const parse = (text: string): Result.Result<PostgresAddress, InvalidPostgresUrl> => {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return invalid("it must begin with postgres://")
  const urls = urlsOf(text).filter((each) => each !== null)
  const [url] = urls
  if (url === undefined || urls.length < urlsOf(text).length) {
    // An unescaped character of a password ends the hosts, so that the @ stands after them.
    return invalid(
      parts.exec(text)?.[3]?.includes("@")
        ? "escape special characters in its user and password: %23 for #, %2F for /, %40 for @"
        : "its host or its port (a number from 1 to 65535) is not valid"
    )
  }
  // In a query of libpq `+` is itself, not a space.
  const options = new Map(new URLSearchParams(url.search.replaceAll("+", "%2B")))
  for (const name of options.keys()) {
    if (!optionNames.has(name)) {
      return invalid(`the option ${name} is not supported: ${remedies[name] ?? "leave it out"}`)
    }
  }
  const seconds = options.get("connect_timeout")
  if (seconds !== undefined && !/^[1-9][0-9]{0,4}$/.test(seconds)) {
    return invalid("connect_timeout must be whole seconds, from 1 to 99999")
  }
  return Result.gen(function*() {
    const target = yield* among(targets, "target_session_attrs", options.get("target_session_attrs") ?? "any")
    const hosts = yield* hostsOf(urls, options)
    for (const name of ["host", "port"]) url.searchParams.delete(name)
    return {
      url: Redacted.make(url.href),
      hosts,
      target,
      applicationName: options.get("application_name"),
      connectSeconds: seconds === undefined ? undefined : Number(seconds)
    }
  })
}

/** The hosts. As in libpq, a single port applies to all of them. */
const hostsOf = (
  urls: ReadonlyArray<URL>,
  options: ReadonlyMap<string, string>
): Result.Result<PostgresAddress["hosts"], InvalidPostgresUrl> => {
  const names = options.get("host")?.split(",") ?? urls.map(hostOf)
  const ports = options.get("port")?.split(",") ?? urls.map(({ port }) => port)
  if (ports.length > 1 && ports.length !== names.length) {
    return invalid(`it names ${names.length} hosts and ${ports.length} ports`)
  }
  const hostAt = (name: string, at: number) => {
    const host = name || "localhost"
    const port = Number((ports.length === 1 ? ports[0] : ports[at]) || 5432)
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      return invalid("its port is not a number from 1 to 65535")
    }
    const local = host.startsWith("/")
    return Result.map(
      local ? Result.succeed([false] as const) : encryptionOf(options, host),
      (encryption) => ({
        host,
        port,
        socket: local ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true },
        encryption
      })
    )
  }
  const [first = "", ...others] = names
  return Result.map(
    Result.all([hostAt(first, 0), ...others.map((name, at) => hostAt(name, at + 1))]),
    ([first, ...others]) => [first, ...others]
  )
}

const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith("[")
    ? hostname.slice(1, -1)
    : Result.getOrElse(Result.try(() => decodeURIComponent(hostname)), () => hostname)

/**
 * The encryptions of a mode. As in libpq, `require` verifies the server if there are root certificates, and `verify-ca` verifies everything
 * except the name.
 */
const encryptionOf = (
  options: ReadonlyMap<string, string>,
  host: string
): Result.Result<PostgresHost["encryption"], InvalidPostgresUrl> => {
  const root = options.get("sslrootcert")
  return Result.gen(function*() {
    const sslMode = options.get("sslmode") ?? (root === "system" ? "verify-full" : "prefer")
    const mode = yield* among(modes, "sslmode", sslMode)
    if (root === "system" && mode !== "verify-full") {
      return yield* invalid("sslrootcert=system needs sslmode=verify-full")
    }
    if (mode === "disable") return [false] as const
    const files: ConnectionOptions = {}
    for (const [name, option] of [["ca", "sslrootcert"], ["cert", "sslcert"], ["key", "sslkey"]] as const) {
      const path = options.get(option)
      if (path !== undefined && !(name === "ca" && path === "system")) {
        files[name] = yield* fileOf(option, path)
      }
    }
    const tls: ConnectionOptions = {
      ...files,
      host,
      rejectUnauthorized: root !== undefined || mode === "verify-ca" || mode === "verify-full",
      ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined })
    }
    if (mode === "allow") return [false, tls] as const
    return mode === "prefer" ? [tls, false] as const : [tls] as const
  })
}

const fileOf = (option: string, path: string): Result.Result<Buffer, InvalidPostgresUrl> =>
  Result.try({
    try: () => readFileSync(path),
    catch: () => new InvalidPostgresUrl({ reason: `the file of ${option} cannot be read: ${path}` })
  })
