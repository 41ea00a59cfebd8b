/**
 * Port: the API clients, their hashed secrets and their grants.
 */
import { Context, Effect, Layer } from "effect"
import type { Grant } from "./Access.ts"
import type { StorageUnavailable } from "./Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** One of the secrets a client may use; two may be valid at once (D10.4). */
export interface ClientSecret {
  readonly id: string
  /** SHA-256 of the secret, lower-case hexadecimal. The secret itself is nowhere stored. */
  readonly hash: string
}

/** An API client. */
export interface Client {
  readonly id: string
  readonly name: string
  /** A disabled client gets no token, and the tokens it holds are invalid. */
  readonly enabled: boolean
  readonly secrets: ReadonlyArray<ClientSecret>
  readonly grants: ReadonlyArray<Grant>
}

/** The API clients. */
export class ClientStore extends Context.Service<ClientStore, {
  /** The client of that id, or `null`. */
  readonly find: (id: string) => Effect.Effect<Client | null, StorageUnavailable>
  /** Writes clients as given: new ones are added, existing ones replaced, secrets and grants included. */
  readonly put: (clients: ReadonlyArray<Client>) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/ClientStore") {
  /** Clients in memory. */
  static readonly layerMemory: Layer.Layer<ClientStore, never, MemoryDatabase> = Layer.effect(
    ClientStore,
    Effect.map(MemoryDatabase, ({ clients }) =>
      ClientStore.of({
        find: (id) => Effect.sync(() => clients.get(id) ?? null),
        put: (given) => Effect.sync(() => given.forEach((client) => clients.set(client.id, client)))
      }))
  )
}
