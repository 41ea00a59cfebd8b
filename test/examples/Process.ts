/** A program of this repository as a process of its own, run as npm runs it: bundled if npm runs it bundled. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Programs from "../../programs/Programs.mjs"
import { compileCache } from "../support/ProgramSettings.ts"

const root = new URL("../../", import.meta.url)

/** A running or ended program. */
export interface Process {
  readonly pid: number
  /** What it has written to standard output. */
  readonly output: () => string
  /** What it has written to standard error. */
  readonly errors: () => string
  /** Resolves once the output satisfies a condition; rejects if the program ends before. */
  readonly until: (isThere: (process: Process) => boolean) => Promise<void>
  readonly kill: (signal: NodeJS.Signals) => void
  /** How it ends: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

const bundles = new Map<string, string>(
  await Promise.all(Programs.programs.map(async (path) => [path, await Programs.bundled(path)] as const))
)

/** Starts a program by its path, absolute or in the repository. */
export const start = (
  path: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Process => {
  const child = spawn(
    process.execPath,
    ["--conditions=@dockline/source", bundles.get(path) ?? path, ...args],
    {
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...compileCache, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  let output = ""
  let errors = ""
  let wake = () => {}
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
    wake()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
    wake()
  })
  let hasEnded = false
  const ended = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) => {
    hasEnded = true
    wake()
    return (code ?? signal) as number | NodeJS.Signals | null
  })
  const self: Process = {
    pid: child.pid!,
    output: () => output,
    errors: () => errors,
    until: async (isThere) => {
      while (!isThere(self)) {
        if (hasEnded) throw new Error(`The program ended with ${await ended}: ${output}${errors}`)
        await new Promise<void>((resolve) => wake = resolve)
      }
    },
    kill: (signal) => child.kill(signal),
    ended
  }
  return self
}
