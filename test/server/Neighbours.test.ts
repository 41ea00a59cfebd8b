/**
 * A business whose clients request more than the bundled server can do does not keep other businesses from being served, however many
 * clients it has, and whether its work is computing or waiting for the storage.
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
  /** The last byte of the body is sent only after this. */
  readonly until?: Promise<void>
}

/** The status of a request, on a connection of the agent. */
const send = (
  token: string,
  path: string,
  { agent, body, method = "GET", until }: Sent = {}
): Promise<number> =>
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
    const text = body === undefined ? undefined : JSON.stringify(body)
    if (text === undefined || until === undefined) return void sent.end(text)
    sent.setHeader("content-length", Buffer.byteLength(text))
    sent.write(text.slice(0, -1))
    void until.then(() => sent.end(text.slice(-1)))
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

/** The number of customers' requests under way, including those that wait for the storage. */
const begun = async (): Promise<number> => {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text()
  const states = Array.from(
    text.matchAll(/^dockline_admission_requests\{lane="work",state="(?:running|idle)"\} (\d+)/gm)
  )
  assert.lengthOf(states, 2)
  return states.reduce((sum, [, count]) => sum + Number(count), 0)
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

  // @threat load.25
  it("keeps no other from being served as it ends 400 bodies at once that it has held back", async () => {
    const tokens = await clientsOfAcme(2)
    const agent = new Agent({ keepAlive: true, maxSockets: 400 })
    const { promise: until, resolve: end } = Promise.withResolvers<void>()
    const acme = Array.from(
      { length: 400 },
      (_, at) => send(tokens[at % 2]!, "/public_graphql", { method: "POST", body: heavy, agent, until })
    )
    const served = async () => {
      const others: Array<number> = []
      for (let round = 0; round < 8; round++) others.push(await send(globex, "/v1/shipments?limit=10"))
      assert.deepStrictEqual(others.filter((status) => status >= 300), [])
    }
    await served()
    // None counts while its body is missing.
    while (await begun() > 0) await send(globex, "/healthz")
    end()
    const acmes = { isOver: false }
    const all = Promise.all(acme).finally(() => {
      acmes.isOver = true
    })
    // The share of a business is three quarters of the 64.
    while (!acmes.isOver) assert.isAtMost(await begun(), 48)
    await served()
    const statuses = new Set(await all)
    agent.destroy()
    assert.include([...statuses], 200)
    assert.deepStrictEqual([...statuses].filter((status) => status !== 200 && status !== 503), [])
  }, 300_000)
})
