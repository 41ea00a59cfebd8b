/**
 * The customers' servers record what came and what they answered, and misbehave as they are told.
 */
import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { eventsOf } from "../../src/history/History.ts"
import { digestOf, make } from "../../src/history/Record.ts"
import type { Recorder } from "../../src/history/Record.ts"
import { open } from "../../src/workload/Customer.ts"
import type { Customer, Endpoint, Misbehaviour } from "../../src/workload/Customer.ts"
import { misbehaviours } from "../../src/workload/CustomerAnswers.ts"

const customers = async (
  use: (customer: Customer, recorder: Recorder) => Promise<void>,
  withHopeless = false
) => {
  const recorder = make()
  const customer = await open(recorder, withHopeless ? "hopeless" : "usual")
  try {
    await use(customer, recorder)
  } finally {
    await customer.close()
  }
}

const named = (customer: Customer, name: string): Endpoint =>
  customer.endpoints.find(({ endpoint }) => endpoint === name)!

/** Posts a message; the status that came back, or that none did. */
const post = async (
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>> = {},
  more: object = {}
) => {
  const body = JSON.stringify({ orders: ["T-acme-east-O1"], ...more })
  const at = new Date("2027-01-01T00:00:00Z")
  const response = await fetch(`${endpoint.baseUrl}/api/palletEvent`, {
    method: "POST",
    body,
    redirect: "manual",
    headers: {
      // Connections that the customer closes are not to be met again.
      connection: "close",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at.getTime() / 1000),
      "webhook-signature": new Webhook(endpoint.signingSecret).sign("msg_1", at, body),
      ...headers
    },
    signal: AbortSignal.timeout(60_000)
  }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status
}

describe("the customers", () => {
  it("record what came and what they are about to answer", () =>
    customers(async (customer, recorder) => {
      assert.strictEqual(await post(named(customer, "acme-steady")), 204)
      const [receipt] = eventsOf(recorder.history, "receipt")
      assert.include(receipt, {
        endpoint: "acme-steady",
        path: "/api/palletEvent",
        webhookId: "msg_1",
        signed: true,
        digest: digestOf({ orders: ["T-acme-east-O1"] })
      })
      assert.deepStrictEqual(receipt!.tags, ["acme/east"])
      const [answer] = eventsOf(recorder.history, "answered")
      assert.include(answer, { receipt: receipt!.receipt, status: 204 })
    }))

  it("see a signature of another secret, message or time", () =>
    customers(async (customer, recorder) => {
      const endpoint = named(customer, "acme-steady")
      await post(endpoint, { "webhook-signature": "v1,AAAA" })
      await post(endpoint, { "webhook-id": "msg_2" })
      await post(endpoint, { "webhook-timestamp": "1" })
      await post(endpoint, { "webhook-timestamp": "now" })
      assert.deepStrictEqual(eventsOf(recorder.history, "receipt").map(({ signed }) => signed), [
        false,
        false,
        false,
        false
      ])
    }))

  it("take tokens that they have given alone", () =>
    customers(async (customer) => {
      const endpoint = named(customer, "acme-token")
      assert.strictEqual(await post(endpoint), 401)
      const logIn = (password: string) =>
        fetch(`${endpoint.baseUrl}/login`, {
          method: "POST",
          headers: { connection: "close" },
          body: JSON.stringify({ username: "dockline", password })
        })
      assert.strictEqual((await logIn("wrong")).status, 403)
      const { access_token } = await (await logIn("correct horse")).json() as { access_token: string }
      assert.strictEqual(await post(endpoint, { authorization: `Bearer ${access_token}` }), 204)
      await customer.misbehave("loginDown")
      assert.strictEqual((await logIn("correct horse")).status, 500)
      assert.strictEqual(await post(endpoint, { authorization: `Bearer ${access_token}` }), 401)
    }))

  it("refuse the first message of some shipments for good, where there is one without hope", () =>
    customers(async (customer) => {
      const endpoint = named(customer, "acme-hopeless")
      const send = (id: number, serviceShipmentId: string) =>
        post(endpoint, { "webhook-id": `msg_${id}` }, { serviceShipmentId })
      assert.strictEqual(await send(1, "3"), 500)
      assert.strictEqual(await send(2, "4"), 204)
      customer.calm()
      await customer.misbehave("gone")
      assert.strictEqual(await send(1, "3"), 500)
      assert.strictEqual(await send(3, "3"), 204)
      assert.strictEqual(await send(2, "4"), 204)
    }, true))

  const statuses: Readonly<Record<Misbehaviour, number | undefined>> = {
    refuse: undefined,
    reset: undefined,
    hang: undefined,
    failing: 500,
    slowBytes: 200,
    huge: 200,
    gzipBomb: 200,
    cut: 200,
    redirect: 307,
    unauthorized: 401,
    loginDown: 401,
    tooMany: 429,
    unavailable: 503,
    gone: 410
  }

  for (const way of misbehaviours) {
    it(`misbehave by ${way}, those that are to, and are well again`, () =>
      customers(async (customer, recorder) => {
        const endpoint = named(customer, "acme-faulty")
        const { baseUrl } = endpoint
        await customer.misbehave(way)
        const first = post(endpoint)
        if (way === "hang") {
          await recorder.until(() => eventsOf(recorder.history, "answered").length === 1, 60_000)
          await customer.behave()
        }
        assert.strictEqual(await first, statuses[way])
        assert.strictEqual(await post(named(customer, "acme-steady")), 204)
        await customer.behave()
        assert.strictEqual(endpoint.baseUrl, baseUrl)
        assert.strictEqual(await post(endpoint), 204)
        // Nothing counts as answered that was not.
        const answered = eventsOf(recorder.history, "answered").map(({ status }) => status)
        assert.deepStrictEqual(answered, [...way === "refuse" ? [] : [statuses[way] ?? 0], 204, 204])
      }))
  }
})
