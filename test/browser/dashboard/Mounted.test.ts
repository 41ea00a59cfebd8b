/**
 * D14.1: the dashboard as a function, mounted beside REST and GraphQL in a plain server of `node:http`, under a path of it.
 */
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as DashboardHandler from "@dockline/dashboard/DashboardHandler"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { getRequestListener } from "@hono/node-server"
import { createServer } from "node:http"
import type { Server } from "node:http"
import { freePort } from "../../support/ProgramSettings.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "./Visitor.ts"

const secret = "a-secret-of-the-yard"

const yard = {
  clientId: "yard",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
} as const

describe("the dashboard in a server of somebody else's", () => {
  let dockline: Dockline.Dockline
  let server: Server
  let baseUrl: string
  const close: Array<() => Promise<void>> = []

  beforeAll(async () => {
    const port = await freePort()
    baseUrl = `http://localhost:${port}/yard`
    dockline = await Dockline.open({ storage: Memory.layer, dashboardUrl: `${baseUrl}/dashboard` })
    await dockline.places([
      { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "Acme East", docks: ["D1"] }] }
    ])
    const clients = [{ id: yard.clientId, secret, grants: yard.grants }]
    const rest = await RestHandler.make(dockline.layer, { baseUrl, clients })
    const graphql = await GraphqlHandler.make(rest.layer, { path: "/yard/public_graphql" })
    const dashboard = await DashboardHandler.make(rest.layer, { baseUrl, interfaces: { rest, graphql } })
    const listen = getRequestListener(
      (request, { incoming }) => dashboard.handler(request, { remoteAddress: incoming.socket.remoteAddress }),
      { overrideGlobalObjects: false }
    )
    server = createServer((request, response) => {
      if (dashboard.serves(request)) return void listen(request, response)
      response.end("a page of the host")
    })
    server.on("upgrade", dashboard.handleUpgrade)
    await new Promise<void>((resolve) => server.listen(port, resolve))
    close.push(dashboard.close, graphql.close, rest.close, dockline.close)
  })

  afterAll(async () => {
    for (const each of close) await each()
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  })

  const post = (path: string, headers: Readonly<Record<string, string>>, body: string) =>
    fetch(baseUrl + path, { method: "POST", headers, body, redirect: "manual" })

  const own = () => ({ origin: new URL(baseUrl).origin })

  const signIn = async (): Promise<string> => {
    const form = new URLSearchParams({ client_id: yard.clientId, client_secret: secret })
    const answer = await post(
      "/dashboard/sign-in",
      { ...own(), "content-type": "application/x-www-form-urlencoded" },
      form.toString()
    )
    assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/yard/dashboard"])
    return answer.headers.get("set-cookie")!.split(";")[0]!
  }

  it("leads who has not signed in to the sign-in page, and back, and leaves other paths to the host", async () => {
    const { origin } = new URL(baseUrl)
    assert.strictEqual(await (await fetch(`${origin}/yard/other`)).text(), "a page of the host")
    assert.strictEqual(await (await fetch(`${origin}/yard/dashboards`)).text(), "a page of the host")
    const answer = await fetch(`${baseUrl}/dashboard/shipments/7`, { redirect: "manual" })
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(
      answer.headers.get("location"),
      `/yard/dashboard/sign-in?next=${encodeURIComponent("/yard/dashboard/shipments/7")}`
    )
    assert.isNotEmpty(answer.headers.get("correlation-id"))
    const wrong = await post(
      "/dashboard/sign-in",
      { ...own(), "content-type": "application/x-www-form-urlencoded" },
      "client_id=yard&client_secret=guess"
    )
    assert.strictEqual(wrong.status, 401)
    const page = await wrong.text()
    assert.include(page, "The client id or the secret is wrong, or the client is disabled.")
    assert.include(page, `name="client_id" value="yard"`)
  })

  it("reaches REST and GraphQL with the session of the cookie alone, and for its own pages only", async () => {
    const cookie = await signIn()
    const query = JSON.stringify({ query: "{ business(slug: \"acme\") { name } }" })
    const json = { "content-type": "application/json" }
    const asked = async (headers: Readonly<Record<string, string>>) => {
      const answer = await post("/dashboard/api/graphql", { ...json, ...headers }, query)
      return [answer.status, await answer.text()] as const
    }
    assert.deepStrictEqual(await asked({ ...own(), cookie }), [
      200,
      "{\"data\":{\"business\":{\"name\":\"Acme\"}}}"
    ])
    assert.strictEqual((await asked({ ...own() }))[0], 401)
    assert.strictEqual((await asked({ cookie }))[0], 403)
    assert.strictEqual((await asked({ cookie, origin: "https://evil.example" }))[0], 403)
    const list = await fetch(`${baseUrl}/dashboard/api/v1/shipments?business=acme`, { headers: { cookie } })
    assert.deepStrictEqual(await list.json(), { items: [], next: null })
    // The dashboard accepts no token, and the interfaces accept no cookie.
    assert.strictEqual(
      (await fetch(`${baseUrl}/dashboard/session`, { headers: { authorization: "Bearer x" } })).status,
      401
    )
  })

  it.skipIf(Chromium.isSkipped)(
    "shows in a browser what happens, live, under the path of its host",
    async () => {
      const document = {
        business: "acme",
        facility: "east",
        direction: "INBOUND",
        orderNumber: "PO-1",
        items: [{ lpn: "P-1", sku: "S1", quantity: 1, quantityUnit: "CASE" }]
      } as const
      const made = await dockline.submit(document, yard)
      assert(made.ok)
      const browser = await Chromium.open()
      const { leave, open, page } = await Visitor.enter(browser, baseUrl, null)
      await open(`/shipments/${made.value.shipment.id}`)
      await page.getByLabel("Client id").fill(yard.clientId)
      await page.getByLabel("Client secret").fill(secret)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "PO-1", exact: false }).first().waitFor()
      await page.getByText("Live", { exact: true }).waitFor()
      await dockline.recordPallet({
        eventId: "E-1",
        business: "acme",
        facility: "east",
        dockSlug: "D1",
        direction: "UNLOADING",
        occurredAt: new Date().toISOString(),
        shipmentId: made.value.shipment.id,
        labels: [{ name: "lpn", value: "P-1" }]
      }, yard)
      await page.getByRole("row").filter({ hasText: "P-1" }).getByText("Unloaded").waitFor()
      await leave()
    }
  )
})
