/**
 * The server as a process of its own, on a free port: bundled, or as with `npm start`.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Programs from "../../programs/Programs.mjs"
import { compileCache, freePort } from "./ProgramSettings.ts"

const root = new URL("../../", import.meta.url)

/** The Node that runs servers: that of the tests, unless `TEST_NODE` names another (`lab/matrix`). */
export const node = process.env["TEST_NODE"] ?? process.execPath

/** A running server, or one that has ended. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly baseUrl: string
  /** Its whole output, to standard output and standard error. */
  readonly output: () => string
  /** How it ends: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** The arguments of Node with `npm start`. */
export const npmStart: ReadonlyArray<string> = [
  "--conditions=@dockline/source",
  "--max-semi-space-size=16",
  "programs/run.mjs",
  "packages/server/src/main.ts"
]

/** The arguments of Node with `npm start` if the development dependencies are not installed. */
export const npmStartInProduction: ReadonlyArray<string> = [
  "--import",
  `data:text/javascript,${
    encodeURIComponent(`
    import { registerHooks } from "node:module"
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier !== "esbuild") return next(specifier, context)
        throw Object.assign(new Error("esbuild is not installed"), { code: "ERR_MODULE_NOT_FOUND" })
      }
    })`)
  }`,
  ...npmStart
]

/** Starts the server with the given settings and returns at once; by default it is bundled for tests. */
export const start = async (
  env: Readonly<Record<string, string>>,
  program?: ReadonlyArray<string>
): Promise<ServerProcess> => {
  const port = env["PORT"] ?? String(await freePort())
  const child = spawn(node, program ?? [await Programs.bundled("packages/server/src/main.ts")], {
    cwd: root,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: port,
      ...compileCache,
      ...env
    },
    // A process group of its own, as in a terminal.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) =>
    (code ?? signal) as number | NodeJS.Signals | null
  )
  return { child, baseUrl: `http://localhost:${port}`, output: () => output, ended }
}

/** Starts the server and waits until it reports that it serves. */
export const serve = async (
  env: Readonly<Record<string, string>>,
  program?: ReadonlyArray<string>
): Promise<ServerProcess> => {
  const server = await start(env, program)
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (server.output().includes("Dockline serves")) resolve()
    }
    server.child.stdout?.on("data", look)
    void server.ended.then((how) => reject(new Error(`The server ended with ${how}: ${server.output()}`)))
  })
  return server
}

/** A server with data of its own. */
export interface OwnServer extends ServerProcess {
  /** Ends it, and removes its data. */
  readonly stop: () => Promise<void>
}

/** Starts a server with data of its own, and waits until it reports that it serves. */
export const serveAlone = async (
  env: Readonly<Record<string, string>> = {},
  program?: ReadonlyArray<string>
): Promise<OwnServer> => {
  const folder = mkdtempSync(join(tmpdir(), "dockline-server-"))
  const server = await serve({ DATA_DIR: folder, ...env }, program)
  const stop = async () => {
    server.child.kill("SIGTERM")
    await server.ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...server, stop }
}
