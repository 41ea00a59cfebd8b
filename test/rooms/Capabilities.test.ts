/** D20.1: a capability that a program leaves out is in none of its interfaces. */
import type { Principal } from "@dockline/core/Access"
import * as Dockline from "@dockline/core/Dockline"
import * as Memory from "@dockline/core/Memory"
import { trace } from "@dockline/core/TraceCapability"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { capabilities, capabilitiesOf } from "@dockline/server/Capabilities"
import { assert, describe, it } from "vitest"

const baseUrl = "https://dockline.example"

const reader: Principal = {
  clientId: "desk",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

/** The answer to a request for the operation, and the texts of the interfaces of a service. */
const interfacesOf = async (dockline: Pick<Dockline.Dockline, "layer">) => {
  await using rest = await RestHandler.make(dockline.layer, {
    baseUrl,
    clients: [{ id: "desk", secret: "secret", grants: reader.grants }]
  })
  await using graphql = await GraphqlHandler.make(rest.layer)
  const ask = (path: string, init?: RequestInit) => rest.handler(new Request(`${baseUrl}${path}`, init))
  const granted = await ask("/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: "desk",
      client_secret: "secret",
      audience: `${baseUrl}/public_graphql`,
      grant_type: "client_credentials"
    })
  })
  const { access_token } = await granted.json() as { readonly access_token: string }
  const { status } = await ask("/v1/trace?lot=L-1", { headers: { authorization: `Bearer ${access_token}` } })
  const sdl = await graphql.handler(new Request(`${baseUrl}/public_graphql/schema.graphql`))
  return { status, openapi: await (await ask("/v1/openapi.json")).text(), sdl: await sdl.text() }
}

describe("the trace of goods", () => {
  it("is in every interface of a service that takes it", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith([trace]), capabilities: [trace] })
    await dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])
    const traced = await dockline.trace({ lot: "L-1" }, reader)
    assert.deepStrictEqual(traced, { ok: true, value: { items: [], next: null } })
    const { openapi, sdl, status } = await interfacesOf(dockline)
    assert.strictEqual(status, 200)
    assert.include(openapi, "\"/v1/trace\"")
    assert.include(sdl, "TraceEntry")
  })

  it("is in none of a service that leaves it out", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    assert.notProperty(dockline, "trace")
    await dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])
    const { openapi, sdl, status } = await interfacesOf(dockline)
    assert.strictEqual(status, 404)
    assert.notMatch(openapi, /\/v1\/trace|TraceEntry/)
    assert.notMatch(sdl, /TraceEntry/)
  })
})

describe("the server", () => {
  it("has the capabilities that its settings name", () => {
    const names = capabilities.map(({ name }) => name)
    assert.deepStrictEqual(capabilitiesOf(names), capabilities)
    assert.deepStrictEqual(capabilitiesOf([]), [])
  })
})
