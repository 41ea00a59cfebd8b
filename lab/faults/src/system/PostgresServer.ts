/**
 * A PostgreSQL of a run: the embedded server on a disk of its own, and copies of its data as they are made of a server
 * that runs.
 */
import * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import { Effect, Exit, Logger, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, chownSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { postgresProcessesOf, signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import { attempt, query } from "./Database.ts"
import { Disk } from "./Disk.ts"

/**
 * PostgreSQL waits for the disk as it does by default, and is told how little space there is. What no commit waits for
 * it writes late, so that a commit that does not wait is found out when PostgreSQL is killed.
 */
const settings = {
  wal_writer_delay: "10s",
  max_connections: "120",
  shared_buffers: "32MB",
  min_wal_size: "32MB",
  max_wal_size: "80MB",
  wal_keep_size: "48MB"
}

/** What a copy of the data of a running server must not say: that the server runs there. */
const signsOfLife = ["server.lock", "server.pid", join("postgres", "postmaster.pid")]

/** Starts PostgreSQL on a folder; what its keeper says goes to a file. */
const start = (directory: string, log: string, scope: Scope.Scope) => {
  const logger = Logger.map(Logger.formatLogFmt, (line) => appendFileSync(log, `${line}\n`))
  return Effect.runPromise(
    Scope.provide(EmbeddedPostgres.make({ directory, settings }), scope).pipe(
      Effect.provide(Logger.layer([logger]))
    )
  )
}

/** Lets the superuser in from this machine, and standbys. */
const access = `host all,replication postgres 127.0.0.1/32 trust
`

/** The name of the standby, which a primary may wait for. */
export const standbyName = "standby"

/** Initialises a data folder, which each run copies: that takes longer than all else of a start. */
export const makeTemplate = async (folder: string): Promise<void> => {
  const scope = Scope.makeUnsafe()
  try {
    await Effect.runPromise(Scope.provide(EmbeddedPostgres.make({ directory: folder, settings }), scope))
    appendFileSync(join(folder, "postgres", "pg_hba.conf"), access)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Copies a folder with everything in it. */
const copy = (from: string, to: string): void => {
  execFileSync("cp", ["--archive", "--reflink=auto", from, to])
}

const dataOf = (disk: Disk): string => join(disk.folder, "data")

/** A running server. */
export class PostgresServer {
  readonly disk: Disk
  readonly postgres: EmbeddedPostgres.EmbeddedPostgres
  readonly #opened: AsyncDisposableStack

  private constructor(disk: Disk, postgres: EmbeddedPostgres.EmbeddedPostgres, opened: AsyncDisposableStack) {
    this.disk = disk
    this.postgres = postgres
    this.#opened = opened
  }

  /** Starts one on a copy of a data folder. */
  static async open(disk: Disk, template: string, log: string): Promise<PostgresServer> {
    copy(template, dataOf(disk))
    return PostgresServer.openCopied(disk, log)
  }

  /** Starts one on the data that is there already. */
  static async openCopied(disk: Disk, log: string): Promise<PostgresServer> {
    const opened = new AsyncDisposableStack()
    const scope = opened.adopt(
      Scope.makeUnsafe(),
      (scope) => Effect.runPromise(Scope.close(scope, Exit.void))
    )
    try {
      return new PostgresServer(disk, await start(dataOf(disk), log, scope), opened)
    } catch (failure) {
      await opened.disposeAsync()
      throw failure
    }
  }

  /** Its address. */
  get url(): string {
    return Redacted.value(this.postgres.url)
  }

  /**
   * Copies the data to another disk as it is at one moment: all processes of the server are frozen meanwhile. A server
   * that starts on the copy has everything that was committed before that moment, as after a crash.
   */
  async copyTo(disk: Disk): Promise<void> {
    const frozen = await this.#freeze()
    try {
      copy(dataOf(this.disk), dataOf(disk))
    } finally {
      for (const pid of frozen) signal(pid, "SIGCONT")
    }
    for (const name of signsOfLife) rmSync(join(dataOf(disk), name), { force: true })
  }

  /**
   * Copies the data to another disk; a server that starts on the copy is a standby of the primary at a port, and waits for
   * no standby once it is promoted.
   */
  async copyToStandby(disk: Disk, primaryPort: number): Promise<void> {
    await this.copyTo(disk)
    const data = join(dataOf(disk), "postgres")
    const connection = `host=127.0.0.1 port=${primaryPort} user=postgres application_name=${standbyName}`
    appendFileSync(
      join(data, "postgresql.auto.conf"),
      `primary_conninfo = '${connection} sslmode=disable'\nsynchronous_standby_names = ''\n`
    )
    const file = join(data, "standby.signal")
    appendFileSync(file, "")
    const { gid, uid } = statSync(data)
    chownSync(file, uid, gid)
  }

  /** Runs a statement as the superuser. */
  async command<Row extends object>(statement: string): Promise<ReadonlyArray<Row>> {
    const url = new URL(this.url)
    url.username = "postgres"
    url.password = ""
    return query(url.href, statement)
  }

  /** Kills all its processes, frozen ones too, and stops what is started in their place. */
  async kill(): Promise<void> {
    for (const pid of processesOn(this.disk)) signal(pid, "SIGKILL")
    await this.close()
  }

  /** Freezes all its processes for good. */
  async hang(): Promise<void> {
    await this.#freeze()
  }

  /** Runs statements; `undefined` when the database is away. */
  query<Row extends object>(statement: string): Promise<ReadonlyArray<Row> | undefined> {
    return attempt(this.url, statement)
  }

  /** Stops it. */
  close(): Promise<void> {
    return this.#opened.disposeAsync()
  }

  /** Freezes all processes, the first one first: it makes no further ones then. */
  async #freeze(): Promise<ReadonlyArray<number>> {
    const { pid } = this.postgres
    const frozen = [pid]
    signal(pid, "SIGSTOP")
    await stopped(pid)
    for (const child of processesOn(this.disk).filter((each) => each !== pid)) {
      frozen.push(child)
      signal(child, "SIGSTOP")
      await stopped(child)
    }
    return frozen
  }
}

/** The processes of PostgreSQL on a disk. */
const processesOn = (disk: Disk): ReadonlyArray<number> =>
  postgresProcessesOf(realpathSync(join(dataOf(disk), "postgres")))

/** Waits until a process is frozen, or gone. */
const stopped = async (pid: number): Promise<void> => {
  for (;;) {
    const state = stateOf(pid)
    if (state === undefined || state === "T" || state === "Z") return
    await wait(1)
  }
}

const stateOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.charAt(stat.lastIndexOf(")") + 2)
  } catch {
    return undefined
  }
}
