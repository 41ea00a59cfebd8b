/** The customer's endpoints, called over real sockets as the service calls them, and as others might. */
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Books } from "../../examples/customer/src/Books.ts"
import type { PushMessage } from "../../examples/customer/src/PushMessage.ts"
import * as StateFile from "../../examples/customer/src/StateFile.ts"
import * as WebhookServer from "../../examples/customer/src/WebhookServer.ts"
import { completion, pallet } from "./Messages.ts"

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
const otherSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`
const account = { username: "dockline", password: "pässword: 1" }
const basic = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`
const log = "http://localhost acme/*"

let folder: string
let server: WebhookServer.WebhookServer
let handled: Array<PushMessage>
let refused: Array<string>
let onMessage: () => void

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-webhooks-"))
  handled = []
  refused = []
  onMessage = () => {}
})

afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const stateFile = () => join(folder, "state.json")

const stored = () => JSON.parse(readFileSync(stateFile(), "utf8")) as StateFile.State

const listen = async (options: Partial<WebhookServer.WebhookServerOptions> = {}) => {
  const books = await Books.open({
    log,
    store: StateFile.make(stateFile()),
    onMessage: (message) => {
      onMessage()
      handled.push(message)
    }
  })
  server = await WebhookServer.listen({
    host: "127.0.0.1",
    port: 0,
    business: "acme",
    facility: undefined,
    secrets: [secret],
    account,
    palletAuthentication: "basic",
    completionAuthentication: "basic",
    books,
    onRefused: (path, status, reason) => refused.push(`${path} ${status} ${reason}`),
    ...options
  })
}

interface Call {
  readonly path?: string
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly secret?: string
  readonly at?: Date
  readonly id?: string
}

const bodyOf = (message: PushMessage) => JSON.stringify(message.message)

const signatureOf = (id: string, at: Date, body: string, by = secret) => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": new Webhook(by).sign(id, at, body)
})

/** Posts a message as the service does, but for what is said otherwise. */
const post = async (message: PushMessage, call: Call = {}) => {
  const { at = new Date(), body = bodyOf(message), id = `msg_${message.id}` } = call
  const headers = {
    "content-type": "application/json",
    authorization: basic,
    ...signatureOf(id, at, body, call.secret),
    ...call.headers
  }
  const path = call.path ??
    (message.messageType === "PALLET_EVENT" ? "/api/palletEvent" : "/api/shipmentComplete")
  const { method = "POST" } = call
  const response = await fetch(server.url + path, {
    method,
    headers: Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
    ...(method === "POST" ? { body } : {})
  })
  return { status: response.status, headers: response.headers, body: await response.json() as unknown }
}

const statusOf = async (call: Call): Promise<number> => (await post(pallet(1), call)).status

const login = (body: string, contentType = "application/json") =>
  fetch(`${server.url}/login`, { method: "POST", headers: { "content-type": contentType }, body })

const tokenFrom = async (response: Response): Promise<string> => {
  const { access_token } = await response.json() as { readonly access_token: string }
  return access_token
}

describe("a customer's webhook endpoints", () => {
  it("take pallet messages and completions, and store them before they answer", async () => {
    await listen()
    const first = await post(pallet(1))
    assert.deepStrictEqual([first.status, first.body], [200, { message: 1, repeat: false }])
    assert.deepStrictEqual(stored().received, [1])
    assert.strictEqual((await post(completion(7, [{}]))).status, 200)
    assert.deepStrictEqual(stored().received, [1, 7])
    assert.deepStrictEqual(handled.map(({ id, messageType }) => [id, messageType]), [
      [1, "PALLET_EVENT"],
      [7, "SHIPMENT_COMPLETE"]
    ])
    assert.deepStrictEqual(handled[0]!.message, pallet(1).message)
  })

  it("answer a repeat of webhook-id with 200 and count it once, also at the same time and after a restart", async () => {
    await listen()
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(pallet(1))))
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200])
    assert.strictEqual(answers.filter(({ body }) => (body as { repeat: boolean }).repeat).length, 4)
    await server.close()
    await listen()
    assert.deepStrictEqual((await post(pallet(1))).body, { message: 1, repeat: true })
    assert.strictEqual(handled.length, 1)
  })

  it("take a test message that is signed, and neither store nor count it", async () => {
    await listen()
    const body = JSON.stringify({
      businessSlug: "acme",
      facilitySlug: "",
      serviceShipmentId: "0",
      test: true
    })
    const id = "test_8c1e4f52-6e0f-4a7e-8c51-f1d2b3a49c77"
    const answer = await post(pallet(1), { id, body })
    assert.deepStrictEqual([answer.status, answer.body], [200, { test: true }])
    assert.strictEqual(await statusOf({ id, body, secret: otherSecret }), 401)
    assert.deepStrictEqual([handled, refused.length], [[], 1])
    assert.strictEqual((await post(pallet(1))).status, 200)
    assert.deepStrictEqual(stored().received, [1])
  })

  it("ask for a message again that could not be handled", async () => {
    await listen()
    let failures = 1
    onMessage = () => {
      if (failures-- > 0) throw new Error("our database is away")
    }
    const failed = await post(pallet(1))
    assert.strictEqual(failed.status, 500)
    assert.include(JSON.stringify(failed.body), "our database is away")
    assert.deepStrictEqual((await post(pallet(1))).body, { message: 1, repeat: false })
  })
})

