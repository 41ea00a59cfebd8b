/** The customer of `examples/customer`: its books, its receiver, and the program against a server. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Books } from "../../examples/customer/src/Books.ts"
import type { Entry, Message } from "../../examples/customer/src/Books.ts"
import * as Webhooks from "../../examples/customer/src/Webhooks.ts"
import * as Site from "../../examples/demo/src/Site.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as Process from "./Process.ts"

let folder: string
let closing: Array<() => unknown>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-customer-"))
  closing = []
})

afterEach(async () => {
  for (const close of closing.toReversed()) await close()
  rmSync(folder, { recursive: true, force: true })
})

const open = (): Books => {
  const books = new Books(join(folder, "books.sqlite"))
  closing.push(() => books.close())
  return books
}

const pallet = (id: number, palletId: string, direction: string, minute = id): Message => ({
  id,
  messageType: "PALLET_EVENT",
  message: {
    serviceShipmentId: "1",
    servicePalletId: palletId,
    LPN: `LPN-${palletId}`,
    direction,
    occurredAt: `2026-11-20T10:${String(minute).padStart(2, "0")}:00.000Z`
  }
})

const completion = (id: number, ...palletIds: ReadonlyArray<string>): Message => ({
  id,
  messageType: "SHIPMENT_COMPLETE",
  message: {
    serviceShipmentId: "1",
    pallets: palletIds.map((servicePalletId) => ({ servicePalletId, direction: "LOADING" }))
  }
})

const lpnsOf = ({ pallets }: Entry) => pallets.map(({ lpn }) => lpn)

describe("the books of a customer", () => {
  it("D6.6 count a message once, by whichever way it comes, also after a restart", () => {
    const books = open()
    assert.isTrue(books.record(pallet(1, "1", "LOADING"), "webhook").isNew)
    assert.isFalse(books.record(pallet(1, "1", "LOADING"), "log").isNew)
    assert.isTrue(books.record(pallet(2, "2", "LOADING"), "log").isNew)
    const again = open()
    assert.strictEqual(again.lastId, 2)
    assert.deepInclude(again.record(pallet(2, "2", "LOADING"), "webhook"), { isNew: false })
    assert.deepStrictEqual(lpnsOf(again.record(pallet(3, "3", "LOADING"), "log")), [
      "LPN-1",
      "LPN-2",
      "LPN-3"
    ])
  })

  it("go on after the newest of the log alone: a webhook may be ahead of it", () => {
    const books = open()
    books.record(pallet(9, "1", "LOADING"), "webhook")
    assert.strictEqual(books.lastId, 0)
    books.skipTo(5)
    books.skipTo(3)
    assert.strictEqual(books.lastId, 5)
  })

  it("D6.6 cancel a loading and an unloading, in order of occurrence, and count repeats of a direction once", () => {
    const books = open()
    books.record(pallet(1, "1", "LOADING", 1), "log")
    books.record(pallet(2, "1", "LOADING", 2), "log")
    assert.deepStrictEqual(lpnsOf(books.record(pallet(3, "1", "UNLOADING", 4), "log")), [])
    // Events between these come late: loaded, unloaded, loaded, unloaded.
    books.record(pallet(4, "1", "UNLOADING", 2), "log")
    assert.deepStrictEqual(lpnsOf(books.record(pallet(5, "1", "LOADING", 5), "log")), ["LPN-1"])
  })

  it("D6.6 say what a completion has otherwise", () => {
    const books = open()
    books.record(pallet(1, "1", "LOADING"), "log")
    assert.isEmpty(books.record(completion(2, "1"), "log").differences)
    assert.deepStrictEqual(books.record(completion(3, "2"), "log").differences, [
      "pallet 2: the service says LOADING, we counted nothing",
      "pallet 1: the service says nothing, we counted LOADING"
    ])
  })
})

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
const account = { username: "dockline", password: "pässword: 1" }

describe("the receiver of a customer", () => {
  let entries: Array<Entry>
  let url: string

  beforeEach(async () => {
    entries = []
    const receiver = await Webhooks.listen({
      port: 0,
      books: open(),
      secrets: [`whsec_${Buffer.alloc(32, 2).toString("base64")}`, secret],
      account,
      onEntry: (entry) => entries.push(entry)
    })
    closing.push(receiver.close)
    url = receiver.url
  })

  const post = async (id: string, { headers = {}, method = "POST", path = "/api/palletEvent" } = {}) => {
    const at = new Date()
    const body = JSON.stringify(pallet(1, "1", "LOADING").message)
    const { status } = await fetch(url + path, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`,
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign(id, at, body),
        ...headers
      },
      ...(method === "GET" ? {} : { body })
    })
    return status
  }

  it("D9.4 stores a message before it answers, and a repeat changes nothing", async () => {
    assert.strictEqual(await post("msg_1"), 204)
    assert.strictEqual(await post("msg_1"), 204)
    assert.deepStrictEqual(entries.map(({ isNew, message: { id } }) => [id, isNew]), [[1, true], [1, false]])
  })

  it("D9.4 answers a test, and stores nothing", async () => {
    assert.strictEqual(await post("test_6ba7b810-9dad-11d1-80b4-00c04fd430c8"), 204)
    assert.isEmpty(entries)
  })

  it("D9.4 refuses what it cannot know to be a message of the service", async () => {
    assert.strictEqual(await post("msg_1", { headers: { authorization: "Basic bm9ib2R5" } }), 401)
    assert.strictEqual(await post("msg_1", { headers: { "webhook-id": "msg_2" } }), 401)
    assert.strictEqual(await post("order-1"), 400)
    assert.strictEqual(await post("msg_1", { method: "GET" }), 405)
    assert.strictEqual(await post("msg_1", { path: "/" }), 404)
    assert.isEmpty(entries)
  })
})

describe("npm run customer", () => {
  const start = (baseUrl: string, env: Readonly<Record<string, string>> = {}) => {
    const program = Process.start("examples/customer/src/main.ts", [], {
      DOCKLINE_URL: baseUrl,
      BOOKS: join(folder, "customer.sqlite"),
      ...env
    })
    closing.push(() => {
      program.kill("SIGKILL")
      return program.ended
    })
    return program
  }

  it("follows the log of a server, and goes on where it stopped", async () => {
    const { baseUrl, child, ended } = await ServerProcess.serve({
      DEMO: "true",
      DATA_DIR: join(folder, "data")
    })
    closing.push(() => {
      child.kill("SIGTERM")
      return ended
    })
    const { signal } = new AbortController()
    const tower = Site.make(baseUrl, "tower", signal)
    const load = (lpn: string) =>
      tower.post("/v1/pallet-events", {
        eventId: lpn,
        business: "acme",
        facility: "east",
        dockSlug: "D1",
        direction: "LOADING",
        occurredAt: new Date().toISOString(),
        labels: [{ name: "lpn", value: lpn }]
      }, 201)
    await Site.make(baseUrl, "acme-client", signal).post("/v1/documents", {
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      orderNumber: "SO-1",
      dockSlug: "D1",
      items: [{ lpn: "LPN-1", sku: "S", quantity: 1, quantityUnit: "CASE" }]
    }, 201)
    await load("LPN-1")
    const first = start(baseUrl, { WEBHOOK_PORT: "0", WEBHOOK_SECRET: secret })
    await first.until(({ output }) => / {2}PALLET_EVENT {2}LOADING {2}LPN-1 {2}SO-1 .* log$/m.test(output()))
    assert.match(first.errors(), /^Taking webhooks at http:\/\/127\.0\.0\.1:\d+\.$/m)
    first.kill("SIGINT")
    assert.strictEqual(await first.ended, 0, first.errors())
    await load("LPN-2")
    const second = start(baseUrl)
    await second.until(({ output }) => output().includes("LPN-2"))
    assert.notInclude(second.output(), "LPN-1")
    second.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0, second.errors())
  })

  it("ends with 1 and the reason where waiting would not help", async () => {
    const { baseUrl, child, ended } = await ServerProcess.serve({
      DEMO: "true",
      DATA_DIR: join(folder, "data")
    })
    closing.push(() => {
      child.kill("SIGTERM")
      return ended
    })
    const program = start(baseUrl, { DOCKLINE_CLIENT_SECRET: "wrong" })
    assert.strictEqual(await program.ended, 1)
    assert.match(program.errors(), /^customer: INVALID_CLIENT: /m)
  })
})
