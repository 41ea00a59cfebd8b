/**
 * The newest messages of one business in this process, passed on to all who follow it.
 *
 * Guarantee: bounded, in number and in text; passing on waits for nobody.
 */
import type { CursorAhead, HistoryExpired } from "../values/Errors.ts"
import type { Message } from "./Message.ts"

/** The most characters of payload that are kept at hand, or wait for one consumer. */
export const textLimit = 16 * 1024 * 1024

/** Why the log cannot be read on from where it was read last. */
export type LogFailure = HistoryExpired | CursorAhead

/** Who is told of new messages. Its calls do not throw. */
export interface Listener {
  readonly onMessages: (messages: ReadonlyArray<Message>) => void
  readonly onFailure: (error: LogFailure) => void
}

/** The newest messages of one business, and who listens for more. */
export class LiveMessages {
  readonly #recentLimit: number
  readonly #listeners = new Set<Listener>()
  readonly #recent: Array<Message> = []
  #recentText = 0
  /** The recent messages are all there are after this id. */
  #from = 0
  #at = 0
  #isOpen = false

  constructor(recentLimit: number) {
    this.#recentLimit = recentLimit
  }

  /** Whether it is known where live begins. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Live begins after this id; where it has begun already, it stays so. */
  open(at: number): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#from = at
    this.#at = at
  }

  /** Everything up to this id has been passed on. */
  get at(): number {
    return this.#at
  }

  /**
   * The messages after an id that are at hand; `undefined` when some of those after it are not, or when the id lies
   * beyond {@link at}: only the log knows whether it has given it.
   */
  recentAfter(id: number): ReadonlyArray<Message> | undefined {
    if (id < this.#from || id > this.#at) return undefined
    return this.#recent.filter((message) => message.id > id)
  }

  /** Tells a listener of everything that is passed on from now on. */
  listen(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /** Tells it no more. */
  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  publish(messages: ReadonlyArray<Message>, at: number): void {
    this.#at = Math.max(this.#at, at)
    if (messages.length === 0) return
    for (const message of messages) {
      this.#recent.push(message)
      this.#recentText += message.size
    }
    let dropped = 0
    while (
      this.#recent.length - dropped > this.#recentLimit ||
      (this.#recentText > textLimit && dropped < this.#recent.length)
    ) {
      const oldest = this.#recent[dropped++]!
      this.#from = oldest.id
      this.#recentText -= oldest.size
    }
    if (dropped > 0) this.#recent.splice(0, dropped)
    for (const { onMessages } of this.#listeners) onMessages(messages)
  }

  /** The log cannot be read on from `at`: listeners must not go on as if nothing were missing. Live begins anew at `from`. */
  fail(error: LogFailure, from: number): void {
    const listeners = Array.from(this.#listeners)
    this.#listeners.clear()
    this.#recent.length = 0
    this.#recentText = 0
    this.#from = from
    this.#at = from
    for (const { onFailure } of listeners) onFailure(error)
  }
}
