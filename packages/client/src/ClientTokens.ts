/**
 * Access tokens by the client-credentials grant: kept, and renewed before they expire. However many requests wait for
 * one, it is asked for once.
 */
import { exchange, refusalOf } from "./Exchange.ts"
import type { ExchangeOptions } from "./Exchange.ts"

/** Whose tokens, and where they come from. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
  /** The address of the server with `/oauth/token`. */
  readonly authUrl: string
  readonly audience: string
}

export interface Tokens {
  /** A token that is good now. */
  readonly get: () => Promise<string>
  /** The service has refused this token: the next one is another. */
  readonly refused: (token: string) => void
}

/** A token is renewed so long before it expires, or at four fifths of a short life. */
const marginMillis = 60_000

/** The tokens that the user provides, asked for before each request. */
export const given = (token: string | (() => string | Promise<string>)): Tokens => ({
  get: async () => (typeof token === "string" ? token : await token()),
  refused: () => {}
})

/** The tokens of a client id and secret. */
export const requested = (
  options: ExchangeOptions,
  { audience, authUrl, clientId, clientSecret }: Credentials,
  signal: AbortSignal
): Tokens => {
  let held = { token: "", renewAt: -Infinity }
  let asking: Promise<string> | undefined
  const body = JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    audience,
    grant_type: "client_credentials"
  })
  const ask = async (): Promise<string> => {
    const asked = Date.now()
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    const received = await exchange(options, `${authUrl}/oauth/token`, init, signal)
    const { body: answer, response } = received
    if (response.status !== 200 || !isIssued(answer)) throw refusalOf(received)
    const { access_token: token, expires_in: seconds } = answer
    const lifeMillis = seconds * 1000
    held = { token, renewAt: asked + lifeMillis - Math.min(marginMillis, lifeMillis / 5) }
    return token
  }
  return {
    get: async () => {
      if (Date.now() < held.renewAt) return held.token
      return asking ??= ask().finally(() => asking = undefined)
    },
    refused: (token) => {
      if (token === held.token) held = { token: "", renewAt: -Infinity }
    }
  }
}

interface Issued {
  readonly access_token: string
  readonly expires_in: number
}

const isIssued = (answer: unknown): answer is Issued =>
  typeof answer === "object" && answer !== null && typeof Reflect.get(answer, "access_token") === "string" &&
  typeof Reflect.get(answer, "expires_in") === "number"
