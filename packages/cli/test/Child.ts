/** The command line as a process of its own, as a shell runs it: no terminal anywhere. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Programs from "../../../programs/Programs.mjs"

/** Compiled code is shared by the processes of one run of the tests, and kept from the person's own. */
const cache = mkdtempSync(join(tmpdir(), "dockline-cli-cache-"))

/** What keeps a process to that folder. */
export const home = { HOME: cache, XDG_CACHE_HOME: cache }

process.once("exit", () => rmSync(cache, { recursive: true, force: true }))

const program = await Programs.bundled("packages/cli/src/main.ts")

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly code: number | NodeJS.Signals | null
  readonly data: string
  readonly errors: string
}

/** A process that runs. */
export interface Child {
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/** What differs from empty input and output that is read to its end. */
export interface Streams {
  /** What it can read; `left open` for input that does not end. */
  readonly stdin?: string
  /** A file that is written to, in place of the pipe. */
  readonly stdout?: number
  /** Whoever reads the data leaves after so many pieces of it. */
  readonly leavesAfter?: number
}

/** Starts one command line. */
export const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  { leavesAfter, stdin, stdout }: Streams = {}
): Child => {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...home, ...env },
    stdio: ["pipe", stdout ?? "pipe", "pipe"]
  })
  let data = ""
  let errors = ""
  let pieces = 0
  child.stdout?.on("data", (chunk: Buffer) => {
    data += chunk.toString()
    pieces += 1
    if (pieces === leavesAfter) child.stdout?.destroy()
  })
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  // A program that reads nothing may be gone before this is written.
  child.stdin?.on("error", () => undefined)
  if (stdin === "left open") child.once("exit", () => child.stdin?.destroy())
  else child.stdin?.end(stdin ?? "")
  return {
    kill: (signal) => void child.kill(signal),
    ended: once(child, "close").then(([code, signal]: ReadonlyArray<unknown>) => ({
      code: (code ?? signal) as Ended["code"],
      data,
      errors: errors
    }))
  }
}