describe("closing", () => {
  for (
    const [title, begun] of [
      ["a connection that says nothing", ""],
      [
        "a request that never ends",
        `POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`
      ]
    ] as const
  ) {
    it(`does not wait for ${title}`, async () => {
      await listen({ graceMillis: 100 })
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
      socket.on("error", () => {})
      await once(socket, "connect")
      socket.write(begun)
      await server.close()
      if (!socket.closed) await once(socket.resume(), "close")
    })
  }
})

describe("D9.5 signatures", () => {
  it("of the secret hold, and of both while it is rotated", async () => {
    await listen({ secrets: [secret, otherSecret] })
    assert.strictEqual(await statusOf({}), 200)
    assert.strictEqual(await statusOf({ secret: otherSecret }), 200)
    const at = new Date()
    const both = [secret, otherSecret].map((by) => new Webhook(by).sign("msg_1", at, bodyOf(pallet(1))))
    await server.close()
    // The service signs with both; a customer may know either one alone.
    for (const known of [secret, otherSecret]) {
      await listen({ secrets: [known] })
      assert.strictEqual(await statusOf({ at, headers: { "webhook-signature": both.join(" ") } }), 200)
      await server.close()
    }
    await listen()
  })

  const now = () => Math.floor(Date.now() / 1000)
  it.each<[string, () => Call]>([
    ["of another secret", () => ({ secret: otherSecret })],
    ["of another body", () => ({ headers: signatureOf("msg_1", new Date(), "{}") })],
    ["of another id", () => ({ headers: { "webhook-id": "msg_2" } })],
    ["of another time", () => ({ headers: { "webhook-timestamp": String(now() - 10) } })],
    ["six minutes old", () => ({ at: new Date(Date.now() - 360_000) })],
    ["six minutes ahead", () => ({ at: new Date(Date.now() + 360_000) })],
    ["that is missing", () => ({ headers: { "webhook-signature": undefined } })],
    ["without a time", () => ({ headers: { "webhook-timestamp": undefined } })],
    ["that is junk", () => ({ headers: { "webhook-signature": "v1 v1, ,x" } })]
  ])("%s are refused with 401, and nothing is handled", async (_name, call) => {
    await listen()
    assert.strictEqual(await statusOf(call()), 401)
    assert.deepStrictEqual(handled, [])
    assert.match(refused[0]!, /^\/api\/palletEvent 401 The signature does not hold/)
  })
})

describe("authentication", () => {
  it.each([
    ["nothing", undefined],
    ["another password", `Basic ${Buffer.from("dockline:guess").toString("base64")}`],
    ["another user", `Basic ${Buffer.from(`other:${account.password}`).toString("base64")}`],
    ["no colon", `Basic ${Buffer.from("dockline").toString("base64")}`],
    ["a token", "Bearer abc"],
    ["junk", "Basic"]
  ])("Basic: %s is refused with 401 and told what to do", async (_name, authorization) => {
    await listen()
    const { body, headers, status } = await post(pallet(1), { headers: { authorization } })
    assert.strictEqual(status, 401)
    assert.match(headers.get("www-authenticate")!, /^Basic realm=/)
    assert.include(JSON.stringify(body), "Basic")
    assert.deepStrictEqual(handled, [])
  })

  it("D9.2 token: JSON and form logins give tokens that the endpoints take", async () => {
    await listen({ palletAuthentication: "token", completionAuthentication: "token" })
    const logins = [
      await login(JSON.stringify(account)),
      await login(new URLSearchParams(account).toString(), "application/x-www-form-urlencoded")
    ]
    for (const [index, response] of logins.entries()) {
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("cache-control"), "no-store")
      const authorization = `Bearer ${await tokenFrom(response)}`
      assert.strictEqual((await post(pallet(index + 1), { headers: { authorization } })).status, 200)
    }
    for (const authorization of [basic, "Bearer guess", undefined]) {
      const { headers, status } = await post(pallet(3), { headers: { authorization } })
      assert.deepStrictEqual([status, headers.get("www-authenticate")], [401, "Bearer"])
    }
  })

  it.each([
    ["a wrong password", "{\"username\":\"dockline\",\"password\":\"guess\"}", 401],
    ["no password", "{\"username\":\"dockline\"}", 401],
    ["numbers", "{\"username\":1,\"password\":2}", 401],
    ["no object", "[]", 401],
    ["no JSON", "{", 400],
    ["more than a login", JSON.stringify({ ...account, more: "x".repeat(20_000) }), 413]
  ])("a login with %s is refused", async (_name, body, status) => {
    await listen()
    const response = await login(body)
    assert.strictEqual(response.status, status)
    assert.notInclude(await response.text(), "access_token")
  })

  it("WIRE.md, completion: Basic for completions beside tokens for pallets", async () => {
    await listen({ palletAuthentication: "token" })
    assert.strictEqual((await post(completion(2, []))).status, 200)
    assert.strictEqual((await post(pallet(1))).status, 401)
  })
})

