/**
 * Identifies and signals the processes of data folders, and allows one live server for each folder.
 *
 * Guarantee: a process is not recognised by its number alone, because the system reuses numbers; in containers it does so at every start.
 * Of all processes that request a folder, one gets it, and the folder is free again as soon as that process is dead.
 *
 * The lock of a folder is a lock of the operating system on `server.lock`. It is acquired through SQLite, because Node has no file locks.
 * The kernel releases the lock when the process ends, and the lock also works between containers that share the folder. It ends when the
 * process closes any descriptor of the file, so no other code of this process may open `server.lock`. `server.json` records which process
 * has the folder.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { attempt, attemptOf, codeOf, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"

/** The identity of a process. No two processes have all three values in common. */
interface ProcessIdentity {
  readonly pid: number
  /** The boot of the machine, from which `startedAt` counts; empty if `startedAt` is a date. */
  readonly boot: string
  /** The start time of the process, in the unit of the platform. */
  readonly startedAt: string
}

/** The identity of a living process; `undefined` if there is none. A zombie is dead. */
export const identify = (pid: number): ProcessIdentity | undefined => {
  if (!hasProc) {
    const [state = "", ...lstart] = ps(pid, "stat=,lstart=").split(/\s+/)
    return state === "" || state.startsWith("Z") ? undefined : { pid, boot: "", startedAt: lstart.join(" ") }
  }
  const stat = read(`/proc/${pid}/stat`)
  // The name of the program may contain parentheses; field 3 follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const startTime = fields[19]
  if (startTime === undefined || fields[0] === "Z" || fields[0] === "X") return undefined
  return { pid, boot: read("/proc/sys/kernel/random/boot_id").trim(), startedAt: startTime }
}

/** Whether exactly this process still lives. */
export const isAlive = ({ boot, pid, startedAt }: ProcessIdentity): boolean => {
  const now = identify(pid)
  return now?.startedAt === startedAt && now.boot === boot
}

/** Whether any process, even a zombie, has the number. PostgreSQL itself checks nothing else. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

/**
 * Whether `pid` is a PostgreSQL process of the data folder `data` (a real path). A postmaster is recognised by its working directory, or by
 * its command line if the directory cannot be read; its children are recognised only by the directory.
 */
export const isPostgresOf = (pid: number, data: string): boolean => {
  if (!hasProc) {
    const command = ps(pid, "command=")
    return command.includes("/postgres ") && command.includes(` -D ${data} `)
  }
  if (identify(pid) === undefined || read(`/proc/${pid}/comm`).trim() !== "postgres") return false
  const cwd = attemptOf(() => readlinkSync(`/proc/${pid}/cwd`))
  if (cwd !== undefined) return cwd === data
  const command = read(`/proc/${pid}/cmdline`).split("\0")
  return basename(command[0] ?? "") === "postgres" && command[command.indexOf("-D") + 1] === data
}

/** All PostgreSQL processes of a data folder; none without `/proc`, where PostgreSQL checks its shared memory. */
export const postgresProcessesOf = (data: string): ReadonlyArray<number> =>
  hasProc
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) =>
      isPostgresOf(pid, data)
    )
    : []

/** Sends a signal. If the process is gone or belongs to another user, nothing happens, and the caller waits for its end. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  // Numbers up to 0 mean groups of processes; 1 is init.
  if (pid > 1) attemptOf(() => process.kill(pid, name))
}

const hasProc = existsSync("/proc/self/stat")

const read = (path: string): string => attemptOf(() => readFileSync(path, "utf8")) ?? ""

const ps = (pid: number, format: string): string =>
  attemptOf(() =>
    execFileSync("ps", ["-ww", "-o", format, "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  ) ?? ""

/** Holds the folder until the scope closes, or fails with `locked`. */
export const hold = Effect.fnUntraced(function*(directory: string) {
  const database = yield* Effect.acquireRelease(
    attempt(directory, () => lock(join(directory, "server.lock"))),
    (database) => Effect.sync(() => database?.close())
  )
  if (database === undefined) return yield* refuse(directory, yield* holder(directory))
  // Refuses the folder even if the lock file was deleted while its server lives.
  const before = record(directory)
  if (before !== undefined && isAlive(before)) return yield* refuse(directory, before)
  yield* Effect.acquireRelease(
    attempt(directory, () => write(directory)),
    () => Effect.sync(() => rmSync(recordOf(directory), { force: true }))
  )
})

/** Opens the database whose transaction is the lock; `undefined` if another process has the lock. */
const lock = (path: string): DatabaseSync | undefined => {
  const { DatabaseSync } = sqlite()
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Any user who can read the file could lock it. The mode is set by the name of the file, because closing a descriptor would end the
    // lock.
    chmodSync(path, 0o600)
    // Nothing is written, so no journal is needed on disk.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    if ((cause as { readonly errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw cause
  }
}

/** SQLite without the warning of Node 22 that it is experimental: tests cover the single lock that is used. */
const sqlite = () => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

const SQLITE_BUSY = 5

/** Finds the process that holds the lock. That process writes its record right after it has acquired the lock. */
const holder = Effect.fnUntraced(function*(directory: string) {
  const deadline = performance.now() + 1000
  while (performance.now() < deadline) {
    const holder = record(directory)
    if (holder !== undefined && isAlive(holder)) return holder
    yield* pause(20)
  }
  return record(directory)
})

const refuse = (directory: string, by: ProcessIdentity | undefined) =>
  Effect.fail(
    new EmbeddedPostgresError({
      reason: "locked",
      directory,
      message: `The data folder ${directory} is in use by another Dockline server, `
        + `${by === undefined ? "whose process is unknown" : `process ${by.pid}`}. `
        + `Stop that one first, or name another folder in DATA_DIR.`,
      ...(by && { pid: by.pid })
    })
  )

const recordOf = (directory: string) => join(directory, "server.json")

const write = (directory: string) => {
  const path = recordOf(directory)
  writeFileSync(`${path}.new`, `${JSON.stringify(identify(process.pid))}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Reads the record of the process, which may be absent, or cut off by a full disk. The lock does not depend on the record. */
const record = (directory: string): ProcessIdentity | undefined =>
  attemptOf(() => {
    const { pid, boot, startedAt } = JSON.parse(readFileSync(recordOf(directory), "utf8"))
    return Number.isInteger(pid) ? { pid, boot: String(boot), startedAt: String(startedAt) } : undefined
  })
