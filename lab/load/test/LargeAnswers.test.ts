/**
 * The bundled server with a small heap while a client requests many large answers: it stays alive, has few of them in memory at once, and
 * serves others (D12.3).
 */
import { once } from "node:events"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { WebSocket } from "ws"
import * as Programs from "../../../programs/Programs.mjs"
import { tokenOf } from "../../../test/support/DemoToken.ts"
import { eventually } from "../../../test/support/Eventually.ts"
import * as ServerProcess from "../../../test/support/ServerProcess.ts"

let server: ServerProcess.OwnServer
let acme: string
let globex: string
let id: number

/** The answer to a document with this number of items is larger than the buffers of a connection. */
const items = 9999

const document = {
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  shipmentNumber: "LARGE",
  orders: [{
    orderNumber: "SO-1",
    items: Array.from({ length: items }, (_, index) => ({
      lpn: `LPN-${index}`,
      sku: "Ä-1",
      description: "Sunflower oil, refined. ".repeat(30),
      quantity: 1,
      quantityUnit: "CASE"
    }))
  }]
}

const send = (path: string, body: unknown, token = acme, headers: Readonly<Record<string, string>> = {}) =>
  fetch(server.baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const get = (path: string, token = acme, headers: Readonly<Record<string, string>> = {}) =>
  fetch(server.baseUrl + path, { headers: { authorization: `Bearer ${token}`, ...headers } })

/** A figure of the metrics. */
const figure = async (name: string): Promise<number> => {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text()
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)
  assert.isNotNull(found, name)
  return Number(found![1])
}

beforeAll(async () => {
  server = await ServerProcess.serveAlone({ RATE_LIMIT_PER_MINUTE: "0" }, [
    "--max-old-space-size=256",
    await Programs.bundled("packages/server/src/main.ts")
  ])
  acme = await tokenOf(server.baseUrl, "acme-client")
  globex = await tokenOf(server.baseUrl, "globex-client")
  const response = await send("/v1/documents", document, acme, { prefer: "return=minimal" })
  assert.strictEqual(response.status, 201)
  id = (await response.json() as { readonly shipment: { readonly id: number } }).shipment.id
}, 120_000)

afterAll(() => server.stop())

interface Shown {
  readonly orders: ReadonlyArray<
    { readonly items: ReadonlyArray<{ readonly lpn: string; readonly sku: string }> }
  >
}

const assertWhole = ({ orders }: Shown) => {
  const shown = orders.flatMap((order) => order.items)
  assert.strictEqual(shown.length, items)
  assert.deepInclude(shown.at(-1)!, { lpn: `LPN-${items - 1}`, sku: "Ä-1" })
}

const asked = () => ({ query: `{ shipment(id: ${id}) { orders { items { lpn sku description } } } }` })

describe("a large answer", () => {
  it("is whole in each form, and sent in pieces", async () => {
    const json = await get(`/v1/shipments/${id}`, acme, { "correlation-id": "großer" })
    assert.deepStrictEqual(
      [
        json.status,
        json.headers.get("content-length"),
        json.headers.get("content-type"),
        json.headers.get("vary")
      ],
      [200, null, "application/json", "accept"]
    )
    assert.isNotNull(json.headers.get("correlation-id"))
    assertWhole(await json.json() as Shown)

    const xml = await get(`/v1/shipments/${id}`, acme, { accept: "application/xml" })
    assert.isNull(xml.headers.get("content-length"))
    const text = await xml.text()
    assert.strictEqual(text.split("<items>").length - 1, items)
    assert.isTrue(text.endsWith("</items></orders></Shipment>"), text.slice(-100))

    const graphql = await send("/public_graphql", asked())
    assert.deepStrictEqual([graphql.status, graphql.headers.get("content-length")], [200, null])
    assertWhole((await graphql.json() as { readonly data: { readonly shipment: Shown } }).data.shipment)

    const events = await send("/public_graphql", asked(), acme, { accept: "text/event-stream" })
    const [, data = ""] = /^event: next\ndata: (.*)$/m.exec(await events.text()) ?? []
    assertWhole((JSON.parse(data) as { readonly data: { readonly shipment: Shown } }).data.shipment)

    const head = await fetch(`${server.baseUrl}/v1/shipments/${id}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${acme}` }
    })
    assert.strictEqual(head.status, 200)
  })

  it("is whole over a socket", async () => {
    const socket = new WebSocket(
      `${server.baseUrl.replace("http", "ws")}/public_graphql`,
      "graphql-transport-ws"
    )
    await once(socket, "open")
    socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${acme}` } }))
    await once(socket, "message")
    socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: asked() }))
    const [frame] = await once(socket, "message") as [Buffer]
    const { payload } = JSON.parse(frame.toString()) as {
      readonly payload: { readonly data: { readonly shipment: Shown } }
    }
    assertWhole(payload.data.shipment)
    socket.close()
    await once(socket, "close")
  })
})

/** Sends a request and does not read its answer. */
const deaf = (path: string, body?: unknown): Socket => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const { host, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), "127.0.0.1")
  socket.on("error", () => undefined)
  socket.pause()
  socket.write(
    `${
      body === undefined ? "GET" : "POST"
    } ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${acme}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  )
  return socket
}

