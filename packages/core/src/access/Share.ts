/**
 * Shares of limited resources: requests, bodies, answers, operations of sockets and event streams.
 *
 * Guarantee: a client or a person has one share, whatever tokens, sessions and interfaces it uses. This share is a part of the share of its
 * business, so a business gets no more by having more clients. Requests that are not yet authenticated use the share of their network,
 * separate from all others.
 */
import { everything } from "./Access.ts"
import type { Principal } from "./Access.ts"
import { isPerson } from "./Person.ts"

/** The share of a client, within the share of a business. Both fields are keys. */
export interface Share {
  /** A client, a person who has signed in, or the network of unauthenticated requests. */
  readonly client: string
  /**
   * The businesses of the client's grants, as one key: a client of several businesses uses the share of none of them, but that of their
   * combination. All clients without grants have one share, because an operator may create any number of them. For a network, it equals
   * `client`.
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