describe("what is no message is refused, and nothing is handled", () => {
  it.each<[string, Call, number, string]>([
    ["another path", { path: "/api/other" }, 404, "/api/other"],
    ["GET", { method: "GET" }, 405, "POST"],
    ["another media type", { headers: { "content-type": "text/plain" } }, 415, "application/json"],
    ["no media type", { headers: { "content-type": "" } }, 415, "application/json"],
    ["an encoding", { headers: { "content-encoding": "gzip" } }, 415, "Content-Encoding"],
    ["broken JSON", { body: "{" }, 400, "JSON"],
    ["a list", { body: "[]" }, 400, "object"],
    ["another form of id", { id: "evt_1" }, 400, "webhook-id"],
    ["no number as id", { id: "msg_1x" }, 400, "webhook-id"],
    ["another business", { body: "{\"businessSlug\":\"globex\"}" }, 400, "globex"]
  ])("%s", async (_name, call, status, said) => {
    await listen()
    const answer = await post(pallet(1), call)
    assert.strictEqual(answer.status, status)
    assert.include(JSON.stringify(answer.body), said)
    assert.deepStrictEqual(handled, [])
    assert.strictEqual(refused.length, 1)
    assert.strictEqual((await post(pallet(1))).status, 200)
  })

  it("another facility, told by the message or by the pallets of a completion", async () => {
    await listen({ facility: "west" })
    assert.strictEqual((await post(pallet(1))).status, 400)
    assert.strictEqual((await post(completion(2, [{}]))).status, 400)
    assert.strictEqual((await post(completion(3, []))).status, 200)
    assert.deepStrictEqual(handled.map(({ id }) => id), [3])
  })

  it("a message that this customer does not understand is stored all the same", async () => {
    await listen()
    assert.strictEqual(await statusOf({ body: "{\"direction\":\"SIDEWAYS\"}" }), 200)
    assert.deepStrictEqual(stored().received, [1])
  })
})

describe("bodies", () => {
  /** Sends the head of a request and then chunks, and gives the status. */
  const stream = (headers: Readonly<Record<string, string>>, chunks: ReadonlyArray<string>) =>
    new Promise<number>((resolve, reject) => {
      const sending = request(`${server.url}/api/palletEvent`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: basic, ...headers }
      }, (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode!))
      })
      sending.once("error", reject)
      sending.flushHeaders()
      for (const chunk of chunks) sending.write(chunk)
      if (headers["content-length"] === undefined) sending.end()
    })

  it("as large as the limit are taken, one byte more is 413, told in advance or not", async () => {
    const body = bodyOf(pallet(1))
    await listen({ bodyLimit: body.length })
    assert.strictEqual(await statusOf({}), 200)
    assert.strictEqual(await statusOf({ body: `${body} ` }), 413)
    assert.strictEqual(await stream({}, [body, " "]), 413)
    // It answers before the body has come.
    assert.strictEqual(await stream({ "content-length": String(body.length + 1) }, []), 413)
  })

  it("are not waited for from whoever does not authenticate", async () => {
    await listen()
    assert.strictEqual(await stream({ "content-length": "1000", authorization: "Basic x" }, []), 401)
    assert.strictEqual(await stream({ "content-length": "1000", "content-type": "text/xml" }, []), 415)
  })
})
