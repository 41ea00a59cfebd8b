/**
 * The target of an instance's log, as in containers and services: a file on a disk that may be full, or a pipe whose reader may stop
 * reading or disappear.
 */
import type { ChildProcess } from "node:child_process"
import { appendFileSync, closeSync, copyFileSync, openSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Disk } from "./Disk.ts"

/** The log of an instance, over all its processes. */
export interface InstanceLog {
  /** Starts a process that writes to it. */
  readonly attach: (spawn: (output: number | "pipe") => ChildProcess) => ChildProcess
  /** Makes the log refuse all writes. `undefined`: this machine does not allow it. */
  readonly lose: () => LostLog | undefined
}

interface LostLog {
  /** Whether the instance must be restarted before it can write its log again. */
  readonly takesRestart: boolean
  readonly heal: () => Promise<void>
}

/** The size of the disk of a log, in MB. */
const megabytes = 16

/** A file of this name in a folder, which is on a separate disk during the run. */
export const inFile = (folder: string, name: string, opened: AsyncDisposableStack): InstanceLog => {
  const kept = join(folder, name)
  const disk = Disk.make(join(folder, `disk of ${name}`), opened, megabytes)
  const file = disk.isLimited ? join(disk.folder, name) : kept
  closeSync(openSync(file, "a"))
  if (file !== kept) opened.defer(() => copyFileSync(file, kept))
  return {
    attach: (spawn) => {
      const output = openSync(file, "a")
      try {
        return spawn(output)
      } finally {
        closeSync(output)
      }
    },
    lose: () => {
      if (!disk.isLimited) return undefined
      disk.fill()
      return { takesRestart: false, heal: async () => disk.empty() }
    }
  }
}

/** How long the reader of a pipe stops reading before it disappears, in milliseconds. */
const unreadMillis = 2000

/** A pipe whose content is appended to a file. */
export const throughPipe = (folder: string, name: string): InstanceLog => {
  const file = join(folder, name)
  let outputs: ReadonlyArray<NonNullable<ChildProcess["stdout"]>> = []
  return {
    attach: (spawn) => {
      const child = spawn("pipe")
      outputs = [child.stdout, child.stderr].filter((output) => output !== null)
      for (const output of outputs) output.on("data", (text: Buffer) => appendFileSync(file, text))
      return child
    },
    lose: () => {
      const lost = outputs
      const healing = new AbortController()
      for (const output of lost) output.pause()
      const left = wait(unreadMillis, undefined, { signal: healing.signal }).catch(() => {}).then(() =>
        lost.forEach((output) => output.destroy())
      )
      return {
        takesRestart: true,
        heal: () => {
          healing.abort()
          return left
        }
      }
    }
  }
}
