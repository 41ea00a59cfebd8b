/**
 * How much is worked on at once, who is next, and who is sent away.
 *
 * Guarantee: at most so much runs at once, and at most so much of it for one client, besides what was paused and goes on,
 * which is bounded too; what waits is bounded in number and in time, so that what is taken on is answered soon, and what
 * is not is refused soon. Clients that wait take turns, however much each of them has waiting. While the lane keeps up, a
 * burst may wait for long; once it has not kept up for that long, everything waits for a short time only (a queue that
 * never empties only adds delay).
 */

/** The limits of a lane. */
export interface LaneConfig {
  /** How much runs at once. */
  readonly running: number
  /** How much of it for one client. */
  readonly runningPerClient: number
  /** How much waits. */
  readonly waiting: number
  /** How long something waits in a burst, in milliseconds. */
  readonly burstMillis: number
  /** How long something waits when there has been no end to waiting for `burstMillis`. */
  readonly standingMillis: number
  /** How much is paused at a time, half of it of one client; more of it goes on to count as running. */
  readonly paused: number
}

/** How a lane is doing. */
export interface LaneStats {
  readonly running: number
  readonly waiting: number
  /** How many were refused so far. */
  readonly refused: number
}

/** Something that runs or waits in a lane. */
export interface Ticket {
  /** It is over, or nobody waits for it any more. May be called more than once. */
  readonly end: () => void
  /** It waits for its client: it does not count until it is resumed, unless too much is paused already. */
  readonly pause: () => void
  /** It goes on, at once: whoever has been taken on is not made to wait again. */
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

/** A lane. */
export class WorkLane {
  readonly #config: LaneConfig
  readonly #now: () => number
  /** How much runs of each client. */
  readonly #runningOf = new Map<string, number>()
  /** What waits of each client; the clients in the order of their turns. */
  readonly #waiting = new Map<string, Set<Entry>>()
  /** How much is paused of each client. */
  readonly #pausedOf = new Map<string, number>()
  #running = 0
  #paused = 0
  #waitingCount = 0
  #refused = 0
  /** Since when something has been waiting without a break. */
  #waitingSince = 0
  #sweep: NodeJS.Timeout | undefined
  #isDispatching = false

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(config: LaneConfig, now: () => number = () => performance.now()) {
    this.#config = config
    this.#now = now
  }

  /** How it is doing. */
  get stats(): LaneStats {
    return { running: this.#running, waiting: this.#waitingCount, refused: this.#refused }
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
        this.#goOn(entry)
        this.#count(entry)
      }
    }
  }

  /** Counts something that was refused before it came here, for want of something else. */
  turnedAway(): void {
    this.#refused++
  }

  #pause(entry: Entry): void {
    const { paused } = this.#config
    const own = this.#pausedOf.get(entry.client) ?? 0
    if (entry.state !== "running" || this.#paused >= paused || own >= paused / 2) return
    this.#paused++
    this.#pausedOf.set(entry.client, own + 1)
    this.#stop(entry, "paused")
  }

  #goOn({ client }: Entry): void {
    this.#paused--
    const left = this.#pausedOf.get(client)! - 1
    if (left === 0) this.#pausedOf.delete(client)
    else this.#pausedOf.set(client, left)
  }

  #hasRoom(client: string): boolean {
    return this.#running < this.#config.running &&
      (this.#runningOf.get(client) ?? 0) < this.#config.runningPerClient
  }

  #run(entry: Entry): void {
    this.#count(entry)
    this.#attempt(entry, entry.begin)
  }

  /** Whoever happens to make room, or a timer, is not to learn of the error of another. */
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
    this.#running++
    this.#runningOf.set(entry.client, (this.#runningOf.get(entry.client) ?? 0) + 1)
  }

  #stop(entry: Entry, state: "paused" | "over"): void {
    const left = this.#runningOf.get(entry.client)! - 1
    if (left === 0) this.#runningOf.delete(entry.client)
    else this.#runningOf.set(entry.client, left)
    this.#running--
    entry.state = state
    this.#dispatch()
  }

  #end(entry: Entry): void {
    if (entry.state === "waiting") this.#remove(entry)
    if (entry.state === "running") this.#stop(entry, "over")
    if (entry.state === "paused") this.#goOn(entry)
    entry.state = "over"
  }

  #wait(entry: Entry): void {
    if (this.#waitingCount >= this.#config.waiting) {
      // Whoever has most waiting gives way: a greedy client must not fill the queue for all.
      const longest = this.#longest()
      const own = this.#waiting.get(entry.client)?.size ?? 0
      if (longest === undefined || own + 1 >= longest.size) return this.#refuse(entry)
      this.#refuse(Array.from(longest).at(-1)!)
    }
    if (this.#waitingCount === 0) {
      this.#waitingSince = entry.since
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
    const entries = this.#waiting.get(entry.client)!
    entries.delete(entry)
    if (entries.size === 0) this.#waiting.delete(entry.client)
    if (--this.#waitingCount === 0) clearInterval(this.#sweep)
  }

  #refuse(entry: Entry): void {
    // Refusing one may bring about another request, which may have settled what was still to be refused here.
    if (entry.state !== "waiting") return
    if (this.#waiting.get(entry.client)?.has(entry) === true) this.#remove(entry)
    entry.state = "over"
    this.#refused++
    this.#attempt(entry, entry.refuse)
  }

  /** How long something may have waited by now. */
  #patience(now: number): number {
    const { burstMillis, standingMillis } = this.#config
    return now - this.#waitingSince > burstMillis ? standingMillis : burstMillis
  }

  /** Refuses what has waited for too long; the entries of a client stand in the order of their coming. */
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

  /** Begins what may begin. What begins may be over at once, so that this is called within itself. */
  #dispatch(): void {
    if (this.#isDispatching) return
    this.#isDispatching = true
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#run(next)
    } finally {
      this.#isDispatching = false
    }
  }

  /** Takes what is next from the queue, and puts its client at the end of the turns. */
  #next(): Entry | undefined {
    if (this.#waitingCount === 0) return undefined
    const now = this.#now()
    const patience = this.#patience(now)
    for (const [client, entries] of this.#waiting) {
      if (!this.#hasRoom(client)) {
        if (this.#running >= this.#config.running) return undefined
        continue
      }
      for (const entry of entries) {
        if (now - entry.since > patience) {
          this.#refuse(entry)
          // Which may have brought about another request, which took the room.
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
