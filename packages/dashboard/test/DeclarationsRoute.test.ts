/** `/dashboard/operations`: the pages of operators have the words of the service and the operations of its capabilities. */
import * as Capability from "@dockline/core/capability/Capability"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as DashboardHandler from "../src/DashboardHandler.ts"
import type { Declaration } from "../src/pages/Declarations.ts"

const baseUrl = "http://localhost:8080"

const brief = Capability.make("brief", {
  title: "Brief",
  description: "Short messages",
  operations: {},
  services: Layer.empty,
  handlers: Effect.succeed({}),
  memory: Layer.empty,
  answers: {},
  payloadProfiles: [{ name: "brief", fieldNames: [], write: () => "{}" }]
})

const client = { id: "yard", secret: "a-secret-of-the-yard", grants: [] }

/** The answer of a service with these capabilities to a request for the operations, signed in or not. */
const ask = async (capabilities: Capability.List, isSignedIn: boolean) => {
  await using dockline = await Dockline.open({ storage: Memory.layer, capabilities })
  await using rest = await RestHandler.make(dockline.layer, { baseUrl, clients: [client] })
  await using graphql = await GraphqlHandler.make(rest.layer)
  await using dashboard = await DashboardHandler.make(rest.layer, { baseUrl, interfaces: { rest, graphql } })
  const signIn = await dashboard.handler(
    new Request(`${baseUrl}/dashboard/sign-in`, {
      method: "POST",
      headers: { origin: baseUrl },
      body: new URLSearchParams({ client_id: client.id, client_secret: client.secret })
    })
  )
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? ""
  const response = await dashboard.handler(
    new Request(`${baseUrl}/dashboard/operations`, { headers: isSignedIn ? { cookie } : {} })
  )
  return { status: response.status, body: await response.json() }
}

const profilesIn = async (capabilities: Capability.List) => {
  const { body, status } = await ask(capabilities, true)
  assert.strictEqual(status, 200, JSON.stringify(body))
  const operations = body as ReadonlyArray<Declaration>
  return operations.find(({ method, pattern }) =>
    method === "PATCH" && pattern === "/v1/operator/webhook-endpoints/:endpointId"
  )?.body?.properties?.["payloadProfile"]?.enum
}

describe("the operations of operators", () => {
  it("have the words of the capabilities of the service", async () => {
    assert.deepStrictEqual(await profilesIn([]), ["dockline"])
    assert.deepStrictEqual(await profilesIn([brief]), ["dockline", "brief"])
  })

  it("are for those who have signed in", async () => {
    const { status } = await ask([], false)
    assert.strictEqual(status, 401)
  })
})
