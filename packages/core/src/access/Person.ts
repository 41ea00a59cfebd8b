/**
 * The people who sign in to the dashboard: how a provider knows them, and what they are as principals (D14.4).
 */
import type { Grant, Principal } from "./Access.ts"

/**
 * A person, known by either an e-mail address or a subject of the provider. Operators of different businesses may each have
 * added the same human being: these are several people, and nobody learns of the others.
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

/** What a provider has said of somebody who signed in there. */
export interface Identity {
  readonly subject: string
  /** The address, if the provider has verified it, in lower case. */
  readonly email: string | null
}

/** Whether two people have grants at the same business, or one of them has none, so that it can be given them. */
export const sharesBusiness = (
  { grants: left }: Pick<Person, "grants">,
  { grants: right }: Pick<Person, "grants">
): boolean =>
  left.length === 0 || right.length === 0 ||
  left.some(({ business }) => right.some((grant) => grant.business === business))

/** What the ids of people as principals begin with. No client has such an id. */
const prefix = "person:"

/** Whether the id of a principal is that of a person; all others are ids of API clients. */
export const isPerson = (principalId: string): principalId is `${typeof prefix}${string}` =>
  principalId.startsWith(prefix)

/** The id of the person whose id as a principal this is; the input must satisfy {@link isPerson}. */
export const personIdOf = (principalId: string): string => principalId.slice(prefix.length)

/** The id of a person as a principal: `person:` and the person's own id. */
export const principalIdOf = ({ id }: Pick<Person, "id">): string => `${prefix}${id}`

/** A person as the principal of requests, with the same grants. */
export const principalOf = (person: Person): Principal => ({
  clientId: principalIdOf(person),
  name: person.name,
  grants: person.grants
})

/** An e-mail address in lower case; `undefined` where it is none. It is ASCII, so that no two addresses look alike or fold into one. */
export const emailOf = (text: string): string | undefined =>
  /^[\x21-\x3f\x41-\x7e]{1,64}@[a-z\d.-]{1,189}$/i.test(text) ? text.toLowerCase() : undefined

/** Whether a text can be the subject of a provider: ASCII of at most 255 characters (OpenID Connect Core, section 2). */
export const isSubject = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text)
