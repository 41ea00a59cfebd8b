/**
 * The servers that compete: the bundled server as users start it, and the peers, which accept its tokens.
 */
import { freePort } from "@dockline/sql-storage/embedded/EmbeddedServer"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { attempt } from "./BenchError.ts"
import type { BenchDatabase } from "./Cluster.ts"
import * as Processes from "./Processes.ts"

/** A running server. */
export interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess
  /** A bearer token for `acme-client`. */
  readonly token: string
  /** The issuer of its tokens: the Dockline at this address, with this public key. */
  readonly issuer: { readonly url: string; readonly jwk: string }
  readonly database: BenchDatabase
}

/** The address of a server. */
export const urlOf = ({ port }: Pick<Server, "port">): string => `http://127.0.0.1:${port}`

/** A token of a demo client from a server's own endpoint. */
export const requestToken = (baseUrl: string, client: string) =>
  attempt("token", async () => {
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: client,
        client_secret: `${client}-secret`,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    const body = (await response.json()) as { readonly access_token?: string }
    if (body.access_token === undefined) throw new Error(`status ${response.status} ${JSON.stringify(body)}`)
    return body.access_token
  })

const keyOf = (baseUrl: string) =>
  attempt("keys", async () => {
    const response = await fetch(`${baseUrl}/.well-known/jwks.json`)
    const { keys } = (await response.json()) as { readonly keys: ReadonlyArray<object> }
    return JSON.stringify(keys[0])
  })

/** Starts a program on a database with a number of connections. */
const start = Effect.fnUntraced(function*(
  name: string,
  program: string,
  database: BenchDatabase,
  pool: number,
  env: Readonly<Record<string, string>>
) {
  const port = yield* freePort
  const child = yield* Processes.startNode(program, {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(pool),
    PORT: String(port),
    BASE_URL: urlOf({ port }),
    ...env
  })
  yield* Processes.answering(name, child, port)
  return { name, pid: child.pid ?? 0, port, child, database }
})

/** Starts Dockline: the bundled server on its own code path, tokens and grants included, or another program. */
export const startDockline = Effect.fnUntraced(function*(
  database: BenchDatabase,
  pool: number,
  env: Readonly<Record<string, string>> = {},
  program = "../../../packages/server/src/main.ts"
) {
  // One client sends all requests here.
  const fixed = { DEMO: "true", LOG_LEVEL: "None", RATE_LIMIT_PER_MINUTE: "0" }
  const server = yield* start("Dockline", program, database, pool, { ...fixed, ...env })
  const url = urlOf(server)
  const token = yield* requestToken(url, "acme-client")
  return { ...server, token, issuer: { url, jwk: yield* keyOf(url) } } satisfies Server
})

/** Starts a peer that accepts the tokens of a Dockline. */
export const startPeer = Effect.fnUntraced(function*(
  name: string,
  program: string,
  { issuer, token }: Server,
  database: BenchDatabase,
  pool: number,
  env: Readonly<Record<string, string>> = {}
) {
  const tokens = { ISSUER: issuer.url, AUDIENCE: `${issuer.url}/public_graphql`, PUBLIC_JWK: issuer.jwk }
  return {
    ...yield* start(name, program, database, pool, { ...tokens, ...env }),
    token,
    issuer
  } satisfies Server
})
