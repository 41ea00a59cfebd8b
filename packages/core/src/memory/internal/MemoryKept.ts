/**
 * Answers kept by idempotency key, in memory. A transaction with its answer runs in one step of the event loop.
 */
import { Result } from "effect"
import { retentionMillis } from "../../access/IdempotencyStore.ts"
import { KeptAnswer } from "../../access/Keep.ts"
import type { IdempotentRequest, Keep } from "../../access/Keep.ts"
import { IdempotencyKeyReused } from "../../values/RequestErrors.ts"
import type { Timestamp } from "../../values/Timestamp.ts"

interface Entry {
  readonly fingerprint: string
  readonly text: string
  readonly keptAt: number
}

const idOf = ({ clientId, key }: IdempotentRequest): string => JSON.stringify([clientId, key])

const isExpired = ({ keptAt }: Entry, now: number): boolean => keptAt + retentionMillis <= now

export class MemoryKept {
  /** In the order in which they were kept. */
  readonly #kept = new Map<string, Entry>()

  get size(): number {
    return this.#kept.size
  }

  /** The kept answer of a request, or that its key belongs to another request; `undefined` if the key is free. */
  find(request: IdempotentRequest, now: Timestamp): KeptAnswer | IdempotencyKeyReused | undefined {
    const entry = this.#kept.get(idOf(request))
    if (entry === undefined || isExpired(entry, Date.parse(now))) return undefined
    return entry.fingerprint === request.fingerprint
      ? new KeptAnswer({ text: entry.text })
      : new IdempotencyKeyReused()
  }

  put(request: IdempotentRequest, text: string, now: Timestamp): void {
    const keptAt = Date.parse(now)
    // The first answer that has not expired ends the loop.
    for (const [id, answer] of this.#kept) {
      if (!isExpired(answer, keptAt)) break
      this.#kept.delete(id)
    }
    const id = idOf(request)
    this.#kept.delete(id)
    this.#kept.set(id, { fingerprint: request.fingerprint, text, keptAt })
  }

  readonly keeping = <A, E, F>(
    keep: Keep<A, F> | undefined,
    now: Timestamp,
    run: () => Result.Result<A, E>
  ): Result.Result<A, E | F> => {
    if (keep === undefined) return run()
    const answer = this.find(keep.request, now)
    if (answer !== undefined) return Result.fail(keep.notRun(answer))
    const result = run()
    const text = keep.textOf(result)
    if (text !== undefined) this.put(keep.request, text, now)
    return result
  }
}
