/**
 * Two instances under faults: PostgreSQL on a disk of its own, a proxy before it for each of two instances, and the
 * instances. All of it belongs to one run, and nothing of it is left when it is closed.
 */
import type * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import { randomBytes } from "node:crypto"
import { createServer } from "node:net"
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import { Balancer } from "./Balancer.ts"
import { Disk } from "./Disk.ts"
import { areReady } from "./Health.ts"
import { Instance } from "./Instance.ts"
import type { Program } from "./Instance.ts"
import { Pair } from "./Pair.ts"
import { PostgresServer } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"
import type { System } from "./System.ts"

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

/** What they are started with. */
export interface InstancesOptions {
  /** An empty folder, where it has its data and its logs. */
  readonly folder: string
  readonly program: Program
  /** A data folder that has been initialised, to be copied. */
  readonly template: string
  /** Whether the database has a synchronous standby. */
  readonly hasStandby: boolean
  /** Settings of the instances beside those of every run. */
  readonly settings?: Readonly<Record<string, string>>
  /** Told of an instance that ended and was not meant to; it is started again. */
  readonly onEnd: (side: Side, how: string) => void
}

/** Two running instances, and all that belongs to them. */
export class Instances implements System {
  readonly proxies: Readonly<Record<Side, Proxy>>
  readonly instances: Readonly<Record<Side, Instance>>
  readonly balancer: Balancer
  readonly #pair: Pair | undefined
  readonly #folder: string
  readonly #opened: AsyncDisposableStack
  #first: PostgresServer
  /** The disk with a copy of the data, once one was made. */
  #copy: Disk | undefined

  private constructor(parts: Parts, folder: string, opened: AsyncDisposableStack) {
    this.proxies = parts.proxies
    this.instances = parts.instances
    this.balancer = parts.balancer
    this.#pair = parts.pair
    this.#first = parts.server
    this.#folder = folder
    this.#opened = opened
  }

  /** Starts it; its instances may take a moment to be ready. */
  static async open(options: InstancesOptions): Promise<Instances> {
    const opened = new AsyncDisposableStack()
    try {
      return new Instances(await openParts(options, opened), options.folder, opened)
    } catch (failure) {
      await opened.disposeAsync()
      throw failure
    }
  }

  /** The addresses of the instances. */
  get urls(): ReadonlyArray<string> {
    return sides.map((side) => this.instances[side].url)
  }

  get baseUrl(): string {
    return this.balancer.url
  }

  /** The database and its standby. */
  get pair(): Pair {
    if (this.#pair === undefined) throw new Error("there is no standby")
    return this.#pair
  }

  /** The database, past the proxies. */
  get databaseUrl(): string {
    return this.#server.url
  }

  /** The PostgreSQL that serves. */
  get postgres(): EmbeddedPostgres.EmbeddedPostgres {
    return this.#server.postgres
  }

  /** The disk of the PostgreSQL that serves. */
  get disk(): Disk {
    return this.#server.disk
  }

  /** Waits until both instances say that they are ready; says whether they did in time. */
  isReady(millis: number): Promise<boolean> {
    return areReady(sides.map((side) => () => this.instances[side].isReady()), millis)
  }

  /** Moves the clocks of both instances forward. */
  advance(millis: number): void {
    for (const side of sides) this.instances[side].advance(millis)
  }

  /** Runs a query past the proxies; `undefined` when the database is away. */
  query<Row extends object>(statement: string): Promise<ReadonlyArray<Row> | undefined> {
    return this.#server.query<Row>(statement)
  }

  /** Copies the data as they are at one moment: what an asynchronous standby has got that then loses its connection. */
  async copy(): Promise<void> {
    this.#copy = this.#opened.adopt(Disk.make(join(this.#folder, "standby")), (disk) => disk.remove())
    await this.#server.copyTo(this.#copy)
  }

  /** Breaks all connections to the database, and lets none be made. */
  cutOff(): void {
    for (const side of sides) this.proxies[side].set({ kind: "closed" })
  }

  /** Has a PostgreSQL on the copy take the place of the one that serves, for both instances. */
  async promote(): Promise<void> {
    if (this.#copy === undefined) throw new Error("no copy was made")
    await this.#server.close()
    this.#first = this.#opened.adopt(
      await PostgresServer.openCopied(this.#copy, join(this.#folder, "standby.log")),
      (server) => server.close()
    )
    for (const side of sides) {
      this.proxies[side].lead(this.#server.postgres.port)
      this.proxies[side].set({ kind: "open" })
    }
  }

  /** Stops everything. */
  close(): Promise<void> {
    return this.#opened.disposeAsync()
  }

  get #server(): PostgresServer {
    return this.#pair?.server ?? this.#first
  }
}

/** What they consist of. */
interface Parts extends Pick<Instances, "proxies" | "instances" | "balancer"> {
  readonly server: PostgresServer
  readonly pair: Pair | undefined
}

const openParts = async (
  { folder, hasStandby, onEnd, program, settings, template }: InstancesOptions,
  opened: AsyncDisposableStack
): Promise<Parts> => {
  const disk = opened.adopt(Disk.make(join(folder, "disk")), (disk) => disk.remove())
  const server = opened.adopt(
    await PostgresServer.open(disk, template, join(folder, "postgres.log")),
    (server) => server.close()
  )
  const { port } = server.postgres
  const [a, b] = await Promise.all(sides.map(() => Proxy.open(port))) as [Proxy, Proxy]
  const proxies = { a, b }
  for (const proxy of [a, b]) opened.adopt(proxy, (proxy) => proxy.close())
  const pair = hasStandby ? await Pair.open(server, proxies, folder, opened) : undefined
  const urlFor = (side: Side): string => {
    const hosts = (pair?.portsFor(side) ?? [proxies[side].port]).map((port) => `127.0.0.1:${port}`).join(",")
    return server.url.replace(/@[^/]+/, `@${hosts}`)
      + (pair === undefined ? "" : "?target_session_attrs=read-write")
  }
  const served = await startInstances({
    folder,
    program,
    onEnd,
    urlFor,
    ...(settings === undefined ? {} : { settings })
  }, opened)
  return { server, pair, proxies, ...served }
}

/** How two instances are started. */
export interface ServedOptions extends Pick<InstancesOptions, "folder" | "program" | "settings" | "onEnd"> {
  /** The URL of the database of each. */
  readonly urlFor: (side: Side) => string
}

/** Starts two instances, and the one address before them. */
export const startInstances = async (
  { folder, onEnd, program, settings = {}, urlFor }: ServedOptions,
  opened: AsyncDisposableStack
): Promise<Pick<Instances, "instances" | "balancer">> => {
  const balancer = opened.adopt(await Balancer.open(), (balancer) => balancer.close())
  const secretsKey = randomBytes(32).toString("base64")
  const instanceOf = async (side: Side): Promise<Instance> => {
    const instance: Instance = new Instance({
      program,
      port: await steadyPort(),
      log: join(folder, `instance-${side}.log`),
      env: {
        ...instanceSettings,
        DATABASE_URL: urlFor(side),
        BASE_URL: balancer.url,
        SECRETS_KEY: secretsKey,
        ...settings
      },
      onEnd: (how) => {
        onEnd(side, how)
        setTimeout(() => instance.start(), restartMillis)
      }
    })
    return opened.adopt(instance, (instance) => instance.close())
  }
  const instances = { a: await instanceOf("a"), b: await instanceOf("b") }
  for (const side of sides) instances[side].start()
  balancer.forward(sides.map((side) => instances[side].url))
  return { instances, balancer }
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
