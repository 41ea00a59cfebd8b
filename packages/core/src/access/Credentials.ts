/**
 * Port: checks the id and the secret of a client that signs in with a browser (D14.4). `@dockline/http-adapter` implements
 * it for the clients whose secrets are valid at its token endpoint.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { RateLimited } from "../values/RequestErrors.ts"

/** Where a request comes from, as far as its host knows it. */
export interface Sender {
  /** The address of the connection, where the host knows it. */
  readonly remoteAddress: string | undefined
  /** The headers of the request, by names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A request that names a client and its secret. */
export interface SignIn extends Sender {
  readonly clientId: string
  readonly clientSecret: string
}

/** Checks ids and secrets of clients. */
export class Credentials extends Context.Service<Credentials, {
  /** Whether the client is enabled and has the secret, which is not compared after too many failures of one network (D10.5). */
  readonly check: (signIn: SignIn) => Effect.Effect<boolean, RateLimited | StorageUnavailable>
  /** The network that a request comes from, behind the proxies that are trusted: what is bounded for each network counts by it. */
  readonly networkOf: (sender: Sender) => string
}>()("@dockline/core/access/Credentials") {}
