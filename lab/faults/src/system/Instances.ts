/**
 * Two instances under faults: PostgreSQL on a disk of its own, a proxy before it for each of two instances, and the
 * instances. All of it belongs to one run, and nothing of it is left when it is closed.
 */
import type * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import { join } from "node:path"
import { sides } from "../faults/Schedule.ts"
import type { Side } from "../faults/Schedule.ts"
import { Disk } from "./Disk.ts"
import { Pair } from "./Pair.ts"
import { PostgresServer } from "./PostgresServer.ts"
import { Proxy } from "./Proxy.ts"
import { Served, startInstances } from "./Served.ts"
import type { ServedOptions, ServedParts } from "./Served.ts"
import type { System } from "./System.ts"

/** What they are started with. */
export interface InstancesOptions extends Omit<ServedOptions, "urlFor"> {
  /** A data folder that has been initialised, to be copied. */
  readonly template: string
  /** Whether the database has a synchronous standby. */
  readonly hasStandby: boolean
}

/** Two running instances, and all that belongs to them. */
export class Instances extends Served implements System {
  readonly proxies: Readonly<Record<Side, Proxy>>
  readonly #pair: Pair | undefined
  readonly #folder: string
  readonly #opened: AsyncDisposableStack
  #first: PostgresServer
  /** The disk with a copy of the data, once one was made. */
  #copy: Disk | undefined

  private constructor(parts: Parts, folder: string, opened: AsyncDisposableStack) {
    super(parts)
    this.proxies = parts.proxies
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
interface Parts extends ServedParts, Pick<Instances, "proxies"> {
  readonly server: PostgresServer
  readonly pair: Pair | undefined
}

const openParts = async (options: InstancesOptions, opened: AsyncDisposableStack): Promise<Parts> => {
  const { folder, hasStandby, template } = options
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
  return { server, pair, proxies, ...await startInstances({ ...options, urlFor }, opened) }
}
