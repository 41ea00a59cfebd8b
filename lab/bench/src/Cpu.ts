/**
 * The CPU time of a process and its descendants, and its memory, from `/proc`; only on Linux, elsewhere they are unknown.
 */
import { readdirSync, readFileSync } from "node:fs"

/** Kernel ticks a second; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

interface Times {
  readonly parent: number
  readonly ticks: number
}

const timesOf = (pid: string): Times | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name, in parentheses, may contain anything; the fields after it are numbered from 3.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // utime, stime, and those of ended children, because backends come and go.
    const ticks = [14, 15, 16, 17].reduce((sum, field) => sum + Number(fields[field - 3]), 0)
    return { parent: Number(fields[4 - 3]), ticks }
  } catch {
    return undefined
  }
}

/** User and system seconds of the process and everything below it so far; NaN where there is no `/proc`. */
export const cpuSecondsOf = (root: number): number => {
  const all = new Map<number, Times>()
  try {
    for (const name of readdirSync("/proc")) {
      const times = /^\d+$/.test(name) ? timesOf(name) : undefined
      if (times !== undefined) all.set(Number(name), times)
    }
  } catch {
    return Number.NaN
  }
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = all.get(at)?.parent) {
      if (at === root) return true
    }
    return false
  }
  let ticks = 0
  for (const [pid, times] of all) if (isBelow(pid)) ticks += times.ticks
  return ticks / ticksPerSecond
}

/** Resident bytes of a process, now or at most so far; NaN where there is no `/proc`. */
export const residentOf = (pid: number, when: "now" | "at most" = "now"): number => {
  const field = when === "now" ? "VmRSS" : "VmHWM"
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}
