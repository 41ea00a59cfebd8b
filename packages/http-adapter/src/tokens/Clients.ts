/**
 * Who an API client is: by its id and secret at the token endpoint, by its id alone once a token is verified.
 *
 * Guarantee: a secret is compared in constant time, and an unknown client, a disabled client and a wrong secret cost
 * the same work and give the same answer (D10.4). Grants are at most five seconds old (D10.3), and a client that is
 * disabled is refused within the same time.
 */
import type { Principal } from "@dockline/core/Access"
import { ClientStore } from "@dockline/core/ClientStore"
import type { Client, ClientSecret } from "@dockline/core/ClientStore"
import { Unauthenticated } from "@dockline/core/Errors"
import type { ErrorCategory, StorageUnavailable } from "@dockline/core/Errors"
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Schema } from "effect"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { steadily } from "./SteadyClock.ts"

/** The id and secret given are not those of an enabled client. Which of them is wrong is not told. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {}) {
  readonly category = "unauthenticated" satisfies ErrorCategory
  readonly code = "INVALID_CLIENT"
  override readonly message = "unknown client, or wrong secret"
}

/** How clients are looked up. */
export interface ClientsConfig {
  /** How old the grants of a request may be; D10.3 allows five seconds. */
  readonly principalLifetime: Duration.Duration
  /** The most clients, known and unknown ones, whose grants are kept at once. */
  readonly principalCapacity: number
}

/** Grants are kept for 5 seconds, of at most 10,000 clients. */
export const defaultClientsConfig: ClientsConfig = {
  principalLifetime: Duration.seconds(5),
  principalCapacity: 10_000
}

/** A new client secret: 256 random bits in base64url, 43 characters. */
export const makeSecret = (): string => randomBytes(32).toString("base64url")

/** What is stored of a secret: its SHA-256 in lower-case hexadecimal. */
export const hashSecret = (secret: string): string => sha256(secret).toString("hex")

/** The API clients, as the adapter sees them. */
export class Clients extends Context.Service<Clients, {
  /** The enabled client of that id, when the secret is one of its secrets. Not cached: a new secret works at once. */
  readonly authenticate: (
    id: string,
    secret: string
  ) => Effect.Effect<Client, InvalidClient | StorageUnavailable>
  /** The enabled client of that id with what it may do now; `Unauthenticated` when there is none. */
  readonly principal: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
  /** `principal` as it is this moment, from no cache. */
  readonly current: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
}>()("@dockline/http-adapter/Clients") {
  /** Clients of the store. */
  static readonly layer = (
    config: ClientsConfig = defaultClientsConfig
  ): Layer.Layer<Clients, never, ClientStore> =>
    Layer.effect(
      Clients,
      Effect.gen(function*() {
        const store = yield* ClientStore
        const clock = yield* Clock.Clock

        const find = (id: string) => isClientId(id) ? store.find(id) : Effect.succeed(null)

        const authenticate = Effect.fnUntraced(function*(id: string, secret: string) {
          const client = yield* find(id)
          const matches = isOneOf(secret, client?.secrets ?? [])
          if (client === null || !matches || !client.enabled) return yield* new InvalidClient()
          return client
        })

        const principals = yield* Cache.makeWith(
          Effect.fnUntraced(function*(id: string) {
            const asked = yield* Clock.currentTimeMillis
            // What is told of the question, as by a trace, is told in the time of day.
            const client = yield* Effect.provideService(find(id), Clock.Clock, clock)
            const principal = principalOf(client)
            // The age of the grants counts from when they were asked for, however slow the answer.
            return { principal, took: (yield* Clock.currentTimeMillis) - asked }
          }),
          {
            capacity: config.principalCapacity,
            timeToLive: (exit) =>
              Exit.isSuccess(exit)
                ? Duration.max(
                  Duration.zero,
                  Duration.subtract(config.principalLifetime, Duration.millis(exit.value.took))
                )
                : Duration.zero
          }
        )

        const principal = (clientId: string) =>
          Effect.flatMap(steadily(Cache.get(principals, clientId)), ({ principal }) =>
            orUnauthenticated(principal))

        const current = (clientId: string) =>
          Effect.flatMap(find(clientId), (client) =>
            orUnauthenticated(principalOf(client)))

        return Clients.of({ authenticate, principal, current })
      })
    )
}

/** What an enabled client may do; `null` for one that is unknown or disabled. */
const principalOf = (client: Client | null): Principal | null =>
  client === null || !client.enabled ? null : { clientId: client.id, grants: client.grants }

const orUnauthenticated = (principal: Principal | null): Effect.Effect<Principal, Unauthenticated> =>
  principal === null ? Effect.fail(new Unauthenticated({ reason: "invalid" })) : Effect.succeed(principal)

/** RFC 6749 appendix A.1, with a bound. No other id reaches the store, which need not cope with NUL, say. */
const isClientId = (id: string): boolean => /^[\x20-\x7e]{1,256}$/.test(id)

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** Every client is compared with as many hashes as one with two valid secrets, an unknown one with these alone. */
const decoys: ReadonlyArray<Buffer> = [randomBytes(32), randomBytes(32)]

/** Whether the secret is one of those given; looks at all of them, whichever matches. */
const isOneOf = (secret: string, secrets: ReadonlyArray<ClientSecret>): boolean => {
  const given = sha256(secret)
  let matches = false
  for (let at = 0; at < Math.max(secrets.length, decoys.length); at++) {
    const stored = Buffer.from(secrets[at]?.hash ?? "", "hex")
    const isHash = stored.byteLength === given.byteLength
    const equal = timingSafeEqual(isHash ? stored : decoys[at % decoys.length]!, given)
    matches = (isHash && equal) || matches
  }
  return matches
}
