/**
 * Remembers the owner of the credentials in an `Authorization` header, so that `Admission` knows at once which share a request takes.
 *
 * Guarantee: an identity ends with its token or session: when it expires, with the first request that is refused as unauthenticated, and
 * with a check every five seconds while it is used (D10.3). While the storage is unavailable, known identities stay. All spellings of a
 * token are one entry, so that spellings cannot fill the memory.
 */
import type { Authenticator } from "@dockline/core/access/Authenticator"
import * as Share from "@dockline/core/access/Share"
import { bearerToken } from "@dockline/http-adapter/tokens/BearerAuth"
import { Effect } from "effect"

/** The authenticator of the interfaces, which identifies credentials. */
export type Authenticate = typeof Authenticator.Service["authenticate"]

interface Identity {
  readonly share: Share.Share
  readonly expiresAt: number
  checkedAt: number
}

/** The most credentials that are remembered; beyond it, those checked first are forgotten. */
const capacity = 10_000

/** The time between two checks of credentials that are in use, in milliseconds. */
const checkMillis = 5000

export class Identities {
  readonly #authenticate: Authenticate
  /** In the order of their last check. */
  readonly #known = new Map<string, Identity>()

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate
  }

  /** The share of credentials that are known to be good; it asks no authenticator. */
  shareOf(authorization: string): Share.Share | undefined {
    const key = keyOf(authorization)
    const identity = this.#known.get(key)
    if (identity === undefined) return undefined
    if (Date.now() >= identity.expiresAt) {
      this.#known.delete(key)
      return undefined
    }
    const now = performance.now()
    if (now - identity.checkedAt >= checkMillis) {
      identity.checkedAt = now
      Effect.runFork(this.#check(authorization))
    }
    return identity.share
  }

  /** The share of credentials; `undefined` if they are invalid or cannot be checked now. */
  find(authorization: string): Effect.Effect<Share.Share | undefined> {
    return Effect.suspend(() => {
      const share = this.shareOf(authorization)
      return share === undefined ? this.#check(authorization) : Effect.succeed(share)
    })
  }

  forget(authorization: string): void {
    this.#known.delete(keyOf(authorization))
  }

  #check(authorization: string): Effect.Effect<Share.Share | undefined> {
    return this.#authenticate(authorization).pipe(
      Effect.match({
        onFailure: (error) => {
          if (error._tag === "Unauthenticated") this.forget(authorization)
          return undefined
        },
        onSuccess: ({ expiresAt, principal }) => {
          const share = Share.ofPrincipal(principal)
          this.#remember(keyOf(authorization), { share, expiresAt, checkedAt: performance.now() })
          return share
        }
      }),
      // The requested interface authenticates the request again and reports the fault.
      Effect.catchDefect(() => Effect.succeed(undefined))
    )
  }

  #remember(key: string, identity: Identity): void {
    this.#known.delete(key)
    this.#known.set(key, identity)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= capacity) break
      this.#known.delete(oldest)
    }
  }
}

/** One key for all spellings of a bearer token: the token. A space, which no token holds, keeps other headers apart. */
const keyOf = (authorization: string): string => bearerToken(authorization) ?? ` ${authorization}`
