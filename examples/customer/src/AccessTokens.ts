/**
 * Access tokens by the client-credentials grant: cached, renewed before they expire, dropped when refused.
 */
import { Interrupted, Refused, textOf } from "./Failure.ts"
import { field, isObject } from "./Json.ts"

/** Whose tokens, and where they are asked for. */
export interface Credentials {
  /** Address of the service, without a slash at the end; the token is for its GraphQL interface. */
  readonly baseUrl: string
  /** Address of the token endpoint's server. */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

interface Cached {
  readonly token: string
  readonly renewAt: number
}

/** A token is renewed this long before it expires, or at four fifths of a short life. */
const marginMillis = 60_000

const timeoutMillis = 30_000

export class AccessTokens {
  readonly #credentials: Credentials
  #cached: Cached | undefined
  #fetching: Promise<Cached> | undefined

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /** A token that is good for a while: the cached one, or a new one. However many ask, one is fetched. */
  async get(signal: AbortSignal): Promise<string> {
    if (this.#cached !== undefined && Date.now() < this.#cached.renewAt) return this.#cached.token
    this.#fetching ??= this.#fetch(signal).finally(() => this.#fetching = undefined)
    this.#cached = await this.#fetching
    return this.#cached.token
  }

  /** Milliseconds until the cached token should be renewed; 0 when there is none. */
  get millisToRenewal(): number {
    return this.#cached === undefined ? 0 : Math.max(0, this.#cached.renewAt - Date.now())
  }

  /** The service refused the token: the next {@link get} fetches a new one. */
  forget(): void {
    this.#cached = undefined
  }

  async #fetch(signal: AbortSignal): Promise<Cached> {
    const { baseUrl, authUrl, clientId, clientSecret } = this.#credentials
    const asked = Date.now()
    const response = await fetch(`${authUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: clientSecret,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)])
    }).catch((error: unknown) => {
      throw new Interrupted(`No token from ${authUrl}: ${textOf(error)}`)
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw refusal(clientId, response.status, body)
    const token = isObject(body) ? field(body, "access_token", "string") : undefined
    const lifetime = isObject(body) ? field(body, "expires_in", "number") : undefined
    if (token === undefined || lifetime === undefined) {
      throw new Interrupted(`The answer of ${authUrl}/oauth/token holds no token; is AUTH_URL right?`)
    }
    const lifetimeMillis = lifetime * 1000
    return { token, renewAt: asked + lifetimeMillis - Math.min(marginMillis, lifetimeMillis / 5) }
  }
}

const refusal = (clientId: string, status: number, body: unknown): Error => {
  const code = isObject(body) ? field(body, "error", "string") : undefined
  const description = isObject(body) ? field(body, "error_description", "string") : undefined
  const told = `${status}${code === undefined ? "" : ` ${code}`}${
    description === undefined ? "" : `: ${description}`
  }`
  if (status === 429 || status >= 500) return new Interrupted(`No token: ${told}`)
  return code === "invalid_client"
    ? new Refused(
      `The service does not know client ${clientId} with this secret (${told}); check CLIENT_ID and CLIENT_SECRET`
    )
    : new Refused(`The service gives client ${clientId} no token (${told}); check BASE_URL and AUTH_URL`)
}
