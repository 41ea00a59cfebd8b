/**
 * Bounds the bytes of request bodies that are held at once.
 *
 * Guarantee: the announced bytes of all requests that are being served are bounded, and those of one client. A body of
 * unknown length counts as the largest body. Small bodies do not count: the number of requests bounds them.
 */
import type { IncomingMessage } from "node:http"
import { Tally } from "./Tally.ts"

export interface BodyBudgetConfig {
  /** The most bytes of request bodies at a time, as announced, of requests that are being served. */
  readonly bodyBytes: number
  /** The most of these bytes for one client. */
  readonly bodyBytesPerClient: number
  /** The largest body that is read at all: a body that is announced larger is refused unread. */
  readonly largestBody: number
}

/** The largest body that does not count, in bytes. */
const small = 16 * 1024

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined ||
  (headers["content-length"] !== undefined && headers["content-length"] !== "0")

const nothing = (): void => undefined

export class BodyBudget {
  readonly #config: BodyBudgetConfig
  readonly #held = new Tally()

  constructor(config: BodyBudgetConfig) {
    this.#config = config
  }

  get held(): number {
    return this.#held.total
  }

  /** Reserves room for the body of a request; returns its release, or `undefined` where there is no room. */
  reserve(client: string, request: IncomingMessage): (() => void) | undefined {
    const { bodyBytes, bodyBytesPerClient, largestBody } = this.#config
    const bytes = this.#bytesOf(request)
    if (bytes <= small || bytes > largestBody) return nothing
    const { total } = this.#held
    // A single body always has room.
    if (total > 0 && (total + bytes > bodyBytes || this.#held.of(client) + bytes > bodyBytesPerClient)) {
      return undefined
    }
    this.#held.add(client, bytes)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held.add(client, -bytes)
    }
  }

  #bytesOf({ headers }: IncomingMessage): number {
    return headers["transfer-encoding"] === undefined
      ? Number(headers["content-length"] ?? 0)
      : this.#config.largestBody
  }
}
