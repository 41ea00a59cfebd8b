/**
 * Allows one live server for each data folder.
 *
 * Guarantee: of all processes that request a folder, one gets it, and the folder is free again as soon as that process is dead.
 *
 * The lock is a lock of the operating system on `server.lock`. It is acquired through SQLite, because Node has no file locks. The kernel
 * releases the lock when the process ends, and the lock also works between containers that share the folder. It ends when the process
 * closes any descriptor of the file, so no other code of this process may open `server.lock`. `server.json` records which process has the
 * folder.
 */
import { Effect } from "effect"
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { attempt, attemptOf, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"
import { identify, isAlive, type ProcessIdentity } from "./EmbeddedProcess.ts"

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
