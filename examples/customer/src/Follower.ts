/**
 * A customer that stays current, the recommended way: at start the history after the last message it handled, then
 * live messages, for ever.
 *
 * What is guaranteed: each message is handled in id order and none is left out, whatever is restarted or away. The
 * last id is stored once a message was handled, so that a crash in between repeats messages and never skips one:
 * what handles them must not mind a repeated id.
 */
import type { Credentials } from "./AccessTokens.ts"
import { HistoryExpired, Interrupted, textOf, TooManyMessages } from "./Failure.ts"
import { Ledger } from "./Ledger.ts"
import type { Effect, Summary } from "./Ledger.ts"
import type { PushMessage } from "./PushMessage.ts"
import { Service } from "./Service.ts"
import type { Log } from "./Service.ts"
import type { State, StateStore } from "./StateFile.ts"

/** What a follower tells beside messages. */
export type Notice =
  /** Everything up to `lastId` has been handled, and live messages come from here on. */
  | { readonly type: "live"; readonly lastId: number }
  /** The service is away, or ended the connection: the follower tries again after that time. */
  | { readonly type: "waiting"; readonly reason: string; readonly millis: number }
  /** Messages have been dropped by age before they were read: reconcile what lies before. */
  | { readonly type: "missed"; readonly afterId: number; readonly upToId: number }

/** Who follows what, and what becomes of it. */
export interface FollowerOptions extends Credentials, Log {
  readonly store: StateStore
  /** Handles one message; the next comes when it is done. A failure ends the follower, the message being unhandled. */
  readonly onMessage: (message: PushMessage, effect: Effect) => void | Promise<void>
  readonly onNotice?: (notice: Notice) => void
  /** Messages of one page of history; 500. */
  readonly pageSize?: number
  /** The first wait after a failure; it doubles up to the longest. 500 ms and 30 s. */
  readonly firstWaitMillis?: number
  readonly longestWaitMillis?: number
}

/** Follows one log with one stored state. */
export class Follower {
  readonly #options: FollowerOptions
  readonly #service: Service
  #state: State
  readonly #ledger: Ledger
  /** Failures one after another, and since when the connection in between has worked. */
  #failures = 0
  #liveSince = Infinity

  private constructor(options: FollowerOptions, state: State) {
    this.#options = options
    this.#service = new Service(options, options)
    this.#state = state
    this.#ledger = new Ledger(state.counts)
  }

  /** A follower that goes on where the stored state ends. */
  static async open(options: FollowerOptions): Promise<Follower> {
    return new Follower(options, await options.store.load(logOf(options)))
  }

  /** The last message handled; 0 for none. */
  get lastId(): number {
    return this.#state.lastId
  }

  /** Messages up to this id were dropped before they were read; 0 for none. */
  get missedUpTo(): number {
    return this.#state.missedUpTo
  }

  /** The shipments under way. */
  get summaries(): ReadonlyArray<Summary> {
    return this.#ledger.summaries
  }

  /** Follows until the signal says so. Rejects with `Refused` when waiting would not help. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#catchUp(signal)
        await this.#follow(signal)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof HistoryExpired) await this.#skipTo(error.droppedId)
        else if (error instanceof Interrupted) await this.#wait(error, signal)
        else throw error
      }
    }
  }

  /** History, page by page at our pace, until there is no more. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    let limit = this.#options.pageSize ?? 500
    while (!signal.aborted) {
      try {
        const page = await this.#service.history(this.#state.lastId, limit, signal)
        await this.#handle(page, signal)
        if (page.length < limit) return
      } catch (error) {
        // Large messages: fewer of them fit in an answer.
        if (!(error instanceof TooManyMessages) || limit === 1) throw error
        limit = Math.ceil(limit / 2)
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const connected = () => {
      this.#liveSince = Date.now()
      this.#options.onNotice?.({ type: "live", lastId: this.#state.lastId })
    }
    for await (const batch of this.#service.live(this.#state.lastId, signal, connected)) {
      await this.#handle(batch, signal)
      this.#failures = 0
    }
  }

  /** Handles messages in order, then stores how far it came, also when one of them fails. */
  async #handle(messages: ReadonlyArray<PushMessage>, signal: AbortSignal): Promise<void> {
    const before = this.#state.lastId
    let { lastId } = this.#state
    try {
      for (const message of messages) {
        if (signal.aborted) break
        // Ids ascend: one that is not above the last was handled before.
        if (message.id <= lastId) continue
        const effect = this.#ledger.judge(message)
        await this.#options.onMessage(message, effect)
        this.#ledger.take(message, effect)
        lastId = message.id
      }
    } finally {
      if (lastId !== before) await this.#save({ ...this.#state, lastId })
    }
  }

  async #save(state: Omit<State, "counts">): Promise<void> {
    const next = { ...state, counts: this.#ledger.counts }
    await this.#options.store.save(next)
    this.#state = next
  }

  async #skipTo(droppedId: number): Promise<void> {
    const { lastId } = this.#state
    if (droppedId <= lastId) {
      throw new Error(`The service says that ${droppedId} is dropped; we are at ${lastId}`)
    }
    await this.#save({ ...this.#state, lastId: droppedId, missedUpTo: droppedId })
    this.#options.onNotice?.({ type: "missed", afterId: lastId, upToId: droppedId })
  }

  /** Waits longer each time, and not as long as everybody else who lost the same server. */
  async #wait(error: Interrupted, signal: AbortSignal): Promise<void> {
    const { firstWaitMillis = 500, longestWaitMillis = 30_000, onNotice } = this.#options
    // A connection that is closed at once, again and again, is no success.
    if (Date.now() - this.#liveSince > longestWaitMillis) this.#failures = 0
    this.#liveSince = Infinity
    const longest = Math.min(longestWaitMillis, firstWaitMillis * 2 ** Math.min(this.#failures++, 20))
    const millis = Math.round(longest * (0.5 + Math.random() / 2))
    onNotice?.({ type: "waiting", reason: textOf(error), millis })
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", done)
        resolve()
      }
      const timer = setTimeout(done, millis)
      signal.addEventListener("abort", done)
    })
  }
}

/** The name of a log, by which a stored state is known to belong to it. */
export const logOf = (
  { baseUrl, business, facility }: Pick<FollowerOptions, "baseUrl" | "business" | "facility">
) => `${baseUrl} ${business}/${facility ?? "*"}`
