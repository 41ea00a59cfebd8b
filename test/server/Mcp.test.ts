/**
 * The bundled server for a client of MCP that knows only its address, an id and a secret, and discovers the rest (D16.3).
 */
import {
  Client,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport
} from "@modelcontextprotocol/client"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as ServerProcess from "../support/ServerProcess.ts"

let server: ServerProcess.OwnServer

beforeAll(async () => {
  server = await ServerProcess.serveAlone()
})

afterAll(() => server.stop())

/**
 * Gets a token by the way of RFC 9728 and RFC 8414. The official client goes this way by itself only if the issuer has an
 * `authorization_endpoint`, which RFC 8414 omits if no grant uses one.
 */
const findToken = async (clientSecret: string): Promise<Response> => {
  const mcp = `${server.baseUrl}/mcp`
  const refused = await fetch(mcp, { method: "POST" })
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  const { authorization_servers: [issuer] = [], resource } = await discoverOAuthProtectedResourceMetadata(
    mcp,
    { resourceMetadataUrl: resourceMetadataUrl! }
  )
  assert.strictEqual(resource, mcp)
  const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
  const { token_endpoint: endpoint } = await metadata.json() as { readonly token_endpoint: string }
  return fetch(endpoint, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`acme-client:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource })
  })
}

describe("a client that knows its secret and the address alone", () => {
  it("finds the issuer, gets a token, and calls tools, which count as the requests of REST do", async () => {
    const answer = await findToken("acme-client-secret")
    const { access_token: token } = await answer.json() as { readonly access_token: string }
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), {
        authProvider: { token: async () => token }
      })
    )
    const found = await client.callTool({ name: "search", arguments: { text: "of nothing" } })
    assert.deepStrictEqual(found.structuredContent, { items: [], next: null })
    const missing = await client.callTool({ name: "getShipment", arguments: { id: "999999" } })
    assert.isTrue(missing.isError)
    await client.close()
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text()
    assert.match(metrics, /^dockline_refusals_total\{interface="mcp",code="SHIPMENT_NOT_FOUND"\} 1$/m)
    assert.match(metrics, /^dockline_http_request_duration_seconds_count\{.*route="\/mcp".*\} [1-9]/m)
  })

  it("gets none by a wrong secret", async () => {
    assert.strictEqual((await findToken("wrong")).status, 401)
  })
})
