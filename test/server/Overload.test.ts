/**
 * The bundled server with more to do than it may, and as it stops with requests in flight (D12.3).
 */
import { once } from "node:events"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { WebSocket } from "ws"
import { tokenOf } from "../support/DemoToken.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

let server: ServerProcess.OwnServer
let token: string

beforeAll(async () => {
  // The first large body has room whatever the limit, and no other.
  server = await ServerProcess.serveAlone({ MAX_BODY_BYTES: "1", RATE_LIMIT_PER_MINUTE: "0" })
  token = await tokenOf(server.baseUrl, "acme-client")
})

afterAll(() => server.stop())

const documentOf = (orderNumber: string, padding = 0): string =>
  JSON.stringify({
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber,
    items: [{ lpn: "LPN-1", sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }]
  }) + " ".repeat(padding)

/** A request of which the server has taken the head, and waits for the body. */
const begin = async (body: string): Promise<Socket> => {
  const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1")
  socket.on("error", () => undefined)
  socket.write(
    `POST /v1/documents HTTP/1.1\r\nHost: ${
      new URL(server.baseUrl).host
    }\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
  )
  const [interim] = await once(socket, "data") as [Buffer]
  assert.include(interim.toString(), "100 Continue")
  return socket
}

/** Everything that comes until the server closes the connection. */
const rest = async (socket: Socket): Promise<string> => {
  let text = ""
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, "close")
  return text
}

const post = (path: string, body: string, type = "application/json") =>
  fetch(server.baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    body
  })

describe("a server that has too much to do", () => {
  // @threat load.8
  it("503 OVERLOADED with Retry-After in the form of each interface; probes, tokens and small requests are served", async () => {
    const padding = 20_000
    const taken = await begin(documentOf("SO-TAKEN", padding))
    const refused = await post("/v1/documents", documentOf("SO-REFUSED", padding))
    assert.deepStrictEqual(
      [refused.status, (await refused.json() as { readonly code: string }).code],
      [503, "OVERLOADED"]
    )
    assert.match(String(refused.headers.get("retry-after")), /^[123]$/)
    const query = JSON.stringify({ query: `{ __typename } #${" ".repeat(padding)}` })
    const graphql = await post("/public_graphql", query)
    assert.strictEqual(graphql.status, 503)
    assert.include(await graphql.text(), "\"reason\":\"OVERLOADED\",\"retryable\":true")
    // It is too large, and refused for that: no body of a customer keeps others from a token.
    const tokens = await post("/oauth/token", "x".repeat(padding), "application/x-www-form-urlencoded")
    assert.strictEqual(tokens.status, 413)

    assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
    assert.isNotEmpty(await tokenOf(server.baseUrl, "tower"))
    assert.strictEqual((await post("/v1/documents", documentOf("SO-SMALL"))).status, 201)
    taken.write(documentOf("SO-TAKEN", padding))
    const [answer] = await once(taken, "data") as [Buffer]
    assert.include(answer.toString(), "201 Created")
    taken.destroy()
    assert.strictEqual((await post("/v1/documents", documentOf("SO-REFUSED", padding))).status, 201)
  })
})

describe("D12.3 SIGTERM with requests and sockets in flight", () => {
  it("what is in flight is answered with Connection: close, sockets are told with 1001, and it exits 0", async () => {
    const socket = new WebSocket(
      `${server.baseUrl.replace("http", "ws")}/public_graphql`,
      "graphql-transport-ws"
    )
    await once(socket, "open")
    const closed = once(socket, "close")
    const numbers = Array.from({ length: 8 }, (_, at) => `SO-STOP-${at}`)
    const begun = await Promise.all(numbers.map((number) => begin(documentOf(number))))
    server.child.kill("SIGTERM")
    const [code] = await closed as [number]
    assert.strictEqual(code, 1001)
    const answers = begun.map(rest)
    begun.forEach((request, at) => request.write(documentOf(numbers[at]!)))
    for (const answer of await Promise.all(answers)) {
      assert.include(answer, "HTTP/1.1 201 Created")
      assert.match(answer, /connection: close/i)
    }
    assert.strictEqual(await server.ended, 0)
  })
})
