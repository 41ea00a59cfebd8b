/**
 * One run of PostgreSQL on a data folder.
 *
 * Guarantee: after `clear`, which comes before each start, and after `stop`, no process of PostgreSQL is alive on the folder, except one
 * that waits for a disk: PostgreSQL does not start before that one ends. PostgreSQL has its own session, so no signal to the process group
 * of this process reaches it.
 */
import { Effect } from "effect"
import { closeSync, openSync, readFileSync, readSync, renameSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { advice, dataOf } from "./EmbeddedCluster.ts"
import { attemptOf, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"
import { isPostgresOf, isTaken, postgresProcessesOf, signal } from "./EmbeddedProcess.ts"
import { type Runner, start } from "./EmbeddedUser.ts"

/** A process of PostgreSQL. */
export interface Server {
  readonly pid: number
  /** Resolves with a description of how the process ended. */
  readonly ended: Promise<string>
  readonly hasEnded: () => boolean
}

/** The parameters of a run. */
export interface Run {
  readonly directory: string
  readonly runner: Runner
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

/** Stands for a server before the first start. */
export const none: Server = { pid: 0, ended: Promise.resolve("never started"), hasEnded: () => true }

/** Finds a TCP port of 127.0.0.1 that is free now. */
export const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.once("error", (cause) => resume(Effect.die(cause)))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    )
  })
})

/** Starts the process synchronously, so that an interruption cannot lose it. */
export const spawn = (run: Run): Server => {
  const data = dataOf(run.directory)
  const log = openSync(logOf(run.directory), "a", 0o600)
  const stale = postmasterOf(data)?.pid
  const settings = { ...defaults, ...run.settings, ...required(run.port) }
  const child = start(
    run.runner,
    join(run.runner.binaries.native, "bin", "postgres"),
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      detached: true,
      // The log is a file and not a pipe, so that PostgreSQL can still log after this process is killed.
      stdio: ["ignore", log, log],
      // If a process has the number in a stale postmaster.pid, PostgreSQL assumes that it is another server, except for the process named
      // here. After `clear`, that process is not a PostgreSQL of the folder. PostgreSQL still checks its shared memory.
      env: stale !== undefined && isTaken(stale) ? { PG_GRANDPARENT_PID: String(stale) } : {}
    }
  )
  closeSync(log)
  let ended = false
  const end = new Promise<string>((resolve) => {
    child.once("error", (cause) => resolve(cause.message))
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  }).finally(() => {
    ended = true
  })
  return { pid: child.pid ?? 0, ended: end, hasEnded: () => ended || child.pid === undefined }
}

/**
 * Waits until the server accepts connections, for as long as the server lives: recovery after a crash may take minutes. `since` is the
 * length of the log before the start.
 */
export const ready = Effect.fnUntraced(function*({ directory }: Run, server: Server, since: number) {
  const data = dataOf(directory)
  let patience = performance.now() + 10_000
  while (true) {
    if (server.hasEnded()) {
      const how = yield* Effect.promise(() => server.ended)
      const output = tail(directory, since)
      return yield* new EmbeddedPostgresError({
        reason: "start",
        directory,
        message: `PostgreSQL did not start on ${data} (${how}). `
          + `${advice(directory, `${how}\n${output}`)} The end of ${logOf(directory)}:\n${output}`
      })
    }
    const postmaster = postmasterOf(data)
    if (postmaster?.pid === server.pid && postmaster.status === "ready") return
    if (performance.now() > patience) {
      patience += 10_000
      yield* Effect.logWarning(`PostgreSQL on ${directory} is still starting, see ${logOf(directory)}`)
    }
    yield* pause(10)
  }
})

/** Stops the server and its children. */
export const stop = Effect.fnUntraced(function*(directory: string, server: Server) {
  yield* end(server.pid, () => !server.hasEnded())
  yield* clear(directory)
})

/**
 * Stops processes that an earlier run left. A process is stopped only if it is a PostgreSQL of exactly this folder, whatever number is in
 * `postmaster.pid`.
 */
export const clear = Effect.fnUntraced(function*(directory: string) {
  const data = dataOf(directory)
  const pid = postmasterOf(data)?.pid
  if (pid !== undefined && isPostgresOf(pid, data)) {
    yield* Effect.logInfo(`Stopping PostgreSQL ${pid}, which an earlier server left on ${directory}`)
    yield* end(pid, () => isPostgresOf(pid, data))
  }
  // These processes are children that outlive their postmaster, or a postmaster that has not written its file yet. They would write to
  // the folder together with a new server.
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) {
    const orphans = postgresProcessesOf(data)
    if (orphans.length === 0) return
    for (const orphan of orphans) signal(orphan, "SIGKILL")
    yield* pause(10)
  }
  // A process that is still alive waits for a disk. PostgreSQL does not start while that process holds the shared memory.
})

const end = Effect.fnUntraced(function*(pid: number, lives: () => boolean) {
  for (const [name, wait] of [["SIGINT", 5000], ["SIGQUIT", 3000], ["SIGKILL", 3000]] as const) {
    if (!lives()) return
    signal(pid, name)
    const deadline = performance.now() + wait
    while (lives() && performance.now() < deadline) yield* pause(5)
  }
})

export const logOf = (directory: string): string => join(directory, "postgres.log")

/** The length of the log in bytes. */
export const logSize = (directory: string): number =>
  statSync(logOf(directory), { throwIfNoEntry: false })?.size ?? 0

/** Renames a log of `limit` bytes or more; the new file replaces the previously renamed log. */
export const rotate = (directory: string, limit: number): void => {
  if (logSize(directory) >= limit) renameSync(logOf(directory), `${logOf(directory)}.1`)
}

/** The last lines of the log after its first `since` bytes. */
const tail = (directory: string, since: number): string => {
  const log = openSync(logOf(directory), "r")
  try {
    const end = Buffer.alloc(8192)
    const length = readSync(log, end, 0, end.length, Math.max(since, logSize(directory) - end.length))
    return end.toString("utf8", 0, length).trim().split("\n").slice(-20).join("\n")
  } finally {
    closeSync(log)
  }
}

/** Reads `postmaster.pid` as pg_ctl does. */
const postmasterOf = (data: string): { readonly pid: number; readonly status: string } | undefined =>
  attemptOf(() => {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")
    const pid = Math.abs(Number(lines[0]))
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? "" } : undefined
  })

/** The defaults, for a small machine. Failed statements are not logged here, because their text holds the data of customers. */
const defaults = {
  shared_buffers: "128MB",
  max_connections: "50",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_error_verbosity: "terse",
  log_min_error_statement: "panic"
}

/**
 * Settings that callers cannot replace: PostgreSQL listens at one address, and on no Unix socket. When one of its processes has crashed,
 * PostgreSQL ends, and this package starts it again. If PostgreSQL restarted by itself, a second crash meanwhile, for instance on a full
 * disk, could leave it waiting forever.
 */
const required = (port: number) => ({
  listen_addresses: "127.0.0.1",
  port: String(port),
  unix_socket_directories: "",
  logging_collector: "off",
  log_destination: "stderr",
  restart_after_crash: "off"
})
