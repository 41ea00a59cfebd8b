/**
 * The programs of `examples/embedded`, each as a process of its own: the host's own routes beside REST and GraphQL, event streams, web
 * sockets, limits, and a clean stop. Those that are started more than once are bundled, which halves the time of a start; the others run
 * from their sources.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundleAll } from "../../programs/Bundle.mjs"
import * as TestDatabase from "../support/TestDatabase.ts"
import { eventOf, order, readUntil, start, subscription } from "./EmbeddedHost.ts"
import type { Host } from "./EmbeddedHost.ts"
import * as Process from "./Process.ts"

const hosts = [
  ["NodeHttp", "from node:http"],
  ["Express", "from Express"],
  ["Fastify", "from Fastify"],
  ["Hono", "from Hono"]
] as const

const folder = mkdtempSync(join(tmpdir(), "dockline-embedded-"))

const sourceOf = (name: string): string =>
  fileURLToPath(new URL(`../../examples/embedded/src/${name}.ts`, import.meta.url))

/** The bundle of a host. */
const bundled = (name: string): string => join(folder, `${name}.mjs`)

beforeAll(() => bundleAll(hosts.map(([name]) => ({ entry: sourceOf(name), name })), folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Problem {
  readonly status: number
  readonly code: string
}

const problem = async (response: Response): Promise<Problem> => {
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.isNotEmpty(response.headers.get("correlation-id"))
  return await response.json() as Problem
}

/**
 * Sends a body that is larger than any limit: with an announced length but no content, or in endless chunks. Returns the status of the
 * answer, which does not wait for the rest.
 */
const sendEndless = (url: string, token: string, announced: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/documents`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(announced ? { "content-length": 11 * 1024 * 1024 } : {})
      }
    }, (response) => {
      resolve(response.statusCode!)
      sent.destroy()
    })
    // Once the answer is there, the remaining writes fail.
    sent.on("error", reject)
    if (announced) return sent.flushHeaders()
    const chunk = Buffer.alloc(64 * 1024, " ")
    const write = (): void => {
      while (!sent.destroyed) if (!sent.write(chunk)) return void sent.once("drain", write)
    }
    write()
  })

describe.each(hosts)("Dockline inside %s", (name, greeting) => {
  let host: Host
  beforeAll(async () => {
    host = await start(bundled(name))
  })
  afterAll(async () => {
    host.process.kill("SIGKILL")
    await host.process.ended
  })

  it("stands beside the host's own routes", async () => {
    const own = await fetch(`${host.url}/hello`)
    assert.deepStrictEqual(await own.json(), { hello: greeting })
    const missing = await fetch(`${host.url}/own/missing`)
    assert.strictEqual(missing.status, 404)
    assert.notMatch(missing.headers.get("content-type") ?? "", /problem/)
    assert.strictEqual((await fetch(`${host.url}/healthz`)).status, 200)
    const ours = await fetch(`${host.url}/v1/missing`)
    assert.strictEqual((await problem(ours)).code, "RESOURCE_NOT_FOUND")
  })

  it("takes a document, in JSON and XML, and shows it", async () => {
    const created = await host.post("acme-client", "/v1/documents", order("JSON"))
    assert.strictEqual(created.status, 201)
    const headers = { authorization: `Bearer ${await host.token("acme-client")}` }
    const read = await fetch(host.url + created.headers.get("location")!, { headers })
    assert.strictEqual((await read.json() as { shipmentNumber: string }).shipmentNumber, "JSON")
    const xml = await fetch(`${host.url}/v1/documents`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/xml" },
      body: "<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>" +
        "<orderNumber>XML</orderNumber></Document>"
    })
    assert.strictEqual(xml.status, 201)
  })

  it("answers GraphQL", async () => {
    await host.post("acme-client", "/v1/documents", order("QUERY"))
    const query = "{ shipments(shipmentNumber: \"QUERY\") { nodes { shipmentNumber } } }"
    const response = await host.post("acme-client", "/public_graphql", { query })
    assert.isNotEmpty(response.headers.get("correlation-id"))
    const { data, errors } = await response.json() as { data: unknown; errors: unknown }
    assert.isUndefined(errors)
    assert.include(JSON.stringify(data), "QUERY")
  })

  it("takes a large body, and refuses one that is too large, announced or not", async () => {
    const items = Array.from({ length: 10_000 }, (_, at) => ({
      lpn: `P-${at}`,
      sku: "S1",
      quantity: 1,
      quantityUnit: "CASE",
      description: "a large body".padEnd(200, ".")
    }))
    const large = await host.post("acme-client", "/v1/documents", order("LARGE", { items }))
    assert.strictEqual(large.status, 201)
    assert.strictEqual((await large.json() as { created: ReadonlyArray<unknown> }).created.length, 10_002)
    const token = await host.token("acme-client")
    assert.strictEqual(await sendEndless(host.url, token, true), 413)
    assert.strictEqual(await sendEndless(host.url, token, false), 413)
  })

  it("follows messages over an event stream and a web socket", async () => {
    await host.post("acme-client", "/v1/documents", order("FOLLOW"))
    const token = await host.token("acme-client")
    const aborted = new AbortController()
    const events = await fetch(`${host.url}/public_graphql`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "text/event-stream"
      },
      body: JSON.stringify({ query: subscription }),
      signal: aborted.signal
    })
    const client = await host.sockets("acme-client")
    const messages = client.iterate({ query: subscription })
    const first = messages.next()
    const recorded = await host.post("tower", "/v1/pallet-events", eventOf("FOLLOW"))
    assert.strictEqual(recorded.status, 201)
    assert.include(JSON.stringify((await first).value?.data), "\"orders\":[\"FOLLOW\"]")
    assert.include(await readUntil(events.body!.getReader(), "FOLLOW"), "\"orders\":[\"FOLLOW\"]")
    aborted.abort()
    await client.dispose()
  })

  it("stops when it is told to: streams end, sockets close, and nothing is left", async () => {
    const stopping = await start(bundled(name))
    await stopping.post("acme-client", "/v1/documents", order("STOP"))
    await stopping.post("tower", "/v1/pallet-events", eventOf("STOP"))
    const token = await stopping.token("acme-client")
    const events = await fetch(`${stopping.url}/public_graphql?query=${encodeURIComponent(subscription)}`, {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
    })
    const reader = events.body!.getReader()
    await readUntil(reader, "STOP")
    const client = await stopping.sockets("acme-client")
    const closed = new Promise((resolve) =>
      client.on("closed", (event) => resolve((event as CloseEvent).code))
    )
    const messages = client.iterate({ query: subscription })
    await messages.next()
    stopping.process.kill("SIGTERM")
    assert.strictEqual(await closed, 1001)
    await readUntil(reader, "never")
    assert.strictEqual(await stopping.process.ended, 0)
    assert.match(stopping.process.output(), /Stopping\nStopped\n$/)
    assert.strictEqual(stopping.process.errors(), "")
    await messages.return?.().catch(() => undefined)
  })
})

describe("Dockline inside a host, on PostgreSQL", () => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("is the same with DATABASE_URL, and keeps what it was sent", async () => {
    const { url } = await Effect.runPromise(Scope.provide(TestDatabase.create, scope))
    const env = { DATABASE_URL: Redacted.value(url) }
    const first = await start(bundled("NodeHttp"), env)
    assert.strictEqual((await first.post("acme-client", "/v1/documents", order("KEPT"))).status, 201)
    assert.strictEqual((await fetch(`${first.url}/readyz`)).status, 200)
    first.process.kill("SIGTERM")
    assert.strictEqual(await first.process.ended, 0)
    const second = await start(bundled("NodeHttp"), env)
    const query = "{ shipments(shipmentNumber: \"KEPT\") { nodes { shipmentNumber } } }"
    const answer = await second.post("acme-client", "/public_graphql", { query })
    assert.include(await answer.text(), "KEPT")
    second.process.kill("SIGTERM")
    assert.strictEqual(await second.process.ended, 0)
  })

  it("does not start on a database that cannot be reached, and says why", async () => {
    const program = Process.start("examples/embedded/src/NodeHttp.ts", [], {
      PORT: "0",
      DATABASE_URL: "postgres://user:hidden@127.0.0.1:1/dockline"
    })
    assert.strictEqual(await program.ended, 1)
    assert.match(program.errors(), /Dockline was not opened: The database cannot be reached/)
    assert.notInclude(program.errors(), "hidden")
  })
})

describe("Dockline as a plain library", () => {
  it("runs from an order to its completion without HTTP", async () => {
    const program = Process.start("examples/embedded/src/PlainLibrary.ts", [], {})
    assert.strictEqual(await program.ended, 0)
    assert.deepStrictEqual(program.output().trim().split("\n").toSorted(), [
      "created: SHIPMENT, ORDER, ORDER_ITEM",
      "message: PALLET_EVENT",
      "message: SHIPMENT_ARRIVED",
      "message: SHIPMENT_COMPLETE",
      "shipment: DEPARTED",
      "there already: LPN-1"
    ])
  })
})

describe("Dockline with parts of one's own", () => {
  const ann = { authorization: "ApiKey key-of-ann" }
  const gate = { authorization: "ApiKey key-of-gate" }

  let host: Host
  beforeAll(async () => {
    host = await start("examples/embedded/src/OwnParts.ts")
  })
  afterAll(async () => {
    host.process.kill("SIGTERM")
    assert.strictEqual(await host.process.ended, 0)
    assert.strictEqual(host.process.errors(), "")
  })

  const send = (headers: Record<string, string>, path: string, body: unknown) =>
    fetch(host.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })

  it("takes its own keys, and has no tokens", async () => {
    assert.strictEqual((await send(ann, "/v1/documents", order("OWN"))).status, 201)
    for (const headers of [{}, { authorization: "ApiKey wrong" }, { authorization: "Bearer key" }]) {
      const refused = await send(headers, "/v1/documents", order("OWN"))
      assert.strictEqual((await problem(refused)).code, "UNAUTHENTICATED")
    }
    assert.strictEqual((await problem(await send(gate, "/v1/documents", order("OWN")))).code, "FORBIDDEN")
    assert.strictEqual((await send({}, "/oauth/token", {})).status, 404)
    assert.strictEqual((await fetch(`${host.url}/.well-known/jwks.json`)).status, 404)
    const reference = await (await fetch(`${host.url}/v1/openapi.json`)).text()
    assert.notMatch(reference, /oauth\/token|jwks|TokenRequest|"clientCredentials"/)
  })

  it("takes its strategy in JSON, XML and GraphQL, and shows it in the reference", async () => {
    await send(ann, "/v1/documents", order("MISSING"))
    const json = { ...order("MISSING"), orderItemUpdateStrategy: "ADD_MISSING" }
    const repeated = await send(ann, "/v1/documents", json)
    const shown = await repeated.json() as Record<"created" | "updated" | "removed", ReadonlyArray<unknown>>
    assert.deepStrictEqual([shown.created, shown.removed], [[], []])
    const item = (lpn: string) =>
      `<items><lpn>${lpn}</lpn><sku>S1</sku><quantity>2</quantity><quantityUnit>CASE</quantityUnit></items>`
    const xml =
      "<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>" +
      "<orderNumber>MISSING</orderNumber><orderItemUpdateStrategy>ADD_MISSING</orderItemUpdateStrategy>" +
      `${item("P-MISSING")}${item("P-2")}</Document>`
    const added = await send({ ...ann, "content-type": "application/xml" }, "/v1/documents", xml)
    const { created } = await added.json() as {
      readonly created: ReadonlyArray<{ readonly reference: string }>
    }
    assert.deepStrictEqual(created.map(({ reference }) => reference), ["P-2"])
    const query = `mutation ($input: DocumentInput!) { submitDocument(input: $input) { created { type } } }`
    const input = { ...json, items: [...json.items, { ...json.items[0]!, lpn: "P-3" }] }
    const mutated = await send(ann, "/public_graphql", { query, variables: { input } })
    assert.deepStrictEqual(await mutated.json(), {
      data: { submitDocument: { created: [{ type: "ORDER_ITEM" }] } }
    })
    const reference = await (await fetch(`${host.url}/v1/openapi.json`)).text()
    assert.include(reference, "\"OVERWRITE\",\"ADD_MISSING\"")
  })

  it("writes its own time, through its own storage", async () => {
    const created = await send(ann, "/v1/documents", order("TIME"))
    const { shipment } = await created.json() as { readonly shipment: { readonly scheduledAt: string } }
    const ahead = Date.parse(shipment.scheduledAt) - Date.now()
    assert.closeTo(ahead, 365 * 86_400_000, 60_000)
    await host.process.until(({ output }) => output().includes("document of acme: TIME\n"))
  })

  it("sends webhooks by its own means, and shows messages to its own clients", async () => {
    const endpoint = {
      business: "acme",
      baseUrl: "https://customer.example.com",
      authentication: { type: "none" },
      messageTypes: ["PALLET_EVENT"]
    }
    const made = await send(ann, "/v1/operator/webhook-endpoints", endpoint)
    assert.strictEqual(made.status, 201, await made.clone().text())
    await send(ann, "/v1/documents", order("HOOK"))
    const event = eventOf("HOOK", Timestamp.fromMillis(Date.now() + 365 * 86_400_000))
    assert.strictEqual((await send(gate, "/v1/pallet-events", event)).status, 201)
    const line = "webhook to https://customer.example.com/api/palletEvent: HOOK\n"
    await host.process.until(({ output }) => output().includes(line))
    const events = await send({ ...ann, accept: "text/event-stream" }, "/public_graphql", {
      query: subscription
    })
    const reader = events.body!.getReader()
    assert.include(await readUntil(reader, "HOOK"), "\"orders\":[\"HOOK\"]")
    await reader.cancel()
  })
})
