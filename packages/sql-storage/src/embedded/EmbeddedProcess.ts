/**
 * Identifies and signals processes that may belong to another process.
 *
 * Guarantee: a process is not recognised by its number alone, because the system reuses numbers; in containers it does so at every start.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"
import { attemptOf, codeOf } from "./EmbeddedError.ts"

/** The identity of a process. No two processes have all three values in common. */
export interface ProcessIdentity {
  readonly pid: number
  /** The boot of the machine, from which `startedAt` counts; empty if `startedAt` is a date. */
  readonly boot: string
  /** The start time of the process, in the unit of the platform. */
  readonly startedAt: string
}

/** The identity of a living process; `undefined` if there is none. A zombie is dead. */
export const identify = (pid: number): ProcessIdentity | undefined => {
  if (!hasProc) {
    const [state = "", ...lstart] = ps(pid, "stat=,lstart=").split(/\s+/)
    return state === "" || state.startsWith("Z") ? undefined : { pid, boot: "", startedAt: lstart.join(" ") }
  }
  const stat = read(`/proc/${pid}/stat`)
  // The name of the program may contain parentheses; field 3 follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const startTime = fields[19]
  if (startTime === undefined || fields[0] === "Z" || fields[0] === "X") return undefined
  return { pid, boot: read("/proc/sys/kernel/random/boot_id").trim(), startedAt: startTime }
}

/** Whether exactly this process still lives. */
export const isAlive = ({ boot, pid, startedAt }: ProcessIdentity): boolean => {
  const now = identify(pid)
  return now?.startedAt === startedAt && now.boot === boot
}

/** Whether any process, even a zombie, has the number. PostgreSQL itself checks no more. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

/**
 * Whether `pid` is a PostgreSQL process of the data folder `data` (a real path). A postmaster is recognised by its working directory, or by
 * its command line if the directory cannot be read; its children are recognised only by the directory.
 */
export const isPostgresOf = (pid: number, data: string): boolean => {
  if (!hasProc) {
    const command = ps(pid, "command=")
    return command.includes("/postgres ") && command.includes(` -D ${data} `)
  }
  if (identify(pid) === undefined || read(`/proc/${pid}/comm`).trim() !== "postgres") return false
  const cwd = attemptOf(() => readlinkSync(`/proc/${pid}/cwd`))
  if (cwd !== undefined) return cwd === data
  const command = read(`/proc/${pid}/cmdline`).split("\0")
  return basename(command[0] ?? "") === "postgres" && command[command.indexOf("-D") + 1] === data
}

/** All PostgreSQL processes of a data folder; none without `/proc`, where PostgreSQL checks its shared memory. */
export const postgresProcessesOf = (data: string): ReadonlyArray<number> =>
  hasProc
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) =>
      isPostgresOf(pid, data)
    )
    : []

/** Sends a signal. If the process is gone or belongs to another user, nothing happens, and the caller waits for its end. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  // Numbers up to 0 mean groups of processes; 1 is init.
  if (pid > 1) attemptOf(() => process.kill(pid, name))
}

const hasProc = existsSync("/proc/self/stat")

const read = (path: string): string => attemptOf(() => readFileSync(path, "utf8")) ?? ""

const ps = (pid: number, format: string): string =>
  attemptOf(() =>
    execFileSync("ps", ["-ww", "-o", format, "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  ) ?? ""
