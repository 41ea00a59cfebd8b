/**
 * The servers that compete: the bundled server as users start it, and the peers.
 */
import { freePort } from "@dockline/sql-storage/embedded/EmbeddedServer"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { attempt } from "./BenchError.ts"
import type { BenchError } from "./BenchError.ts"
import type { BenchDatabase } from "./Cluster.ts"
import * as Processes from "./Processes.ts"

/** A server that answers. */
export interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** A bearer token for `acme-client`. */
  readonly token: string
  readonly database: BenchDatabase
}

/** How the servers are started. */
export interface ServerOptions {
  /** Connections of each server to its database. */
  readonly pool: number
}

/** The client that sends everything. */
const clientId = "acme-client"

/** A token of a demo client from a server's own endpoint. */
export const requestToken = (baseUrl: string, client = clientId) =>
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

/** The bundled server on its own code path, JSON Web Tokens and grants included. */
export const startDockline = Effect.fnUntraced(function*(
  database: BenchDatabase,
  options: ServerOptions
) {
  const port = yield* freePort
  const baseUrl = `http://127.0.0.1:${port}`
  const child = yield* Processes.startNode("../../../packages/server/src/main.ts", {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(options.pool),
    PORT: String(port),
    BASE_URL: baseUrl,
    DEMO: "true",
    LOG_LEVEL: "None",
    // One client sends everything here.
    RATE_LIMIT_PER_MINUTE: "0"
  })
  yield* Processes.answering("Dockline", child, port)
  const token = yield* requestToken(baseUrl)
  return { name: "Dockline", pid: child.pid!, port, token, database } satisfies Server
})

/** Whose tokens a peer takes, and one of them. */
interface Issued {
  readonly token: string
  readonly env: Readonly<Record<string, string>>
}

/** Who issues the tokens of a peer, and one of them: of the same form and size as ours, signed here. */
const issue = (port: number): Effect.Effect<Issued, BenchError> =>
  attempt("token", async () => {
    const issuer = `http://127.0.0.1:${port}`
    const audience = `${issuer}/public_graphql`
    const { privateKey, publicKey } = await generateKeyPair("RS256")
    const token = await new SignJWT({ client_id: clientId })
      .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid: crypto.randomUUID() })
      .setIssuer(issuer)
      .setSubject(clientId)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime("24h")
      .setJti(crypto.randomUUID())
      .sign(privateKey)
    const jwk = JSON.stringify(await exportJWK(publicKey))
    return { token, env: { ISSUER: issuer, AUDIENCE: audience, PUBLIC_JWK: jwk } }
  })

/** What a peer is, and what its environment says beside the database, the port and whose tokens it takes. */
export interface Peer {
  readonly name: string
  /** Its program, relative to this folder. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a peer. */
export const startProgram = Effect.fnUntraced(function*(
  { env, name, program }: Peer,
  database: BenchDatabase,
  options: ServerOptions
) {
  const port = yield* freePort
  const issued = yield* issue(port)
  const child = yield* Processes.startNode(program, {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(options.pool),
    PORT: String(port),
    ...issued.env,
    ...env
  }, { ipc: true })
  yield* Processes.answering(name, child, port)
  return { name, pid: child.pid!, port, token: issued.token, database, child }
})

/** The peer of document intake. */
export const startPeer = (database: BenchDatabase, options: ServerOptions) =>
  startProgram({ name: "Fastify + postgres", program: "peer/main.ts" }, database, options)
