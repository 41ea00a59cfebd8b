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
  readonly discard: (token: string) => void
}

/** A token is renewed so long before it expires, or at four fifths of a short life. */
const marginMillis = 60_000

/** The tokens that the user provides, asked for before each request. */
export const userTokens = (token: string | (() => string | Promise<string>)): Tokens => ({
  get: async () => (typeof token === "string" ? token : await token()),
  discard: () => {}
})

/** The tokens of a client id and secret. */
export const clientTokens = (
  options: ExchangeOptions,
  { audience, authUrl, clientId, clientSecret }: Credentials,
  signal: AbortSignal
): Tokens => {
  let current = { token: "", renewAt: -Infinity }
  let asking: Promise<string> | undefined
  const body = JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    audience,
    grant_type: "client_credentials"
  })
  const ask = async (): Promise<string> => {
    const sentAt = Date.now()
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    const tokenAnswer = await exchange(options, `${authUrl}/oauth/token`, init, signal)
    const { body: answer, response } = tokenAnswer
    if (response.status !== 200 || !isIssued(answer)) throw refusalOf(tokenAnswer)
    const { access_token: token, expires_in: seconds } = answer
    const lifeMillis = seconds * 1000
    current = { token, renewAt: sentAt + lifeMillis - Math.min(marginMillis, lifeMillis / 5) }
    return token
  }
  return {
    get: async () => {
      if (Date.now() < current.renewAt) return current.token
      return asking ??= ask().finally(() => asking = undefined)
    },
    discard: (token) => {
      if (token === current.token) current = { token: "", renewAt: -Infinity }
    }
  }
}

interface TokenAnswer {
  readonly access_token: string
  readonly expires_in: number
}

const isIssued = (answer: unknown): answer is TokenAnswer =>
  typeof answer === "object" && answer !== null && typeof Reflect.get(answer, "access_token") === "string" &&
  typeof Reflect.get(answer, "expires_in") === "number"
