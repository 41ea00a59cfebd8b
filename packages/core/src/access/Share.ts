/**
 * Whose share of what is bounded a piece of work takes: requests, bodies, operations of sockets and event streams.
 *
 * Guarantee: a client or a person has one share, whichever tokens and sessions it has, however they are written, and
 * whichever interface it uses. What nobody has authenticated yet has the share of its network, which is nobody else's.
 */
import { isPerson } from "./Person.ts"

/** A share: of a client, of a person who has signed in, or of a network of those who are not known. */
export type Share = `client:${string}` | `person:${string}` | `network:${string}`

/** The share of a principal by its id: that of `Principal.clientId`. */
export const ofPrincipal = (principalId: string): Share =>
  isPerson(principalId) ? principalId : `client:${principalId}`

/** The share of a network, such as `192.0.2.7` or `2001:db8:0:1::/64`. */
export const ofNetwork = (network: string): Share => `network:${network}`
