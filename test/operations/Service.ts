/**
 * The bundled server as a process of its own, on a new database, as clients and Prometheus see it.
 */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { freePort } from "../support/ProgramSettings.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as Scrape from "./Scrape.ts"

/** A request that is answered in JSON. */
export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A running server. */
export class Service {
  readonly baseUrl: string
  readonly #tokens = new Map<string, string>()

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
  }

  /** The present metrics. */
  async scrape(): Promise<ReadonlyMap<string, Scrape.Family>> {
    const response = await fetch(`${this.baseUrl}/metrics`)
    assert.strictEqual(response.status, 200)
    return Scrape.parse(await response.text())
  }

  /** Sends a request as a client of the demo data, or as nobody for `null`. */
  async call(client: string | null, { method = "POST", path, body, headers = {} }: Call): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(client === null ? {} : { authorization: `Bearer ${await this.token(client)}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) as Answer["body"] : {} }
  }

  /** A token of a client of the demo data, requested once. */
  async token(client: string): Promise<string> {
    const known = this.#tokens.get(client)
    if (known !== undefined) return known
    const { body, status } = await this.askToken(client, `${client}-secret`)
    assert.strictEqual(status, 200)
    this.#tokens.set(client, String(body["access_token"]))
    return String(body["access_token"])
  }

  /** Requests a token. */
  askToken(id: string, secret: string): Promise<Answer> {
    return this.call(null, {
      path: "/oauth/token",
      body: {
        client_id: id,
        client_secret: secret,
        audience: `${this.baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }
    })
  }
}

/** Starts the process of a server on a database of its own; it is killed with the scope. */
export const process = Effect.fnUntraced(function*(env: Readonly<Record<string, string>> = {}) {
  const { url } = yield* TestDatabase.createMigrated
  const port = String(yield* Effect.promise(freePort))
  return yield* Effect.acquireRelease(
    Effect.promise(() =>
      ServerProcess.serve({
        PORT: port,
        DATABASE_URL: Redacted.value(url),
        DEMO: "true",
        OUTBOUND_ALLOW: "127.0.0.0/8",
        SECRETS_KEY: randomBytes(32).toString("base64"),
        ...env
      })
    ),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return ended
      })
  )
})

/** Starts a server; it is killed with the scope. */
export const start = (env: Readonly<Record<string, string>> = {}) =>
  Effect.map(process(env), ({ baseUrl }) => new Service(baseUrl))
