/**
 * Port: the API clients, their hashed secrets and their grants.
 */
import { Context, Effect, Result } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NamePage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { everything } from "./Access.ts"
import type { BusinessScope, Grant } from "./Access.ts"

/** One of the secrets a client may use; two may be valid at once (D10.4). */
export interface ClientSecret {
  readonly id: string
  /** SHA-256 of the secret, lower-case hexadecimal. The secret itself is nowhere stored. */
  readonly hash: string
  /** Absent where it is not known. */
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

/** The API clients. */
export class ClientStore extends Context.Service<ClientStore, {
  /** The client of that id, or `null`. */
  readonly find: (id: string) => Effect.Effect<Client | null, StorageUnavailable>
  /**
   * The clients in id order: all of them, or those with grants whose grants are all at the businesses named. A page
   * ends early rather than hold more than 10,000 facilities.
   */
  readonly list: (
    scope: BusinessScope,
    page: NamePage
  ) => Effect.Effect<Page<Client>, StorageUnavailable>
  /** Adds a client; `false` when there is one of its id, which stays as it is. */
  readonly create: (client: Client) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Changes a client as `change` says, nothing coming between its reading and its writing; `null` when there is none.
   * The id stays.
   */
  readonly update: <E>(
    id: string,
    change: (client: Client) => Result.Result<Omit<Client, "id">, E>
  ) => Effect.Effect<Client | null, E | StorageUnavailable>
  /** Writes clients as given: new ones are added, existing ones replaced, secrets and grants included. */
  readonly put: (clients: ReadonlyArray<Client>) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/ClientStore") {}

/** Whether a client does something, and all of it at businesses of the scope. */
export const isWithin = ({ grants }: Pick<Client, "grants">, scope: BusinessScope): boolean =>
  scope === everything || (grants.length > 0 && grants.every(({ business }) => scope.includes(business)))
