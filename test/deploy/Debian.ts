/**
 * Programs of Debian that run for a test: PostgreSQL, and servers that run in the foreground.
 *
 * Guarantee: a program that is not installed fails the test, with the name of its package; none survives its test.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess, SpawnOptions } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/ProgramSettings.ts"

/** The repository. */
export const root = join(import.meta.dirname, "../..")

/** A file of `deploy`. */
export const deployed = (file: string): string => join(root, "deploy", file)

/** The path of a program, which is a package of Debian. */
export const program = (name: string, packaged = name): string => {
  const folders = ["/usr/sbin", ...(process.env["PATH"] ?? "").split(delimiter)]
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${name} is not installed: apt-get install ${packaged}`)
  return found
}

/** A running program. */
export interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  /** Ends it by a signal, by default SIGTERM, and waits; returns its exit code or the signal that ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<unknown>
}

/** Starts a program. */
export const start = (path: string, args: ReadonlyArray<string>, options: SpawnOptions = {}): Running => {
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], ...options })
  let output = ""
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) => code ?? signal)
  return {
    child,
    output: () => output,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    }
  }
}

/** A PostgreSQL, with its tools if it is Debian's. */
export interface Postgres {
  /** The folder of its programs. */
  readonly bin: string
  /** The URL of an existing database. */
  readonly url: string
  /** Makes an empty database and returns its URL. */
  readonly create: (name: string) => Promise<string>
  readonly stop: () => Promise<void>
}

/** A password with characters that have to be escaped in a URL. */
const password = "p%ss w/rd"

/** Whether to drop root's rights: PostgreSQL refuses root, so it runs in a user namespace, where the files keep their owner. */
const unprivileged = process.getuid?.() === 0
  ? ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--"]
  : []

/** The folder of programs in `POSTGRES_BIN`, or else that of Debian's newest PostgreSQL. */
const binaries = (): string => {
  const bin = process.env["POSTGRES_BIN"] ?? globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1)
  if (bin === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql")
  return bin
}

/** Starts PostgreSQL on a folder of its own, on a free port. */
export const postgres = async (): Promise<Postgres> => {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), "dockline-postgres-"))
  const data = join(folder, "data")
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, password)
  const begin = (name: string, ...args: ReadonlyArray<string>) => {
    const [first, ...rest] = [...unprivileged, join(bin, name), "-D", data, ...args]
    return start(first!, rest, { cwd: folder })
  }
  const login = ["-U", "dockline", "-A", "scram-sha-256", `--pwfile=${passwordFile}`]
  const init = begin("initdb", ...login, "-E", "UTF8", "--locale=C", "--no-sync")
  if (await once(init.child, "close").then(([code]) => code) !== 0) throw new Error(init.output())
  const port = await freePort()
  const settings = ["listen_addresses=127.0.0.1", "max_connections=200", "fsync=off", "full_page_writes=off"]
  const server = begin(
    "postgres",
    "-p",
    String(port),
    "-k",
    folder,
    ...settings.flatMap((each) => ["-c", each])
  )
  const url = `postgres://dockline:${encodeURIComponent(password)}@127.0.0.1:${port}`
  await eventually(
    `PostgreSQL is ready: ${server.output()}`,
    () => server.output().includes("ready to accept connections")
  )
  return {
    bin,
    url: `${url}/postgres`,
    create: async (name) => {
      await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`create database ${name}`)).pipe(
            Effect.provide(PgClient.layer({ url: Redacted.make(`${url}/postgres`) }))
          )
        )
      )
      return `${url}/${name}`
    },
    stop: async () => {
      await server.stop("SIGINT")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The text of a file of `deploy` with replacements, all of which must apply. */
export const withReplaced = (file: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/${file} does not hold ${from}`)
    return text.replaceAll(from, to)
  }, readFileSync(deployed(file), "utf8"))
