/**
 * Bounds the answers that are held at once, in characters: from the loading of what an answer shows until its client has taken
 * it, or is gone.
 *
 * Guarantee: the room of all answers is bounded, and that of one business and of one client. An answer that has no room waits for a
 * bounded time, and is refused then; waiting businesses take turns, and their clients. A single answer always has room, however large, and
 * counts as no more than a business may have. Small answers do not count: the number of requests bounds them while they are made, and `ConnectionLimits` while they wait to be taken.
 *
 * ```ts
 * const answers = new AnswerBudget()
 * Layer.succeed(AnswerRooms, answers.open)
 * ```
 */
import { idle, overloaded } from "@dockline/core/access/RequestLimits"
import type { OpenRoom } from "@dockline/core/access/RequestLimits"
import * as Share from "@dockline/core/access/Share"
import { withDefaults } from "@dockline/core/values/Defaults"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"
import { ShareTally, Turns } from "./Shares.ts"

export interface AnswerBudgetConfig {
  /** The most characters of answers at a time. */
  readonly characters: number
  readonly charactersPerBusiness: number
  readonly charactersPerClient: number
  /** The longest wait for room, in milliseconds. */
  readonly waitMillis: number
}

/** The largest answer that does not count, in characters. */
const small = 256 * 1024

/** The defaults of {@link AnswerBudgetConfig}: two of the largest shipments, one of them for one business. */
export const defaultAnswerBudgetConfig: AnswerBudgetConfig = {
  characters: 48 * 1024 * 1024,
  charactersPerBusiness: 24 * 1024 * 1024,
  charactersPerClient: 18 * 1024 * 1024,
  waitMillis: 5000
}

interface Held {
  readonly share: Share.Share
  /** The characters that it has asked for, and those of them that count. */
  asked: number
  counted: number
  isOver: boolean
}

interface Waiter {
  readonly held: Held
  readonly end: (outcome: Effect.Effect<void, Overloaded>) => void
}

export class AnswerBudget {
  readonly #config: AnswerBudgetConfig
  readonly #held = new ShareTally()
  readonly #waiting = new Turns<Waiter>()
  #refused = 0

  /** The other settings are those of {@link defaultAnswerBudgetConfig}. */
  constructor(given: Partial<AnswerBudgetConfig> = {}) {
    this.#config = withDefaults(defaultAnswerBudgetConfig, given)
  }

  /** The characters of the answers that are held, the answers that wait for room, and those that were refused so far. */
  get stats() {
    return { held: this.#held.total, waiting: this.#waiting.size, refused: this.#refused }
  }

  readonly open: OpenRoom = (principal) => {
    const share = Share.ofPrincipal(principal)
    const held: Held = { share, asked: 0, counted: 0, isOver: false }
    return {
      room: {
        take: (characters) =>
          Effect.suspend(() => {
            if (held.isOver) return Effect.fail(overloaded())
            return this.#ask(held, characters) ? Effect.void : this.#wait(held)
          }),
        takeNow: (characters) => {
          const hasRoom = !held.isOver && this.#ask(held, characters)
          if (!hasRoom) this.#refused++
          return hasRoom
        }
      },
      release: () => {
        if (held.isOver) return
        held.isOver = true
        this.#refuseWaiters(held)
        if (held.counted === 0) return
        this.#held.add(share, -held.counted)
        this.#next()
      }
    }
  }

  /** Asks for more room; whether it has been taken. */
  #ask(held: Held, characters: number): boolean {
    held.asked += characters
    return held.asked <= small || this.#count(held)
  }

  /** Takes the room that an answer has asked for, if there is any. */
  #count(held: Held): boolean {
    const { characters, charactersPerBusiness, charactersPerClient } = this.#config
    const { counted, share } = held
    // A larger one would leave nothing to others for as long as its client takes it.
    const needed = Math.min(held.asked, charactersPerBusiness)
    const fits = (sum: number, most: number): boolean => sum === counted || sum + needed - counted <= most
    const hasRoom = this.#held.total === counted ||
      (this.#held.total + needed - counted <= characters &&
        fits(this.#held.ofBusiness(share), charactersPerBusiness) &&
        fits(this.#held.ofClient(share), charactersPerClient))
    if (!hasRoom) return false
    this.#held.add(share, needed - counted)
    held.counted = needed
    return true
  }

  #wait(held: Held): Effect.Effect<void, Overloaded> {
    return idle(Effect.callback<void, Overloaded>((resume) => {
      const { share } = held
      const waiter: Waiter = {
        held,
        end: (outcome) => {
          clearTimeout(timer)
          this.#leave(waiter)
          resume(outcome)
        }
      }
      const timer = setTimeout(() => {
        this.#refused++
        waiter.end(Effect.fail(overloaded()))
      }, this.#config.waitMillis)
      this.#waiting.add(share, waiter)
      return Effect.sync(() => {
        clearTimeout(timer)
        this.#leave(waiter)
      })
    }))
  }

  /** Refuses what an answer that is over still waits for: GraphQL goes on loading for a client that is gone. */
  #refuseWaiters(held: Held): void {
    for (const waiter of Array.from(this.#waiting.of(held.share))) {
      if (waiter.held === held) waiter.end(Effect.fail(overloaded()))
    }
  }

  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter.held.share, waiter)
  }

  /** Begins the answers that have room now: one of each client in turn. */
  #next(): void {
    let isBegun = true
    while (isBegun) {
      isBegun = false
      for (const { entries, share } of Array.from(this.#waiting.lines())) {
        const [first] = entries
        if (first === undefined || !this.#count(first.held)) continue
        this.#waiting.endTurn(share)
        first.end(Effect.void)
        isBegun = true
      }
    }
  }
}
