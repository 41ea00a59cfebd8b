/**
 * Whose share of what is bounded a piece of work takes: requests, bodies, answers, operations of sockets and event streams.
 *
 * Guarantee: a client or a person has one share, whichever tokens and sessions it has, however they are written, and
 * whichever interface it uses. It is a part of the share of its business, so that a business gets no more by having more
 * clients. What nobody has authenticated yet has the share of its network, which is nobody else's.
 */
import { everything } from "./Access.ts"
import type { Principal } from "./Access.ts"
import { isPerson } from "./Person.ts"

/** A share, of a client within that of a business; both are keys. */
export interface Share {
  /** A client, a person who has signed in, or a network of those who are not known. */
  readonly client: string
  /**
   * All businesses of its grants together: who has several has a share that is none of theirs, so that neither takes from the
   * other. Who has no grants, which an operator may take from any number of clients, has a share with all others who have none. That of a
   * network is the client itself.
   */
  readonly business: string
}

/** The key of a business. */
export const businessKey = (business: string): string => `business:${business}`

const texts = new WeakMap<Principal["grants"], string>()

const businessesOf = (grants: Principal["grants"]): string => {
  const text = texts.get(grants)
  if (text !== undefined) return text
  const slugs = new Set(grants.map(({ business }) => business))
  const key = businessKey(slugs.has(everything) ? everything : Array.from(slugs).sort().join())
  texts.set(grants, key)
  return key
}

/** The share of a principal. */
export const ofPrincipal = ({ clientId, grants }: Principal): Share => {
  const client = isPerson(clientId) ? clientId : `client:${clientId}`
  return { client, business: businessesOf(grants) }
}

/** The share of a network, such as `192.0.2.7` or `2001:db8:0:1::/64`. */
export const ofNetwork = (network: string): Share => {
  const key = `network:${network}`
  return { client: key, business: key }
}
