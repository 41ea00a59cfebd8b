/**
 * The recorder of a run: it stamps events and keeps them, in memory and where wished as lines of JSON in a file.
 */
import { createHash } from "node:crypto"
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import type { Event, History, Occurrence, Stamp } from "./History.ts"

/** Where events go. */
export class Recorder {
  readonly #events: Array<Event> = []
  readonly #start = performance.now()
  readonly #watchers = new Set<(event: Event) => void>()
  #file: number | undefined

  constructor(file?: string) {
    if (file !== undefined) this.#file = openSync(file, "w")
  }

  get history(): History {
    return this.#events
  }

  record<Recorded extends Occurrence>(occurrence: Recorded): Recorded & Stamp {
    const at = Math.round((performance.now() - this.#start) * 1000) / 1000
    const event = { seq: this.#events.length, at, ...occurrence }
    this.#events.push(event)
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(event)}\n`)
    this.#watchers.forEach((watch) => watch(event))
    return event
  }

  /** Calls `watch` with each event from now on, until the returned function is called. */
  watch(watch: (event: Event) => void): () => void {
    this.#watchers.add(watch)
    return () => {
      this.#watchers.delete(watch)
    }
  }

  /** Waits until the history is as said, as long as given; says whether it is. */
  until(holds: () => boolean, millis: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const end = (result: boolean) => {
        clearTimeout(timer)
        leave()
        resolve(result)
      }
      const timer = setTimeout(() => end(holds()), millis)
      const leave = this.watch(() => {
        if (holds()) end(true)
      })
    })
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

export const read = (file: string): History =>
  readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as Event
  )

/** A short name of a JSON value: the same for the same value, whatever the order of its keys. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(sorted(value))).digest("base64url").slice(0, 16)

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1).map((
      [key, each]
    ) => [key, sorted(each)])
  )
}
