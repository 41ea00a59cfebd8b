/**
 * A lane bounds the work that runs at once, queues more work for a bounded time, and refuses the rest.
 *
 * Guarantee: running work is bounded, in all and for one client, except for paused work that goes on, which is bounded
 * too. Waiting work is bounded in number and in time, so that work is begun soon or refused soon. Waiting clients take
 * turns, however much each of them has waiting. A burst may wait for `burstMillis`; when work has been waiting for that
 * long without a break, all work waits for `standingMillis` only: a queue that never empties only adds delay. A break is as long
 * as `standingMillis`: after a pause of the process all that waits is refused at once, and an empty queue is then no end of the
 * overload.
 */

import { Tally } from "./Tally.ts"

export interface LaneConfig {
  /** The most work that runs at once. */
  readonly running: number
  readonly runningPerClient: number
  readonly waiting: number
  /** The longest wait in a burst, in milliseconds. */
  readonly burstMillis: number
  /** The longest wait when work has been waiting for `burstMillis` without a break, in milliseconds. */
  readonly standingMillis: number
  /** The most paused work, half of it of one client; more of it counts as running. */
  readonly paused: number
}

/** Work that runs or waits in a lane. */
export interface Ticket {
  /** Ends the work, or gives it up. May be called more than once. */
  readonly end: () => void
  /** Stops counting the work while it waits for its client, unless too much is paused already. */
  readonly pause: () => void
  /** Counts the work again, at once: begun work never waits a second time. */
  readonly resume: () => void
}

interface Entry {
  readonly client: string
  readonly since: number
  readonly begin: () => void
  readonly refuse: () => void
  state: "waiting" | "running" | "paused" | "over"
}

const sweepMillis = 25

export class WorkLane {
  readonly #config: LaneConfig
  readonly #now: () => number
  /** The work that runs, by client. */
  readonly #running = new Tally()
  /** The work that is paused, by client. */
  readonly #paused = new Tally()
  /** The waiting entries by client; the clients in the order of their turns. */
  readonly #waiting = new Map<string, Set<Entry>>()
  #waitingCount = 0
  #refused = 0
  /** The time since which entries have been waiting without a break. */
  #waitingSince = 0
  /** The time since which none waits. */
  #emptySince = -Infinity
  #sweep: NodeJS.Timeout | undefined
  #isDispatching = false

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(config: LaneConfig, now: () => number = () => performance.now()) {
    this.#config = config
    this.#now = now
  }

  get stats() {
    return { running: this.#running.total, waiting: this.#waitingCount, refused: this.#refused }
  }

  /** Calls `begin` when it is the client's turn, maybe at once; or else `refuse`. */
  enter(client: string, begin: () => void, refuse: () => void): Ticket {
    const entry: Entry = { client, since: this.#now(), begin, refuse, state: "waiting" }
    if (this.#hasRoom(client)) this.#run(entry)
    else this.#wait(entry)
    return {
      end: () => this.#end(entry),
      pause: () => this.#pause(entry),
      resume: () => {
        if (entry.state !== "paused") return
        this.#paused.add(client, -1)
        this.#count(entry)
      }
    }
  }

  /** Counts work that was refused before it entered the lane. */
  turnedAway(): void {
    this.#refused++
  }

  #pause(entry: Entry): void {
    const { paused } = this.#config
    if (entry.state !== "running" || this.#paused.total >= paused) return
    if (this.#paused.of(entry.client) >= paused / 2) return
    this.#paused.add(entry.client, 1)
    this.#stop(entry, "paused")
  }

  #hasRoom(client: string): boolean {
    return this.#running.total < this.#config.running &&
      this.#running.of(client) < this.#config.runningPerClient
  }

  #run(entry: Entry): void {
    this.#count(entry)
    this.#attempt(entry, entry.begin)
  }

  /** Keeps an error of one request from the request, or the timer, that happened to make room for it. */
  #attempt(entry: Entry, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#end(entry)
      queueMicrotask(() => {
        throw error
      })
    }
  }

