/**
 * The temporary folder of a test run, below which tests make their own: in memory if there is enough. The most frequent work of tests with
 * files is making and copying databases, which takes a tenth of the time there. The folder is removed with the run; the next run removes
 * the folder of a killed run.
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

/** A folder in memory. */
const memory = "/dev/shm"

const gibibyte = 1024 ** 3

/** Whether programs may run from it, and a run cannot fill it: a run takes less than one of two gibibytes. */
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

/** Removes the folders of ended runs. */
const tidy = (): void => {
  for (const name of readdirSync(memory)) {
    const pid = /^dockline-run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(memory, name), { recursive: true, force: true })
    }
  }
}

/** Sets the folder for temporary files of this process, and of each that it starts. */
export default (): (() => void) | void => {
  if (!isPlenty()) return
  tidy()
  const folder = join(memory, `dockline-run-${process.pid}`)
  mkdirSync(folder)
  // Open to all, like the system's own: PostgreSQL runs as another user if we are root.
  chmodSync(folder, 0o1777)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
