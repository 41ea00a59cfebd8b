/**
 * Foreign names that lead to the service (DNS rebinding): a page of such a name has the service as its own origin, so that only the `Host`
 * of its requests distinguishes it from our pages.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { request } from "node:http"
import { WebSocket } from "ws"
import { exchange } from "../security/RawHttp.ts"
import { freePort } from "../support/ProgramSettings.ts"
import * as Site from "../support/Site.ts"

interface Sent {
  readonly host: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Answer {
  readonly status: number
  readonly cookie: string | undefined
  readonly text: string
}

/** Sends a request with its own `Host` to the port of a site. */
const send = (port: number, path: string, { body = "", headers = {}, host, method = "GET" }: Sent) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: { ...headers, host, "content-length": Buffer.byteLength(body) }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => (text += part))
      response.on(
        "end",
        () => resolve({ status: response.statusCode!, cookie: response.headers["set-cookie"]?.join(), text })
      )
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** The status of a refused upgrade. */
const refusedUpgrade = async (port: number, path: string, headers: Readonly<Record<string, string>>) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, "graphql-transport-ws", { headers })
  const [, response] = await once(socket, "unexpected-response") as [unknown, { readonly statusCode: number }]
  return response.statusCode
}

const signInForm = (client: string) =>
  new URLSearchParams({ client_id: client, client_secret: `${client}-secret` }).toString()

const form = { "content-type": "application/x-www-form-urlencoded" }

const paths = [
  "/",
  "/dashboard",
  "/dashboard/sign-in",
  "/dashboard/api/v1/shipments",
  "/v1/shipments",
  "/v1/docs/",
  "/metrics",
  "/.well-known/jwks.json",
  "/public_graphql",
  "/nowhere"
]

describe("D12.5 a server that only its machine reaches", () => {
  let site: Site.Site
  let port: number

  beforeAll(async () => {
    site = await Site.start()
    port = Number(new URL(site.baseUrl).port)
  })

  afterAll(() => site?.stop())

  // @threat requests.5
  it("D12.5 signs nobody in for a page of another name, shows it no metrics, and nothing else", async () => {
    const host = `rebound.example:${port}`
    const origin = `http://${host}`
    const answer = await send(port, "/dashboard/sign-in", {
      host,
      method: "POST",
      headers: { ...form, origin },
      body: signInForm("operator")
    })
    assert.deepStrictEqual([answer.status, answer.cookie], [421, undefined])
    const problem = JSON.parse(answer.text) as { readonly code: string; readonly detail: string }
    assert.strictEqual(problem.code, "MISDIRECTED_REQUEST")
    assert.include(problem.detail, host)
    assert.include(problem.detail, `${site.baseUrl} (the setting BASE_URL)`)
    for (const path of paths) {
      const { cookie, status, text } = await send(port, path, { host, headers: { origin } })
      assert.deepStrictEqual([status, cookie], [421, undefined], path)
      assert.notInclude(text, "dockline_")
    }
    const token = {
      grant_type: "client_credentials",
      client_id: "operator",
      client_secret: "operator-secret"
    }
    const asked = await send(port, "/oauth/token", {
      host,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(token)
    })
    assert.strictEqual(asked.status, 421)
    for (const path of ["/public_graphql", "/dashboard/api/graphql", "/nowhere"]) {
      assert.strictEqual(await refusedUpgrade(port, path, { host, origin }), 421, path)
    }
  })

  // @threat requests.5
  it("D12.5 answers by the names of the machine, with its port", async () => {
    for (const name of ["localhost", "LocalHost", "127.0.0.1", "[::1]"]) {
      const host = `${name}:${port}`
      assert.strictEqual((await send(port, "/metrics", { host })).status, 200, host)
      const origin = `http://${host.toLowerCase()}`
      const answer = await send(port, "/dashboard/sign-in", {
        host,
        method: "POST",
        headers: { ...form, origin },
        body: signInForm("operator")
      })
      assert.strictEqual(answer.status, 303, host)
    }
    for (
      const host of [
        "localhost",
        `localhost:${port + 1}`,
        `localhost.example:${port}`,
        `127.0.0.1.example:${port}`,
        `example:${port}`,
        `10.0.0.1:${port}`
      ]
    ) {
      assert.strictEqual((await send(port, "/metrics", { host })).status, 421, host)
    }
  })

  it("D12.5 answers probes whatever they ask for, and no other path that looks like one", async () => {
    for (const path of ["/healthz", "/readyz", "/healthz?verbose"]) {
      assert.strictEqual((await send(port, path, { host: "10.0.0.5:8080" })).status, 200, path)
    }
    for (const path of ["/healthz/", "//healthz", "/healthz/../metrics"]) {
      assert.strictEqual((await send(port, path, { host: "10.0.0.5:8080" })).status, 421, path)
    }
    const old = (path: string) =>
      Effect.runPromise(exchange(port, `GET ${path} HTTP/1.0\r\nConnection: close\r\n\r\n`))
    assert.deepStrictEqual((await old("/readyz")).map(({ status }) => status), [200])
    const refused = await old("/v1/shipments")
    assert.deepStrictEqual(refused.map(({ status }) => status), [421])
    assert.include(refused[0]!.body, "names no host")
  })

  // @threat requests.5
  it("D12.5 judges the host in the target of a request too", async () => {
    const ask = async (target: string) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`
      return (await Effect.runPromise(exchange(port, head))).map(({ status }) => status)
    }
    assert.deepStrictEqual(await ask(`http://rebound.example:${port}/metrics`), [421])
    assert.deepStrictEqual(await ask(`http://localhost:${port}/metrics`), [200])
  })
})

describe("D12.5 a server that others reach", () => {
  let site: Site.Site
  let port: number

  beforeAll(async () => {
    port = await freePort()
    site = await Site.start({
      PORT: String(port),
      HOST: "0.0.0.0",
      BASE_URL: "https://logistics.example",
      AUTH_URL: "https://login.example:8443",
      DASHBOARD_URL: "https://docks.example/dashboard",
      METRICS_TOKEN: "token-of-the-metrics"
    })
  })

  afterAll(() => site?.stop())

  // @threat requests.5
  it("D12.5 answers by its addresses alone: not by the names of the machine", async () => {
    for (
      const host of [
        "logistics.example",
        "logistics.example:443",
        "Logistics.Example",
        "login.example:8443",
        "docks.example"
      ]
    ) {
      assert.strictEqual((await send(port, "/dashboard/sign-in", { host })).status, 200, host)
    }
    for (
      const host of [
        `localhost:${port}`,
        `127.0.0.1:${port}`,
        "login.example",
        "logistics.example:80",
        "example"
      ]
    ) {
      assert.strictEqual((await send(port, "/dashboard/sign-in", { host })).status, 421, host)
    }
  })

  it("D12.5 shows the metrics by whatever name to who has their token", async () => {
    const ask = (headers: Readonly<Record<string, string>>) =>
      send(port, "/metrics", { host: `10.0.0.5:${port}`, headers })
    assert.strictEqual((await ask({})).status, 401)
    assert.strictEqual((await ask({ authorization: "Bearer token-of-the-metrics" })).status, 200)
  })
})
