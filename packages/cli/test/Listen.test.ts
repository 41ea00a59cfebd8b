/** Webhooks for a developer: each message forwarded once, signed, in order, whatever the receiver does. */
import { webhookPath } from "@dockline/core/values/Vocabulary"
import { assert, describe, it } from "vitest"
import { capabilities } from "../src/capabilities/CapabilityCommands.ts"
import { messageWordsOf } from "../src/follow/Following.ts"
import * as FakeService from "./FakeService.ts"
import { listen, log, messages, receiver, secret } from "./Listening.ts"

const { types: messageTypes } = messageWordsOf(capabilities)

describe("listen --test", () => {
  it("sends a test of each type before the messages, marked as the service marks them", async () => {
    await using service = await FakeService.serve(log)
    await using customer = await receiver(secret, [204, 401])
    const ran = await listen(service.url, customer.url, { DOCKLINE_WEBHOOK_SECRET: secret }, "--test")
    assert.strictEqual(ran.code, 0, ran.errors)
    const requests = customer.got as ReadonlyArray<
      readonly [string, string, Readonly<Record<string, unknown>>]
    >
    const [tests, messages] = [requests.slice(0, messageTypes.length), requests.slice(messageTypes.length)]
    assert.deepStrictEqual(tests.map(([path]) => path), messageTypes.map((type) => webhookPath(type)))
    for (const [, id, { serviceShipmentId, test }] of tests) {
      assert.match(id, /^test_[0-9a-f-]{36}$/)
      assert.deepStrictEqual([serviceShipmentId, test], ["0", true])
    }
    assert.deepStrictEqual(messages.map(([, id]) => id), ["msg_1", "msg_2", "msg_3"])
    const lines = ran.data.trim().split("\n").map((line) => line.split(/ {2,}/).slice(0, 3))
    assert.deepStrictEqual(lines.slice(1, messageTypes.length + 2), [
      ...messageTypes.map((
        type,
        at
      ) => ["test", webhookPath(type), at === 0 ? "204" : at === 1 ? "401" : "200"]),
      ["1", "/api/palletEvent", "200"]
    ])
  })
})

describe("listen", () => {
  it("posts what a webhook would, shows a line for each answer, and follows no redirect", async () => {
    await using service = await FakeService.serve(log)
    await using customer = await receiver(secret, [204, 500, 302])
    const ran = await listen(service.url, `${customer.url}/hooks/`, { DOCKLINE_WEBHOOK_SECRET: secret })
    assert.deepStrictEqual([ran.code, ran.errors], [0, ""])
    assert.deepStrictEqual(
      customer.got,
      messages.map(({ id, message, messageType }) => [
        messageType === "PALLET_EVENT" ? "/hooks/api/palletEvent" : "/hooks/api/shipmentComplete",
        `msg_${id}`,
        message
      ])
    )
    assert.match(
      ran.data,
      /^ID +PATH +ANSWER +TOOK\n1 +\/api\/palletEvent +204 +\d+ ms\n2 +\/api\/shipmentComplete +500 .*\n3 +\/api\/palletEvent +302 /
    )
  })

  it("keeps its columns in line when a longer path follows", async () => {
    await using service = await FakeService.serve(log)
    await using customer = await receiver(secret, [])
    const ran = await listen(service.url, customer.url, { DOCKLINE_WEBHOOK_SECRET: secret })
    const [head, ...rows] = ran.data.trimEnd().split("\n")
    assert.lengthOf(rows, 3)
    assert.deepStrictEqual(
      rows.map((row) => row.indexOf("  200  ") + 2),
      rows.map(() => head!.indexOf("ANSWER"))
    )
  })

  it("goes on where nobody listens, and signs with a new secret that it shows", async () => {
    await using service = await FakeService.serve(log)
    const ran = await listen(service.url, "http://127.0.0.1:9", {}, "--json")
    assert.strictEqual(ran.code, 0)
    assert.match(ran.errors, /^Signing with the new secret whsec_[A-Za-z0-9+/]{43}=/)
    const lines = ran.data.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(lines.map(({ id, status }) => [id, status]), [[1, null], [2, null], [3, null]])
    assert.notStrictEqual(lines[0].error, "")
  })

  it.each([
    ["a secret that is none", "http://localhost:3000", "whsec_short", "must be whsec_ and the base64"],
    ["an address of a file", "file:///tmp", secret, "must be an address such as http://localhost:3000"],
    ["an address with a password", "http://a:b@localhost", secret, "without a name, password"]
  ])("refuses %s", async (_, url, address, words) => {
    const ran = await listen("http://127.0.0.1:9", url, { DOCKLINE_WEBHOOK_SECRET: address })
    assert.deepStrictEqual([ran.code, ran.data], [2, ""])
    assert.include(ran.errors, words)
    assert.notInclude(ran.errors, "whsec_short")
  })
})
