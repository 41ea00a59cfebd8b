/**
 * The people who sign in to the dashboard by an OpenID Connect provider (D14.4): their identity at the provider, their principals, and the
 * port that stores them with their grants. The API clients, and the port that stores them with their hashed secrets and their grants.
 */
import { Context, Effect, Result } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { BusinessScope, Grant, Principal } from "./Access.ts"

/**
 * A person, known by either an e-mail address or a subject of the provider. If operators of different businesses add the same human being,
 * each addition is a separate person, and no operator learns of the others.
 */
export interface Person {
  readonly id: string
  readonly name: string
  /** An address that the provider has verified, in lower case; `null` for a person known by subject. */
  readonly email: string | null
  /** The `sub` of the provider; `null` for a person known by e-mail. */
  readonly subject: string | null
  readonly grants: ReadonlyArray<Grant>
}

/** The identity of somebody who signed in at a provider. */
export interface Identity {
  readonly subject: string
  /** The address, if the provider has verified it, in lower case. */
  readonly email: string | null
}

/**
 * Whether two people have grants for the same business. A person without grants may still get any grant, so the answer is true for such a
 * person.
 */
export const sharesBusiness = (
  { grants: left }: Pick<Person, "grants">,
  { grants: right }: Pick<Person, "grants">
): boolean =>
  left.length === 0 || right.length === 0 ||
  left.some(({ business }) => right.some((grant) => grant.business === business))

/** The prefix of the principal ids of people. No id of a client begins with it. */
const prefix = "person:"

/** Whether a principal is a person, by the id; all other principals are API clients. */
export const isPerson = (principalId: string): principalId is `${typeof prefix}${string}` =>
  principalId.startsWith(prefix)

/** The id of a person, from the person's id as a principal; the input must satisfy {@link isPerson}. */
export const personIdOf = (principalId: string): string => principalId.slice(prefix.length)

/** The id of a person as a principal: `person:` and the person's own id. */
export const principalIdOf = ({ id }: Pick<Person, "id">): string => `${prefix}${id}`

/** A person as the principal of requests, with the same grants. */
export const principalOf = (person: Person): Principal => ({
  clientId: principalIdOf(person),
  name: person.name,
  grants: person.grants
})

/**
 * An e-mail address in lower case; `undefined` for other text. Only ASCII is accepted, because other letters may look like letters of
 * ASCII, or become letters of ASCII in lower case.
 */
export const emailOf = (text: string): string | undefined =>
  /^[\x21-\x3f\x41-\x7e]{1,64}@[a-z\d.-]{1,189}$/i.test(text) ? text.toLowerCase() : undefined

/** Whether a text can be the subject of a provider: ASCII of at most 255 characters (OpenID Connect Core, section 2). */
export const isSubject = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text)

/** The most people that {@link PersonStore} finds for one identity. */
export const identityLimit = 100

/** Stores people. */
export class PersonStore extends Context.Service<PersonStore, {
  /** The person with this id, or `null`. */
  readonly find: (id: string) => Effect.Effect<Person | null, StorageUnavailable>
  /**
   * The people known by the subject, then those known by the e-mail address, each in id order: at most the first 100. Each operator who
   * adds the identity adds a person.
   */
  readonly findIdentity: (identity: Identity) => Effect.Effect<ReadonlyArray<Person>, StorageUnavailable>
  /**
   * The people in id order. With a list of businesses: only people who have grants, all of them for these businesses. A page ends early
   * instead of holding more than 10,000 facilities.
   */
  readonly list: (
    scope: BusinessScope,
    page: NamePageRequest
  ) => Effect.Effect<Page<Person>, StorageUnavailable>
  /**
   * Adds a person. `false`, with no change, when the id is in use, or when `isSame` holds for a person with the same address or subject.
   * Calls for the same address or subject run one after another.
   */
  readonly create: (
    person: Person,
    isSame: (person: Person) => boolean
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Changes a person atomically; `null` when the person does not exist. `others` are the people with the same address or subject. */
  readonly update: <E>(
    id: string,
    change: (
      person: Person,
      others: ReadonlyArray<Person>
    ) => Result.Result<Pick<Person, "name" | "grants">, E>
  ) => Effect.Effect<Person | null, E | StorageUnavailable>
  /** Removes a person, unless `check` refuses it; `false` when the person does not exist. */
  readonly remove: <E>(
    id: string,
    check: (person: Person) => Result.Result<void, E>
  ) => Effect.Effect<boolean, E | StorageUnavailable>
}>()("@dockline/core/access/PersonStore") {}

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
