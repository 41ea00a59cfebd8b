/**
 * Finds API clients: by id and secret, for access tokens and for browsers (D10.4, D14.4), and by id alone once a token is verified.
 *
 * Guarantee: a secret is compared in constant time. An unknown client, a disabled client and a wrong secret cost the same work and get the
 * same answer (D10.4). Grants are at most five seconds old (D10.3), so a disabled client is refused within that time. After too many
 * failures from one network the secret is not compared for the rest of the minute (D10.5); each instance counts for itself. For each
 * failure the log has a line with the address and, if a client has that id, the client. The line has nothing else from the request.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Credentials } from "@dockline/core/access/Authenticator"
import { ClientStore, isClientId } from "@dockline/core/access/Principals"
import type { Client, ClientSecret } from "@dockline/core/access/Principals"
import type { ErrorCategory } from "@dockline/core/values/CatalogueError"
import { withDefaults } from "@dockline/core/values/Defaults"
import { Unauthenticated } from "@dockline/core/values/Errors"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { Cache, Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as ClientAddress from "./ClientAddress.ts"
import * as RateLimits from "./RateLimits.ts"
import { steady } from "./SteadyClock.ts"

/** The id and secret are not those of an enabled client. The message does not tell which of them is wrong. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {
  /** The id for the log, if a client has it. Any other text may be a secret in the wrong field. */
  clientId: Schema.optionalKey(Schema.String)
}) {
  readonly category = "unauthenticated" satisfies ErrorCategory
  readonly code = "INVALID_CLIENT"
  override readonly message = "unknown client, or wrong secret"
}

/** The highest age of the grants of a request, in milliseconds (D10.3). */
const principalLifetime = 5000

/** The most clients, known and unknown ones, whose grants are kept at once. */
const principalCapacity = 10_000

/** The form in which a secret is stored: its SHA-256 in lower-case hexadecimal. */
export const hashSecret = (secret: string): string => sha256(secret).toString("hex")

/** The API clients, as this adapter uses them. */
export class Clients extends Context.Service<Clients, {
  /** The enabled client with that id, if the secret is one of its secrets. Not cached: a new secret works at once. */
  readonly authenticate: (
    id: string,
    secret: string
  ) => Effect.Effect<Client, InvalidClient | StorageUnavailable>
  /** The enabled client with that id and its current permissions; `Unauthenticated` if there is none. */
  readonly principal: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
  /** The current `principal`, without the cache. */
  readonly current: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
}>()("@dockline/http-adapter/tokens/Clients") {
  /** Clients of the store. */
  static readonly layer: Layer.Layer<Clients, never, ClientStore> = Layer.effect(
    Clients,
    Effect.gen(function*() {
      const store = yield* ClientStore
      const clock = yield* Clock.Clock
      const steadyClock = steady(clock)

      const find = (id: string) => isClientId(id) ? store.find(id) : Effect.succeed(null)

      const authenticate = Effect.fnUntraced(function*(id: string, secret: string) {
        const client = yield* find(id)
        const matches = isOneOf(secret, client?.secrets ?? [])
        if (client === null) return yield* new InvalidClient({})
        if (!matches || !client.enabled) return yield* new InvalidClient({ clientId: client.id })
        return client
      })

      const cache = yield* Cache.makeWith(
        Effect.fnUntraced(function*(id: string) {
          const now = yield* Clock.currentTimeMillis
          // The look-up uses the real clock, so that its traces show the time of day.
          const client = yield* Effect.provideService(find(id), Clock.Clock, clock)
          // The age of the grants counts from the beginning of the look-up, however slow it is.
          return { principal: principalOf(client), took: (yield* Clock.currentTimeMillis) - now }
        }),
        {
          capacity: principalCapacity,
          timeToLive: (exit) => Exit.isSuccess(exit) ? Math.max(0, principalLifetime - exit.value.took) : 0
        }
      )

      return Clients.of({
        authenticate,
        principal: (id) =>
          Effect.flatMap(
            Effect.provideService(Cache.get(cache, id), Clock.Clock, steadyClock),
            ({ principal }) => principal
          ),
        current: (id) => Effect.flatMap(find(id), principalOf)
      })
    })
  )
}

const principalOf = (client: Client | null): Effect.Effect<Principal, Unauthenticated> =>
  client?.enabled === true
    ? Effect.succeed({ clientId: client.id, name: client.name, grants: client.grants })
    : Effect.fail(new Unauthenticated({ reason: "invalid" }))

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** A hash that replaces missing ones: every secret is compared with as many hashes as a client with two secrets has. */
const decoy = randomBytes(32)
const leastComparisons = 2

/** Whether the secret is one of the stored ones. It is compared with all of them, even after a match. */
const isOneOf = (secret: string, secrets: ReadonlyArray<ClientSecret>): boolean => {
  const hash = sha256(secret)
  let matches = false
  for (let at = 0; at < Math.max(secrets.length, leastComparisons); at++) {
    const storedHash = Buffer.from(secrets[at]?.hash ?? "", "hex")
    const isHash = storedHash.byteLength === hash.byteLength
    const equal = timingSafeEqual(isHash ? storedHash : decoy, hash)
    matches = (isHash && equal) || matches
  }
  return matches
}

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
export const credentialsLayer = (
  options: Partial<ClientCredentialsConfig> = {}
): Layer.Layer<Credentials, never, Clients> =>
  Layer.effect(
    Credentials,
    Effect.map(Clients, (clients) => {
      const config = withDefaults(defaultClientCredentialsConfig, options)
      const addresses = ClientAddress.make(config.trustedProxies)
      const limit = config.failuresPerMinute === 0 ? Number.POSITIVE_INFINITY : config.failuresPerMinute
      const failures = RateLimits.fixedWindows(windowSeconds * 1000, config.failureCapacity)

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

/** Finds the network of the client of a request. */
export const networkBy =
  (addresses: ClientAddress.ClientAddresses): Credentials["Service"]["networkOf"] =>
  ({ headers, remoteAddress }) => ClientAddress.networkOf(addresses.of(remoteAddress, headers))
