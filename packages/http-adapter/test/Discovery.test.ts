/** Clients of OAuth that configure themselves find the token endpoint and the keys (RFC 8414). */
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as OpenId from "openid-client"
import { assert, describe, it } from "vitest"
import * as RestHandler from "../src/RestHandler.ts"

const client = {
  id: "wms",
  secret: "secret",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
} as const

const root = "https://logistics.example.com"

const serveRest = async (options: RestHandler.RestOptions = {}) => {
  const dockline = await Dockline.open({ storage: Memory.layer })
  return RestHandler.make(dockline.layer, { baseUrl: root, clients: [client], ...options })
}

describe("openid-client, given no more than the issuer, the client and its secret", () => {
  for (
    const [algorithm, authentication] of [
      ["oidc", undefined],
      ["oauth2", undefined],
      ["oauth2", OpenId.ClientSecretBasic("secret")],
      ["oauth2", OpenId.ClientSecretPost("secret")]
    ] as const
  ) {
    it(`gets a token: ${algorithm}${authentication === undefined ? "" : `, ${authentication.name}`}`, async () => {
      await using rest = await serveRest()
      const customFetch: OpenId.CustomFetch = (url, init) =>
        rest.handler(new Request(url, init as RequestInit))
      const configuration = await OpenId.discovery(new URL(root), "wms", "secret", authentication, {
        algorithm,
        [OpenId.customFetch]: customFetch
      })
      const response = await OpenId.clientCredentialsGrant(configuration)
      const keys = await rest.handler(new Request(configuration.serverMetadata().jwks_uri!))
      assert.strictEqual(((await keys.json()) as { readonly keys: ReadonlyArray<unknown> }).keys.length, 1)
      const answer = await rest.handler(
        new Request(`${root}/v1/shipments?business=acme`, {
          headers: { authorization: `Bearer ${response.access_token}` }
        })
      )
      // The token is good; the business was never made.
      assert.strictEqual(answer.status, 404)
    })
  }
})

describe("the metadata", () => {
  for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
    it(`of our own issuer stands at ${path}`, async () => {
      await using rest = await serveRest({ tokens: { issuer: "https://login.example.com/dockline" } })
      assert.isTrue(rest.serves({ url: path }))
      const response = await rest.handler(new Request(root + path))
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(await response.json(), {
        issuer: "https://login.example.com/dockline",
        token_endpoint: "https://login.example.com/dockline/oauth/token",
        jwks_uri: "https://login.example.com/dockline/.well-known/jwks.json",
        grant_types_supported: ["client_credentials"],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"]
      })
    })

    it(`of an external issuer is not ours to give: ${path}`, async () => {
      const external = {
        issuer: "https://id.example.com",
        audience: "x",
        jwksUrl: "https://id.example.com/keys"
      }
      await using rest = await serveRest({ tokens: { external } })
      const response = await rest.handler(new Request(root + path))
      assert.strictEqual(response.status, 404)
      assert.strictEqual(((await response.json()) as { readonly code: string }).code, "RESOURCE_NOT_FOUND")
    })
  }
})
