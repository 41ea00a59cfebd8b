/**
 * Keeps the newest messages of one business in this process, bounded in number and in text, and passes them on to all
 * consumers without waiting for any.
 */
import type { CursorAhead, HistoryExpired } from "../../values/Errors.ts"
import type { Message } from "../Message.ts"

/** The most characters of payload that are kept in memory, or that wait for one consumer. */
export const textLimit = 16 * 1024 * 1024

export type LogFailure = HistoryExpired | CursorAhead

/** A consumer of new messages. Its functions do not throw. */
export interface Listener {
  readonly onMessages: (messages: ReadonlyArray<Message>) => void
  readonly onFailure: (error: LogFailure) => void
}

export class LiveMessages {
  readonly #recentLimit: number
  readonly #listeners = new Set<Listener>()
  readonly #recent: Array<Message> = []
  #recentText = 0
  /** The recent messages are all messages after this id. */
  #from = 0
  #at = 0
  #isOpen = false

  constructor(recentLimit: number) {
    this.#recentLimit = recentLimit
  }

  /** Whether the beginning of the live messages is known. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Begins the live messages after this id, unless they have begun already. */
  open(at: number): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#from = at
    this.#at = at
  }

  /** All messages up to this id have been passed on. */
  get at(): number {
    return this.#at
  }

  /**
   * The messages after an id from memory; `undefined` when some of them are only in the log, or when the id lies beyond
   * {@link at}: only the log knows whether it has given that id.
   */
  recentAfter(id: number): ReadonlyArray<Message> | undefined {
    if (id < this.#from || id > this.#at) return undefined
    return this.#recent.filter((message) => message.id > id)
  }

  listen(listener: Listener): void {
    this.#listeners.add(listener)
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  publish(messages: ReadonlyArray<Message>, at: number): void {
    this.#at = Math.max(this.#at, at)
    if (messages.length === 0) return
    for (const message of messages) {
      this.#recent.push(message)
      this.#recentText += message.json.length
    }
    let count = 0
    while (
      this.#recent.length - count > this.#recentLimit ||
      (this.#recentText > textLimit && count < this.#recent.length)
    ) {
      const oldest = this.#recent[count++]!
      this.#from = oldest.id
      this.#recentText -= oldest.json.length
    }
    if (count > 0) this.#recent.splice(0, count)
    for (const { onMessages } of this.#listeners) onMessages(messages)
  }

  /**
   * Fails all listeners, because the log cannot be read on from `at` and messages may be missing. The live messages begin
   * anew at `from`.
   */
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
