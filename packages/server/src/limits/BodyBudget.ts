/**
 * Bounds the bytes of request bodies that are held at once.
 *
 * Guarantee: the announced bytes of all requests that are being served are bounded, and those of one business and of one client. A body of
 * unknown length counts as the largest body. Small bodies do not count: the number of requests bounds them.
 */
import type { Share } from "@dockline/core/access/Share"
import type { IncomingMessage } from "node:http"
import { ShareTally } from "./Shares.ts"

export interface BodyBudgetConfig {
  /** The most bytes of request bodies at a time, as announced, of requests that are being served. */
  readonly bodyBytes: number
  /** The most of these bytes for one business. */
  readonly bodyBytesPerBusiness: number
  /** The most of these bytes for one client. */
  readonly bodyBytesPerClient: number
  /** The largest body that is read at all: a body that is announced larger is refused unread. */
  readonly largestBody: number
}

/** The largest body that does not count, in bytes. */
const small = 16 * 1024

const nothing = (): void => undefined

export class BodyBudget {
  readonly #config: BodyBudgetConfig
  readonly #held = new ShareTally()

  constructor(config: BodyBudgetConfig) {
    this.#config = config
  }

  get held(): number {
    return this.#held.total
  }

  /** Reserves room for the body of a request; returns its release, or `undefined` where there is no room. */
  reserve(share: Share, request: IncomingMessage): (() => void) | undefined {
    const { bodyBytes, bodyBytesPerBusiness, bodyBytesPerClient, largestBody } = this.#config
    const bytes = this.#bytesOf(request)
    if (bytes <= small || bytes > largestBody) return nothing
    const { total } = this.#held
    const ofClient = this.#held.ofClient(share)
    // A single body always has room, and that of a client within what its business has.
    const hasRoom = total === 0 ||
      (total + bytes <= bodyBytes &&
        this.#held.ofBusiness(share) + bytes <= bodyBytesPerBusiness &&
        (ofClient === 0 || ofClient + bytes <= bodyBytesPerClient))
    if (!hasRoom) return undefined
    this.#held.add(share, bytes)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held.add(share, -bytes)
    }
  }

  #bytesOf({ headers }: IncomingMessage): number {
    return headers["transfer-encoding"] === undefined
      ? Number(headers["content-length"] ?? 0)
      : this.#config.largestBody
  }
}