  #count(entry: Entry): void {
    entry.state = "running"
    this.#running.add(entry.client, 1)
  }

  #stop(entry: Entry, state: "paused" | "over"): void {
    this.#running.add(entry.client, -1)
    entry.state = state
    this.#dispatch()
  }

  #end(entry: Entry): void {
    if (entry.state === "waiting") this.#remove(entry)
    if (entry.state === "running") this.#stop(entry, "over")
    if (entry.state === "paused") this.#paused.add(entry.client, -1)
    entry.state = "over"
  }

  #wait(entry: Entry): void {
    if (this.#waitingCount >= this.#config.waiting) {
      // The client with the most waiting work gives way: it must not fill the queue for all.
      const longest = this.#longest()
      const own = this.#waiting.get(entry.client)?.size ?? 0
      if (longest === undefined || own + 1 >= longest.size) return this.#refuse(entry)
      const newest = Array.from(longest).at(-1)
      if (newest !== undefined) this.#refuse(newest)
    }
    if (this.#waitingCount === 0) {
      if (entry.since - this.#emptySince >= this.#config.standingMillis) this.#waitingSince = entry.since
      this.#sweep = setInterval(() => this.#expire(), sweepMillis).unref()
    }
    const own = this.#waiting.get(entry.client)
    if (own === undefined) this.#waiting.set(entry.client, new Set([entry]))
    else own.add(entry)
    this.#waitingCount++
  }

  #longest(): ReadonlySet<Entry> | undefined {
    let longest: ReadonlySet<Entry> | undefined
    for (const entries of this.#waiting.values()) {
      if (longest === undefined || entries.size > longest.size) longest = entries
    }
    return longest
  }

  #remove(entry: Entry): void {
    const entries = this.#waiting.get(entry.client)
    entries?.delete(entry)
    if (entries?.size === 0) this.#waiting.delete(entry.client)
    if (--this.#waitingCount > 0) return
    clearInterval(this.#sweep)
    this.#emptySince = this.#now()
  }

  #refuse(entry: Entry): void {
    // A refusal may bring about another request, which may have ended this entry.
    if (entry.state !== "waiting") return
    if (this.#waiting.get(entry.client)?.has(entry) === true) this.#remove(entry)
    entry.state = "over"
    this.#refused++
    this.#attempt(entry, entry.refuse)
  }

  #patience(now: number): number {
    const { burstMillis, standingMillis } = this.#config
    return now - this.#waitingSince > burstMillis ? standingMillis : burstMillis
  }

  /** Refuses the entries that have waited for too long; those of a client stand in the order of arrival. */
  #expire(): void {
    const now = this.#now()
    const patience = this.#patience(now)
    for (const entries of Array.from(this.#waiting.values())) {
      for (const entry of Array.from(entries)) {
        if (now - entry.since <= patience) break
        this.#refuse(entry)
      }
    }
  }

  /** Begins entries while there is room. An entry may be over at once, so this may be called within itself. */
  #dispatch(): void {
    if (this.#isDispatching) return
    this.#isDispatching = true
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#run(next)
    } finally {
      this.#isDispatching = false
    }
  }

  /** Takes the next entry from the queue, and puts its client at the end of the turns. */
  #next(): Entry | undefined {
    if (this.#waitingCount === 0) return undefined
    const now = this.#now()
    const patience = this.#patience(now)
    for (const [client, entries] of this.#waiting) {
      if (!this.#hasRoom(client)) {
        if (this.#running.total >= this.#config.running) return undefined
        continue
      }
      for (const entry of entries) {
        if (now - entry.since > patience) {
          this.#refuse(entry)
          // The refusal may have brought about another request, which took the room.
          if (!this.#hasRoom(client)) break
          continue
        }
        this.#remove(entry)
        if (entries.size > 0) {
          this.#waiting.delete(client)
          this.#waiting.set(client, entries)
        }
        return entry
      }
    }
    return undefined
  }
}