describe("40 large answers at once", () => {
  // @threat load.16
  it("are made a few at a time: each is whole, or refused with 503 and Retry-After", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const response = await (at % 2 === 0 ? get(`/v1/shipments/${id}`) : send("/public_graphql", asked()))
        if (response.status === 200) {
          const text = await response.text()
          assert.isTrue(text.endsWith("]}]}") || text.endsWith("]}]}}}"), text.slice(-50))
          return "whole"
        }
        assert.strictEqual(response.status, 503)
        assert.match(String(response.headers.get("retry-after")), /^[123]$/)
        assert.include(await response.text(), "OVERLOADED")
        return "refused"
      })
    )
    assert.include(answers, "whole")
    await eventually(
      "the room to be given back",
      async () => await figure("dockline_answer_budget_characters") === 0
    )
  }, 120_000)

  // @threat load.16
  it("of which nothing is taken hold little of the process, and others are served", async () => {
    const refused = await figure("dockline_answer_budget_refused_total")
    const sockets = Array.from(
      { length: 40 },
      (_, at) => at % 2 === 0 ? deaf(`/v1/shipments/${id}`) : deaf("/public_graphql", asked())
    )
    await eventually(
      // On a slow machine further ones are refused because no connection becomes free in time.
      "some to be refused",
      async () => await figure("dockline_answer_budget_refused_total") - refused >= 1
    )
    // The budget of characters of one client's answers.
    assert.isAtMost(await figure("dockline_answer_budget_characters"), 24 * 1024 * 1024)
    assert.isAbove(await figure("dockline_answer_budget_characters"), 0)
    assert.isBelow(await figure("dockline_http_answer_bytes"), 1024 * 1024)
    assert.strictEqual((await get("/v1/orders?business=globex", globex)).status, 200)
    for (const socket of sockets) socket.destroy()
    await eventually(
      "the room to be given back",
      async () => await figure("dockline_answer_budget_characters") === 0
    )
    const after = await get(`/v1/shipments/${id}`)
    assert.strictEqual(after.status, 200)
    // Unread answers keep their share of the budget.
    await after.text()
  }, 120_000)
})

/** A file of X12 of 9.4 MB, which is rejected because none of its segments belongs in a ship notice. */
const x12 = [
  `ISA*00*          *00*          *ZZ*${"LOAD".padEnd(15)}*ZZ*${
    "WAREHOUSE".padEnd(15)
  }*261120*0700*U*00401*000000001*0*P*>`,
  "GS*SH*LOAD*WAREHOUSE*20261120*0700*1*X*004010",
  "ST*856*0001",
  ...Array.from({ length: 245_000 }, () => `REF*BM*${"X".repeat(30)}`),
  "SE*245002*0001",
  "GE*1*1",
  "IEA*1*000000001"
].join("~") + "~"

describe("40 reads of a large file of EDI at once", () => {
  // @threat load.16
  it(
    "are answered a few at a time: each is whole, or has waited and is refused with 503 and Retry-After",
    async () => {
      const operator = await tokenOf(server.baseUrl, "operator")
      const partner = await send("/v1/operator/businesses/acme/edi-partners", {
        slug: "load",
        facility: "east",
        name: "Load",
        theirs: { qualifier: "ZZ", id: "LOAD" },
        ours: { qualifier: "ZZ", id: "WAREHOUSE" }
      }, operator)
      assert.strictEqual(partner.status, 201)
      const taken = await fetch(`${server.baseUrl}/v1/edi`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${acme}`,
          accept: "application/json",
          "content-type": "application/edi-x12"
        },
        body: x12
      })
      assert.strictEqual(taken.status, 200)
      const { files: [file] } = await taken.json() as {
        readonly files: ReadonlyArray<{ readonly id: string }>
      }
      const refused = await figure("dockline_answer_budget_refused_total")
      const answers = await Promise.all(Array.from({ length: 40 }, async () => {
        const response = await get(`/v1/edi/files/${file!.id}`)
        const body = await response.json() as { readonly text?: string; readonly code?: string }
        if (response.status === 200) {
          assert.strictEqual(body.text, x12)
          return "whole"
        }
        assert.deepStrictEqual([response.status, body.code], [503, "OVERLOADED"])
        assert.match(String(response.headers.get("retry-after")), /^[123]$/)
        return "refused"
      }))
      const whole = answers.filter((answer) => answer === "whole").length
      assert.isAbove(whole, 0)
      // Four of 40 exceed the number of requests that one client may have in progress (`Admission`).
      assert.isAtMost(await figure("dockline_answer_budget_refused_total") - refused, 40 - whole)
      await eventually(
        "the room to be given back",
        async () => await figure("dockline_answer_budget_characters") === 0
      )
    },
    120_000
  )
})
