/**
 * Bounds the answers that are held at once, in characters: from the loading of what an answer shows until its client has taken
 * it, or is gone.
 *
 * Guarantee: the room of all answers is bounded, and that of one client's. An answer that has no room waits for a bounded time,
 * and is refused then; waiting clients take turns. A single answer always has room, however large. Small answers do not
 * count: the number of requests bounds them while they are made, and `ConnectionLimits` while they wait to be taken.
 *
 * ```ts
 * const answers = new AnswerBudget()
 * Layer.succeed(AnswerRooms, answers.open)
 * ```
 */
import { withDefaults } from "@dockline/core/internal/values/Defaults"
import type { Overloaded } from "@dockline/core/RequestErrors"
import { overloaded } from "@dockline/core/RequestLimits"
import type { OpenedRoom } from "@dockline/core/RequestLimits"
import { Effect } from "effect"
import { Tally } from "./Tally.ts"

export interface AnswerBudgetConfig {
  /** The most characters of answers at a time. */
  readonly characters: number
  readonly charactersPerClient: number
  /** The longest wait for room, in milliseconds. */
  readonly waitMillis: number
}

/** The largest answer that does not count, in characters. */
const small = 256 * 1024

/** The defaults of {@link AnswerBudgetConfig}: two of the largest shipments, one of them for one client. */
export const defaultAnswerBudgetConfig: AnswerBudgetConfig = {
  characters: 48 * 1024 * 1024,
  charactersPerClient: 24 * 1024 * 1024,
  waitMillis: 5000
}

interface Held {
  readonly client: string
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
  readonly #held = new Tally()
  /** The answers that wait by client; the clients in the order of their turns. */
  readonly #waiting = new Map<string, Set<Waiter>>()
  #refused = 0

  /** The other settings are those of {@link defaultAnswerBudgetConfig}. */
  constructor(given: Partial<AnswerBudgetConfig> = {}) {
    this.#config = withDefaults(defaultAnswerBudgetConfig, given)
  }

  /** The characters of the answers that are held, the answers that wait for room, and those that were refused so far. */
  get stats() {
    let waiting = 0
    for (const waiters of this.#waiting.values()) waiting += waiters.size
    return { held: this.#held.total, waiting, refused: this.#refused }
  }

  readonly open = (client: string): OpenedRoom => {
    const held: Held = { client, asked: 0, counted: 0, isOver: false }
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
        this.#held.add(client, -held.counted)
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
    const more = held.asked - held.counted
    const others = this.#held.total - held.counted
    const ofClient = this.#held.of(held.client)
    const hasRoom = others === 0 ||
      (this.#held.total + more <= this.#config.characters &&
        (ofClient === held.counted || ofClient + more <= this.#config.charactersPerClient))
    if (!hasRoom) return false
    this.#held.add(held.client, more)
    held.counted = held.asked
    return true
  }

  #wait(held: Held): Effect.Effect<void, Overloaded> {
    return Effect.callback<void, Overloaded>((resume) => {
      const { client } = held
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
      const own = this.#waiting.get(client)
      if (own === undefined) this.#waiting.set(client, new Set([waiter]))
      else own.add(waiter)
      return Effect.sync(() => {
        clearTimeout(timer)
        this.#leave(waiter)
      })
    })
  }

  /** Refuses what an answer that is over still waits for: GraphQL goes on loading for a client that is gone. */
  #refuseWaiters(held: Held): void {
    for (const waiter of Array.from(this.#waiting.get(held.client) ?? [])) {
      if (waiter.held === held) waiter.end(Effect.fail(overloaded()))
    }
  }

  #leave(waiter: Waiter): void {
    const { client } = waiter.held
    const own = this.#waiting.get(client)
    if (own?.delete(waiter) === true && own.size === 0) this.#waiting.delete(client)
  }

  /** Begins the answers that have room now: one of each client in turn. */
  #next(): void {
    let isBegun = true
    while (isBegun) {
      isBegun = false
      for (const [client, waiters] of Array.from(this.#waiting)) {
        const [first] = waiters
        if (first === undefined || !this.#count(first.held)) continue
        first.end(Effect.void)
        if (waiters.size > 0) {
          this.#waiting.delete(client)
          this.#waiting.set(client, waiters)
        }
        isBegun = true
      }
    }
  }
}
