/**
 * A customer that stays current, the recommended way: at start the history after the last message it handled, then
 * live messages, for ever.
 *
 * What is guaranteed: each message is handled in id order and none is left out, whatever is restarted or away. The
 * last id is stored once a message was handled, so that a crash in between repeats messages and never skips one:
 * what handles them must not mind a repeated id.
 */
import type { Credentials } from "./AccessTokens.ts"
import type { Books } from "./Books.ts"
import { HistoryExpired, Interrupted, textOf, TooManyMessages } from "./Failure.ts"
import { Service } from "./Service.ts"
import type { Log } from "./Service.ts"

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
  /** Where messages go. One that fails there ends the follower, being unhandled. */
  readonly books: Books
  readonly onNotice?: (notice: Notice) => void
  /** Messages of one page of history; 500. */
  readonly pageSize?: number
  /** The first wait after a failure; it doubles up to the longest. 500 ms and 30 s. */
  readonly firstWaitMillis?: number
  readonly longestWaitMillis?: number
}

export class Follower {
  readonly #options: FollowerOptions
  readonly #service: Service
  /** Failures one after another, and since when the connection in between has worked. */
  #failures = 0
  #liveSince = Infinity

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#service = new Service(options, options)
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
    const { books, pageSize = 500 } = this.#options
    let limit = pageSize
    while (!signal.aborted) {
      try {
        const page = await this.#service.history(books.lastId, limit, signal)
        await books.follow(page, signal)
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
    const { books, onNotice } = this.#options
    const connected = () => {
      this.#liveSince = Date.now()
      onNotice?.({ type: "live", lastId: books.lastId })
    }
    for await (const batch of this.#service.live(books.lastId, signal, connected)) {
      await books.follow(batch, signal)
      this.#failures = 0
    }
  }

  async #skipTo(droppedId: number): Promise<void> {
    const { books, onNotice } = this.#options
    const { lastId } = books
    await books.skipTo(droppedId)
    onNotice?.({ type: "missed", afterId: lastId, upToId: droppedId })
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
