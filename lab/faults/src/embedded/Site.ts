/**
 * The bundled server on a folder of its own, as `npm start` runs it without `DATABASE_URL`, and everything that can be
 * done to it from outside: killing it, its PostgreSQL or both, and filling its disk.
 *
 * Its guarantee: whatever became of it, `close` leaves no process, no mount and no folder behind.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { postgresProcessesOf, signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import { logOf } from "../../../../packages/sql-storage/src/embedded/EmbeddedServer.ts"
import * as ServerProcess from "../../../../test/support/ServerProcess.ts"
import { Disk } from "../system/Disk.ts"
import { areReady, isReady } from "../system/Health.ts"
import type { Program } from "../system/Instance.ts"
import type { System } from "../system/System.ts"
import { until } from "../Until.ts"

/** How long a start may take, recovery included, and a stop: D12.3's 10 seconds, and some more for a busy machine. */
const startMillis = 90_000
const stopMillis = 13_000

/** Fails when it takes longer than this. */
export const within = async <A>(promise: Promise<A>, millis: number, what: () => string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what()} within ${millis / 1000} s`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A folder with its server. */
export class Site implements System {
  readonly baseUrl: string
  /** Where its folder is. */
  readonly disk: Disk
  readonly #program: Program
  readonly #port: number
  readonly #started: Array<ServerProcess.ServerProcess> = []
  #server: ServerProcess.ServerProcess | undefined
  #isClosed = false

  private constructor(program: Program, disk: Disk, port: number) {
    this.#program = program
    this.disk = disk
    this.#port = port
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  /** Makes an empty folder, for servers of a program. */
  static async open(
    { folder, program }: { readonly folder: string; readonly program: Program }
  ): Promise<Site> {
    const port = await ServerProcess.freePort()
    return new Site(program, Disk.make(join(folder, "embedded")), port)
  }

  get urls(): ReadonlyArray<string> {
    return [this.baseUrl]
  }

  get databaseUrl(): string {
    const password = readFileSync(join(this.folder, "postgres.password"), "utf8").trim()
    const port = readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[3]
    return `postgres://dockline:${password}@127.0.0.1:${port}/dockline`
  }

  isReady(millis: number): Promise<boolean> {
    return areReady([() => isReady(this.baseUrl)], millis)
  }

  /** Nobody moves the clock of this server. */
  advance(): void {}

  /** Its data folder. */
  get folder(): string {
    return this.disk.folder
  }

  /** PostgreSQL's own folder. */
  get data(): string {
    return join(this.folder, "postgres")
  }

  /** The server that was started last. */
  get server(): ServerProcess.ServerProcess {
    if (this.#server === undefined) throw new Error("no server was started")
    return this.#server
  }

  /** Whether a server was started that has not ended. */
  get isRunning(): boolean {
    return this.#server !== undefined && !hasEnded(this.#server)
  }

  /** What the servers wrote, those of the whole run. */
  get output(): string {
    return this.#started.map(({ child, output }) => `--- server ${child.pid}\n${output()}`).join("\n")
  }

  /** Starts a server and returns at once. Only {@link adopt} makes it the one of this site. */
  async launch(port: number = this.#port): Promise<ServerProcess.ServerProcess> {
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
      NODE_COMPILE_CACHE: this.#program.cache
    }, [this.#program.file])
    this.#started.push(server)
    if (this.#isClosed) server.child.kill("SIGKILL")
    return server
  }

  /** The server that clients are to find at the address. */
  adopt(server: ServerProcess.ServerProcess): void {
    this.#server = server
  }

  /** Starts a server and waits until it serves; fails when it does not. */
  async start(): Promise<void> {
    const server = await this.launch()
    this.adopt(server)
    if (!(await serves(server))) {
      throw new Error(`The server did not start (${await server.ended}): ${server.output()}`)
    }
  }

  /** Kills a server, without a chance to say anything. */
  async kill(server: ServerProcess.ServerProcess = this.server): Promise<void> {
    server.child.kill("SIGKILL")
    await server.ended
  }

  /** Kills processes of PostgreSQL. */
  killPostgres(pids: ReadonlyArray<number>): void {
    for (const pid of pids) signal(pid, "SIGKILL")
  }

  /** The postmaster that says it runs on the folder, whether it does or not. */
  get postmaster(): number | undefined {
    try {
      return Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0])
    } catch {
      return undefined
    }
  }

  /** The children of the postmaster: one for each connection, and those that write and checkpoint. */
  get backends(): ReadonlyArray<number> {
    const { postmaster } = this
    return this.processes.filter((pid) => pid !== postmaster)
  }

  /** All PostgreSQL processes of the folder, single-user ones and those of `initdb` not included. */
  get processes(): ReadonlyArray<number> {
    return postgresProcessesOf(this.data)
  }

  /** Everything that runs in the folder or was told of it, `initdb` and what it starts included. */
  get leftovers(): ReadonlyArray<number> {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(this.folder)
          || readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(this.folder)
      } catch {
        // Gone meanwhile.
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

  /** Tells the whole process group to stop, as a terminal does, and returns how it ended. */
  async stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | NodeJS.Signals | null> {
    const { server } = this
    process.kill(-server.child.pid!, signal)
    return within(server.ended, stopMillis, () => `The server did not stop: ${server.output()}`)
  }

  /** Ends everything that was started, keeps what it wrote beside the folder, and removes the folder. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const server of this.#started) {
      server.child.kill("SIGKILL")
      await server.ended
    }
    await until(() => {
      for (const pid of this.leftovers) signal(pid, "SIGKILL")
      return this.leftovers.length === 0
    }, 10_000)
    const kept = dirname(this.folder)
    writeFileSync(join(kept, "server.log"), this.output)
    const log = logOf(this.folder)
    if (existsSync(log)) copyFileSync(log, join(kept, "postgres.log"))
    this.disk.remove()
  }
}

/** Waits until a server serves, or has ended; whether it serves. */
export const serves = (server: ServerProcess.ServerProcess): Promise<boolean> => {
  const said = new Promise<boolean>((resolve) => {
    const look = () => {
      if (server.output().includes("Dockline serves")) resolve(true)
    }
    server.child.stdout?.on("data", look)
    look()
  })
  return within(
    Promise.race([said, server.ended.then(() => false)]),
    startMillis,
    () => `The server neither serves nor ends: ${server.output()}`
  )
}

const hasEnded = ({ child }: ServerProcess.ServerProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null
