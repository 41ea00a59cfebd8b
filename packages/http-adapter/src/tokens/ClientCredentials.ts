/**
 * Checks ids and secrets of clients, for access tokens and for browsers (D10.4, D14.4).
 *
 * Guarantee: after too many failures from one network the secret is not compared for the rest of the minute (D10.5), neither for tokens nor
 * for browsers; each instance counts for itself. For each failure the log has a line with the address and, if a client has that id, the
 * client. The line has nothing else from the request.
 */
import { Credentials } from "@dockline/core/access/Authenticator"
import { withDefaults } from "@dockline/core/values/Defaults"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { Clock, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import * as ClientAddress from "./ClientAddress.ts"
import { Clients } from "./Clients.ts"
import * as FixedWindows from "./FixedWindows.ts"

/** Limits of the failures. */
export interface ClientCredentialsConfig {
  /** How many times in a minute a client id may be sent with a wrong secret from one network; 0 for no limit. */
  readonly failuresPerMinute: number
  /** The most pairs of client id and network that are counted at once. Beyond this number, the oldest counts are forgotten. */
  readonly failureCapacity: number
  /** The networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** 60 failures a minute, counted for 10,000 pairs; no proxy is trusted. */
export const defaultClientCredentialsConfig: ClientCredentialsConfig = {
  failuresPerMinute: 60,
  failureCapacity: 10_000,
  trustedProxies: []
}

/** Checks ids and secrets; defaults are in {@link defaultClientCredentialsConfig}. */
export const layer = (
  options: Partial<ClientCredentialsConfig> = {}
): Layer.Layer<Credentials, never, Clients> =>
  Layer.effect(
    Credentials,
    Effect.map(Clients, (clients) => {
      const config = withDefaults(defaultClientCredentialsConfig, options)
      const addresses = ClientAddress.make(config.trustedProxies)
      const limit = config.failuresPerMinute === 0 ? Number.POSITIVE_INFINITY : config.failuresPerMinute
      const failures = FixedWindows.make(windowSeconds * 1000, config.failureCapacity)

      return Credentials.of({
        networkOf: networkBy(addresses),
        check: Effect.fnUntraced(function*({ clientId, clientSecret, headers, remoteAddress }) {
          const address = addresses.of(remoteAddress, headers)
          const network = ClientAddress.networkOf(address)
          // The key is a hash, because a substring would keep the whole text, here the body of the request, in memory.
          const key = createHash("sha256").update(`${network} ${clientId}`).digest("base64")
          const now = yield* Clock.currentTimeMillis
          const { count, endsAt } = failures.peek(key, now)
          if (count >= limit) {
            const retryAfterSeconds = Math.ceil((endsAt - now) / 1000)
            return yield* new RateLimited({ limit, windowSeconds, retryAfterSeconds })
          }
          return yield* Effect.as(clients.authenticate(clientId, clientSecret), true).pipe(
            Effect.catchTag("InvalidClient", (refusal) =>
              Effect.gen(function*() {
                failures.count(key, yield* Clock.currentTimeMillis)
                yield* Effect.logWarning("A sign-in failed").pipe(
                  Effect.annotateLogs({ client: refusal.clientId ?? "unknown", address })
                )
                return false
              }))
          )
        })
      })
    })
  )

const windowSeconds = 60

/** Finds the network of a request, from the address that trusted proxies give. */
export const networkBy =
  (addresses: ClientAddress.ClientAddresses): Credentials["Service"]["networkOf"] =>
  ({ headers, remoteAddress }) => ClientAddress.networkOf(addresses.of(remoteAddress, headers))
