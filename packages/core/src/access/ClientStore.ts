/**
 * Port: stores the API clients, their hashed secrets and their grants.
 */
import { Context, Effect, Result } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { BusinessScope, Grant } from "./Access.ts"
import { isPerson } from "./Person.ts"

/** A secret of a client; two may be valid at once (D10.4). */
export interface ClientSecret {
  readonly id: string
  /** The SHA-256 of the secret in lower-case hexadecimal. The secret itself is not stored. */
  readonly hash: string
  /** Absent when unknown. */
  readonly createdAt?: Timestamp
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

/** Stores the API clients. */
export class ClientStore extends Context.Service<ClientStore, {
  /** The client with this id, or `null`. */
  readonly find: (id: string) => Effect.Effect<Client | null, StorageUnavailable>
  /**
   * The clients in id order. With a list of businesses: only clients that have grants, all of them for these businesses. A page ends early
   * instead of holding more than 10,000 facilities.
   */
  readonly list: (
    scope: BusinessScope,
    page: NamePageRequest
  ) => Effect.Effect<Page<Client>, StorageUnavailable>
  /** Adds a client; `false`, with no change, when the id is in use. */
  readonly create: (client: Client) => Effect.Effect<boolean, StorageUnavailable>
  /** Changes a client atomically; `null` when it does not exist. The id stays. */
  readonly update: <E>(
    id: string,
    change: (client: Client) => Result.Result<Omit<Client, "id">, E>
  ) => Effect.Effect<Client | null, E | StorageUnavailable>
  /** Writes clients: adds new clients, and replaces existing ones with their secrets and grants. */
  readonly put: (clients: ReadonlyArray<Client>) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/access/ClientStore") {}

/** Whether a text can be the id of a client: it has only the characters of RFC 6749, appendix A.1, and is not the id of a person. */
export const isClientId = (id: string): boolean => /^[\x20-\x7e]{1,256}$/.test(id) && !isPerson(id)
