/**
 * A PostgreSQL of a run: the embedded server on a separate disk, and copies of its data that are made while it runs.
 */
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import { Effect, Exit, Logger, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, chownSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { postgresProcessesOf, signal } from "../../../../packages/sql-storage/src/embedded/EmbeddedProcess.ts"
import { until } from "../Until.ts"
import { attempt, query } from "./Database.ts"
import type { Disk } from "./Disk.ts"

/**
 * PostgreSQL waits for the disk as by default, and gets settings for the small disk. It writes late what no commit waits for, so that
 * killing PostgreSQL reveals a commit that does not wait.
 */
const settings = {
  wal_writer_delay: "10s",
  max_connections: "120",
  shared_buffers: "32MB",
  min_wal_size: "32MB",
  max_wal_size: "80MB",
  wal_keep_size: "48MB"
}

/** Files that a copy of a running server must not have: they say that the server runs in this folder. */
const signsOfLife = ["server.lock", "server.json", join("postgres", "postmaster.pid")]

/** Admits the superuser from this machine, and standbys. */
const access = `host all,replication postgres 127.0.0.1/32 trust
`

/** The name of the standby for which a primary may wait. */
export const standbyName = "standby"

/** From now on the primary acknowledges no commit without its standby. */
export const awaitStandby = async (
  command: (statement: string) => Promise<ReadonlyArray<object>>
): Promise<void> => {
  await command(`alter system set synchronous_standby_names = '${standbyName}'`)
  await command("select pg_reload_conf()")
  const joined = "select from pg_stat_replication where sync_state = 'sync'"
  if (await until(async () => (await command(joined)).length > 0, 20_000)) return
  throw new Error("the standby confirmed nothing")
}

/** Initialises a data folder, which each run copies, because initialising takes longer than the rest of a start. */
export const makeTemplate = async (folder: string): Promise<void> => {
  await Effect.runPromise(Effect.scoped(EmbeddedPostgres.make({ directory: folder, settings })))
  appendFileSync(join(folder, "postgres", "pg_hba.conf"), access)
}

/** Copies a folder with everything in it. */
export const copy = (from: string, to: string): void => {
  execFileSync("cp", ["--archive", "--reflink=auto", from, to])
}

export class PostgresServer {
  readonly disk: Disk
  readonly postgres: EmbeddedPostgres.EmbeddedPostgres
  readonly #scope: Scope.Closeable

  private constructor(disk: Disk, postgres: EmbeddedPostgres.EmbeddedPostgres, scope: Scope.Closeable) {
    this.disk = disk
    this.postgres = postgres
    this.#scope = scope
  }

  /** Starts a server on a copy of a data folder, or on existing data; the output of its keeper goes to a file. */
  static async open(
    disk: Disk,
    log: string,
    opened: AsyncDisposableStack,
    template?: string
  ): Promise<PostgresServer> {
    if (template !== undefined) copy(template, disk.data)
    const scope = Scope.makeUnsafe()
    const logger = Logger.map(Logger.formatLogFmt, (line) => appendFileSync(log, `${line}\n`))
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    opened.defer(end)
    const making = Scope.provide(EmbeddedPostgres.make({ directory: disk.data, settings }), scope)
    const postgres = await Effect.runPromise(Effect.provide(making, Logger.layer([logger])))
    return new PostgresServer(disk, postgres, scope)
  }

  get url(): string {
    return Redacted.value(this.postgres.url)
  }

  /**
   * Copies the data at one moment to another disk, while all processes of the server are frozen. A server that starts on the copy has
   * everything that was committed before that moment, as after a crash.
   */
  async copyTo(disk: Disk): Promise<void> {
    const frozen = await this.#freeze()
    try {
      copy(this.disk.data, disk.data)
    } finally {
      for (const pid of frozen) signal(pid, "SIGCONT")
    }
    for (const name of signsOfLife) rmSync(join(disk.data, name), { force: true })
  }

  /**
   * Copies the data to another disk; a server that starts on the copy is a standby of the primary at a port, and waits for
   * no standby once it is promoted.
   */
  async copyToStandby(disk: Disk, primaryPort: number): Promise<void> {
    await this.copyTo(disk)
    const data = join(disk.data, "postgres")
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
  command(statement: string): Promise<ReadonlyArray<object>> {
    return query(this.url.replace(/\/\/[^@]*@/, "//postgres@"), statement)
  }

  /** Runs statements; `undefined` if the database is down. Throws for a statement that the database refuses (SQLSTATE 0A or 42). */
  query<Row extends object>(statement: string): Promise<ReadonlyArray<Row> | undefined> {
    return attempt(this.url, statement)
  }

  /** Kills all its processes, also frozen ones, and stops their replacements. */
  async kill(): Promise<void> {
    for (const pid of this.#processes) signal(pid, "SIGKILL")
    await this.close()
  }

  /** Freezes all its processes permanently. */
  async hang(): Promise<void> {
    await this.#freeze()
  }

  close(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }

  get #processes(): ReadonlyArray<number> {
    return postgresProcessesOf(realpathSync(join(this.disk.data, "postgres")))
  }

  /** Freezes all processes, beginning with the postmaster, which then starts no further ones. */
  async #freeze(): Promise<ReadonlyArray<number>> {
    const { pid } = this.postgres
    await freeze(pid)
    const children = this.#processes.filter((each) => each !== pid)
    for (const child of children) await freeze(child)
    return [pid, ...children]
  }
}

/** Freezes a process; resolves when it is frozen or has ended. */
const freeze = async (pid: number): Promise<void> => {
  signal(pid, "SIGSTOP")
  await until(
    () => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
        return "TZ".includes(stat.charAt(stat.lastIndexOf(")") + 2))
      } catch {
        return true
      }
    },
    Infinity,
    1
  )
}
