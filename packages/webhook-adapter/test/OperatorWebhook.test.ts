/** D15.4: events for operators: posted and signed, few of each kind, and waited for by nobody. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { eventually } from "../../../test/support/Eventually.ts"
import { OperatorEvents } from "../src/OperatorEvents.ts"
import type { OperatorEvent } from "../src/OperatorEvents.ts"
import * as OperatorWebhook from "../src/OperatorWebhook.ts"
import * as CustomerServer from "./CustomerServer.ts"
import { answer, Outside, pass, settle, until } from "./DispatchWorld.ts"

const secret = `whsec_${randomBytes(32).toString("base64")}`

const configOf = (url: string) => ({
  url,
  secret: Redacted.make(secret),
  dashboardUrl: "https://dock.example/dashboard"
})

/** Tells operators whose server answers with these statuses, one after another, and then 204. */
const telling = (outside: Outside, statuses: ReadonlyArray<number> = []) => {
  let count = 0
  outside.customer = () => Effect.sync(() => answer(statuses[count++] ?? 204))
  return Effect.map(
    Layer.build(OperatorWebhook.over(configOf("https://ops.example")).pipe(Layer.provide(outside.layer))),
    (context) => Context.get(context, OperatorEvents).tell
  )
}

const failing = (id: number): OperatorEvent => ({
  type: "endpoint.failing",
  endpoint: { business: "acme", id },
  text: `Webhook endpoint ${id} of acme has failed`
})

const away: OperatorEvent = { type: "storage.unavailable", text: "The storage cannot be reached" }

const textsOf = ({ requests }: Outside) =>
  requests.map(({ body }) => {
    const { data, type } = JSON.parse(body)
    return [type, data.endpointId]
  })

describe("an event for operators", () => {
  it.live("is posted to a real server, also within, signed as Standard Webhooks has it", () =>
    Effect.gen(function*() {
      const server = yield* CustomerServer.http((_, response) => response.writeHead(204).end())
      const context = yield* Layer.build(OperatorWebhook.layer(configOf(`${server.url}/hooks?team=1`)))
      Context.get(context, OperatorEvents).tell({
        type: "delivery.dead",
        endpoint: { business: "acme", id: 12 },
        messageId: 4711,
        text: "Webhook endpoint 12 of acme has not accepted message 4711"
      })
      yield* Effect.promise(() => eventually("the event", () => server.received.length > 0))
      const [{ body, headers, method, url }] = server.received as [CustomerServer.CustomerRequest]
      assert.deepStrictEqual([method, url], ["POST", "/hooks?team=1"])
      const { timestamp, ...event } = new Webhook(secret).verify(
        body,
        headers as Record<string, string>
      ) as Record<string, unknown>
      assert.match(String(timestamp), /^\d{4}-.*Z$/)
      assert.deepStrictEqual(event, {
        type: "delivery.dead",
        text: "Webhook endpoint 12 of acme has not accepted message 4711",
        data: {
          business: "acme",
          endpointId: "12",
          url: "https://dock.example/dashboard/webhooks/12",
          messageId: 4711
        }
      })
      assert.match(String(headers["webhook-id"]), /^evt_[0-9a-f-]{36}$/)
      assert.strictEqual(headers["content-type"], "application/json")
    }))

  it.effect("comes at most once an hour for each type and endpoint", () =>
    Effect.gen(function*() {
      const outside = new Outside()
      const tell = yield* telling(outside)
      for (let n = 0; n < 10; n++) {
        tell(failing(1))
        tell(failing(2))
        tell(away)
      }
      tell({ ...failing(1), type: "endpoint.disabled" })
      yield* pass(OperatorWebhook.quietMillis - 1)
      tell(failing(1))
      yield* pass(1)
      tell(failing(1))
      tell(failing(1))
      yield* settle
      assert.deepStrictEqual(textsOf(outside), [
        ["endpoint.failing", "1"],
        ["endpoint.failing", "2"],
        ["storage.unavailable", undefined],
        ["endpoint.disabled", "1"],
        ["endpoint.failing", "1"]
      ])
    }))

  it.effect("that is not taken is tried again under its id, each time signed for that time", () =>
    Effect.gen(function*() {
      const outside = new Outside()
      const tell = yield* telling(outside, [500, 302, 410])
      tell(away)
      yield* pass("10 minutes")
      assert.deepStrictEqual(outside.requests.map(({ at }) => at / 1000), [0, 1, 11, 71])
      const ids = outside.requests.map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(new Set(ids).size, 1)
      for (const { at, body, headers } of outside.requests) {
        const expected = new Webhook(secret).sign(String(ids[0]), new Date(at), body)
        assert.strictEqual(headers["webhook-signature"], expected)
        assert.strictEqual(JSON.parse(body).timestamp, "1970-01-01T00:00:00.000Z")
      }
    }))

  it.effect("is given up after five tries, with a line in the log that says why, and is news again", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    return Effect.gen(function*() {
      const outside = new Outside()
      const tell = yield* telling(outside, [500, 500, 500, 500, 500])
      tell(away)
      yield* pass("10 minutes")
      tell(away)
      tell(away)
      yield* pass("10 minutes")
      assert.deepStrictEqual(
        textsOf(outside).map(([type]) => type),
        Array.from({ length: 6 }, () => "storage.unavailable")
      )
      assert.deepStrictEqual(lines, [
        "OPERATOR_WEBHOOK_URL has not taken the event storage.unavailable: The storage cannot be reached (answered 500)"
      ])
    }).pipe(Effect.provide(logger))
  })

  it.effect("leaves the hour of a newer event as it is when an older one is given up", () =>
    Effect.gen(function*() {
      const outside = new Outside()
      const tell = yield* telling(outside)
      const texts = () => outside.requests.map(({ body }) => JSON.parse(body).text)
      outside.customer = ({ body }) =>
        Effect.sync(() => body.includes("old") ? answer(503, { "retry-after": "3600" }) : answer(204))
      tell({ ...away, text: "old" })
      yield* pass("210 minutes")
      tell({ ...away, text: "newer" })
      yield* pass("31 minutes")
      tell({ ...away, text: "newest" })
      yield* settle
      assert.deepStrictEqual(texts(), ["old", "old", "old", "old", "newer", "old"])
    }))

  it.effect("holds nobody up: what finds the queue full is left out", () =>
    Effect.gen(function*() {
      const outside = new Outside()
      const tell = yield* telling(outside)
      const first = Deferred.makeUnsafe<void>()
      outside.customer = () => Effect.as(Deferred.await(first), answer(204))
      tell(failing(0))
      yield* settle
      for (let id = 1; id <= 1500; id++) tell(failing(id))
      yield* Deferred.succeed(first, undefined)
      yield* until(() => outside.requests.length >= 1001)
      assert.strictEqual(outside.requests.length, 1001)
      assert.deepStrictEqual(textsOf(outside).at(-1), ["endpoint.failing", "1000"])
      tell(away)
      yield* settle
      assert.deepStrictEqual(textsOf(outside).at(-1), ["storage.unavailable", undefined])
    }))

  it.effect("is signed by a secret of Standard Webhooks, and by nothing else", () =>
    Effect.gen(function*() {
      const config = { ...configOf("http://127.0.0.1:1"), secret: Redacted.make("hunter2") }
      const refusal = yield* Effect.flip(Layer.build(OperatorWebhook.layer(config)))
      assert.strictEqual(refusal.message, "operator webhook: a signing secret is not whsec_ and base64")
    }))
})
