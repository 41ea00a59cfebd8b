/** Runs in processes of their own, so that none disturbs another, and what goes wrong in one is known by its seed. */
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compileCache } from "../../../../test/support/CompileCache.ts"
import type { Launch } from "../system/Disk.ts"
import type { RunMessage, RunOptions, RunResult } from "./RunOptions.ts"

/** Runs a seed; a run that could not be done is an error. */
export const runInProcess = (
  options: RunOptions,
  { env, prefix }: Launch,
  signal: AbortSignal
): Promise<RunResult> => {
  const output = openSync(join(options.folder, "run.log"), "a")
  const [command, ...rest] = [
    ...prefix,
    process.execPath,
    "--conditions=@dockline/source",
    fileURLToPath(new URL("RunMain.ts", import.meta.url))
  ]
  const child = spawn(command!, rest, {
    env: { ...process.env, ...compileCache, ...env },
    stdio: ["ignore", output, output, "ipc"]
  })
  closeSync(output)
  const stop = () => child.kill("SIGTERM")
  signal.addEventListener("abort", stop, { once: true })
  return new Promise<RunResult>((resolve, reject) => {
    let message: RunMessage | undefined
    child.once("message", (received) => {
      message = received as RunMessage
    })
    child.once("error", reject)
    child.once("close", (code, signal) => {
      if (message === undefined) {
        reject(new Error(`the run of seed ${options.seed} ended with ${signal ?? code}`))
      } else if ("failure" in message) reject(new Error(message.failure))
      else resolve(message.result)
    })
    child.send(options, () => {})
    if (signal.aborted) stop()
  }).finally(() => signal.removeEventListener("abort", stop))
}
