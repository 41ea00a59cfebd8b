/**
 * One live server per data folder. Its guarantee: of any number of processes that ask for a folder at the same
 * time one gets it, and a process that dies in whatever way has given it back.
 *
 * The truth is a lock of the operating system on `server.lock`, taken through SQLite because Node offers none of
 * its own: the kernel drops it with the process, so there is nothing stale to judge, no matter how often a number
 * comes back, and it holds between containers that share the folder. Such a lock ends when any descriptor of the
 * file is closed inside the process that holds it, so nothing else here may open `server.lock`. `server.json`
 * next to it only says who holds the folder.
 */
import { Effect, type Scope } from "effect"
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { attempt, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"
import { identify, isAlive, type ProcessIdentity } from "./EmbeddedProcess.ts"

/** Holds the folder until the scope closes, or fails with `locked`. */
export const hold = Effect.fnUntraced(
  function*(directory: string): Effect.fn.Return<void, EmbeddedPostgresError, Scope.Scope> {
    const database = yield* Effect.acquireRelease(
      attempt(directory, () => lock(join(directory, "server.lock"))),
      (database) => Effect.sync(() => database?.close())
    )
    if (database === undefined) return yield* refuse(directory, yield* holder(directory))
    // Also refuses where the lock file was deleted under a living server.
    const before = record(directory)
    if (before !== undefined && isAlive(before)) return yield* refuse(directory, before)
    yield* Effect.acquireRelease(
      attempt(directory, () => write(directory)),
      () => Effect.sync(() => rmSync(recordOf(directory), { force: true }))
    )
  }
)

/** The open database whose transaction is the lock, or `undefined` when another one holds it. */
const lock = (path: string): DatabaseSync | undefined => {
  const { DatabaseSync } = sqlite()
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Whoever can read the file can lock it, and keep us out. By name, for the reason given at the top.
    chmodSync(path, 0o600)
    // No journal on disk: nothing is ever written, and a file left by a kill would only puzzle people.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    if ((cause as { readonly errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw cause
  }
}

/**
 * Loaded for a lock only. Node 22 warns that its SQLite is experimental and may change: one lock of it is used, which
 * tests hold on every Node, so that operators need not wonder.
 */
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

/**
 * Who holds the lock. The holder writes its record right after it took the lock, so a moment's wait is enough to
 * not name a predecessor that died; what is still unknown then is in a container of its own.
 */
const holder = Effect.fnUntraced(function*(directory: string) {
  const deadline = performance.now() + 1000
  while (performance.now() < deadline) {
    const found = record(directory)
    if (found !== undefined && isAlive(found)) return found
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
        + `${by === undefined ? "whose process could not be told" : `process ${by.pid}`}. `
        + `Stop that one first, or name another folder in DATA_DIR.`,
      ...(by === undefined ? {} : { pid: by.pid })
    })
  )

const recordOf = (directory: string) => join(directory, "server.json")

const write = (directory: string) => {
  const path = recordOf(directory)
  writeFileSync(`${path}.new`, `${JSON.stringify(identify(process.pid))}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

const record = (directory: string): ProcessIdentity | undefined => {
  try {
    const { pid, boot, started } = JSON.parse(readFileSync(recordOf(directory), "utf8"))
    return Number.isInteger(pid) ? { pid, boot: String(boot), started: String(started) } : undefined
  } catch {
    // Absent, or cut off by a full disk: nobody is known, which the lock does not depend on.
    return undefined
  }
}
