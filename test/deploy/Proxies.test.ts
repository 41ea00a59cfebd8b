/**
 * The configurations for proxies, run in these proxies in front of two instances: the requests and subscriptions of clients pass through
 * unchanged.
 */
import { recently } from "@dockline/testing/generators/Given"
import { createClient as createSseClient } from "graphql-sse"
import { createClient } from "graphql-ws"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { connect } from "node:http2"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent as FetchAgent, fetch as fetchBy } from "undici"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { WebSocket } from "ws"
import { run } from "../packages/Commands.ts"
import * as Certificate from "../support/Certificate.ts"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/ProgramSettings.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as Debian from "./Debian.ts"

/** Addresses of this machine that stand for two clients; the proxy uses 127.0.0.1. */
const clients = ["127.0.0.2", "127.0.0.3"] as const

let folder: string
let postgres: Debian.Postgres
let certificate: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-proxy-"))
  chmodSync(folder, 0o755)
  const { cert, key } = Certificate.forHost("localhost")
  certificate = cert
  writeFileSync(join(folder, "fullchain.pem"), cert)
  writeFileSync(join(folder, "privkey.pem"), key)
  postgres = await Debian.postgres()
})

afterAll(async () => {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A proxy with its configuration from `deploy`. */
interface Proxy {
  readonly name: string
  readonly start: (port: number, instances: readonly [number, number]) => Promise<Debian.Running>
}

/** nginx, with additions that a site may have. */
const nginxWith = (name: string, added: { readonly http: string; readonly location: string }): Proxy => ({
  name,
  start: async (port, [first, second]) => {
    const site = Debian.withReplaced("nginx.conf", {
      "location / {": `location / { ${added.location}`,
      "listen 80;": `listen ${await freePort()};`,
      "listen 443 ssl http2;": `listen ${port} ssl http2;`,
      "dockline.example.com": "localhost",
      "/etc/ssl/dockline": folder,
      "127.0.0.1:8080": `127.0.0.1:${first}`,
      "127.0.0.1:8081": `127.0.0.1:${second}`
    })
    // The configuration of Debian's nginx.conf, in a folder of its own, in the foreground.
    const own = join(folder, name.replaceAll(" ", "-"))
    mkdirSync(own)
    const config = join(own, "nginx.conf")
    writeFileSync(
      config,
      `daemon off; pid ${own}/pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${own}/body;
      proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/f; uwsgi_temp_path ${own}/u; scgi_temp_path ${own}/s;
      ${added.http} ${site} }`
    )
    const program = Debian.program("nginx")
    await run(program, ["-t", "-p", own, "-c", config], { cwd: own })
    return Debian.start(program, ["-p", own, "-c", config])
  }
})

const nginx = nginxWith("nginx", { http: "", location: "" })

/** A site with a generic recipe for caching: the cache key is the address only. */
const caching = nginxWith("nginx with a cache", {
  http: "proxy_cache_path cache keys_zone=all:1m;",
  location: "proxy_cache all; proxy_cache_valid 200 1m; add_header X-Cache $upstream_cache_status always;"
})

const caddy: Proxy = {
  name: "Caddy",
  start: async (port, [first, second]) => {
    const config = join(folder, "Caddyfile")
    const site = Debian.withReplaced("Caddyfile", {
      // A certificate of its own would need a public name that leads here.
      "{$DOCKLINE_NAME:dockline.example.com} {":
        `{$DOCKLINE_NAME} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`
    })
    writeFileSync(config, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      DOCKLINE_NAME: `localhost:${port}`,
      DOCKLINE_SERVERS: `127.0.0.1:${first} 127.0.0.1:${second}`
    }
    const program = Debian.program("caddy")
    await run(program, ["validate", "--config", Debian.deployed("Caddyfile"), "--adapter", "caddyfile"], {
      cwd: folder,
      env: { HOME: folder }
    })
    return Debian.start(program, ["run", "--config", config, "--adapter", "caddyfile"], { env })
  }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly from?: string
}

describe.each([nginx, caching, caddy])("behind $name", (proxy) => {
  let baseUrl: string
  let running: Debian.Running
  let instances: ReadonlyArray<ServerProcess.ServerProcess> = []

  const send = (path: string, { body = "", from = clients[0], headers = {}, method = "GET" }: Sent = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(`${baseUrl}${path}`, {
        method,
        localAddress: from,
        // The name leads to 127.0.0.1 only.
        family: 4,
        ca: certificate,
        agent: new Agent(),
        headers: { ...headers, "content-length": Buffer.byteLength(body) }
      }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => (text += part))
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      })
      sent.on("error", reject)
      sent.end(body)
    })

  const login = (secret: string, from?: string) =>
    send("/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: "globex-client",
        client_secret: secret,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }),
      ...(from === undefined ? {} : { from })
    })

  const headersOf = async (client: string): Promise<Readonly<Record<string, string>>> => {
    const { text } = await send("/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: client,
        client_secret: `${client}-secret`,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    const { access_token: token } = JSON.parse(text) as { readonly access_token: string }
    return { authorization: `Bearer ${token}`, "content-type": "application/json" }
  }

  const documentOf = (orderNumber: string, items: ReadonlyArray<object> = []) =>
    JSON.stringify({
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      dockSlug: "D1",
      orderNumber,
      items
    })

  beforeAll(async () => {
    const url = await postgres.create(proxy.name.toLowerCase().replaceAll(" ", "_"))
    const port = await freePort()
    baseUrl = `https://localhost:${port}`
    const settings = {
      DATABASE_URL: url,
      BASE_URL: baseUrl,
      DEMO: "true",
      TRUSTED_PROXIES: "127.0.0.1/32",
      OPERATOR_CLIENT_ID: "root",
      OPERATOR_CLIENT_SECRET: "root-secret"
    }
    instances = [await ServerProcess.serve(settings), await ServerProcess.serve(settings)]
    const [first, second] = instances.map(({ baseUrl: own }) => Number(new URL(own).port))
    // The banner contains the address of the proxy; each proxy has its own port.
    running = await proxy.start(port, [first!, second!])
    await eventually(
      `${proxy.name} serves: ${running.output()}`,
      () => send("/readyz").then(({ status }) => status === 200, () => false)
    )
  })

  afterAll(async () => {
    await running?.stop()
    for (const { child, ended } of instances) {
      child.kill()
      await ended
    }
  })

  it("documents go through, over HTTP/1.1 and HTTP/2", async () => {
    const headers = await headersOf("acme-client")
    const first = await send("/v1/documents", { method: "POST", headers, body: documentOf("SO-1") })
    assert.strictEqual(first.status, 201, first.text)
    assert.match(first.headers["location"] ?? "", /^(https:\/\/localhost:\d+)?\/v1\/shipments\/\d+$/)

    const session = connect(baseUrl, { ca: certificate })
    try {
      const body = documentOf("SO-2")
      const stream = session.request({ ":method": "POST", ":path": "/v1/documents", ...headers })
      stream.end(body)
      const [answered] = await once(stream, "response") as [Readonly<Record<string, unknown>>]
      assert.strictEqual(session.alpnProtocol, "h2")
      assert.strictEqual(answered[":status"], 201)
      stream.resume()
      await once(stream, "end")
    } finally {
      session.close()
    }
  })

  it("9 MB go through, and what is too large is refused by the server itself", async () => {
    const headers = await headersOf("acme-client")
    const items = Array.from({ length: 9000 }, (_, index) => ({
      lpn: `LPN-${index}`,
      sku: "SKU-1",
      quantity: 1,
      quantityUnit: "CASE",
      description: "x".repeat(950)
    }))
    const body = documentOf("SO-9", items)
    assert.isAbove(body.length, 9_000_000)
    const sent = { method: "POST", headers: { ...headers, prefer: "return=minimal" } }
    const taken = await send("/v1/documents", { ...sent, body })
    assert.strictEqual(taken.status, 201, taken.text.slice(0, 500))
    const tooLarge = { ...sent, body: documentOf("x".repeat(10 * 1024 * 1024)) }
    // A client that is still writing when the connection is closed may not have read the answer, and tries again.
    const ask = (): ReturnType<typeof send> =>
      send("/v1/documents", tooLarge).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET" || error.code === "EPIPE") return ask()
        throw error
      })
    const large = await ask()
    assert.strictEqual(large.status, 413)
    assert.include(large.text, `"code":"`)
  })

  it("web sockets and event streams bring each message as it comes", async () => {
    const customer = await headersOf("acme-client")
    const tower = await headersOf("tower")
    const query = `subscription { pushMessage(filter: { businessSlug: "acme" }) { id } }`
    const overSocket = createClient({
      url: `${baseUrl.replace("https", "wss")}/public_graphql`,
      connectionParams: { authorization: customer["authorization"] },
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocol: string) {
          super(address, protocol, { ca: certificate })
        }
      }
    })
    const dispatcher = new FetchAgent({ connect: { ca: certificate } })
    const overEvents = createSseClient({
      url: `${baseUrl}/public_graphql`,
      headers: { authorization: customer["authorization"]! },
      fetchFn: (address: string, init: object) => fetchBy(address, { ...init, dispatcher })
    })
    const messages = [overSocket.iterate({ query }), overEvents.iterate({ query })]
    try {
      await send("/v1/documents", {
        method: "POST",
        headers: customer,
        body: documentOf("SO-3", [{ lpn: "LPN-3", sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }])
      })
      const event = (eventId: string) =>
        send("/v1/pallet-events", {
          method: "POST",
          headers: tower,
          body: JSON.stringify({
            eventId,
            business: "acme",
            facility: "east",
            dockSlug: "D1",
            direction: "LOADING",
            occurredAt: recently("08:00:00Z"),
            labels: [{ name: "lpn", value: "LPN-3" }]
          })
        })
      // A subscription may begin after the first message; each message has to arrive at once, not together with the next.
      const firsts = messages.map((each) => each.next())
      let told = 0
      firsts.forEach((each) => void each.then(() => told++))
      let sent = 0
      await eventually("both subscriptions bring a message", async () => {
        assert.strictEqual((await event(`evt-${sent++}`)).status, 201)
        return told === 2
      })
      for (const first of firsts) assert.isUndefined((await first).value.errors)
    } finally {
      for (const each of messages) await each.return!()
      await overSocket.dispose()
      overEvents.dispose()
      await dispatcher.destroy()
    }
  })

  it("clients are told apart by their addresses, whatever they say of themselves", async () => {
    const [mallory, customer] = clients
    // Each of the two instances counts separately.
    for (let index = 0; index < 160; index++) await login("wrong", mallory)
    assert.strictEqual((await login("globex-client-secret", mallory)).status, 429)
    assert.strictEqual((await login("globex-client-secret", customer)).status, 200)
  })

  // @threat tenants.11
  it("what one client got is given to no other, though a cache is told to keep every address", async () => {
    const [customer, other] = [await headersOf("acme-client"), await headersOf("globex-client")]
    await send("/v1/documents", { method: "POST", headers: customer, body: documentOf("SO-CACHE") })
    const signedIn = await send("/dashboard/sign-in", {
      method: "POST",
      headers: { origin: baseUrl, "content-type": "application/x-www-form-urlencoded" },
      body: "client_id=acme-client&client_secret=acme-client-secret"
    })
    assert.strictEqual(signedIn.status, 303, signedIn.text)
    const [cookie] = signedIn.headers["set-cookie"]!.map((each) => each.split(";", 1)[0]!)
    const query = encodeURIComponent(
      `{ shipments(business: "acme", shipmentNumber: "SO-CACHE") { nodes { id } } }`
    )
    const shipments = "/v1/shipments?shipmentNumber=SO-CACHE"
    const doors: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      [shipments, customer],
      [shipments, { ...customer, accept: "text/csv" }],
      [`/public_graphql?query=${query}`, { ...customer, accept: "application/json" }],
      [`/dashboard/api${shipments}`, { cookie: cookie! }]
    ]
    for (const [path, headers] of doors) {
      for (let time = 0; time < 2; time++) {
        const own = await send(path, { headers })
        assert.strictEqual(own.status, 200, `${path} ${own.text}`)
        assert.include(own.text, path.includes("graphql") ? "nodes" : "SO-CACHE")
        assert.notStrictEqual(own.headers["x-cache"], "HIT", path)
      }
      const { cookie: _session, ...rest } = headers
      const foreign = await send(path, { headers: { ...rest, ...other } })
      assert.notInclude(foreign.text, "\"id\"", path)
      assert.notInclude(foreign.text, "SO-CACHE", path)
      assert.strictEqual((await send(path)).status, 401, path)
    }
    // Answers that are the same for everybody may be cached.
    await send("/robots.txt")
    const kept = await send("/robots.txt")
    assert.strictEqual(kept.headers["x-cache"], proxy === caching ? "HIT" : undefined)
  })

  it("/metrics is not for everybody", async () => {
    assert.strictEqual((await send("/metrics")).status, 404)
  })

  it("an instance that stops fails no request", async () => {
    const headers = await headersOf("acme-client")
    const made = await send("/v1/documents", { method: "POST", headers, body: documentOf("SO-4") })
    const { shipment } = JSON.parse(made.text) as { readonly shipment: { readonly id: number } }
    const answers: Array<number> = []
    let isStopped = false
    const ask = async () => {
      for (let further = 0; further < 20; further += isStopped ? 1 : 0) {
        answers.push((await send(`/v1/shipments/${shipment.id}`, { headers })).status)
      }
    }
    const asking = [ask(), ask(), ask()]
    const [first] = instances
    first!.child.kill("SIGTERM")
    await first!.ended
    isStopped = true
    await Promise.all(asking)
    assert.deepStrictEqual(answers.filter((status) => status !== 200), [])
  })
})
