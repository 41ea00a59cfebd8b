/**
 * What the system tells of a process from outside: memory and open files, from `/proc`; Linux only, elsewhere NaN.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Resident bytes. */
export const residentOf = (pid: number): number => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return kilobytes === undefined ? Number.NaN : Number(kilobytes) * 1024
  } catch {
    return Number.NaN
  }
}

/** Open files. */
export interface Descriptors {
  /** All of them, sockets included. */
  readonly all: number
  readonly sockets: number
}

/** The open files of a process. */
export const descriptorsOf = (pid: number): Descriptors => {
  try {
    const folder = `/proc/${pid}/fd`
    const targets = readdirSync(folder).map((name) => targetOf(`${folder}/${name}`))
    return { all: targets.length, sockets: targets.filter((target) => target.startsWith("socket:")).length }
  } catch {
    return { all: Number.NaN, sockets: Number.NaN }
  }
}

/** What a descriptor refers to; `""` when it has been closed meanwhile. */
const targetOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}
