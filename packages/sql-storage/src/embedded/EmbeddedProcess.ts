/**
 * Processes that another process started. The guarantee: a process is not recognised by its number alone, as numbers are
 * reused, in containers at every start.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"

/** Whether any process, a zombie included, has the number: PostgreSQL looks at no more than that. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/**
 * Whether `pid` is a PostgreSQL process of the data folder `data` (a real path). A postmaster is known by its
 * working directory, or by its command line where that may not be read; its children by the directory alone. A zombie has neither.
 */
export const isPostgresOf = (pid: number, data: string): boolean => {
  if (!hasProc) {
    return ps(pid, "command=").includes("/postgres ") && ps(pid, "command=").includes(` -D ${data} `)
  }
  if (read(`/proc/${pid}/comm`)?.trim() !== "postgres") return false
  const cwd = link(`/proc/${pid}/cwd`)
  if (cwd !== undefined) return cwd === data
  const command = read(`/proc/${pid}/cmdline`)?.split("\0") ?? []
  return basename(command[0] ?? "") === "postgres" && command[command.indexOf("-D") + 1] === data
}

/** All PostgreSQL processes of a data folder; none without `/proc`, where PostgreSQL checks its shared memory. */
export const postgresProcessesOf = (data: string): ReadonlyArray<number> =>
  hasProc
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) =>
      isPostgresOf(pid, data)
    )
    : []

/** Sends a signal; a process that is gone is no error. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  // 0 and below are groups of processes, 1 is init.
  if (pid <= 1) return
  try {
    process.kill(pid, name)
  } catch {
    // The process is gone or another user's. The caller waits for its end.
  }
}

const hasProc = existsSync("/proc/self/stat")

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const link = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const ps = (pid: number, format: string): string => {
  try {
    return execFileSync("ps", ["-ww", "-o", format, "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  } catch {
    return ""
  }
}
