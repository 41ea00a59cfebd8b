/**
 * A real PostgreSQL without an installation: the server from npm as a child process on a folder of its own.
 *
 * What is guaranteed of a folder: one live Node process works on it, and a second is refused by a typed error.
 * Committed data survives a kill of either process at any moment, during the first start too. A PostgreSQL that
 * was left behind is stopped before a new one starts, one that dies is started again at the same address, and none
 * is left behind when the scope closes. Nobody connects without the password in the folder. It works as root.
 *
 * In the folder: `postgres/` (the data), `postgres.password`, `postgres.log`, `server.lock`, `server.json` (who
 * holds the folder), `postgres.lib/` (links to libraries).
 */
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { chmodSync, mkdirSync, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { locate } from "./EmbeddedBinaries.ts"
import { check, dataOf, name, prepare } from "./EmbeddedCluster.ts"
import { attempt, EmbeddedPostgresError, pause } from "./EmbeddedError.ts"
import { hold } from "./EmbeddedLock.ts"
import { signal } from "./EmbeddedProcess.ts"
import * as Server from "./EmbeddedServer.ts"
import { choose, handOver } from "./EmbeddedUser.ts"

export { EmbeddedPostgresError }

/** Where the data lies, and how PostgreSQL is set. */
export interface EmbeddedPostgresOptions {
  /** The data folder (`DATA_DIR`); it is made when it is not there. */
  readonly directory: string
  /** Settings of PostgreSQL, as in `postgresql.conf`; they stand above ours, save for those of the address. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running PostgreSQL. */
export interface EmbeddedPostgres {
  /** `postgres://…` of a database named dockline, on 127.0.0.1, with the password. Stays the same to the end. */
  readonly url: Redacted.Redacted<string>
  /** The process of the server: another one after PostgreSQL died and was started again. */
  readonly pid: number
  /** The TCP port on 127.0.0.1. Stays the same to the end. */
  readonly port: number
}

/** The running PostgreSQL as a service. */
export const EmbeddedPostgres = Context.Service<EmbeddedPostgres>("@dockline/sql-storage/EmbeddedPostgres")

/**
 * Starts PostgreSQL on a folder, making its data at the first time, and returns when it takes connections. It is
 * stopped when the scope closes: within milliseconds as a rule, by force after eleven seconds.
 */
export const make = Effect.fn("EmbeddedPostgres.make")(
  function*(
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
  }
)

/** {@link make} as a layer: PostgreSQL runs as long as the layer lives. */
export const layer = (
  options: EmbeddedPostgresOptions
): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError> => Layer.effect(EmbeddedPostgres, make(options))

const logLimit = 16 * 1024 * 1024

/** The folder by its real path, which is what the system tells of running processes. */
const open = (directory: string) =>
  attempt(resolve(directory), () => {
    // Others may pass through what root makes, not look into it: PostgreSQL runs as somebody else then.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700
    const made = mkdirSync(directory, { recursive: true, mode }) !== undefined
    if (made) chmodSync(directory, mode)
    return realpathSync(directory)
  })

interface State {
  run: Server.Run
  server: Server.Server
}

/** The first start, on a free port, and the end of whatever server runs when the scope closes. */
const launch = Effect.fnUntraced(function*(run: Server.Run) {
  const state: State = { run, server: Server.none }
  // Where Node ends without closing scopes, the server at least is told to; a kill of Node is up to the next start.
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
    const started = yield* Effect.result(begin(state))
    if (started._tag === "Success") return state
    // The port was free a moment ago; somebody was faster.
    if (attempts >= 3 || !started.failure.message.includes("Address already in use")) {
      return yield* Effect.fail(started.failure)
    }
  }
})

const begin = Effect.fnUntraced(function*(state: State) {
  const { directory } = state.run
  const since = yield* attempt(directory, () => {
    Server.rotate(directory, logLimit)
    const since = Server.logSize(directory)
    // In one step with the start, so that an interruption finds every process that was started.
    state.server = Server.spawn(state.run)
    return since
  })
  yield* Server.ready(state.run, state.server, since)
})

/** Starts PostgreSQL again whenever it ends by itself, for as long as it takes, at the port the service knows. */
const supervise = Effect.fnUntraced(function*(state: State) {
  while (true) {
    const how = yield* Effect.promise(() => state.server.ended)
    yield* Effect.logError(`PostgreSQL on ${state.run.directory} ended (${how}); starting it again`)
    for (let wait = 100;; wait = Math.min(wait * 2, 5000)) {
      yield* Server.clear(state.run.directory)
      const started = yield* Effect.result(begin(state))
      if (started._tag === "Success") break
      yield* Effect.logError(started.failure.message)
      yield* pause(wait)
    }
    yield* Effect.logInfo(`PostgreSQL on ${state.run.directory} runs again, process ${state.server.pid}`)
  }
})
