/**
 * The two servers that compete: the bundled server as users start it, and the peer.
 */
import { freePort } from "@dockline/sql-storage/EmbeddedServer"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { attempt } from "./BenchError.ts"
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
  /** Further arguments of Node, such as `--cpu-prof`. */
  readonly nodeArgs?: ReadonlyArray<string>
}

const clientId = "acme-client"

/** The bundled server on its own code path, JSON Web Tokens and grants included. */
export const startDockline = Effect.fnUntraced(function*(database: BenchDatabase, options: ServerOptions) {
  const port = yield* freePort
  const baseUrl = `http://127.0.0.1:${port}`
  const child = yield* Processes.startNode("../../examples/server/src/main.ts", {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(options.pool),
    PORT: String(port),
    BASE_URL: baseUrl,
    DEMO: "true",
    LOG_LEVEL: "None",
    // One client sends everything here.
    RATE_LIMIT_PER_MINUTE: "0"
  }, { nodeArgs: options.nodeArgs ?? [] })
  yield* Processes.answering("Dockline", child, port)
  const token = yield* attempt("token", async () => {
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: `${clientId}-secret`,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    const body = (await response.json()) as { readonly access_token?: string }
    if (body.access_token === undefined) throw new Error(`status ${response.status} ${JSON.stringify(body)}`)
    return body.access_token
  })
  return { name: "Dockline", pid: child.pid!, port, token, database } satisfies Server
})

/** The peer, with tokens of the same form and size, signed here. */
export const startPeer = Effect.fnUntraced(function*(database: BenchDatabase, options: ServerOptions) {
  const port = yield* freePort
  const issuer = `http://127.0.0.1:${port}`
  const audience = `${issuer}/public_graphql`
  const { jwk, token } = yield* attempt("token", async () => {
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
    return { jwk: await exportJWK(publicKey), token }
  })
  const child = yield* Processes.startNode("peer/main.ts", {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(options.pool),
    PORT: String(port),
    ISSUER: issuer,
    AUDIENCE: audience,
    PUBLIC_JWK: JSON.stringify(jwk)
  }, { nodeArgs: options.nodeArgs ?? [] })
  yield* Processes.answering("The peer", child, port)
  return { name: "Fastify + postgres", pid: child.pid!, port, token, database } satisfies Server
})
