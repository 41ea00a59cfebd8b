/**
 * The bundled server on a folder of its own, as `npm start` runs it without `DATABASE_URL`, and everything that can be
 * done to it from outside: killing it, its PostgreSQL or both, and filling its disk.
 *
 * Guarantee: no process, no mount and no folder is left behind when it is disposed, whatever has happened to it.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { postgresProcessesOf, signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import { logOf } from "../../../../packages/sql-storage/src/embedded/EmbeddedServer.ts"
import { freePort } from "../../../../test/support/ProgramSettings.ts"
import * as ServerProcess from "../../../../test/support/ServerProcess.ts"
import type { Scene, System } from "../run/Play.ts"
import { Disk } from "../system/Disk.ts"
import { isReady } from "../system/Instance.ts"
import type { Program } from "../system/Instance.ts"
import { until } from "../Until.ts"

type Server = ServerProcess.ServerProcess

/** How long a start may take, recovery included, and a stop: D12.3's 10 seconds, and some more for a busy machine. */
const startMillis = 90_000
const stopMillis = 13_000

const hasEnded = ({ child }: Server): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits until a server serves or has ended; returns whether it serves. */
export const serves = async (server: Server): Promise<boolean> => {
  const isServing = () => server.output().includes("Dockline serves")
  if (await until(() => isServing() || hasEnded(server), startMillis, 5)) {
    return isServing() && !hasEnded(server)
  }
  throw new Error(`The server neither serves nor ends within ${startMillis} ms: ${server.output()}`)
}

export class Site implements System {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  /** The disk with its folder, and the folder of PostgreSQL in it. */
  readonly disk: Disk
  readonly folder: string
  readonly data: string
  readonly #program: Program
  readonly #port: number
  readonly #settings: Readonly<Record<string, string>>
  readonly #started: Array<Server> = []
  #server: Server | undefined
  #isClosed = false

  private constructor(
    program: Program,
    disk: Disk,
    port: number,
    settings: Readonly<Record<string, string>>
  ) {
    this.#program = program
    this.#settings = settings
    this.disk = disk
    this.folder = disk.folder
    this.data = join(disk.folder, "postgres")
    this.#port = port
    this.baseUrl = `http://127.0.0.1:${port}`
    this.urls = [this.baseUrl]
  }

  /** Opens the site, with settings besides those of every run. */
  static async open(
    { opened, options: { folder, program } }: Scene,
    settings: Readonly<Record<string, string>>
  ): Promise<Site> {
    const disk = Disk.make(join(folder, "embedded"), opened)
    return new Site(program, disk, await freePort(), settings)
  }

  get databaseUrl(): string {
    const password = readFileSync(join(this.folder, "postgres.password"), "utf8").trim()
    return `postgres://dockline:${password}@127.0.0.1:${this.#lines[3]}/dockline`
  }

  isReady(millis: number): Promise<boolean> {
    return until(() => isReady(this.baseUrl), millis)
  }

  get server(): Server {
    if (this.#server === undefined) throw new Error("no server was started")
    return this.#server
  }

  /** Whether a started server has not ended. */
  get isRunning(): boolean {
    return this.#server !== undefined && !hasEnded(this.#server)
  }

  /** Starts a server and returns at once. Only {@link adopt} makes it the one of this site. */
  async launch(port: number = this.#port): Promise<Server> {
    if (this.#isClosed) throw new Error("the run was given up")
    const server = await ServerProcess.start({
      // The demo's businesses and clients, without its freight.
      DEMO: "true",
      DATA_DIR: this.folder,
      PORT: String(port),
      HOST: "127.0.0.1",
      BASE_URL: this.baseUrl,
      RATE_LIMIT_PER_MINUTE: "0",
      OUTBOUND_ALLOW: "127.0.0.0/8",
      ...this.#settings,
      NODE_COMPILE_CACHE: this.#program.cache
    }, [this.#program.file])
    this.#started.push(server)
    if (this.#isClosed) server.child.kill("SIGKILL")
    return server
  }

  /** Makes a server the one at the address of clients. */
  adopt(server: Server): void {
    this.#server = server
  }

  /** Starts a server and waits until it serves; fails if it does not. */
  async start(): Promise<void> {
    const server = await this.launch()
    this.adopt(server)
    if (await serves(server)) return
    throw new Error(`The server did not start (${await server.ended}): ${server.output()}`)
  }

  /** Kills a server, without a chance to say anything. */
  async kill(server: Server = this.server): Promise<void> {
    server.child.kill("SIGKILL")
    await server.ended
  }

  killPostgres(pids: ReadonlyArray<number>): void {
    for (const pid of pids) signal(pid, "SIGKILL")
  }

  get #lines(): ReadonlyArray<string> {
    return readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")
  }

  /** The postmaster that says it runs on the folder, whether it does or not. */
  get postmaster(): number | undefined {
    try {
      return Number(this.#lines[0])
    } catch {
      return undefined
    }
  }

  /** All PostgreSQL processes of the folder, single-user ones and those of `initdb` not included. */
  get processes(): ReadonlyArray<number> {
    return postgresProcessesOf(this.data)
  }

  /** All processes that run in the folder or have it among their arguments, including `initdb` and its children. */
  get leftovers(): ReadonlyArray<number> {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(this.folder)
          || readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(this.folder)
      } catch {
        // It has ended meanwhile.
        return false
      }
    }).map(Number)
  }

  /** Whether `initdb` has begun. */
  get isBeingMade(): boolean {
    return readdirSync(this.folder).some((name) => name.startsWith("postgres.new-"))
  }

  /** Whether the cluster is whole. */
  get isMade(): boolean {
    return existsSync(join(this.data, "PG_VERSION"))
  }

  /** Signals the whole process group to stop, as a terminal does, and returns how the server ended. */
  async stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | NodeJS.Signals | null> {
    const { server } = this
    process.kill(-server.child.pid!, signal)
    if (await until(() => hasEnded(server), stopMillis, 5)) return server.ended
    throw new Error(`The server did not stop within ${stopMillis} ms: ${server.output()}`)
  }

  /** Ends all processes, and keeps their output beside the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const server of this.#started) await this.kill(server)
    await until(() => {
      this.killPostgres(this.leftovers)
      return this.leftovers.length === 0
    }, 10_000)
    const kept = dirname(this.folder)
    const said = this.#started.map(({ child, output }) => `--- server ${child.pid}\n${output()}`)
    writeFileSync(join(kept, "server.log"), said.join("\n"))
    const log = logOf(this.folder)
    if (existsSync(log)) copyFileSync(log, join(kept, "postgres.log"))
  }
}
