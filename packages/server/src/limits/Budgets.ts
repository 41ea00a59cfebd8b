/**
 * Bounds the memory of requests and answers. An answer counts in characters (D12.7), from loading until its client has received it or is
 * gone; a body counts in bytes.
 *
 * Guarantee: the room of all answers is bounded, in total, for each business and for each client. An answer without room waits for a
 * bounded time and is then refused; waiting businesses take turns, and so do their clients. A single answer always has room, however large,
 * and counts as at most the limit of a business. If answers to slow clients hold room for longer than the longest wait, answers of the
 * business with most room are cut, for a business that still has less room afterwards. Small answers do not count: the number of requests
 * bounds them while they are made, and `ConnectionLimits` while clients receive them.
 */
import { idle, overloaded, shareOf } from "@dockline/core/access/RequestLimits"
import type { OpenAnswerMemory, Share } from "@dockline/core/access/RequestLimits"
import { withDefaults } from "@dockline/core/values/Defaults"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"
import { IncomingMessage } from "node:http"
import { givingWay, ShareTally, Turns } from "./Shares.ts"
import type { Hold } from "./Shares.ts"

export interface BodyBudgetConfig {
  /** The most announced bytes of the bodies of all requests in progress. */
  readonly bodyBytes: number
  /** The most of these bytes for one business. */
  readonly bodyBytesPerBusiness: number
  /** The most of these bytes for one client. */
  readonly bodyBytesPerClient: number
  /** The most bytes that a body may announce. A larger body is refused unread, and takes no room. */
  readonly largestBody: number
}

/** The largest body that does not count, in bytes. */
const smallBodies = 16 * 1024

/** Room for a body. */
export interface BodyRoom {
  /** Returns the room. May be called more than once. */
  readonly release: () => void
  /** Offers the room to others. If others need it, the room is returned, and `refuse` is called. */
  readonly offer: (refuse: () => void) => void
  /** Withdraws the offer. */
  readonly keep: () => void
}

const nothing = (): void => undefined

/** The room for a body that does not count. */
export const smallRoom: BodyRoom = { release: nothing, offer: nothing, keep: nothing }

/**
 * Bounds the bytes of request bodies that are held at once.
 *
 * Guarantee: the announced bytes of all requests in progress are bounded, in total, for each business and for each client. A body of
 * unknown length counts as the largest body. Small bodies do not count, because the number of requests bounds them. If slow bodies hold the
 * room, slow bodies of the business with most room are refused, for a business that then holds at most as much as the first business.
 */
export class BodyBudget {
  readonly #config: BodyBudgetConfig
  readonly #held = new ShareTally()
  /** The slow bodies, whose room is offered to others, with the functions that refuse them; the earliest offer comes first. */
  readonly #slow = new Map<Hold, () => void>()

  constructor(config: BodyBudgetConfig) {
    this.#config = config
  }

  get bytes(): number {
    return this.#held.total
  }

  /** Reserves room for the body of a request; `undefined` without room. */
  reserve(share: Share, request: IncomingMessage): BodyRoom | undefined {
    const { bodyBytesPerBusiness, bodyBytesPerClient, largestBody } = this.#config
    const bytes = this.#bytesOf(request)
    if (bytes <= smallBodies || bytes > largestBody) return smallRoom
    const ofClient = this.#held.ofClient(share)
    // A body always has room while no other body holds any. The limit of a client does not apply to its only body.
    const hasRoom = this.bytes === 0 ||
      (this.#held.ofBusiness(share) + bytes <= bodyBytesPerBusiness &&
        (ofClient === 0 || ofClient + bytes <= bodyBytesPerClient) &&
        this.#makeRoom(share, bytes))
    if (!hasRoom) return undefined
    const hold = { share, amount: bytes }
    this.#held.add(share, bytes)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#slow.delete(hold)
      this.#held.add(share, -bytes)
    }
    return {
      release,
      offer: (refuse) => {
        if (isReleased) return
        this.#slow.set(hold, () => {
          release()
          refuse()
        })
      },
      keep: () => void this.#slow.delete(hold)
    }
  }

  /** Makes room for a body, if necessary by refusing slow bodies; returns whether there is room. */
  #makeRoom({ business }: Share, bytes: number): boolean {
    const need = this.bytes + bytes - this.#config.bodyBytes
    if (need <= 0) return true
    const least = this.#held.ofBusiness({ business }) + bytes
    const giving = givingWay(
      this.#held,
      this.#slow.keys(),
      need,
      (rest, { amount }) => rest - amount >= least
    )
    for (const hold of giving) this.#slow.get(hold)?.()
    return giving.length > 0
  }

  #bytesOf({ headers }: IncomingMessage): number {
    return headers["transfer-encoding"] === undefined
      ? Number(headers["content-length"] ?? 0)
      : this.#config.largestBody
  }
}

export interface AnswerBudgetConfig {
  /** The most characters of answers at a time. */
  readonly characters: number
  readonly charactersPerBusiness: number
  readonly charactersPerClient: number
  /** The longest wait for room, in milliseconds. */
  readonly waitMillis: number
}

/** The largest answer that does not count, in characters. */
const smallAnswers = 256 * 1024

/** The defaults of {@link AnswerBudgetConfig}: two of the largest shipments, one of them for one business. */
export const defaultAnswerBudgetConfig: AnswerBudgetConfig = {
  characters: 48 * 1024 * 1024,
  charactersPerBusiness: 24 * 1024 * 1024,
  charactersPerClient: 18 * 1024 * 1024,
  waitMillis: 5000
}

