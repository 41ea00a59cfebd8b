/**
 * A business whose clients ask for more than the bundled server can do keeps no other business from being served, however many
 * clients it has, and whether its work computes or waits for the storage.
 */
import { Agent, request } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

let server: ServerProcess.OwnServer
let globex: string

interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly agent?: Agent
}

/** The status of a request, on a connection of the agent. */
const send = (token: string, path: string, { agent, body, method = "GET" }: Sent = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(server.baseUrl + path, {
      method,
      ...(agent === undefined ? {} : { agent }),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
    }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode ?? 0)).once("error", reject)
    })
    sent.once("error", reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const document = (business: string, facility: string, orderNumber: string, items: number) => ({
  business,
  facility,
  direction: "OUTBOUND",
  orderNumber,
  items: Array.from({ length: items }, (_, at) => ({
    lpn: `${orderNumber}-${at}`,
    sku: "SKU-1",
    quantity: 1,
    quantityUnit: "CASE"
  }))
})

/** The tokens of new clients of acme, which its own operator could make. */
const clientsOfAcme = async (count: number): Promise<ReadonlyArray<string>> => {
  const operator = await tokenOf(server.baseUrl, "operator")
  const made: Array<string> = []
  for (let at = 0; at < count; at++) {
    const response = await fetch(`${server.baseUrl}/v1/operator/clients`, {
      method: "POST",
      headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
      body: JSON.stringify({
        name: `Neighbour ${count} ${at}`,
        grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
      })
    })
    const { clientSecret, id } = await response.json() as Readonly<Record<string, string>>
    const token = await fetch(`${server.baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: id,
        client_secret: clientSecret,
        audience: `${server.baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    assert.strictEqual(token.status, 200)
    made.push(((await token.json()) as { readonly access_token: string }).access_token)
  }
  return made
}

/** Fifteen lists, each of which is another read. */
const heavy = {
  query: `{ ${
    Array.from({ length: 15 }, (_, at) =>
      `a${at}: shipments(first: ${at + 20}) { nodes { id orders { items { lpn sku } } } }`)
      .join(" ")
  } }`
}

beforeAll(async () => {
  server = await ServerProcess.serveAlone({ RATE_LIMIT_PER_MINUTE: "1000000" })
  globex = await tokenOf(server.baseUrl, "globex-client")
  const acme = await tokenOf(server.baseUrl, "acme-client")
  for (let at = 0; at < 30; at++) {
    const sent = { method: "POST", body: document("acme", "east", `SO-${at}`, 100) }
    assert.strictEqual(await send(acme, "/v1/documents", sent), 201)
  }
  assert.strictEqual(await send(globex, "/v1/shipments"), 200)
}, 120_000)

afterAll(() => server.stop())

describe("a business with more work than the server can do", () => {
  for (const count of [2, 40]) {
    // @threat load.22
    it(`keeps no other from being served, with ${count} clients on 300 connections`, async () => {
      const tokens = await clientsOfAcme(count)
      const agent = new Agent({ keepAlive: true, maxSockets: 300 })
      const acme: Array<number> = []
      const flooding = { isOver: false }
      const flood = Array.from({ length: 300 }, async (_, at) => {
        while (!flooding.isOver) {
          acme.push(
            await send(tokens[at % count]!, "/public_graphql", { method: "POST", body: heavy, agent })
          )
        }
      })
      const others: Array<number> = []
      while (acme.length < 50) await send(globex, "/healthz")
      for (let round = 0; round < 8; round++) {
        others.push(await send(globex, "/v1/shipments?limit=10"))
        const order = document("globex", "main", `SO-${count}-${round}`, 3)
        others.push(await send(globex, "/v1/documents", { method: "POST", body: order }))
      }
      flooding.isOver = true
      await Promise.all(flood)
      agent.destroy()
      assert.deepStrictEqual(others.filter((status) => status >= 300), [])
      assert.include(acme, 503)
      assert.include(acme, 200)
    }, 300_000)
  }
})
