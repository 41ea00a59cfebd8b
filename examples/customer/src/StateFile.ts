/**
 * What a customer remembers between two runs: which messages it has handled, and the count of them, in one file.
 *
 * The file is replaced as a whole: after a crash it is the old one or the new one, never half of either, and count
 * and ids always belong together.
 */
import { mkdir, open, readFile, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { Refused, textOf } from "./Failure.ts"
import { field, isObject } from "./Json.ts"
import type { Counts } from "./Ledger.ts"

export interface State {
  /** Which log it is about: service, business and facility. */
  readonly log: string
  /** Every message of the log up to this one has been handled; 0 for none. */
  readonly lastId: number
  /** Messages up to this id were dropped before we read them; 0 for none. */
  readonly missedUpTo: number
  /** Messages after `lastId` that have been handled, in any order: they came by webhook. */
  readonly received: ReadonlyArray<number>
  readonly counts: Counts
}

/** Where the state is kept: a file, a table of your database next to what the messages change, or memory in tests. */
export interface StateStore {
  readonly load: (log: string) => Promise<State>
  readonly save: (state: State) => Promise<void>
}

/** The state before the first message. */
export const beginning = (log: string): State => ({
  log,
  lastId: 0,
  missedUpTo: 0,
  received: [],
  counts: {}
})

/** The state in a file. One customer writes it at a time. */
export const make = (path: string): StateStore => ({
  load: async (log) => {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
      throw new Refused(`STATE_FILE ${path} cannot be read: ${textOf(error)}`)
    })
    return text === undefined ? beginning(log) : parse(path, text, log)
  },
  save: async (state) => {
    const next = `${path}.next`
    try {
      await mkdir(dirname(path), { recursive: true })
      const file = await open(next, "w", 0o600)
      try {
        await file.writeFile(`${JSON.stringify(state)}\n`)
        // On the disk before it takes the old one's place: else a power cut could leave an empty file.
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(next, path)
    } catch (error) {
      throw new Refused(`STATE_FILE ${path} cannot be written: ${textOf(error)}`)
    }
  }
})

const parse = (path: string, text: string, log: string): State => {
  const value = parseJson(text)
  const lastId = isObject(value) ? field(value, "lastId", "number") : undefined
  if (!isObject(value) || lastId === undefined || !isObject(value["counts"])) {
    throw new Refused(
      `STATE_FILE ${path} does not hold a customer's state; name another file, or remove it to start from the beginning`
    )
  }
  if (value["log"] !== log) {
    throw new Refused(
      `STATE_FILE ${path} belongs to ${String(value["log"])}, not to ${log}; name another file for this one`
    )
  }
  const { received } = value
  return {
    log,
    lastId,
    missedUpTo: field(value, "missedUpTo", "number") ?? 0,
    // Files of customers that knew no webhooks have none.
    received: Array.isArray(received) ? received.filter((id) => typeof id === "number") : [],
    // Written by us alone, as a whole.
    counts: value["counts"] as Counts
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
