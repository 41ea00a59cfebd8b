/**
 * A lane bounds the work that runs at once, queues more work for a bounded time, and refuses the rest.
 *
 * Guarantee: running work is bounded, in total, for each business and for each client, except for idle work that continues, which is
 * bounded too. Idle work, which waits for the storage or for room, takes no place from others, but counts in its share: a business whose
 * whole work waits blocks nobody else. Paused work, which waits for its client or for another service, counts nowhere, and afterwards takes
 * its turn like new work: however much of it continues at once, no more runs than permitted, except work that may no longer be refused,
 * which its caller bounds. Paused work is bounded in number: beyond that, the longest paused work of the largest holder is refused, so that
 * others always find a place. Waiting work is bounded in number and in time, so that it begins soon or is refused soon. Businesses take
 * turns, and clients within them, however much each has waiting. A burst may wait for `burstMillis`; when work has been waiting for that
 * long without a break, all work waits for `standingMillis` only: a queue that never empties only adds delay. A break is as long as
 * `standingMillis`: after a pause of the process all that waits is refused at once, and an empty queue is then no end of the overload. In a
 * lane with `perTurn`, no more work than that begins within one turn of the event loop, even if it ends at once: what other lanes begin
 * never waits for the whole queue.
 */
import type { Share } from "@dockline/core/access/Share"
import { Record, Struct } from "effect"
import { ShareTally, Turns } from "./Shares.ts"

const small = {
  running: 16,
  runningPerBusiness: 16,
  runningPerClient: 16,
  idle: 64,
  burstMillis: 2000,
  standingMillis: 500
}

/**
 * Operators send few but large bursts of requests, such as a script that creates docks or endpoints, and the changes of one operator run
 * one after another (core's `auditing`). A change takes at most about a tenth of a second, and the time limit suffices for as many as may
 * wait.
 */
const patient = { burstMillis: 10_000, standingMillis: 2000 }

/**
 * The lanes beside `work`, which is that of customers. `identification` is the check of credentials that are not known yet, and `anonymous`
 * the requests for `work` and `operator` without good ones. Operations of sockets and event streams, of which one connection carries many,
 * pass `operations` before they enter `work`. Requests that are answered from memory, which no rate limit counts, begin one in a turn of
 * the event loop, so that a flood of them delays each step of other work by one at most. The number of unauthenticated requests that may be
 * paused allows for all sign-ins that wait for their provider, and some more with slow bodies.
 */
const reserves = {
  operator: { ...small, ...patient, runningPerBusiness: 12, runningPerClient: 8, waiting: 100, paused: 100 },
  tokens: { ...small, perTurn: 4, runningPerBusiness: 6, runningPerClient: 6, waiting: 500, paused: 500 },
  probes: { ...small, waiting: 50, standingMillis: 1000, paused: 50 },
  identification: { ...small, running: 32, waiting: 1000, paused: 0 },
  anonymous: {
    ...small,
    perTurn: 1,
    runningPerBusiness: 12,
    runningPerClient: 12,
    waiting: 200,
    paused: 1100
  },
  operations: { ...small, running: 32, runningPerClient: 8, waiting: 1000, paused: 0 }
} satisfies Readonly<Record<string, LaneConfig>>

/** The lanes of a server's work, each with its own bounds, so that no lane delays another. */
export type LaneName = "work" | keyof typeof reserves

export const names: ReadonlyArray<LaneName> = ["work", ...Struct.keys(reserves)]

const laneOfPath: ReadonlyMap<string, "probes" | "tokens"> = new Map([
  ["/healthz", "probes"],
  ["/readyz", "probes"],
  ["/metrics", "probes"],
  ["/oauth/token", "tokens"],
  ["/.well-known/jwks.json", "tokens"],
  ["/.well-known/oauth-authorization-server", "tokens"],
  ["/.well-known/openid-configuration", "tokens"],
  ["/.well-known/webhook-keys", "tokens"]
])

const operatorPath = /^\/v1\/operator(?:\/|$)/

/** The paths that need no token: contracts, the reference, GraphiQL, and the files of the site. */
const openPath =
  /^\/(?:v1\/(?:openapi\.|asyncapi\.|schemas\/|docs(?:\/|$))|public_graphql\/|favicon\.ico$|robots\.txt$|llms\.txt$|\.well-known\/)/

/** The lane of a path for requests with known credentials. Paths that need none are in the lane of requests without credentials. */
export const laneOf = (path: string): Exclude<LaneName, "identification" | "operations"> =>
  laneOfPath.get(path) ?? (operatorPath.test(path) ? "operator" : openPath.test(path) ? "anonymous" : "work")

