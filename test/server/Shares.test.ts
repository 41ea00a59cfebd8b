/**
 * All interfaces of the bundled server count one client as one: however it writes its token, however many tokens and sessions it has, and
 * whether it comes by REST, by GraphQL, by MCP or through the dashboard.
 */
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { tokenOf } from "../support/DemoToken.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

let server: ServerProcess.OwnServer
let tokens: ReadonlyArray<string>
let cookies: ReadonlyArray<string>
let sockets: Array<Socket> = []

/** The cookie of a new session of a client. */
const signIn = async (client: string): Promise<string> => {
  const response = await fetch(`${server.baseUrl}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: server.baseUrl },
    body: new URLSearchParams({ client_id: client, client_secret: `${client}-secret` })
  })
  return response.headers.get("set-cookie")!.split(";")[0]!
}

beforeAll(async () => {
  server = await ServerProcess.serveAlone({ MAX_BODY_BYTES: String(8 * 1024 * 1024) })
  tokens = [await tokenOf(server.baseUrl, "acme-client"), await tokenOf(server.baseUrl, "acme-client")]
  cookies = [await signIn("acme-client"), await signIn("acme-client")]
})

afterEach(async () => {
  sockets.forEach((socket) => socket.destroy())
  sockets = []
  await eventually("no room is held", async () => {
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text()
    return metrics.includes("\ndockline_admission_body_bytes 0\n")
  })
})

afterAll(() => server.stop())

/** The path and headers of a request; the requests of each interface are numbered from 0. */
type Door = (at: number) => readonly [path: string, ...headers: ReadonlyArray<string>]

const json = "Content-Type: application/json"

const rest = "/v1/documents"

/** Ways in which one client can make many requests. */
const doors: Readonly<Record<string, Door>> = {
  "spellings of several tokens": (at) => [
    rest,
    json,
    `Authorization: ${["Bearer", "bEaReR", "BEARER"][at % 3]}${" ".repeat(1 + at)}${tokens[at % 2]}`
  ],
  "sessions of pages, with headers that mean nothing": (at) => [
    `/dashboard/api${rest}`,
    json,
    `Cookie: ${cookies[at % 2]}`,
    `Origin: ${server.baseUrl}`,
    `Authorization: Bearer made-up-${at}`
  ],
  "GraphQL": (at) => [
    "/public_graphql",
    "Content-Type: multipart/form-data; boundary=x",
    `Authorization: BEARER ${tokens[at % 2]}`
  ],
  "MCP": (at) => ["/mcp", json, `Authorization: Bearer ${tokens[at % 2]}`]
}

/** Sends the head of a request with a body of a megabyte, and some bytes of the body. */
const begin = ([path, ...headers]: ReturnType<Door>) => {
  const { host, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), "127.0.0.1")
  sockets.push(socket)
  socket.on("error", () => undefined)
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, "Content-Length: 1000000", ...headers]
  socket.write(`${lines.join("\r\n")}\r\n\r\n--x\r\n`)
  const request = { answer: "" }
  socket.on("data", (chunk: Buffer) => (request.answer += chunk.toString()))
  return request
}

/** The answer to another client's document, nearly as large as that client's half of the room. */
const largeDocument = async () => {
  const response = await fetch(server.baseUrl + rest, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await tokenOf(server.baseUrl, "globex-client")}`,
      "content-type": "application/json",
      prefer: "dry-run"
    },
    body: JSON.stringify({
      business: "globex",
      facility: "main",
      direction: "OUTBOUND",
      orderNumber: "SO-1",
      items: [{ lpn: "LPN-1", sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }]
    }) + " ".repeat(4_000_000)
  })
  return response.status
}

/** Whether three requests of a megabyte fit into the share of a client, which is three eighths of the room. */
const isHeld = async (all: ReadonlyArray<{ readonly answer: string }>) => {
  await eventually(
    "all but three are refused",
    () => all.filter(({ answer }) => answer.includes("503 Service Unavailable")).length === all.length - 3
  )
  assert.strictEqual(all.filter(({ answer }) => answer === "").length, 3)
  assert.strictEqual(await largeDocument(), 201)
}

describe("a client has one share of the room for bodies, and others have theirs", () => {
  // @threat load.9
  it("by whichever doors it comes", async () => {
    const all = Object.values(doors)
    await isHeld(
      Array.from({ length: 15 }, (_, at) => begin(all[at % all.length]!(Math.floor(at / all.length))))
    )
  })
})

describe("requests of pages are counted", () => {
  const asked = Dashboard.countedForm({ baseUrl: "http://localhost:8080" })
  const headers = { cookie: "dockline-session=secret; other=1", authorization: "Bearer made-up", accept: "x" }

  // @threat load.9
  it("by their session, and by the path that they are led to: those of operators in their lane", () => {
    const session = { accept: "x", authorization: "Dockline-Session secret" }
    assert.deepStrictEqual(asked({ url: "/dashboard/api/v1/operator/clients?limit=1", headers }), {
      url: "/v1/operator/clients?limit=1",
      headers: session
    })
    assert.deepStrictEqual(asked({ url: "/dashboard/session", headers }), {
      url: "/dashboard/session",
      headers: session
    })
  })

  it("as nobody's without one, whatever token they bring", () => {
    const { headers: counted } = asked({
      url: "/dashboard/api/v1/orders",
      headers: { ...headers, cookie: "other=1" }
    })
    assert.deepStrictEqual(counted, { accept: "x" })
  })

  it("and others as they came", () => {
    for (const url of ["/v1/orders", "/dashboards/api/v1/orders", "/public_graphql"]) {
      const request = { url, headers }
      assert.strictEqual(asked(request), request)
    }
  })
})