interface AnswerHold extends Hold {
  readonly request: object | undefined
  /** The time from which the answer counts, in milliseconds of the monotonic clock. */
  since: number
  /** The characters that the answer has requested, and those of them that count. */
  demand: number
  amount: number
  isOver: boolean
}

interface Waiter {
  readonly hold: AnswerHold
  readonly end: (outcome: Effect.Effect<void, Overloaded>) => void
}

export class AnswerBudget {
  readonly #config: AnswerBudgetConfig
  readonly #now: () => number
  /** The answers that count, the oldest first. */
  readonly #holds = new Set<AnswerHold>()
  readonly #held = new ShareTally()
  readonly #waiting = new Turns<Waiter>()
  #refused = 0

  /** The other settings are those of {@link defaultAnswerBudgetConfig}; `now` is a monotonic clock in milliseconds. */
  constructor(options: Partial<AnswerBudgetConfig> = {}, now: () => number = () => performance.now()) {
    this.#config = withDefaults(defaultAnswerBudgetConfig, options)
    this.#now = now
  }

  /** The characters of the answers that are held, the answers that wait for room, and those that were refused so far. */
  get stats() {
    return { held: this.#held.total, waiting: this.#waiting.size, refused: this.#refused }
  }

  readonly open: OpenAnswerMemory = (principal, request) => {
    const share = shareOf(principal)
    const hold: AnswerHold = { share, request, since: 0, demand: 0, amount: 0, isOver: false }
    return {
      memory: {
        reserve: (characters) =>
          Effect.suspend(() => {
            if (hold.isOver) return Effect.fail(overloaded())
            return this.#ask(hold, characters) ? Effect.void : this.#wait(hold)
          }),
        reserveNow: (characters) => {
          const hasRoom = !hold.isOver && this.#ask(hold, characters)
          if (!hasRoom) this.#refused++
          return hasRoom
        }
      },
      release: () => {
        if (this.#end(hold)) this.#next()
      }
    }
  }

  /** Ends an answer; returns whether this frees room. */
  #end(hold: AnswerHold): boolean {
    if (hold.isOver) return false
    hold.isOver = true
    this.#refuseWaiters(hold)
    this.#held.add(hold.share, -hold.amount)
    return this.#holds.delete(hold)
  }

  /** Requests more room; returns whether it was available. */
  #ask(hold: AnswerHold, characters: number): boolean {
    hold.demand += characters
    return hold.demand <= smallAnswers || this.#count(hold)
  }

  /** Takes the requested room of an answer, if available. */
  #count(hold: AnswerHold): boolean {
    const { characters, charactersPerBusiness, charactersPerClient } = this.#config
    const { amount, share } = hold
    // A larger amount would leave no room for others until the client of this answer has received it.
    const demandBound = Math.min(hold.demand, charactersPerBusiness)
    const fits = (sum: number, most: number): boolean => sum === amount || sum + demandBound - amount <= most
    const hasRoom = this.#held.total === amount ||
      (fits(this.#held.ofBusiness(share), charactersPerBusiness) &&
        fits(this.#held.ofClient(share), charactersPerClient) &&
        this.#makeRoom(share, demandBound - amount, this.#held.total + demandBound - amount - characters))
    if (!hasRoom) return false
    this.#held.add(share, demandBound - amount)
    if (amount === 0) hold.since = this.#now()
    this.#holds.add(hold)
    hold.amount = demandBound
    return true
  }

  /** Makes room for `more` characters of a share: cuts slow answers of others with at least `need` characters. Returns whether it could. */
  #makeRoom(share: Share, more: number, need: number): boolean {
    if (need <= 0) return true
    const least = this.#held.ofBusiness(share) + more
    const before = this.#now() - this.#config.waitMillis
    const giving = givingWay(
      this.#held,
      this.#holds,
      need,
      (rest, { request, since }) =>
        rest > least && since <= before && request instanceof IncomingMessage &&
        request.socket.writableLength > 0
    )
    for (const hold of giving) {
      this.#end(hold)
      if (hold.request instanceof IncomingMessage) hold.request.socket.destroy()
    }
    return giving.length > 0
  }

  #wait(hold: AnswerHold): Effect.Effect<void, Overloaded> {
    return idle(Effect.callback<void, Overloaded>((resume) => {
      const { share } = hold
      const waiter: Waiter = {
        hold,
        end: (outcome) => {
          clearTimeout(timer)
          this.#leave(waiter)
          resume(outcome)
        }
      }
      const timer = setTimeout(() => {
        // Some slow answers, which counted too recently when this wait began, may be cut now.
        const hasRoom = this.#count(hold)
        if (!hasRoom) this.#refused++
        waiter.end(hasRoom ? Effect.void : Effect.fail(overloaded()))
      }, this.#config.waitMillis)
      this.#waiting.add(share, waiter)
      return Effect.sync(() => {
        clearTimeout(timer)
        this.#leave(waiter)
      })
    }))
  }

  /** Refuses the waiting requests of an answer that is over: GraphQL continues to load for a client that is gone. */
  #refuseWaiters(hold: AnswerHold): void {
    for (const waiter of Array.from(this.#waiting.of(hold.share))) {
      if (waiter.hold === hold) waiter.end(Effect.fail(overloaded()))
    }
  }

  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter.hold.share, waiter)
  }

  /** Ends the wait of each answer that has room now, with one answer of each client in turn. */
  #next(): void {
    let isBegun = true
    while (isBegun) {
      isBegun = false
      for (const { entries, share } of Array.from(this.#waiting.lines())) {
        const [first] = entries
        if (first === undefined || !this.#count(first.hold)) continue
        this.#waiting.endTurn(share)
        first.end(Effect.void)
        isBegun = true
      }
    }
  }
}
