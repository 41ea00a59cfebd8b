/**
 * A client of a server that runs as a process of its own; it records every answer.
 */
import { assert } from "vitest"

/** The parts of a request that differ from an empty one. */
export interface Asking {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An answer. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The client. */
export class ServiceClient {
  /** All answers to {@link ask}: headers and bodies. */
  readonly answers: Array<string> = []
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** Sends a request, and keeps its answer. */
  async ask(method: string, path: string, asking: Asking = {}): Promise<Answered> {
    const answered = await this.#send(method, path, asking)
    this.answers.push(
      // Without the query, which comes from the request.
      `${method} ${path.replace(/\?.*/, "")}: ${answered.status} ${
        JSON.stringify([...answered.headers])
      } ${answered.text}`
    )
    return answered
  }

  /** Sends a request whose answer contains a secret, which is shown once. */
  async make<A>(path: string, asking: Asking, status = 201): Promise<A> {
    const { status: given, text } = await this.#send("POST", path, asking)
    assert.strictEqual(given, status, text)
    return JSON.parse(text) as A
  }

  /** An access token. */
  async tokenOf(id: string, secret: string): Promise<string> {
    const body = tokenRequest(this.#baseUrl, id, secret)
    const { access_token } = await this.make<{ readonly access_token: string }>("/oauth/token", { body }, 200)
    return access_token
  }

  async #send(method: string, path: string, { body, headers, token }: Asking): Promise<Answered> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

/** The body of a request for a token. */
export const tokenRequest = (baseUrl: string, id: string, secret: string) => ({
  client_id: id,
  client_secret: secret,
  audience: `${baseUrl}/public_graphql`,
  grant_type: "client_credentials"
})
