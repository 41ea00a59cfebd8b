/**
 * The customer's books: which messages it has received, by whichever way they came, and the count of its pallets.
 *
 * What is guaranteed: a message is handled once, whether it comes by following the log, by webhook, or both ways at
 * once; and whoever hands one in learns that it is done only when that is stored. A crash in between repeats messages
 * and never loses one: what handles them must not mind a repeated id. Messages are handled one after another; what
 * arrives while the books are written is written together the next time.
 */
import { Ledger } from "./Ledger.ts"
import type { Effect, Summary } from "./Ledger.ts"
import type { PushMessage } from "./PushMessage.ts"
import type { State, StateStore } from "./StateFile.ts"

/** How a message came. */
export type Way = "GraphQL" | "webhook"

/** Where the books are kept, and what becomes of messages. */
export interface BooksOptions {
  /** The name of the log they are about; the stored state must belong to it. */
  readonly log: string
  readonly store: StateStore
  /** Handles a message that is new. A failure leaves it unhandled, and fails whoever handed it in. */
  readonly onMessage: (message: PushMessage, effect: Effect, way: Way) => void | Promise<void>
  /** Hears of a message that was handled before: nothing is left to do. */
  readonly onRepeat?: (message: PushMessage, way: Way) => void
}

/**
 * Ids of webhooks that are remembered, the highest. Those up to the last id of the log that was followed are known
 * without being remembered.
 */
export const maxReceived = 10_000

/** Something to be done with the books, and who waits for it. */
interface Job {
  /** Returns what to tell who waits, once it is stored. */
  readonly run: () => Promise<() => void>
  readonly fail: (error: unknown) => void
}

export class Books {
  readonly #options: BooksOptions
  readonly #ledger: Ledger
  #lastId: number
  #missedUpTo: number
  /** Handled messages after `#lastId`, which came by webhook. */
  readonly #received: Set<number>
  readonly #jobs: Array<Job> = []
  #isWorking = false
  /** Whether something has not been stored. */
  #isChanged = false

  private constructor(options: BooksOptions, state: State) {
    this.#options = options
    this.#ledger = new Ledger(state.counts)
    this.#lastId = state.lastId
    this.#missedUpTo = state.missedUpTo
    this.#received = new Set(state.received)
  }

  static async open(options: BooksOptions): Promise<Books> {
    return new Books(options, await options.store.load(options.log))
  }

  /** Every message of the log up to this one has been handled; 0 for none. */
  get lastId(): number {
    return this.#lastId
  }

  /** Messages up to this id were dropped before they were read; 0 for none. */
  get missedUpTo(): number {
    return this.#missedUpTo
  }

  get summaries(): ReadonlyArray<Summary> {
    return this.#ledger.summaries
  }

  /**
   * Handles the next messages of the log, which ascend by id and leave none out. When one fails, those before it are
   * stored as handled; the same holds when the signal ends it early.
   */
  follow(messages: ReadonlyArray<PushMessage>, signal: AbortSignal): Promise<void> {
    return this.#do(async () => {
      for (const message of messages) {
        if (signal.aborted) break
        // Ids ascend: one that is not above the last was handled before.
        if (message.id <= this.#lastId) continue
        if (this.#received.has(message.id)) this.#options.onRepeat?.(message, "GraphQL")
        else await this.#handle(message, "GraphQL")
        this.#moveTo(message.id)
      }
    })
  }

  /** Handles one message that comes in no order; whether it was new. */
  receive(message: PushMessage): Promise<boolean> {
    return this.#do(async () => {
      if (message.id <= this.#lastId || this.#received.has(message.id)) {
        this.#options.onRepeat?.(message, "webhook")
        return false
      }
      await this.#handle(message, "webhook")
      this.#received.add(message.id)
      if (this.#received.size > maxReceived) this.#received.delete(Math.min(...this.#received))
      return true
    })
  }

  /** Goes on after an id, everything up to it being gone. */
  skipTo(droppedId: number): Promise<void> {
    return this.#do(() => {
      if (droppedId <= this.#lastId) {
        throw new Error(`The service says that ${droppedId} is dropped; we are at ${this.#lastId}`)
      }
      this.#moveTo(droppedId)
      this.#missedUpTo = droppedId
      return Promise.resolve()
    })
  }

  async #handle(message: PushMessage, way: Way): Promise<void> {
    const effect = this.#ledger.judge(message)
    await this.#options.onMessage(message, effect, way)
    this.#ledger.take(message, effect)
    this.#isChanged = true
  }

  #moveTo(id: number): void {
    this.#lastId = id
    for (const received of this.#received) if (received <= id) this.#received.delete(received)
    this.#isChanged = true
  }

  /** Does it when its turn comes; resolves or rejects once the outcome is stored. */
  #do<A>(work: () => Promise<A>): Promise<A> {
    return new Promise<A>((resolve, reject) => {
      this.#jobs.push({
        run: () => work().then((result) => () => resolve(result), (error: unknown) => () => reject(error)),
        fail: reject
      })
      if (!this.#isWorking) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs.splice(0)
      const answers: Array<() => void> = []
      for (const { run } of jobs) answers.push(await run())
      try {
        await this.#save()
        for (const answer of answers) answer()
      } catch (error) {
        // What was handled stays so here: handed in again, it is a repeat, and stored before that is said.
        for (const { fail } of jobs) fail(error)
      }
    }
    this.#isWorking = false
  }

  async #save(): Promise<void> {
    if (!this.#isChanged) return
    await this.#options.store.save({
      log: this.#options.log,
      lastId: this.#lastId,
      missedUpTo: this.#missedUpTo,
      received: Array.from(this.#received),
      counts: this.#ledger.counts
    })
    this.#isChanged = false
  }
}
