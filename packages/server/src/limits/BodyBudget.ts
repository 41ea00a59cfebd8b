/**
 * Bounds the bytes of request bodies that are held at once.
 *
 * Guarantee: the announced bytes of all requests that are being served are bounded, and those of one business and of one client. A body of
 * unknown length counts as the largest body. Small bodies do not count: the number of requests bounds them. Where bodies that do not come take the
 * room, those of whoever has most give way to a business that then has no more.
 */
import type { Share } from "@dockline/core/access/Share"
import type { IncomingMessage } from "node:http"
import { givingWay, ShareTally } from "./Shares.ts"
import type { Hold } from "./Shares.ts"

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

/** Room for a body. */
export interface BodyRoom {
  /** Gives it back. May be called more than once. */
  readonly release: () => void
  /** Gives it back where others need it, and calls `refuse` then. */
  readonly offer: (refuse: () => void) => void
  /** Keeps it until it is released. */
  readonly keep: () => void
}

const nothing = (): void => undefined

/** The room for a body that does not count. */
export const smallRoom: BodyRoom = { release: nothing, offer: nothing, keep: nothing }

export class BodyBudget {
  readonly #config: BodyBudgetConfig
  readonly #held = new ShareTally()
  /** The bodies that give way, and what refuses them; that which has been slow for longest comes first. */
  readonly #slow = new Map<Hold, () => void>()

  constructor(config: BodyBudgetConfig) {
    this.#config = config
  }

  get bytes(): number {
    return this.#held.total
  }

  /** Reserves room for the body of a request; `undefined` where there is none. */
  reserve(share: Share, request: IncomingMessage): BodyRoom | undefined {
    const { bodyBytesPerBusiness, bodyBytesPerClient, largestBody } = this.#config
    const bytes = this.#bytesOf(request)
    if (bytes <= small || bytes > largestBody) return smallRoom
    const ofClient = this.#held.ofClient(share)
    // A single body always has room, and that of a client within what its business has.
    const hasRoom = this.bytes === 0 ||
      (this.#held.ofBusiness(share) + bytes <= bodyBytesPerBusiness &&
        (ofClient === 0 || ofClient + bytes <= bodyBytesPerClient) &&
        this.#makeRoom(share, bytes))
    if (!hasRoom) return undefined
    const hold = { share, amount: bytes }
    this.#held.add(share, bytes)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#slow.delete(hold)
      this.#held.add(share, -bytes)
    }
    return {
      release,
      offer: (refuse) => {
        if (isReleased) return
        this.#slow.set(hold, () => {
          release()
          refuse()
        })
      },
      keep: () => void this.#slow.delete(hold)
    }
  }

  /** Whether there is room for a body, once slow ones have given way. */
  #makeRoom({ business }: Share, bytes: number): boolean {
    const need = this.bytes + bytes - this.#config.bodyBytes
    if (need <= 0) return true
    const least = this.#held.ofBusiness({ business }) + bytes
    const giving = givingWay(
      this.#held,
      this.#slow.keys(),
      need,
      (rest, { amount }) => rest - amount >= least
    )
    for (const hold of giving) this.#slow.get(hold)?.()
    return giving.length > 0
  }

  #bytesOf({ headers }: IncomingMessage): number {
    return headers["transfer-encoding"] === undefined
      ? Number(headers["content-length"] ?? 0)
      : this.#config.largestBody
  }
}
