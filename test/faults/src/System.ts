/**
 * The system under faults: PostgreSQL on a disk of its own, a proxy before it for each of two instances, and the
 * instances. All of it belongs to one run, and nothing of it is left when it is closed.
 */
import * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Logger, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { appendFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Balancer } from "./Balancer.ts"
import type { Program } from "./Bundle.ts"
import { Disk } from "./Disk.ts"
import { Instance } from "./Instance.ts"
import { Opened } from "./Opened.ts"
import { Proxy } from "./Proxy.ts"
import { sides } from "./Schedule.ts"
import type { Side } from "./Schedule.ts"

/**
 * PostgreSQL waits for the disk as it does by default, and is told how little space there is. What no commit waits for
 * it writes late, so that a commit that does not wait is found out when PostgreSQL is killed.
 */
const postgresSettings = {
  wal_writer_delay: "10s",
  max_connections: "120",
  shared_buffers: "32MB",
  min_wal_size: "32MB",
  max_wal_size: "80MB"
}

/** Settings of the instances, beside addresses and keys. */
const instanceSettings = {
  DEMO: "true",
  RATE_LIMIT_PER_MINUTE: "0",
  OUTBOUND_ALLOW: "127.0.0.0/8",
  WEBHOOK_TIMEOUT_SECONDS: "3",
  LOG_LEVEL: "Warn"
}

/** After how long an instance that ended by itself is started again, in milliseconds. */
const restartMillis = 200

/** What a system is made of. */
export interface SystemOptions {
  /** An empty folder, where it has its data and its logs. */
  readonly folder: string
  readonly program: Program
  /** A data folder that has been initialised, to be copied. */
  readonly template: string
  /** Told of an instance that ended and was not meant to; it is started again. */
  readonly onEnd: (side: Side, how: string) => void
}

/** Initialises a data folder, which each run copies: that takes longer than all else of a start. */
export const makeTemplate = async (folder: string): Promise<void> => {
  const scope = Scope.makeUnsafe()
  try {
    await Effect.runPromise(
      Scope.provide(EmbeddedPostgres.make({ directory: folder, settings: postgresSettings }), scope)
    )
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** A running system. */
export class System {
  readonly disk: Disk
  readonly postgres: EmbeddedPostgres.EmbeddedPostgres
  readonly proxies: Readonly<Record<Side, Proxy>>
  readonly instances: Readonly<Record<Side, Instance>>
  readonly balancer: Balancer
  readonly #opened: Opened

  private constructor(
    parts: Pick<System, "disk" | "postgres" | "proxies" | "instances" | "balancer">,
    opened: Opened
  ) {
    this.disk = parts.disk
    this.postgres = parts.postgres
    this.proxies = parts.proxies
    this.instances = parts.instances
    this.balancer = parts.balancer
    this.#opened = opened
  }

  /** Starts it; its instances may take a moment to be ready. */
  static async open(options: SystemOptions): Promise<System> {
    const opened = new Opened()
    try {
      return new System(await openParts(options, opened), opened)
    } catch (failure) {
      await opened.close()
      throw failure
    }
  }

  /** The addresses of the instances. */
  get urls(): ReadonlyArray<string> {
    return sides.map((side) => this.instances[side].url)
  }

  /** The database, past the proxies. */
  get databaseUrl(): string {
    return Redacted.value(this.postgres.url)
  }

  /** Waits until both instances say that they are ready; says whether they did in time. */
  async isReady(millis: number): Promise<boolean> {
    const deadline = performance.now() + millis
    for (;;) {
      const answers = await Promise.all(sides.map((side) => this.instances[side].isReady()))
      if (answers.every((isReady) => isReady)) return true
      if (performance.now() > deadline) return false
      await wait(50)
    }
  }

  /** Moves the clocks of both instances forward. */
  advance(millis: number): void {
    for (const side of sides) this.instances[side].advance(millis)
  }

  /** Runs a statement past the proxies; a database that is away is no failure. */
  async attempt(statement: string): Promise<void> {
    const run = Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(
        PgClient.layer({ url: this.postgres.url, maxConnections: 1, applicationName: "faults" })
      ),
      Effect.timeout("2 seconds"),
      Effect.ignore
    )
    await Effect.runPromise(run)
  }

  /** Stops everything. */
  close(): Promise<void> {
    return this.#opened.close()
  }
}

const openParts = async ({ folder, onEnd, program, template }: SystemOptions, opened: Opened) => {
  const disk = opened.add(Disk.make(join(folder, "disk")), (disk) => disk.remove())
  const data = join(disk.folder, "data")
  execFileSync("cp", ["--archive", "--reflink=auto", template, data])
  const postgres = await openPostgres(data, join(folder, "postgres.log"), opened)
  const [a, b] = await Promise.all(sides.map(() => Proxy.open(postgres.port))) as [Proxy, Proxy]
  const proxies = { a, b }
  for (const proxy of [a, b]) opened.add(proxy, (proxy) => proxy.close())
  const balancer = opened.add(await Balancer.open(), (balancer) => balancer.close())
  const secretsKey = randomBytes(32).toString("base64")
  const instanceOf = async (side: Side): Promise<Instance> => {
    const url = new URL(Redacted.value(postgres.url))
    url.port = String(proxies[side].port)
    const instance: Instance = new Instance({
      program,
      port: await steadyPort(),
      log: join(folder, `instance-${side}.log`),
      env: { ...instanceSettings, DATABASE_URL: url.href, BASE_URL: balancer.url, SECRETS_KEY: secretsKey },
      onEnd: (how) => {
        onEnd(side, how)
        setTimeout(() => instance.start(), restartMillis)
      }
    })
    return opened.add(instance, (instance) => instance.close())
  }
  const instances = { a: await instanceOf("a"), b: await instanceOf("b") }
  for (const side of sides) instances[side].start()
  balancer.forward(sides.map((side) => instances[side].url))
  return { disk, postgres, proxies, instances, balancer }
}

/** Starts PostgreSQL; what its keeper says goes to a file. */
const openPostgres = async (directory: string, log: string, opened: Opened) => {
  const scope = opened.add(Scope.makeUnsafe(), (scope) => Effect.runPromise(Scope.close(scope, Exit.void)))
  const logger = Logger.map(Logger.formatLogFmt, (line) => appendFileSync(log, `${line}\n`))
  return Effect.runPromise(
    Scope.provide(EmbeddedPostgres.make({ directory, settings: postgresSettings }), scope).pipe(
      Effect.provide(Logger.layer([logger]))
    )
  )
}

/**
 * A port that stays free while its instance is down: below those that systems give to outgoing connections, of which
 * there are many here.
 */
const steadyPort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
