/**
 * The bundled server on a folder of its own, as `npm start` runs it without `DATABASE_URL`, and everything that can be
 * done to it from outside: killing it, its PostgreSQL or both, and filling its disk.
 *
 * Its guarantee: whatever became of it, `close` leaves no process, no mount and no folder behind.
 */
import { execFileSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { postgresProcessesOf, signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import * as ServerProcess from "../../../../test/support/ServerProcess.ts"
import type { Program } from "./Program.ts"

/** How large the disk of a folder is, in MiB, where we may make one. */
const diskSize = 256

/** How long a start may take, recovery included, and a stop: D12.3's 10 seconds, and some more for a busy machine. */
const startMillis = 90_000
const stopMillis = 13_000

/** Waits, in real time: what happens in other processes cannot be awaited otherwise. */
export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Waits until it holds, looking often, as long as given; whether it came to hold. */
export const until = async (holds: () => boolean, millis: number, everyMillis = 5): Promise<boolean> => {
  const deadline = performance.now() + millis
  while (!holds()) {
    if (performance.now() > deadline) return false
    await pause(everyMillis)
  }
  return true
}

/** Fails when it takes longer than this. */
export const within = async <A>(promise: Promise<A>, millis: number, what: () => string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what()} within ${millis / 1000} s`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A folder with its server. */
export class Site {
  readonly folder: string
  readonly baseUrl: string
  /** Whether the folder has a disk of its own, which can be filled. */
  readonly hasDisk: boolean
  readonly #program: Program
  readonly #port: number
  readonly #started: Array<ServerProcess.ServerProcess> = []
  #server: ServerProcess.ServerProcess | undefined
  /** How many processes were killed. */
  kills = 0

  private constructor(program: Program, folder: string, port: number, hasDisk: boolean) {
    this.#program = program
    this.folder = folder
    this.#port = port
    this.hasDisk = hasDisk
    this.baseUrl = `http://localhost:${port}`
  }

  /** Makes an empty folder, for servers of a program. */
  static async open(program: Program): Promise<Site> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "dockline-embedded-")))
    const port = await ServerProcess.freePort()
    return new Site(program, folder, port, mount(folder))
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
    const server = await ServerProcess.start({
      // The demo's businesses and clients, without its freight.
      DEMO: "true",
      DATA_DIR: this.folder,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: "0",
      OUTBOUND_ALLOW: "127.0.0.0/8",
      NODE_COMPILE_CACHE: this.#program.cache
    }, [this.#program.file])
    this.#started.push(server)
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
    this.kills++
    server.child.kill("SIGKILL")
    await server.ended
  }

  /** Kills processes of PostgreSQL. */
  killPostgres(pids: ReadonlyArray<number>): void {
    this.kills += pids.length
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

  /** Fills the disk to the last block, and keeps it full until the returned function is called. */
  fillDisk(): () => void {
    const path = join(this.folder, "ballast")
    const file = openSync(path, "w")
    const blocks = [1024 * 1024, 4096].map((size) => Buffer.alloc(size, 1))
    const fill = () => {
      for (const block of blocks) while (writes(file, block));
    }
    fill()
    const timer = setInterval(fill, 10)
    return () => {
      clearInterval(timer)
      closeSync(file)
      rmSync(path)
    }
  }

  /** Ends everything that was started, and removes the folder unless it is to be kept. */
  async close(keep = false): Promise<void> {
    for (const server of this.#started) {
      server.child.kill("SIGKILL")
      await server.ended
    }
    await until(() => {
      for (const pid of this.leftovers) signal(pid, "SIGKILL")
      return this.leftovers.length === 0
    }, 10_000)
    if (keep) return
    if (this.hasDisk) execFileSync("umount", ["--lazy", this.folder])
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
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

/** Gives the folder a small disk of its own, where we may; whether we did. */
const mount = (folder: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskSize}m,mode=711`, "tmpfs", folder], {
      stdio: "ignore"
    })
    return true
  } catch {
    // Only root may, and not in every container: whoever needs the disk looks at `hasDisk`.
    return false
  }
}

const writes = (file: number, block: Buffer): boolean => {
  try {
    return writeSync(file, block) === block.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false
    throw error
  }
}