/** The lanes, that for work with the given bounds. */
export const make = (work: LaneConfig): Readonly<Record<LaneName, WorkLane>> =>
  Record.map({ work, ...reserves }, (config) => new WorkLane(config))

export interface LaneConfig {
  /** The most work that runs at once. */
  readonly running: number
  readonly runningPerBusiness: number
  readonly runningPerClient: number
  /** The most work that begins in one turn of the event loop; without it, as much as may run. */
  readonly perTurn?: number
  readonly waiting: number
  /** The longest wait in a burst, in milliseconds. */
  readonly burstMillis: number
  /** The longest wait when work has been waiting for `burstMillis` without a break, in milliseconds. */
  readonly standingMillis: number
  /** The most paused work. */
  readonly paused: number
  /** The most idle work; more of it counts as running. */
  readonly idle: number
}

/** Work that runs or waits in a lane. */
export interface Ticket {
  /** Ends the work, or gives it up. May be called more than once. */
  readonly end: () => void
  /**
   * Stops counting the work while it waits for its client. Calls `refuse`, now or later, if it has to give way to others, which ends the
   * work. Work that may not be refused keeps counting if it finds no place.
   */
  readonly pause: (refuse?: () => void) => void
  /** Stops counting the work among that which runs, but not in its share, while it waits for others, unless too much does. */
  readonly idle: () => void
  /** Counts work that was idle again, at once; once for each time that it became idle. */
  readonly awake: () => void
  /**
   * Calls `goOn` when it is the turn of paused work, maybe at once, as it is for work that was never paused; or else `refuse`. Work that
   * may not be refused goes on at once.
   */
  readonly resume: (goOn: () => void, refuse?: () => void) => void
}

interface Entry {
  readonly share: Share
  since: number
  begin: () => void
  refuse: () => void
  state: "waiting" | "running" | "paused" | "idle" | "refused" | "over"
  /** The number of idle parts of the work. */
  rests: number
}

const sweepMillis = 25

export class WorkLane {
  readonly #config: LaneConfig
  readonly #now: () => number
  /** The work that runs or is idle, by share. */
  readonly #begun = new ShareTally()
  /** The number of running entries that are idle. */
  #idle = 0
  #paused = 0
  /** The paused work that gives way to others. */
  readonly #slow = new Turns<Entry>()
  readonly #waiting = new Turns<Entry>()
  #refused = 0
  /** The time since which entries have been waiting without a break. */
  #waitingSince = 0
  /** The time since which none waits. */
  #emptySince = -Infinity
  #sweep: NodeJS.Timeout | undefined
  #isDispatching = false
  /** The number of entries that have begun in this turn of the event loop. */
  #begunInTurn = 0

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(config: LaneConfig, now: () => number = () => performance.now()) {
    this.#config = config
    this.#now = now
  }

  get stats() {
    return { running: this.#running, idle: this.#idle, waiting: this.#waiting.size, refused: this.#refused }
  }

  get #running(): number {
    return this.#begun.total - this.#idle
  }

  /** Calls `begin` when it is the turn of the share, maybe at once; or else `refuse`. */
  enter(share: Share, begin: () => void, refuse: () => void): Ticket {
    const entry: Entry = { share, since: this.#now(), begin, refuse, state: "waiting", rests: 0 }
    this.#enter(entry)
    return {
      end: () => this.#end(entry),
      pause: (refuse) => this.#pause(entry, refuse),
      idle: () => this.#rest(entry),
      awake: () => this.#wake(entry),
      resume: (goOn, refuse) => this.#resume(entry, goOn, refuse)
    }
  }

  #enter(entry: Entry): void {
    if (this.#hasRoom(entry.share)) this.#run(entry)
    else this.#wait(entry)
  }

  /** Counts work that was refused before it entered the lane. */
  turnedAway(): void {
    this.#refused++
  }

  #pause(entry: Entry, refuse: (() => void) | undefined): void {
    if (entry.state === "running" && this.#isPausedFull) this.#giveWay(this.#slow.oldest(entry.share))
    if (entry.state !== "running") return
    if (!this.#isPausedFull) {
      this.#paused++
      if (refuse !== undefined) this.#slow.add(entry.share, Object.assign(entry, { refuse }))
      this.#stop(entry, "paused")
    } else if (refuse !== undefined) {
      this.#stop(entry, "refused")
      this.#turnAway(Object.assign(entry, { refuse }))
    }
  }

  get #isPausedFull(): boolean {
    return this.#paused >= this.#config.paused
  }

