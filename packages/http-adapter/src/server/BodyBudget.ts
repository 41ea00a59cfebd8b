/**
 * How many bytes of request bodies are held at once.
 *
 * Guarantee: what is announced of all requests that are being served is bounded, and of those of one client too. A body of
 * unknown length counts as the largest that is read. Small bodies do not count: the number of requests bounds them.
 */
import type { IncomingMessage } from "node:http"

/** Settings of the budget. */
export interface BodyBudgetConfig {
  readonly bodyBytes: number
  readonly bodyBytesPerClient: number
  readonly largestBody: number
}

/** A body of at most so many bytes does not count. */
const small = 16 * 1024

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined ||
  (headers["content-length"] !== undefined && headers["content-length"] !== "0")

const nothing = (): void => undefined

/** Bytes of bodies, by client. */
export class BodyBudget {
  readonly #config: BodyBudgetConfig
  readonly #heldOf = new Map<string, number>()
  #held = 0

  constructor(config: BodyBudgetConfig) {
    this.#config = config
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held
  }

  /** Reserves room for the body of a request; returns its release, or `undefined` where there is no room. */
  reserve(client: string, request: IncomingMessage): (() => void) | undefined {
    const { bodyBytes, bodyBytesPerClient, largestBody } = this.#config
    const bytes = this.#bytesOf(request)
    if (bytes <= small || bytes > largestBody) return nothing
    const own = this.#heldOf.get(client) ?? 0
    // One that is alone has room, however little there is.
    if (this.#held > 0 && (this.#held + bytes > bodyBytes || own + bytes > bodyBytesPerClient)) {
      return undefined
    }
    this.#held += bytes
    this.#heldOf.set(client, own + bytes)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held -= bytes
      const left = this.#heldOf.get(client)! - bytes
      if (left === 0) this.#heldOf.delete(client)
      else this.#heldOf.set(client, left)
    }
  }

  /** What may have to be held; nothing of a body that is announced larger than any that is read. */
  #bytesOf({ headers }: IncomingMessage): number {
    return headers["transfer-encoding"] === undefined
      ? Number(headers["content-length"] ?? 0)
      : this.#config.largestBody
  }
}
