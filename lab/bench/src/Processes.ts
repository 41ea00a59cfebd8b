/**
 * Child processes that end with the scope: by a signal, and by force after five seconds, each by its own handle. All have a channel to
 * their parent.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { BenchError } from "./BenchError.ts"

/** The path of a file, relative to this folder. */
export const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The variables of our environment that a program needs. */
const inherited = { PATH: process.env["PATH"] ?? "", NODE_ENV: "production" }

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const end = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (hasEnded(child) || child.pid === undefined) return
    const ended = once(child, "exit")
    const force = setTimeout(() => child.kill("SIGKILL"), 5000)
    child.kill("SIGTERM")
    await ended
    clearTimeout(force)
  })

/** Starts a TypeScript file of this repository in a Node of its own, with only the path from our environment. */
export const startNode = (
  path: string,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, ["--conditions=@dockline/source", fileOf(path)], {
        // Ctrl-C in a terminal goes to every process of the group; ours are stopped in order instead.
        detached: true,
        env: { ...inherited, ...env },
        stdio: ["ignore", "ignore", "inherit", "ipc"]
      })
      child.on("error", () => {})
      return child
    }),
    end
  )

/** Waits until the port answers HTTP; each try has a time limit of its own. */
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