  #giveWay(slowest: Entry | undefined): void {
    if (slowest === undefined) return
    this.#unpause(slowest)
    this.#turnAway(slowest)
  }

  #unpause(entry: Entry): void {
    this.#paused--
    this.#slow.delete(entry.share, entry)
  }

  #rest(entry: Entry): void {
    entry.rests++
    if (entry.state !== "running" || this.#idle >= this.#config.idle) return
    entry.state = "idle"
    this.#idle++
    this.#dispatch()
  }

  #wake(entry: Entry): void {
    if (--entry.rests === 0) this.#goOn(entry)
  }

  #goOn(entry: Entry): void {
    if (entry.state !== "idle") return
    this.#idle--
    entry.state = "running"
  }

  #resume(entry: Entry, goOn: () => void, refuse: (() => void) | undefined): void {
    if (entry.state === "refused") return refuse?.()
    if (entry.state !== "paused") return goOn()
    this.#unpause(entry)
    if (refuse === undefined) {
      this.#count(entry)
      return this.#attempt(entry, goOn)
    }
    this.#enter(Object.assign(entry, { state: "waiting", since: this.#now(), begin: goOn, refuse }))
  }

  /** Whether no entry may begin now. */
  get #isFull(): boolean {
    const { perTurn = Infinity, running } = this.#config
    return this.#running >= running || this.#begunInTurn >= perTurn
  }

  #hasRoom(share: Share): boolean {
    const { runningPerBusiness, runningPerClient } = this.#config
    return !this.#isFull &&
      this.#begun.ofBusiness(share) < runningPerBusiness &&
      this.#begun.ofClient(share) < runningPerClient
  }

  #run(entry: Entry): void {
    this.#count(entry)
    this.#countInTurn()
    this.#attempt(entry, entry.begin)
  }

  #countInTurn(): void {
    if (this.#config.perTurn === undefined || this.#begunInTurn++ > 0) return
    setImmediate(() => {
      this.#begunInTurn = 0
      this.#dispatch()
    })
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
    this.#begun.add(entry.share, 1)
  }

  #stop(entry: Entry, state: "paused" | "refused" | "over"): void {
    this.#begun.add(entry.share, -1)
    entry.state = state
    this.#dispatch()
  }

  #end(entry: Entry): void {
    if (entry.state === "waiting") this.#remove(entry)
    this.#goOn(entry)
    if (entry.state === "running") this.#stop(entry, "over")
    if (entry.state === "paused") this.#unpause(entry)
    entry.state = "over"
  }

  #wait(entry: Entry): void {
    if (this.#waiting.size >= this.#config.waiting) {
      // Whoever has the most waiting work gives way: it must not fill the queue for all.
      const newest = this.#waiting.newest(entry.share)
      if (newest === undefined) return this.#refuse(entry)
      this.#refuse(newest)
    }
    if (this.#waiting.size === 0) {
      if (entry.since - this.#emptySince >= this.#config.standingMillis) this.#waitingSince = entry.since
      this.#sweep = setInterval(() => this.#expire(), sweepMillis).unref()
    }
    this.#waiting.add(entry.share, entry)
  }

  #remove(entry: Entry): void {
    this.#waiting.delete(entry.share, entry)
    if (this.#waiting.size > 0) return
    clearInterval(this.#sweep)
    this.#emptySince = this.#now()
  }

  #refuse(entry: Entry): void {
    // A refusal may bring about another request, which may have ended this entry.
    if (entry.state !== "waiting") return
    if (this.#waiting.of(entry.share).has(entry)) this.#remove(entry)
    this.#turnAway(entry)
  }

  #turnAway(entry: Entry): void {
    entry.state = "refused"
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
    for (const { entries } of Array.from(this.#waiting.lines())) {
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

  /** Takes the next entry from the queue, and ends the turn of its share. */
  #next(): Entry | undefined {
    if (this.#waiting.size === 0) return undefined
    const now = this.#now()
    const patience = this.#patience(now)
    for (const { entries, share } of this.#waiting.lines()) {
      if (!this.#hasRoom(share)) {
        if (this.#isFull) return undefined
        continue
      }
      for (const entry of entries) {
        if (now - entry.since > patience) {
          this.#refuse(entry)
          // The refusal may have brought about another request, which took the room.
          if (!this.#hasRoom(share)) break
          continue
        }
        this.#waiting.endTurn(share)
        this.#remove(entry)
        return entry
      }
    }
    return undefined
  }
}
