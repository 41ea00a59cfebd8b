/**
 * PostgreSQL from npm, without an installation, as a child process with its own data folder.
 *
 * Guarantee: one live Node process uses a folder, and a second one is refused. Committed data survives a kill of either process at any
 * moment, even during the first start. A PostgreSQL that an earlier process left running is stopped before a new one starts. A PostgreSQL
 * that dies is started again at the same address, and none remains when the scope closes. A connection needs the password in the folder.
 * Root can start it too.
 *
 * The folder holds `postgres/` (the data), `postgres.password`, `postgres.log` (before it, `postgres.log.1`), `server.lock`, `server.json`
 * (the process that has the folder), and either `postgres.lib/` (links to libraries) or, where these do not work,
 * `postgres.programs-<version>/` (a copy of the programs).
 */
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { chmodSync, mkdirSync, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { locate } from "./EmbeddedBinaries.ts"
import { check, dataOf, name, prepare } from "./EmbeddedCluster.ts"
import { attempt, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"
import { hold, signal } from "./EmbeddedProcess.ts"
import * as Server from "./EmbeddedServer.ts"
import { choose, handOver } from "./EmbeddedUser.ts"

export { EmbeddedPostgresError }

/** The data folder and the settings of PostgreSQL. */
export interface EmbeddedPostgresOptions {
  /** The data folder; it is made if it is absent. */
  readonly directory: string
  /** Settings as in `postgresql.conf`. They replace the defaults, but not the settings of the address and of restarts. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running PostgreSQL. */
export interface EmbeddedPostgres {
  /** The URL of the database, `postgres://…` with the password. It never changes. */
  readonly url: Redacted.Redacted<string>
  /** The process id. It changes when PostgreSQL has died and was started again. */
  readonly pid: number
  /** The TCP port on 127.0.0.1. It never changes. */
  readonly port: number
}

/** The running PostgreSQL as a service. */
export const EmbeddedPostgres = Context.Service<EmbeddedPostgres>(
  "@dockline/sql-storage/embedded/EmbeddedPostgres"
)

/**
 * Starts PostgreSQL on a folder, creates its data if there is none, and returns when PostgreSQL accepts connections. When the scope closes,
 * PostgreSQL stops: usually within milliseconds, and by force after five seconds (`SIGQUIT`) and eight (`SIGKILL`).
 */
export const make = Effect.fn("EmbeddedPostgres.make")(function*(
  options: EmbeddedPostgresOptions
): Effect.fn.Return<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> {
  const source = yield* locate(resolve(options.directory))
  const directory = yield* open(options.directory)
  yield* hold(directory)
  yield* check(directory, source)
  yield* Server.clear(directory)
  const runner = yield* choose(directory, dataOf(directory), source)
  const password = yield* prepare(directory, runner)
  const state = yield* launch({ directory, runner, port: 0, settings: options.settings ?? {} })
  yield* Effect.forkScoped(supervise(state))
  yield* handOver(directory)
  const { port } = state.run
  return {
    url: Redacted.make(`postgres://${name}:${password}@127.0.0.1:${port}/${name}`),
    port,
    get pid() {
      return state.server.pid
    }
  }
})

/** {@link make} as a layer. */
export const layer = (
  options: EmbeddedPostgresOptions
): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError> => Layer.effect(EmbeddedPostgres, make(options))

const logLimit = 16 * 1024 * 1024

/** Makes the folder if it is absent, and returns its real path, by which the system lists processes. */
const open = (directory: string) =>
  attempt(resolve(directory), () => {
    // The user that runs PostgreSQL must be able to pass through a folder of root.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700
    const isNew = mkdirSync(directory, { recursive: true, mode }) !== undefined
    if (isNew) chmodSync(directory, mode)
    return realpathSync(directory)
  })

interface State {
  run: Server.Run
  server: Server.Server
}

/** Starts PostgreSQL on a free port. When the scope closes, the server that then runs is stopped. */
const launch = Effect.fnUntraced(function*(run: Server.Run) {
  const state: State = { run, server: Server.none }
  // Stops the server when Node exits without closing scopes. If Node is killed, the next start stops the server.
  const goodbye = () => {
    if (!state.server.hasEnded()) signal(state.server.pid, "SIGINT")
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.once("exit", goodbye)),
    () =>
      Effect.suspend(() => Server.stop(run.directory, state.server)).pipe(
        Effect.ensuring(Effect.sync(() => process.removeListener("exit", goodbye)))
      )
  )
  for (let attempts = 1;; attempts++) {
    state.run = { ...run, port: yield* Server.freePort }
    const start = yield* Effect.result(begin(state))
    if (start._tag === "Success") return state
    // Another process may have taken the port since it was found free.
    if (attempts >= 3 || !start.failure.message.includes("Address already in use")) {
      return yield* Effect.fail(start.failure)
    }
  }
})

const begin = Effect.fnUntraced(function*(state: State) {
  const { directory } = state.run
  const since = yield* attempt(directory, () => {
    Server.rotate(directory, logLimit)
    const since = Server.logSize(directory)
    // Spawned in the same synchronous step, so that an interruption also stops the server.
    state.server = Server.spawn(state.run)
    return since
  })
  yield* Server.ready(state.run, state.server, since)
})

/** Starts PostgreSQL again at the same port whenever it ends, and retries until it runs. */
const supervise = Effect.fnUntraced(function*(state: State) {
  while (true) {
    const how = yield* Effect.promise(() => state.server.ended)
    yield* Effect.logError(`PostgreSQL on ${state.run.directory} ended (${how}); starting it again`)
    for (let wait = 100;; wait = Math.min(wait * 2, 5000)) {
      yield* Server.clear(state.run.directory)
      const start = yield* Effect.result(begin(state))
      if (start._tag === "Success") break
      yield* Effect.logError(start.failure.message)
      yield* pause(wait)
    }
    yield* Effect.logInfo(`PostgreSQL on ${state.run.directory} runs again, process ${state.server.pid}`)
  }
})
