/**
 * D14.1: the paths that pages reach under `/dashboard/api`, and their spellings, as tried by a person who has signed in, or who wants to
 * get around the rules of a proxy.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import * as Site from "../../support/Site.ts"

let site: Site.Site
let cookie: string

beforeAll(async () => {
  site = await Site.start()
  const response = await fetch(`${site.baseUrl}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: site.baseUrl },
    body: new URLSearchParams({ client_id: "operator", client_secret: "operator-secret" })
  })
  cookie = response.headers.get("set-cookie")!.split(";")[0]!
})

afterAll(() => site?.stop())

/** Requests a path exactly as it is spelled; `fetch` would normalise it. */
const ask = (path: string, method = "GET"): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const { host, port } = new URL(site.baseUrl)
    const socket = connect(Number(port), "127.0.0.1")
    let text = ""
    socket.setEncoding("utf8").on("data", (part: string) => (text += part))
    socket.on("error", reject)
    socket.on("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text }))
    const head = [`Host: ${host}`, `Cookie: ${cookie}`, `Origin: ${site.baseUrl}`, "Connection: close"]
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`)
  })

const notFound = async (path: string, method?: string): Promise<void> => {
  const { status, text } = await ask(path, method)
  assert.deepStrictEqual([path, status], [path, 404])
  assert.include(text, "RESOURCE_NOT_FOUND", path)
}

describe("D14.1 the interfaces under /dashboard/api", () => {
  // @threat requests.4
  it("D14.1 are REST and GraphQL", async () => {
    for (
      const path of [
        "/v1/shipments",
        "/v1/shipments?limit=1",
        "/v1/operator/clients",
        "/v1/operator/clients?limit=1"
      ]
    ) {
      assert.strictEqual((await ask(`/dashboard/api${path}`)).status, 200, path)
    }
    assert.strictEqual(
      (await ask(`http://${new URL(site.baseUrl).host}/dashboard/api/v1/shipments`)).status,
      200
    )
    assert.notStrictEqual((await ask("/dashboard/api/graphql", "POST")).status, 404)
    for (
      const path of [
        "",
        "/",
        "/metrics",
        "/healthz",
        "/readyz",
        "/.well-known/jwks.json",
        "/oauth/token",
        "/public_graphql",
        "/dashboard/session",
        "/v1",
        "/v1/",
        "/v1/docs",
        "/v1/docs/"
      ]
    ) {
      await notFound(`/dashboard/api${path}`)
      await notFound(`/dashboard/api${path}`, "POST")
    }
  })

  // @threat requests.4
  it("D14.1 have one spelling of each path", async () => {
    for (
      const path of [
        "//v1/shipments",
        "/V1/shipments",
        "/V1/OPERATOR/clients",
        "/v1/OPERATOR/clients",
        "/v1//operator/clients",
        "/v1/operator/clients/",
        "/v1/operator/clients;limit=1",
        "/v1/%6fperator/clients",
        "/%761/shipments",
        "/v1/./shipments",
        "/v1/operator/../shipments",
        "/METRICS/",
        "/metrics/",
        "/%6detrics",
        "/GraphQL",
        "/graphql/",
        "/graphql;x",
        "//graphql"
      ]
    ) {
      await notFound(`/dashboard/api${path}`)
      await notFound(`/dashboard/api${path}`, "POST")
    }
  })

  // @threat requests.4
  it("D14.1 are nowhere else, and no page of the dashboard either", async () => {
    for (
      const path of [
        "/Dashboard/api/v1/shipments",
        "/DASHBOARD/API/v1/shipments",
        "/dashboard//api/v1/shipments",
        "//dashboard/api/v1/shipments",
        "/dashboard/API/v1/shipments",
        "/dashboard/%61pi/v1/shipments",
        "/%64ashboard/api/v1/shipments",
        "/dashboard/;/api/v1/shipments",
        "/dashboard;/api/v1/shipments",
        "/Dashboard",
        "//dashboard",
        "/dashboard//shipments",
        "/dashboard/shipments;x"
      ]
    ) {
      await notFound(path)
    }
    for (const path of ["/dashboard", "/dashboard/", "/dashboard/shipments", "/dashboard/no-such-page"]) {
      assert.strictEqual((await ask(path)).status, 200, path)
    }
  })
})
