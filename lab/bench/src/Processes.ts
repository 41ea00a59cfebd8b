/**
 * Child processes that end with the scope: told first, forced after five seconds, each by its own handle.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { fileURLToPath } from "node:url"
import { attempt, BenchError } from "./BenchError.ts"

/** The path of a file, relative to this folder. */
export const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What a program needs of our environment; the rest is ours. */
const inherited = { PATH: process.env["PATH"] ?? "", NODE_ENV: "production" }

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const end = (child: ChildProcess) =>
  Effect.promise(() =>
    new Promise<void>((resolve) => {
      if (hasEnded(child) || child.pid === undefined) return resolve()
      const force = setTimeout(() => child.kill("SIGKILL"), 5000)
      child.once("exit", () => {
        clearTimeout(force)
        resolve()
      })
      child.kill("SIGTERM")
    })
  )

/** Starts a program, with nothing of our environment but the path. */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  stdio: "inherit errors" | "ipc" | "collect"
): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, {
        // Ctrl-C in a terminal goes to every process of the group; ours are stopped in order instead.
        detached: true,
        env: { ...inherited, ...env },
        stdio: stdio === "collect"
          ? ["ignore", "pipe", "pipe"]
          : ["ignore", "ignore", "inherit", ...(stdio === "ipc" ? ["ipc" as const] : [])]
      })
      child.on("error", () => {})
      return child
    }),
    end
  )

/** Starts a TypeScript file of this repository in a Node of its own. */
export const startNode = (
  path: string,
  env: Readonly<Record<string, string>>,
  options: { readonly ipc?: boolean; readonly nodeArgs?: ReadonlyArray<string> } = {}
) =>
  start(
    process.execPath,
    ["--conditions=@dockline/source", ...(options.nodeArgs ?? []), fileOf(path)],
    env,
    options.ipc === true ? "ipc" : "inherit errors"
  )

/** Runs a program to its end and returns what it wrote, and what was seen of it meanwhile. */
export const run = Effect.fnUntraced(function*<A>(
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  meanwhile: (pid: number) => Effect.Effect<A>
) {
  const child = yield* start(command, args, env, "collect")
  const output = attempt(command, () =>
    new Promise<string>((resolve, reject) => {
      let output = ""
      const collect = (chunk: Buffer) => {
        output += chunk.toString()
      }
      child.stdout?.on("data", collect)
      child.stderr?.on("data", collect)
      child.once("error", reject)
      child.once("close", (code) =>
        code === 0 ? resolve(output) : reject(new Error(`exit code ${code}\n${output.slice(-4000)}`)))
    }))
  return yield* Effect.all([output, meanwhile(child.pid ?? 0)], { concurrency: 2 })
}, Effect.scoped)

/** Waits until something answers HTTP on the port; each try has a time limit of its own. */
export const answering = Effect.fnUntraced(function*(name: string, child: ChildProcess, port: number) {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if (hasEnded(child)) {
      return yield* new BenchError({ message: `${name} ended while it started; its error is above` })
    }
    const answered = yield* Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(500) }).then(
        (response) => response.body?.cancel().then(() => true) ?? true,
        () => false
      )
    )
    if (answered) return
    yield* Effect.sleep("100 millis")
  }
  return yield* new BenchError({ message: `${name} did not answer on port ${port} within a minute` })
})
