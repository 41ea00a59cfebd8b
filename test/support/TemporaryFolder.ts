/**
 * The temporary folder of a test run, below which tests make their own: in memory where there is plenty. What tests do
 * most with files is to make and copy databases, which takes a tenth of the time there. It goes with the run; one that a
 * killed run left behind goes with the next.
 */
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync
} from "node:fs"
import { join } from "node:path"

/** Memory that looks like a disk. */
const memory = "/dev/shm"

const gibibyte = 1024 ** 3

/** Whether programs may be there, too, and a run cannot fill it: it takes less than one of two gibibytes. */
const isPlenty = (): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync("/proc/mounts", "utf8"))?.[1]?.split(",")
    const { bavail, bsize } = statfsSync(memory)
    return options?.includes("noexec") === false && bavail * bsize >= 2 * gibibyte
      && process.availableMemory() >= 4 * gibibyte
  } catch {
    return false
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Removes the folders of runs that are no more. */
const tidy = (): void => {
  for (const name of readdirSync(memory)) {
    const pid = /^dockline-run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(memory, name), { recursive: true, force: true })
    }
  }
}

/** Sets what this process, and each that it starts, has for temporary files. */
export default (): (() => void) | void => {
  if (!isPlenty()) return
  tidy()
  const folder = join(memory, `dockline-run-${process.pid}`)
  mkdirSync(folder)
  // Open to all, as the system's own: PostgreSQL runs as another user where we are root.
  chmodSync(folder, 0o1777)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
