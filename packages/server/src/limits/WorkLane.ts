/**
 * A lane limits the work that runs at once, queues more work for a limited time, and refuses the rest.
 *
 * Guarantee:
 *
 * - Running work is limited in total, for each business and for each client. Idle work that continues may exceed the limit, but is limited
 *   itself.
 * - Idle work waits for the storage or for memory of its answer. It counts only in its share: a business whose whole work waits blocks
 *   nobody else.
 * - Paused work waits for its client or for another service. It counts nowhere, and afterwards takes its turn like new work. However much
 *   of it continues at once, no more work runs than permitted, except work that may no longer be refused, which its caller limits.
 * - The number of paused works is limited. Beyond the limit, the longest paused work of the largest holder is refused, so that others can
 *   always pause.
 * - Waiting work is limited in number and in time, so that it begins soon or is refused soon. Businesses take turns, and clients within
 *   them, however much work each of them has waiting.
 * - A burst may wait for `burstMillis`. When work has been waiting that long without a break, all work may wait only for `standingMillis`,
 *   because a queue that never empties only adds delay. A break is as long as `standingMillis`: after a pause of the process all waiting
 *   work is refused at once, and an empty queue is then no end of the overload.
 * - In a lane with `perTurn`, no more work than that begins in one turn of the event loop, even if it ends at once, so that work of other
 *   lanes never waits for the whole queue.
 */
import type { Share } from "@dockline/core/access/RequestLimits"
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
 * The waits of operators: they send few but large bursts of requests, such as a script that creates docks or endpoints, and the changes of
 * one operator run one after another (core's `auditing`). A change takes at most about a tenth of a second, so the time suffices for as
 * many changes as may wait.
 */
const patient = { burstMillis: 10_000, standingMillis: 2000 }

/**
 * The lanes beside `work`, which is the lane of customers. `identification` checks credentials that are not known yet. `anonymous` has the
 * requests for `work` and `operator` without valid credentials. Operations of sockets and event streams, of which one connection has many,
 * pass `operations` before they enter `work`. Of the requests that are answered from memory, which no rate limit counts, one begins in each
 * turn of the event loop, so that a flood of them delays each step of other work by at most one. The number of paused unauthenticated
 * requests allows for all sign-ins that wait for their provider, and for some slow bodies.
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

/** The lane of a path for requests with known credentials. Paths that need no credentials are in the lane `anonymous`. */
export const laneOf = (path: string): Exclude<LaneName, "identification" | "operations"> =>
  laneOfPath.get(path) ?? (operatorPath.test(path) ? "operator" : openPath.test(path) ? "anonymous" : "work")

/** Makes the lanes. `work` has the limits of the lane of the same name. */
export const make = (work: LaneConfig): Readonly<Record<LaneName, WorkLane>> =>
  Record.map({ work, ...reserves }, (config) => new WorkLane(config))

export interface LaneConfig {
  /** The most work that runs at once. */
  readonly running: number
  readonly runningPerBusiness: number
  readonly runningPerClient: number
  /** The most work that begins in one turn of the event loop; no limit if absent. */
  readonly perTurn?: number
  readonly waiting: number
  /** The longest wait in a burst, in milliseconds. */
  readonly burstMillis: number
  /** The longest wait, in milliseconds, when work has been waiting for `burstMillis` without a break. */
  readonly standingMillis: number
  /** The most paused work. */
  readonly paused: number
  /** The most idle work. Further idle work counts as running. */
  readonly idle: number
}

/** Work that runs or waits in a lane. */
export interface Ticket {
  /** Ends the work, or removes it from the queue. It may be called more than once. */
  readonly end: () => void
  /**
   * Stops counting the work while it waits for its client. If the work has to give way to others, this calls `refuse`, now or later, which
   * ends the work. Work that may not be refused keeps counting if too much work is paused.
   */
  readonly pause: (refuse?: () => void) => void
  /** Counts the work only in its share, and not as running, while it waits for others, unless too much work is idle. */
  readonly idle: () => void
  /** Counts idle work as running again, at once. Call it once for each call of `idle`. */
  readonly awake: () => void
  /**
   * Calls `goOn` when the paused work may continue, maybe at once, or else `refuse`. Work that was never paused, or that may not be
   * refused, continues at once.
   */
  readonly resume: (goOn: () => void, refuse?: () => void) => void
}

interface Entry {
  readonly share: Share
  since: number
  begin: () => void
  refuse: () => void
  state: "waiting" | "running" | "paused" | "idle" | "refused" | "over"
  /** The number of parts of the work that are idle. */
  rests: number
}

const sweepMillis = 25

export class WorkLane {
  readonly #config: LaneConfig
  readonly #now: () => number
  /** The work that runs or is idle, by share. */
  readonly #begun = new ShareTally()
  /** The number of begun entries that are idle. */
  #idle = 0
  #paused = 0
  /** The paused work that may be refused, and so gives way to others. */
  readonly #slow = new Turns<Entry>()
  readonly #waiting = new Turns<Entry>()
  #refused = 0
  /** The time since which entries have been waiting without a break. */
  #waitingSince = 0
  /** The time since which no entry waits. */
  #emptySince = -Infinity
  #sweep: NodeJS.Timeout | undefined
  #isDispatching = false
  /** The number of entries that have begun in this turn of the event loop. */
  #begunInTurn = 0

  /** `now` returns the milliseconds of a clock that never goes back. */
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

  /** Calls `begin` when it is the turn of the work, maybe at once, or else `refuse`. */
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

  /** Counts work that was refused before it could enter the lane. */
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

  /** Keeps an error of one request away from the request or timer whose end began or refused it. */
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
      // The share with the most waiting work gives way, because it must not fill the queue for all.
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
    // A refusal may cause another request, which may have ended this entry.
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

  /** Refuses the entries that have waited too long. The entries of a client are in the order of arrival. */
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

  /** Begins entries while the limits permit it. An entry may end at once, so this may be called recursively. */
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
          // The refusal may have caused another request, which now runs instead.
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
